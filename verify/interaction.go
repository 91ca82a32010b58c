package verify

import (
	"math"
	"slices"

	"bigmkl/model"
)

// interacting is the largest y'w - 1/2 y'Ey over y >= 0, by ascent over coordinates sped up by conjugate gradients on those above 0:
// each turn is a sweep and then the maximum over the coordinates that are not at 0, as far as they stay above.
func interactionPenalty(e, w []float64) float64 {
	n := len(w)
	y, gain := make([]float64, n), slices.Clone(w) // gain = w - Ey
	largest := 0.0
	for _, x := range w {
		if !finite(x) {
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
		for k := range y {
			if by := max(gain[k]/e[k*n+k], -y[k]); by != 0 {
				move(k, by)
			}
		}
		climb(e, y, gain)
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
	var value neumaier
	for k, x := range y {
		value.add(x * (w[k] + gain[k]) / 2)
	}
	return value.value()
}

const (
	maxSweeps  = 1000
	stationary = 1e-13 // of the largest ||w_m||
)

// ascend takes conjugate gradient steps over the coordinates above 0 until one of them would fall below: there it stops.
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
		length, blocked := square/curve, false
		for _, k := range free {
			if direction[k] < 0 && y[k]+length*direction[k] < 0 {
				length, blocked = -y[k]/direction[k], true
			}
		}
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
		for _, k := range free {
			direction[k] = gain[k] + next/square*direction[k]
		}
		square = next
	}
}

// checkInteractions: the squared norm of a matrix of interactions is one only if that is positive definite.
func checkInteractions(m *model.Model, f *faults) {
	if m.Interaction != nil && !isPositiveDefinite(m.Interaction, m.Len()) {
		f.add("interactions", "the matrix of interactions is not positive definite")
	}
}

// definite tells whether E is positive definite: by Cholesky's method, row by row.
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
