package gradient

import (
	"math"
	"testing"

	"bigmkl/internal/kernelspec"
)

// TestWide: gradients of wide kernels have the digits of the arithmetic relative to k - 1, however
// much the normalisation magnifies that. Values near 1 have lost all of them in single precision.
func TestWide(t *testing.T) {
	t.Parallel()
	rng := random(t, 41)
	const n = 75
	p := uniform(rng, n, 4)
	// Distances of features that are multiples of 1/16 are exact, as only k - 1 is in question.
	for _, x := range p.x {
		for j := range x {
			x[j] = float32(math.Round(float64(x[j])*16) / 16)
		}
	}
	p = newTable(p.x)
	list := &kernelspec.Bank{}
	var factors []float64
	for i := range 12 {
		gamma := math.Ldexp(0.1, -3*i)
		list.Kernels = append(list.Kernels, kernelspec.Kernel{
			Kind: kernelspec.Laplace, Gamma: gamma, Set: kernelspec.AllFeatures})
		factors = append(factors, 1/gamma)
	}
	b := newBank(t, "wide", p, list, false, factors)
	reach, err := b.Reaches(t.Context(), p, 1)
	if err != nil {
		t.Fatal(err)
	}
	b.FindWide(reach)
	alpha, theta := balancedNormals(rng, n), make([]float64, b.Len())
	combined, v := make([]float64, n), make([]float64, b.Len())
	for _, double := range []bool{false, true} {
		eps := 1e-6
		if double {
			eps = 1e-14
		}
		gr := newGradient(t, b, Options{Threads: 2, Memory: 1 << 30})
		if err := gr.Rebuild(t.Context(), alpha, double); err != nil {
			t.Fatal(err)
		}
		for m, k := range list.Kernels {
			clear(theta)
			theta[m] = 1
			if err := gr.Pass(t.Context(), nil, nil, alpha, theta, combined, v); err != nil {
				t.Fatal(err)
			}
			fresh, err := gr.Afresh(t.Context(), []int{0, 40}, alpha, theta)
			if err != nil {
				t.Fatal(err)
			}
			for i := range combined {
				want, size := 0.0, 0.0
				for s, a := range alpha {
					d := 0.0
					for j := range p.d {
						d += math.Abs(float64(p.x[i][j]) - float64(p.x[s][j]))
					}
					u := math.Expm1(-k.Gamma*d) * factors[m]
					want += a * u
					size += math.Abs(a * u)
				}
				if !(math.Abs(combined[i]-want) <= eps*size) {
					t.Fatalf("double %t, gamma %g: %v, want %v of %v", double, k.Gamma, combined[i], want, size)
				}
				for at, point := range []int{0, 40} {
					if i == point && !(math.Abs(fresh[at]-want) <= 1e-14*size) {
						t.Fatalf("gamma %g: %v afresh, want %v of %v", k.Gamma, fresh[at], want, size)
					}
				}
			}
			// The model is positive definite for every step, and large in no direction.
			set := upTo(n)
			h := make([]float64, n*n)
			if err := gr.Hessian(t.Context(), set, theta, nil, h); err != nil {
				t.Fatal(err)
			}
			all, trace := 0.0, 0.0
			for i := range n {
				trace += h[i*n+i]
				for j := range n {
					all += h[i*n+j]
					if h[i*n+j] != h[j*n+i] {
						t.Fatal("the model is not symmetric")
					}
				}
			}
			// The mean of all entries is what was added: half of the mean of the diagonal.
			if c := all / (n * n); !(math.Abs(c-trace/(2*n)) <= 1e-9*c) {
				t.Errorf("gamma %g: mean of the model %v, of its diagonal %v", k.Gamma, c, trace/n)
			}
		}
	}
}
