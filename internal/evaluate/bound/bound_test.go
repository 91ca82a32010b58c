package bound

import (
	"math"
	"math/rand/v2"
	"testing"
)

// scan is a factor by its definition, with t on a fine grid of 1/t.
func scan(w []float64, p, mostT float64, factor func(t, norm float64) float64) float64 {
	best, norm := math.Inf(1), Norm(w, p)
	for k := range 20001 {
		u := 1/mostT + (1/p-1/mostT)*float64(k)/20000
		conj := math.Inf(1)
		if u < 1 {
			conj = 1 / (1 - u)
		}
		best = min(best, factor(conj, norm))
	}
	return best
}

func TestFactors(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, m := range []int{1, 2, 3, 50, 1000} {
		w := make([]float64, m)
		for i := range w {
			w[i] = rng.ExpFloat64()
		}
		M := float64(m)
		for _, p := range []float64{1, 1.0667, 4.0 / 3, 2, 5, math.Inf(1)} {
			want := scan(w, p, math.Inf(1), func(t, norm float64) float64 { return math.Sqrt(t) * norm * math.Pow(M, 1/t) })
			if got := Global(w, p); !(math.Abs(got/want-1) < 1e-6) {
				t.Errorf("M = %d, p = %g: global factor %g, want %g", m, p, got, want)
			}
			if p > 2 {
				continue
			}
			for _, alpha := range []float64{1, 2, 10} {
				a := 2 / (1 + alpha)
				want := scan(w, p, 2, func(t, norm float64) float64 {
					return math.Pow(norm*t, a) * math.Pow(M, 1+a*(1/t-1))
				})
				if got := Local(w, p, alpha); !(math.Abs(got/want-1) < 1e-6) {
					t.Errorf("M = %d, p = %g, alpha = %g: local factor %g, want %g", m, p, alpha, got, want)
				}
			}
		}
	}
	if got := Norm([]float64{3, 4}, 2); math.Abs(got-5) > 1e-12 {
		t.Errorf("||(3, 4)||_2 = %g", got)
	}
	if Norm([]float64{0, 0}, 1.5) != 0 {
		t.Error("the norm of nothing")
	}
}

// TestThesis has the minima that the thesis reports: of the toy experiment (section 5.2), and of figure 4.2.
func TestThesis(t *testing.T) {
	sparse := func(ones int) []float64 {
		w := make([]float64, 50)
		for i := range ones {
			w[i] = 1
		}
		return w
	}
	least := func(ones int) Range {
		return Least(func(p float64) float64 { return Global(sparse(ones), p) }, math.Inf(1))
	}
	if r := least(1); r.Low != 1 || math.Abs(r.High-1.146) > 2e-3 { // "p in [1, 1.14]"
		t.Errorf("one feature of 50: %+v", r)
	}
	if r := least(4); math.Abs(r.Low-1.247) > 1e-3 || r.High != r.Low { // "p = 1.25"
		t.Errorf("four features of 50: %+v", r)
	}
	if r := least(50); !math.IsInf(r.Low, 1) || !math.IsInf(r.High, 1) {
		t.Errorf("all features: %+v", r)
	}
	for _, c := range []struct{ beta, p, tolerance float64 }{{2, 1.2, 0.05}, {1, 1.4, 0.05}, {0, 2, 1e-9}} {
		w := make([]float64, 1000)
		for m := range w {
			w[m] = math.Pow(float64(m+1), -c.beta)
		}
		r := Least(func(p float64) float64 { return Local(w, p, 2) }, 2)
		if math.Abs(r.Low-c.p) > c.tolerance || math.Abs(r.High-c.p) > c.tolerance {
			t.Errorf("beta = %g: least at p in [%g, %g], in the thesis at %g", c.beta, r.Low, r.High, c.p)
		}
	}
}
