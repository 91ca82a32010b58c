package gradient

import (
	"slices"
	"testing"
)

// TestResume: a gradient that takes over the state and the values of another continues with its bits, for any bank and whether
// points sleep.
func TestResume(t *testing.T) {
	t.Parallel()
	rng := random(t, 1)
	const n = 75
	for _, b := range banks(t, rng, n) {
		for _, double := range []bool{false, true} {
			o := Options{Threads: 2, Memory: 1 << 30}
			gr, alpha := newGradient(t, b, o), make([]float64, n)
			theta, combined, v := make([]float64, b.Len()), make([]float64, n), make([]float64, b.Len())
			for m := range theta {
				theta[m] = rng.Float64()
			}
			pass := func(gr *Gradient, alpha []float64, set []int, delta []float64) {
				t.Helper()
				for k, i := range set {
					alpha[i] += delta[k]
				}
				if err := gr.Pass(t.Context(), set, delta, alpha, theta, combined, v); err != nil {
					t.Fatal(err)
				}
			}
			if err := gr.Rebuild(t.Context(), alpha, double); err != nil {
				t.Fatal(err)
			}
			pass(gr, alpha, subset(rng, n, 40), normals(rng, 40))
			active := slices.DeleteFunc(upTo(n), func(i int) bool { return i%3 == 1 })
			if err := gr.Shrink(t.Context(), active, alpha); err != nil {
				t.Fatal(err)
			}
			pass(gr, alpha, []int{0, 2, 33, 74}, normals(rng, 4))
			s, err := gr.State(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			other := newGradient(t, b, o)
			copy(other.Values(), gr.Values())
			if err := other.Resume(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			delta := normals(rng, 3)
			var answers [2]*transcript
			for i, gr := range []*Gradient{gr, other} {
				r, alpha := &transcript{}, slices.Clone(alpha)
				clear(combined) // a pass leaves the values of sleeping points as they are
				pass(gr, alpha, []int{5, 6, 72}, delta)
				r.add("combined gradient", combined)
				if err := gr.Wake(t.Context(), alpha); err != nil {
					t.Fatal(err)
				}
				pass(gr, alpha, nil, nil)
				r.add("combined gradient of all", combined)
				r.add("V", v)
				answers[i] = r
			}
			if what := answers[0].differs(answers[1]); what != "" {
				t.Errorf("%s, double %v: other bits in %s", b.name, double, what)
			}
		}
	}
}
