package norm

import (
	"bigmkl/chunking"
	"bigmkl/internal/toy"
	"slices"
	"testing"
)

// secondDerivative is d'Hd for the Hessian of 1/2 ||v||^2 as a norm describes it: by its weights,
// its curvature and its coupling.
func secondDerivative(n chunking.Norm, p *toy.Problem, alpha, d, V []float64) float64 {
	theta, rank := make([]float64, len(V)), make([]float64, len(V))
	n.Weights(theta, V)
	back, ok := n.Curvature(rank, theta, V)
	if !ok {
		clear(rank)
	}
	sum, ghat := 0.0, 0.0
	slope := make([]float64, len(V)) // d'g_m
	for m, k := range p.K {
		for i := range alpha {
			row := k[i*len(alpha) : (i+1)*len(alpha)]
			slope[m] += d[i] * toy.Dot(row, alpha)
			sum += theta[m] * d[i] * toy.Dot(row, d)
		}
		sum += rank[m] * slope[m] * slope[m]
		ghat += theta[m] * slope[m]
	}
	sum -= back * ghat * ghat
	c := n.(chunking.Coupled).Coupling(theta, V)
	if c == nil {
		return sum
	}
	z := make([]float64, c.Rows)
	for m, r := range c.Row {
		if r >= 0 {
			z[r] += c.Factor[m] * slope[m]
		}
	}
	for r := range z {
		if c.Full == nil {
			sum += c.Diagonal[r] * z[r] * z[r]
			continue
		}
		for q := range z {
			sum += c.Full[r*c.Rows+q] * z[r] * z[q]
		}
	}
	return sum
}

// TestHessians: weights are the derivatives of the smoothed norm, and the Hessian its second
// derivative along any direction.
func TestHessians(t *testing.T) {
	rng := toy.Random(t, 21)
	const n, kernels = 6, 7
	p := &toy.Problem{}
	for range kernels {
		x := make([][]float64, n)
		for i := range x {
			x[i] = []float64{rng.NormFloat64(), rng.NormFloat64()}
		}
		p.K = append(p.K, toy.Linear(x, 0, 2))
	}
	alpha, dir := make([]float64, n), make([]float64, n)
	for i := range alpha {
		alpha[i], dir[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	V := p.Energies(alpha)
	for _, d := range defineds(rng, kernels) {
		norm := d.make(nil)
		norm.(chunking.Adaptive).Calibrate(V)
		got := secondDerivative(norm, p, alpha, dir, V)
		theta := make([]float64, kernels)
		half := func(step float64) (value, slope float64) {
			moved := slices.Clone(alpha)
			for i := range moved {
				moved[i] += step * dir[i]
			}
			r := norm.Weights(theta, p.Energies(moved))
			for m, k := range p.K {
				for i := range n {
					slope += theta[m] * dir[i] * toy.Dot(k[i*n:(i+1)*n], moved)
				}
			}
			return r * r / 2, slope
		}
		const h = 1e-5
		difference := func(f func(x float64) float64) float64 {
			return (8*(f(h)-f(-h)) - (f(2*h) - f(-2*h))) / (12 * h)
		}
		_, slope := half(0)
		if want := difference(func(x float64) float64 { v, _ := half(x); return v }); !toy.Near(slope, want, 1e-6) {
			t.Errorf("%s: slope %v, by differences %v", d.name, slope, want)
		}
		if want := difference(func(x float64) float64 { _, s := half(x); return s }); !toy.Near(got, want, 1e-5) {
			t.Errorf("%s: d'Hd = %v, by differences %v", d.name, got, want)
		}
	}
}
