package verify

import (
	"math"
	"slices"

	"bigmkl/internal/float"
	"bigmkl/internal/model"
)

var _ penalty = interaction(nil)

// interaction is the norm of kernels that interact by a positive definite matrix E, row-major.
type interaction []float64

func (e interaction) conjugate(v []float64) float64 {
	var sum neumaier
	for i, x := range v {
		for j, y := range v {
			sum.add(x * e[i*len(v)+j] * y)
		}
	}
	return sum.value() / 2
}

func (e interaction) checkTheta(theta []float64, f *faults) {
	for k, t := range theta {
		if least := e[k*len(theta)+k]; t != 0 && t < least*(1-exact) {
			f.add("norm", "theta[%d] is %v, below the entry %v of the matrix", k, t, least)
		}
	}
}

// primal returns the maximum over y >= 0 of y'w - 1/2 y'Ey. It returns a NaN if w is not finite.
//
// The maximum is found by ascent over coordinates, which finds the coordinates at 0, and by
// conjugate gradients over the others, which are fast where the matrix is badly conditioned. Each
// sweep is followed by such an ascent. It ends at a point where no partial derivative that counts
// is larger than stationary times the largest w.
func (e interaction) primal(w []float64) float64 {
	n := len(w)
	y, gain := make([]float64, n), slices.Clone(w) // gain = w - Ey
	largest := 0.0
	for _, x := range w {
		if !float.Finite(x) {
			return math.NaN()
		}
		largest = max(largest, x)
	}
	move := func(k int, by float64) {
		y[k] += by
		for i := range gain {
			gain[i] -= by * e[k*n+i]
		}
	}
	for range maxSweeps {
		// A step to the maximum over one coordinate, which ends at 0 if that lies below.
		for k := range y {
			if by := max(gain[k]/e[k*n+k], -y[k]); by != 0 {
				move(k, by)
			}
		}
		climb(e, y, gain)
		// A negative gain at y_k = 0 does not justify to go on: y_k may not fall.
		worst := 0.0
		for k, g := range gain {
			if g > 0 || y[k] > 0 {
				worst = max(worst, math.Abs(g))
			}
		}
		if worst <= stationary*largest {
			break
		}
	}
	// y'w - 1/2 y'Ey with Ey = w - gain.
	var value neumaier
	for k, x := range y {
		value.add(x * (w[k] + gain[k]) / 2)
	}
	return value.value()
}

const (
	maxSweeps  = 1000
	stationary = 1e-13 // relative to the largest element of w
)

// climb takes conjugate gradient steps over the coordinates of y above 0, to the maximum over
// these, or until one of them would fall below 0: there it stops, with that one at 0. It keeps
// gain = w - Ey up to date.
func climb(e, y, gain []float64) {
	n := len(y)
	var free []int
	for k, x := range y {
		if x > 0 {
			free = append(free, k)
		}
	}
	direction, image := make([]float64, n), make([]float64, n)
	square := 0.0
	for _, k := range free {
		direction[k] = gain[k]
		square += gain[k] * gain[k]
	}
	start := square
	// Without rounding the maximum is reached in as many steps as there are free coordinates.
	for range 3 * len(free) {
		if square <= 1e-32*start || square == 0 {
			return
		}
		curve := 0.0
		for i := range n {
			s := 0.0
			for _, k := range free {
				s += e[i*n+k] * direction[k]
			}
			image[i] = s
			curve += direction[i] * s
		}
		// The step to the maximum along the direction, cut where a coordinate meets 0.
		length, blocked := square/curve, false
		for _, k := range free {
			if direction[k] < 0 && y[k]+length*direction[k] < 0 {
				length, blocked = -y[k]/direction[k], true
			}
		}
		// A curvature that is not positive, by rounding or by a matrix that defines no norm.
		if !(length >= 0) {
			return
		}
		for _, k := range free {
			y[k] = max(0, y[k]+length*direction[k])
		}
		for i := range gain {
			gain[i] -= length * image[i]
		}
		if blocked {
			return
		}
		next := 0.0
		for _, k := range free {
			next += gain[k] * gain[k]
		}
		// The next direction is conjugate to all before (Fletcher and Reeves).
		for _, k := range free {
			direction[k] = gain[k] + next/square*direction[k]
		}
		square = next
	}
}

// checkInteractions checks that the matrix of interactions is positive definite: otherwise it
// defines no norm, and the dual value bounds nothing.
func checkInteractions(m *model.Model, f *faults) {
	if m.Interaction != nil && !isPositiveDefinite(m.Interaction, m.Len()) {
		f.add("interactions", "the matrix of interactions is not positive definite")
	}
}

// isPositiveDefinite reports whether the n x n matrix e is positive definite: whether its
// Cholesky factor exists, which is computed row by row.
func isPositiveDefinite(e []float64, n int) bool {
	l := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			s := e[i*n+j]
			for k := range j {
				s -= l[i*n+k] * l[j*n+k]
			}
			if i != j {
				l[i*n+j] = s / l[j*n+j]
				continue
			}
			if !(s > 0) {
				return false
			}
			l[i*n+i] = math.Sqrt(s)
		}
	}
	return true
}
