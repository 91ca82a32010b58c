package chunking_test

import (
	"fmt"
	"math"
	"testing"

	. "bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/loss"
	"bigmkl/internal/toy"
)

// squares draws a problem of least squares.
func squares(t *testing.T, n int, weighted bool) (kernels [][]float64, l *loss.LeastSquares) {
	rng := toy.Random(t, uint64(n))
	_, x := toy.Cloud("squares", rng, n, 3)
	y := make([]float64, n)
	var weight []float64
	for i := range y {
		y[i] = math.Sin(2*x[i][0]) + 0.5*x[i][1] + 0.2*rng.NormFloat64()
		if weighted {
			weight = append(weight, math.Exp(rng.NormFloat64()))
		}
	}
	return [][]float64{toy.Gauss(x, 0.1), toy.Gauss(x, 1), toy.Linear(x, 0, 3), toy.Poly(x, 2)}, loss.NewLeastSquares(y, 2, weight)
}

// TestQuasiNewton: quasi-Newton steps end in chunking's optimum for every norm, and chunking finds
// nothing to do there.
func TestQuasiNewton(t *testing.T) {
	for _, n := range []int{3, 40, 120} {
		for _, weighted := range []bool{false, true} {
			kernels, l := squares(t, n, weighted)
			even := make([]int32, len(kernels))
			for name, make := range map[string]func() Norm{
				"p=1":          func() Norm { return norm.NewBlock(1, nil) },
				"p=4/3":        func() Norm { return norm.NewBlock(4.0/3, nil) },
				"p=2":          func() Norm { return norm.NewBlock(2, nil) },
				"p=4":          func() Norm { return norm.NewBlock(4, nil) },
				"p=inf":        func() Norm { return norm.NewBlock(math.Inf(1), nil) },
				"hierarchical": func() Norm { return norm.NewHierarchical(4.0/3, 1.5, even, nil) },
				"elastic net":  func() Norm { return norm.NewElasticNet(0.5, nil) },
			} {
				t.Run(fmt.Sprintf("n=%d/weights=%v/%s", n, weighted, name), func(t *testing.T) {
					const gap = 1e-6
					want, status := run(t, New(n, len(kernels), l, make(), gradienttest.NewDense(n, kernels), gap, Tuning{}))
					if status != Converged {
						t.Fatalf("chunking: %s at %g", status, want.Certificate.RelativeGap)
					}
					got, status := run(t, NewQuasiNewton(n, len(kernels), l, make(), gradienttest.NewDense(n, kernels), gap))
					t.Logf("%d iterations, chunking %d", got.Iterations, want.Iterations)
					if status != Converged {
						t.Errorf("%s after %d iterations, gap %g", status, got.Iterations, got.Certificate.RelativeGap)
					}
					if !toy.Near(got.Certificate.Dual, want.Certificate.Dual, 2*gap) || !toy.Near(got.Certificate.Primal, want.Certificate.Primal, 2*gap) {
						t.Errorf("primal %.9g and dual %.9g, chunking %.9g and %.9g", got.Certificate.Primal, got.Certificate.Dual, want.Certificate.Primal, want.Certificate.Dual)
					}
					sum, size := 0.0, 0.0
					for _, a := range got.Alpha {
						sum += a
						size += math.Abs(a)
					}
					if !(math.Abs(sum) <= 1e-12*size) {
						t.Errorf("alpha sums to %g, |alpha| to %g", sum, size)
					}
					other := New(n, len(kernels), l, make(), gradienttest.NewDense(n, kernels), 3*gap, Tuning{})
					if err := other.Start(t.Context(), got.Alpha); err != nil {
						t.Fatal(err)
					}
					if r, _ := run(t, other); r.Iterations > 20 {
						t.Errorf("chunking takes %d iterations from there", r.Iterations)
					}
				})
			}
		}
	}
}

// TestQuasiNewtonIsConjugate: with fixed weights the dual is quadratic, and the method that of
// conjugate gradients: it ends in no more iterations than the spectrum has distinct values.
func TestQuasiNewtonIsConjugate(t *testing.T) {
	const n, blocks = 60, 6
	k := make([]float64, n*n) // blocks of ones of growing weight: an eigenvalue each
	rng := toy.Random(t, 1)
	y := make([]float64, n)
	for i := range n {
		y[i] = rng.NormFloat64()
		for j := range n {
			if i%blocks == j%blocks {
				k[i*n+j] = math.Pow(3, float64(i%blocks))
			}
		}
	}
	s := NewQuasiNewton(n, 1, loss.NewLeastSquares(y, 1, nil), norm.NewBlock(2, nil), gradienttest.NewDense(n, [][]float64{k}), 1e-10)
	if r, status := run(t, s); status != Converged || r.Iterations > blocks+2 {
		t.Errorf("%s after %d iterations", status, r.Iterations)
	}
}
