package gradient

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bigmkl/internal/kernelspec"
)

// TestLinearEnergies: V_m of linear kernels keeps its digits where sum alpha_i x_i nearly vanishes, which alpha'K alpha
// does not, in single precision, after many passes, asleep points or not, and normalised.
func TestLinearEnergies(t *testing.T) {
	t.Parallel()
	rng := random(t, 1)
	const n, d = 60, 3
	p := uniform(rng, n, d)
	list := &kernelspec.Bank{Sets: [][]int32{{0, 2}}, SetViews: []string{""}, Kernels: []kernelspec.Kernel{
		{Kind: kernelspec.Gauss, Gamma: 1, Set: kernelspec.AllFeatures}, {Kind: kernelspec.Linear, Set: kernelspec.AllFeatures}, {Kind: kernelspec.Linear, Set: 0},
	}}
	b := newBank(t, "linear", p, list, false, []float64{1, 5, 0.25})
	// A vector orthogonal to all centred features, except for a part of 1e-6.
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, float64(p.x[i][j])-float64(b.Shift[j]))
		}
	}
	var svd mat.SVD
	var u mat.Dense
	svd.Factorize(x, mat.SVDFull)
	svd.UTo(&u)
	alpha := make([]float64, n)
	for i := range alpha {
		for k := d; k < d+5; k++ {
			alpha[i] += u.At(i, k)
		}
		alpha[i] += 1e-6 * (u.At(i, 0) + u.At(i, 1))
	}
	want := make([]float64, 3)
	for id, set := range map[int][]int{1: {0, 1, 2}, 2: {0, 2}} {
		for _, j := range set {
			s := 0.0
			for i, a := range alpha {
				s += a * x.At(i, j)
			}
			want[id] += s * s * b.Factor(id)
		}
	}
	f := follow(t, b, Options{Threads: 2, Memory: 1 << 20})
	theta, combined, v := []float64{1, 1, 1}, make([]float64, n), make([]float64, 3)
	check := func(when string) {
		t.Helper()
		if err := f.gr.Pass(t.Context(), nil, nil, alpha, theta, combined, v); err != nil {
			t.Fatal(err)
		}
		for _, id := range []int{1, 2} {
			if !(math.Abs(v[id]/want[id]-1) <= 1e-6) {
				t.Errorf("%s: V of kernel %d is %v, want %v", when, id, v[id], want[id])
			}
		}
	}
	now := make([]float64, n)
	step := func(to func(i int) float64) {
		t.Helper()
		set, delta := upTo(n), make([]float64, n)
		for i := range delta {
			a := to(i)
			delta[i], now[i] = a-now[i], a
		}
		if err := f.gr.Pass(t.Context(), set, delta, now, theta, combined, v); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		step(func(int) float64 { return rng.NormFloat64() })
	}
	step(func(i int) float64 { return alpha[i] })
	check("after passes")
	if err := f.gr.Shrink(t.Context(), upTo(n/2), alpha); err != nil {
		t.Fatal(err)
	}
	if err := f.gr.Wake(t.Context(), alpha); err != nil {
		t.Fatal(err)
	}
	check("after a sleep")
	for _, double := range []bool{false, true} {
		if err := f.gr.Rebuild(t.Context(), alpha, double); err != nil {
			t.Fatal(err)
		}
		check("after a rebuild")
	}
}
