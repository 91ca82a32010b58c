package chunking_test

import (
	"math"
	"slices"
	"testing"

	. "bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/toy"
)

// TestModel: on the working set, the quadratic model has the second derivative of the dual along
// any direction, for norms with each kind of curvature and coupling.
func TestModel(t *testing.T) {
	rng := toy.Random(t, 27)
	const n, kernels = 8, 5
	p, x := toy.Cloud("model", rng, n, 3)
	p.K = [][]float64{toy.Gauss(x, 0.2), toy.Gauss(x, 1), toy.Linear(x, 0, 3), toy.Linear(x, 1, 2), toy.Poly(x, 2)}
	e := make([]float64, kernels*kernels)
	for i := range kernels {
		for j := range kernels {
			e[i*kernels+j] = math.Pow(0.5, math.Abs(float64(i-j)))
		}
	}
	for name, norm := range map[string]Norm{
		"p = 4/3":      norm.NewBlock(4.0/3, nil),
		"p = 2":        norm.NewBlock(2, nil),
		"p = 3":        norm.NewBlock(3, nil),
		"groups":       norm.NewHierarchical(3, 4.0/3, []int32{0, 0, 1, 1, 1}, nil),
		"elastic net":  norm.NewElasticNet(0.5, nil),
		"interactions": norm.NewInteraction(e, nil),
		"importance":   norm.NewWeighted(norm.NewInteraction(e, nil), []float64{1, 2, 0.5, 3, 0.1}),
	} {
		s := New(n, kernels, hinge(p), norm, gradienttest.NewDense(n, p.K), 1e-3, Tuning{})
		alpha := make([]float64, n)
		for i, y := range p.Y {
			alpha[i] = y * (0.2 + 0.5*rng.Float64())
		}
		if err := s.Start(t.Context(), alpha); err != nil {
			t.Fatal(err)
		}
		set := []int{1, 2, 4, 5, 7}
		d := make([]float64, n)
		for _, i := range set {
			d[i] = rng.NormFloat64()
		}
		h, err := s.Model(t.Context(), set)
		if err != nil {
			t.Fatal(err)
		}
		got := 0.0
		for a, i := range set {
			for b, j := range set {
				got += d[i] * h[a*len(set)+b] * d[j]
			}
		}
		theta := make([]float64, kernels)
		slope := func(step float64) float64 { // of 1/2 ||v||^2 along d
			moved := slices.Clone(s.Alpha())
			for i := range moved {
				moved[i] += step * d[i]
			}
			norm.Weights(theta, p.Energies(moved))
			sum := 0.0
			for m, k := range p.K {
				for i := range n {
					sum += theta[m] * d[i] * toy.Dot(k[i*n:(i+1)*n], moved)
				}
			}
			return sum
		}
		const step = 1e-5
		want := (8*(slope(step)-slope(-step)) - (slope(2*step) - slope(-2*step))) / (12 * step)
		if !toy.Near(got, want, 1e-5) {
			t.Errorf("%s: d'Hd = %v, by differences %v", name, got, want)
		}
	}
}
