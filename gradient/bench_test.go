package gradient

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"bigmkl/internal/kernelspec"
)

// BenchmarkPass is a pass of 256 working points over 8,192 points: ten Gaussians on all features and a polynomial. It compares passes
// without and with factors of the points.
func BenchmarkPass(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 3))
	const n, q = 8192, 256
	for _, d := range []int{20, 200} {
		p := uniform(rng, n, d)
		list := gaussians(10)
		list.Kernels = append(list.Kernels, kernelspec.Kernel{Kind: kernelspec.Poly, Gamma: 1, Coef: 1, Degree: 2, Set: kernelspec.AllFeatures})
		for _, bank := range []*bank{
			newBank(b, "plain", p, list, false, nil),
			newGatedBank(b, "gated", p, list, false, nil, newEtas(rng, len(list.Kernels), n)),
			newBank(b, "spherical", p, list, true, nil),
		} {
			for _, double := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s/d=%d/double=%v", bank.name, d, double), func(b *testing.B) {
					gr := newGradient(b, bank, Options{Threads: 1, Memory: 1 << 30})
					alpha, theta := make([]float64, n), make([]float64, bank.Len())
					combined, v := make([]float64, n), make([]float64, bank.Len())
					for m := range theta {
						theta[m] = 1
					}
					if err := gr.Rebuild(b.Context(), alpha, double); err != nil {
						b.Fatal(err)
					}
					set, delta := subset(rng, n, q), normals(rng, q)
					for b.Loop() {
						if err := gr.Pass(b.Context(), set, delta, alpha, theta, combined, v); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
