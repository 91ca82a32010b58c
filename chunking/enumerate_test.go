package chunking

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// enumerate finds the maximum by trying every division of the coordinates into low, high and free
// ones.
func (p *quadratic) enumerate() float64 {
	q := len(p.gradient)
	best := math.Inf(-1)
	state := make([]int, q)
	var try func(at int)
	try = func(at int) {
		if at < q {
			for state[at] = range 3 {
				try(at + 1)
			}
			return
		}
		if d, ok := p.stationary(state); ok {
			best = max(best, p.value(d))
		}
	}
	try(0)
	return best
}

// stationary solves for the free coordinates with the others at their bounds; a least-squares
// solution of least length represents all if there are several. It reports false if that is
// infeasible.
func (p *quadratic) stationary(state []int) ([]float64, bool) {
	q := len(state)
	d := make([]float64, q)
	var free []int
	rest := 0.0
	for i, s := range state {
		switch s {
		case 0:
			d[i] = p.low[i]
		case 1:
			d[i] = p.high[i]
		default:
			free = append(free, i)
		}
		rest -= d[i]
	}
	f := len(free)
	if f == 0 {
		return d, math.Abs(rest) < 1e-12
	}
	scale := 1e-3 // of the row for the sum: the system is then no worse than the matrix
	for i := range d {
		scale = max(scale, p.h[i*q+i])
	}
	a, b := mat.NewDense(f+1, f+1, nil), mat.NewDense(f+1, 1, nil)
	for r, i := range free {
		g := p.gradient[i]
		for j, x := range d {
			g -= p.h[i*q+j] * x
		}
		for c, j := range free {
			a.Set(r, c, p.h[i*q+j])
		}
		a.Set(r, f, scale)
		a.Set(f, r, scale)
		b.Set(r, 0, g)
	}
	b.Set(f, 0, rest*scale)
	var svd mat.SVD
	var x mat.Dense
	if !svd.Factorize(a, mat.SVDFull) {
		return nil, false
	}
	rank := 0
	for _, v := range svd.Values(nil) {
		if v > 1e-11*svd.Values(nil)[0] {
			rank++
		}
	}
	svd.SolveTo(&x, b, rank)
	sum := 0.0
	for r, i := range free {
		d[i] = x.At(r, 0)
		sum += d[i]
		if d[i] < p.low[i]-1e-9 || d[i] > p.high[i]+1e-9 {
			return nil, false
		}
	}
	return d, math.Abs(sum-rest) < 1e-9
}
