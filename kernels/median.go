package kernels

import (
	"math"

	"bigmkl/internal/spec"
)

// Medians gives median distances between the points of a seeded sample.
type Medians struct {
	d    int
	rows []float32
	n    int
}

const medianSample = 512 // points; all their pairs are taken

// NewMedians draws the sample.
func NewMedians(points Points, seed uint64) *Medians {
	m := &Medians{d: points.Dim(), n: min(points.Len(), medianSample)}
	m.rows = make([]float32, m.n*m.d)
	for i, at := range draw(points.Len(), m.n, seed) {
		points.Row(int(at), m.rows[i*m.d:(i+1)*m.d])
	}
	return m
}

// Distance is the median over pairs of the distance that the kind is a function of; set nil means all features. It is 0
// if there are no pairs.
func (m *Medians) Distance(set []int32, kind spec.Kind) float64 {
	if set == nil {
		set = make([]int32, m.d)
		for j := range set {
			set[j] = int32(j)
		}
	}
	part := make([]float64, m.n*len(set))
	for i := range m.n {
		for k, j := range set {
			part[i*len(set)+k] = float64(m.rows[i*m.d+int(j)])
		}
	}
	var all []float64
	for i := range m.n {
		x := part[i*len(set) : (i+1)*len(set)]
		for j := range i {
			all = append(all, distance(x, part[j*len(set):(j+1)*len(set)], kind))
		}
	}
	if len(all) == 0 {
		return 0
	}
	return nth(all, len(all)/2)
}

// nth is the element that would stand at place k if x were sorted; it reorders x (Hoare's quickselect).
func nth(x []float64, k int) float64 {
	for low, high := 0, len(x)-1; low < high; {
		pivot := x[(low+high)/2]
		i, j := low, high
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return x[k]
		}
	}
	return x[k]
}

func distance(x, z []float64, kind spec.Kind) float64 {
	s := 0.0
	for i, a := range x {
		b := z[i]
		switch kind {
		case spec.Laplace:
			s += math.Abs(a - b)
		case spec.ChiSquare:
			if a+b != 0 {
				s += (a - b) * (a - b) / (a + b)
			}
		default:
			s += (a - b) * (a - b)
		}
	}
	return s
}
