package chunking

import (
	"context"
	"fmt"
	"math"
	"testing"
)

// along makes a dense gradient look along directions.
type along struct {
	*dense
	step [][]float64 // K_m d
}

func (d *along) Along(_ context.Context, dir, b, c []float64) error {
	d.step = nil
	for m, k := range d.k {
		row := make([]float64, d.n)
		for i := range row {
			row[i] = dot(k[i*d.n:(i+1)*d.n], dir)
		}
		d.step = append(d.step, row)
		b[m], c[m] = dot(dir, d.g[m]), dot(dir, row)
	}
	return nil
}

func (d *along) Advance(ctx context.Context, t float64, alpha, theta, combined, v []float64) error {
	for m, row := range d.step {
		for i, x := range row {
			d.g[m][i] += float64(t * x)
		}
	}
	return d.Pass(ctx, nil, nil, alpha, theta, combined, v)
}

// squares draws a problem of least squares.
func squares(t *testing.T, n int, weighted bool) (kernels [][]float64, loss *LeastSquares) {
	rng := random(t, uint64(n))
	_, x := cloud("squares", rng, n, 3)
	y := make([]float64, n)
	var weight []float64
	for i := range y {
		y[i] = math.Sin(2*x[i][0]) + 0.5*x[i][1] + 0.2*rng.NormFloat64()
		if weighted {
			weight = append(weight, math.Exp(rng.NormFloat64()))
		}
	}
	return [][]float64{gauss(x, 0.1), gauss(x, 1), linear(x, 0, 3), poly(x, 2)}, NewLeastSquares(y, 2, weight)
}

func run(t *testing.T, s *Solver) (Solution, Status) {
	t.Helper()
	status, err := NewDriver(s, Limits{Iterations: 5000}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s.Solution(), status
}

// TestQuasiNewton: quasi-Newton steps end in chunking's optimum for every norm, and chunking finds nothing to do there.
func TestQuasiNewton(t *testing.T) {
	for _, n := range []int{3, 40, 120} {
		for _, weighted := range []bool{false, true} {
			kernels, loss := squares(t, n, weighted)
			even := make([]int32, len(kernels))
			for name, norm := range map[string]func() Norm{
				"p=1":          func() Norm { return NewBlockNorm(1, nil) },
				"p=4/3":        func() Norm { return NewBlockNorm(4.0/3, nil) },
				"p=2":          func() Norm { return NewBlockNorm(2, nil) },
				"p=4":          func() Norm { return NewBlockNorm(4, nil) },
				"p=inf":        func() Norm { return NewBlockNorm(math.Inf(1), nil) },
				"hierarchical": func() Norm { return NewHierarchical(4.0/3, 1.5, even, nil) },
				"elastic net":  func() Norm { return NewElasticNet(0.5, nil) },
			} {
				t.Run(fmt.Sprintf("n=%d/weights=%v/%s", n, weighted, name), func(t *testing.T) {
					const gap = 1e-6
					want, status := run(t, New(n, len(kernels), loss, norm(), newDense(n, kernels), gap, Tuning{}))
					if status != Converged {
						t.Fatalf("chunking: %s at %g", status, want.Certificate.RelativeGap)
					}
					got, status := run(t, NewQuasiNewton(n, len(kernels), loss, norm(), &along{dense: newDense(n, kernels)}, gap))
					t.Logf("%d iterations, chunking %d", got.Iterations, want.Iterations)
					if status != Converged {
						t.Errorf("%s after %d iterations, gap %g", status, got.Iterations, got.Certificate.RelativeGap)
					}
					if !near(got.Certificate.Dual, want.Certificate.Dual, 2*gap) || !near(got.Certificate.Primal, want.Certificate.Primal, 2*gap) {
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
					other := New(n, len(kernels), loss, norm(), newDense(n, kernels), 3*gap, Tuning{})
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

// TestQuasiNewtonIsConjugate: with fixed weights the dual is quadratic, and the method that of conjugate gradients: it ends in no more
// iterations than the spectrum has distinct values.
func TestQuasiNewtonIsConjugate(t *testing.T) {
	const n, blocks = 60, 6
	k := make([]float64, n*n) // blocks of ones of growing weight: an eigenvalue each
	rng := random(t, 1)
	y := make([]float64, n)
	for i := range n {
		y[i] = rng.NormFloat64()
		for j := range n {
			if i%blocks == j%blocks {
				k[i*n+j] = math.Pow(3, float64(i%blocks))
			}
		}
	}
	s := NewQuasiNewton(n, 1, NewLeastSquares(y, 1, nil), NewBlockNorm(2, nil), &along{dense: newDense(n, [][]float64{k})}, 1e-10)
	if r, status := run(t, s); status != Converged || r.Iterations > blocks+2 {
		t.Errorf("%s after %d iterations", status, r.Iterations)
	}
}
