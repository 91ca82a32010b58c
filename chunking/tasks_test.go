package chunking

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// taskLoss makes the loss of a task on targets y.
func taskLoss(task string, y, weight []float64, cost float64) Loss {
	switch task {
	case "regression":
		return NewInsensitive(y, cost, weight, 0.3)
	case "least squares":
		return NewLeastSquares(y, cost, weight)
	}
	return NewOneClass(len(y), 0.3)
}

var taskNames = []string{"regression", "least squares", "one class"}

// slowLoss is the loss of decision values, bias included.
func slowLoss(task string, l Loss, y, f []float64, bias float64) float64 {
	sum := 0.0
	for i, x := range f {
		_, c := l.Box(i)
		switch task {
		case "regression":
			sum += c * max(0, math.Abs(y[i]-x-bias)-0.3)
		case "least squares":
			r := y[i] - x - bias
			sum += r * r / 2 / l.(Curved).Curvature(i)
		default:
			sum += c * max(0, -bias-x)
		}
	}
	if task == "one class" {
		sum += bias
	}
	return sum
}

// TestTaskBias compares the best bias with a search.
func TestTaskBias(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 5))
		n := 1 + rng.IntN(40)
		y, f, weight := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range y {
			y[i], f[i], weight[i] = rng.NormFloat64(), rng.NormFloat64(), 0.2+rng.Float64()
			if rng.IntN(3) == 0 && i > 0 {
				y[i], f[i] = y[i-1], f[i-1]
			}
		}
		for _, task := range taskNames {
			l := taskLoss(task, y, weight, 0.7)
			bias, sum := l.Primal(f)
			if !near(sum, slowLoss(task, l, y, f, bias), 1e-12) {
				t.Fatalf("seed %d, %s: loss %.15g at bias %g is %.15g", seed, task, sum, bias, slowLoss(task, l, y, f, bias))
			}
			for range 200 {
				if other := bias + rng.NormFloat64()*math.Pow(10, -4*rng.Float64()); slowLoss(task, l, y, f, other) < sum-1e-12*(1+math.Abs(sum)) {
					t.Fatalf("seed %d, %s: bias %g is better than %g", seed, task, other, bias)
				}
			}
		}
	}
}

// TestTasks solves problems of each task: the gap proves the result, the duals keep to their bounds and their sum.
func TestTasks(t *testing.T) {
	rng := random(t, 4)
	for _, n := range []int{3, 40, 150} {
		_, x := cloud("task", rng, n, 3)
		kernels := [][]float64{gauss(x, 0.1), gauss(x, 1), linear(x, 0, 3), poly(x, 2)}
		y, weight := make([]float64, n), make([]float64, n)
		for i := range y {
			y[i], weight[i] = math.Sin(2*x[i][0])+0.5*x[i][1]+0.2*rng.NormFloat64(), 0.5+rng.Float64()
		}
		for _, task := range taskNames {
			for _, norm := range norms {
				for _, w := range [][]float64{nil, weight} {
					t.Run(fmt.Sprintf("%s/n=%d/p=%.5g/weights=%v", task, n, norm, w != nil), func(t *testing.T) {
						l := taskLoss(task, y, w, 2)
						s := New(n, len(kernels), l, NewBlockNorm(norm, nil), newDense(n, kernels), 1e-6, Tuning{WorkingSet: 32})
						total := 0.0
						if f, ok := l.(*OneClass); ok {
							total = 1
							if err := s.Start(t.Context(), f.Feasible()); err != nil {
								t.Fatal(err)
							}
						}
						status, err := NewDriver(s, Limits{Iterations: 3000}).Run(t.Context())
						if err != nil {
							t.Fatal(err)
						}
						r := s.Solution()
						if status != Converged {
							t.Errorf("%s after %d iterations, gap %g", status, r.Iterations, r.Certificate.RelativeGap)
						}
						sum := -total
						f := make([]float64, n)
						for m, k := range kernels {
							for i := range f {
								f[i] += r.Theta[m] * dot(k[i*n:(i+1)*n], r.Alpha)
							}
						}
						energies := make([]float64, len(kernels))
						for i, a := range r.Alpha {
							low, high := l.Box(i)
							if a < low || a > high {
								t.Errorf("alpha[%d] = %g is not in [%g, %g]", i, a, low, high)
							}
							sum += a
							for m, k := range kernels {
								energies[m] += a * dot(k[i*n:(i+1)*n], r.Alpha)
							}
						}
						if math.Abs(sum) > 1e-9 {
							t.Errorf("alpha sums to %g more than it should", sum)
						}
						// The primal and the dual value by their definitions.
						ws := make([]float64, len(kernels))
						for m, th := range r.Theta {
							ws[m] = th * math.Sqrt(max(energies[m], 0))
						}
						primal := math.Pow(vectorNorm(ws, norm), 2)/2 + slowLoss(task, l, y, f, r.Certificate.Bias)
						vs := make([]float64, len(kernels))
						for m, v := range energies {
							vs[m] = math.Sqrt(max(v, 0))
						}
						dual := l.Linear(r.Alpha) - math.Pow(vectorNorm(vs, conjugate(norm)), 2)/2
						if scale := max(math.Abs(primal), math.Abs(dual)); math.Abs(primal-dual) > 1.1e-6*scale+1e-9 {
							t.Errorf("primal %.10g, dual %.10g, claimed %.10g and %.10g", primal, dual, r.Certificate.Primal, r.Certificate.Dual)
						}
					})
				}
			}
		}
	}
}
