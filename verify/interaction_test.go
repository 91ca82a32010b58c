package verify

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestInteractionPenalty: the minimum of 1/2 s'E^-1 s over s >= w, against all 2^n sets of y > 0.
func TestInteractionPenalty(t *testing.T) {
	t.Parallel()
	const seed = 5
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 200 {
		n := 1 + rng.IntN(6)
		b, e, w := make([]float64, n*n), make([]float64, n*n), make([]float64, n)
		for i := range b {
			b[i] = rng.Float64()
		}
		for i := range n {
			w[i] = math.Exp(3 * rng.NormFloat64())
			if rng.IntN(4) == 0 {
				w[i] = 0
			}
			for j := range n {
				for k := range n {
					e[i*n+j] += b[i*n+k] * b[j*n+k]
				}
			}
			e[i*n+i] += 0.01
		}
		best := 0.0
		for set := range 1 << n {
			var in []int
			for i := range n {
				if set>>i&1 == 1 {
					in = append(in, i)
				}
			}
			y, ok := solved(e, w, in)
			value := 0.0
			for k, i := range in {
				value += y[k] * w[i] / 2
				ok = ok && y[k] >= 0
			}
			if ok {
				best = max(best, value)
			}
		}
		if got := interaction(e).primal(w); math.Abs(got-best) > 1e-11*best {
			t.Fatalf("n = %d, E = %v, w = %v: %.15g, want %.15g", n, e, w, got, best)
		}
	}
}

// solved solves E y = w on a set by elimination.
func solved(e, w []float64, in []int) ([]float64, bool) {
	k, n := len(in), len(w)
	a, y := make([]float64, k*k), make([]float64, k)
	for r, i := range in {
		y[r] = w[i]
		for c, j := range in {
			a[r*k+c] = e[i*n+j]
		}
	}
	for p := range k {
		if a[p*k+p] <= 0 {
			return y, false
		}
		for r := p + 1; r < k; r++ {
			f := a[r*k+p] / a[p*k+p]
			for c := p; c < k; c++ {
				a[r*k+c] -= f * a[p*k+c]
			}
			y[r] -= f * y[p]
		}
	}
	for p := k - 1; p >= 0; p-- {
		for c := p + 1; c < k; c++ {
			y[p] -= a[p*k+c] * y[c]
		}
		y[p] /= a[p*k+p]
	}
	return y, true
}

// TestElasticNetConjugate: the conjugate of the elastic net is no less than s'v less the penalty for any s, and as much for some.
func TestElasticNetConjugate(t *testing.T) {
	t.Parallel()
	const seed = 6
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 100 {
		n, l := 1+rng.IntN(6), rng.Float64()
		v := make([]float64, n)
		for i := range v {
			v[i] = math.Exp(rng.NormFloat64())
		}
		s := make([]float64, n) // by coordinates
		sum := 0.0
		for range 100000 {
			worst := 0.0
			for i := range s {
				best := max(0, v[i]-(1-l)*(sum-s[i]))
				sum += best - s[i]
				worst = max(worst, math.Abs(best-s[i]))
				s[i] = best
			}
			if worst < 1e-15 {
				break
			}
		}
		want := -(1 - l) * sum * sum / 2
		for i, x := range s {
			want += x*v[i] - l*x*x/2
		}
		if got := elasticNet(l).conjugate(v); math.Abs(got-want) > 1e-9*want {
			t.Fatalf("l = %v, v = %v: %.15g, want %.15g", l, v, got, want)
		}
	}
}
