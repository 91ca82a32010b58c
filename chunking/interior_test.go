package chunking

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl/internal/cholesky"
)

// TestInteriorIsThatOfPairs compares the interior point with the solver of pairs on random problems, with and without
// kinks and upper bounds.
func TestInteriorIsThatOfPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for try := range 60 {
		q := 2 + rng.IntN(30)
		a, h := make([]float64, q*q), make([]float64, q*q)
		for i := range a {
			a[i] = rng.NormFloat64()
		}
		for i := range q {
			for j := range q {
				for k := range q {
					h[i*q+j] += a[i*q+k] * a[j*q+k]
				}
			}
		}
		p := &subproblem{}
		gradient := make([]float64, q)
		kink := 0.0
		if try%3 == 1 {
			kink, p.kinked = 0.3, true
		}
		for k := range q {
			gradient[k] = rng.NormFloat64() * 3
			p.low, p.high, p.origin = append(p.low, -1), append(p.high, 1), append(p.origin, 0)
			p.kinks = append(p.kinks, kink)
			if try%3 == 2 { // alpha >= 0 without an upper bound
				p.origin[k], p.low[k], p.high[k] = 1, -1, math.Inf(1)
			}
		}
		want := &subproblem{coordinates: coordinates{low: p.low, high: p.high, kinked: p.kinked, kinks: p.kinks, origin: p.origin}}
		want.solve(gradient, denseHessian(slices.Clone(h), q), 1e-10, 1e-10)
		in := newInterior(p, gradient, slices.Clone(h), 0, &cholesky.Factor{}, cholesky.InTurn)
		if !in.solve(1e-9) {
			t.Fatalf("problem %d: not solved", try)
		}
		x, sum := in.round(fixed), 0.0
		for k, v := range x {
			sum += v
			if v < p.low[k]-1e-12 || v > p.high[k]+1e-12 {
				t.Errorf("problem %d: x[%d] = %g is outside of its bounds", try, k, v)
			}
		}
		if math.Abs(sum) > 1e-9 {
			t.Errorf("problem %d: x sums to %g", try, sum)
		}
		value := func(x []float64) (v float64) {
			for i := range x {
				v += gradient[i]*x[i] - kink*math.Abs(p.origin[i]+x[i])
				for j := range x {
					v -= x[i] * h[i*q+j] * x[j] / 2
				}
			}
			return v
		}
		if got, best := value(x), value(want.d); math.Abs(got-best) > 1e-7*(1+math.Abs(best)) {
			t.Errorf("problem %d: the objective is %.12g, pairs reach %.12g", try, got, best)
		}
	}
}

// TestForecast hands over where the gap stays, and not where it falls fast enough.
func TestForecast(t *testing.T) {
	for _, c := range []struct {
		name  string
		share float64 // what an iteration leaves of the gap
		want  bool
	}{{"stays", 0.9999, true}, {"falls", 0.9, false}} {
		var h handover
		gap, handed := 1.0, false
		for k := 1; k <= 1024; k++ {
			gap *= c.share
			h.spent++
			handed = handed || h.forecast(k, gap, 1e-3, 1000)
		}
		if handed != c.want {
			t.Errorf("a gap that %s: hands over %v, want %v", c.name, handed, c.want)
		}
	}
}
