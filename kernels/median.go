package kernels

import (
	"math"
	"slices"

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
	slices.Sort(all)
	return all[len(all)/2]
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
