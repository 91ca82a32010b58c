package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// look is what a pass goes by that looks at points that sleep and changes no gradient.
type look struct {
	alpha []float64
	// whole has the weights of all kernels, of which the profiles are made, and kept the weights of
	// the kept kernels, for linear ones. Normalisers are part of both. theta is the weights of the
	// kept kernels without, in storage order.
	whole, kept scaled
	theta       []float64
	profiles    any // a profiles[T]
	// functions is the number of functions of the base that each group takes: one, or the kernels
	// that have a weight.
	functions []int
	// constant gives what the constants of the profiles add to each value, for the changes of dual
	// variables. It is 0 where these sum to 0.
	constant func(delta []float64) float64
}

// see adds what the points of a look that have moved make of the combined gradient to the 32
// numbers of panel at, for group number k. The panel is the nth that is loaded.
func (w *updating[T]) see(k int, p *plan[T], at, nth int, to []float64) {
	u := w.update
	g := &u.look.kept.bank.Groups[k]
	if g.Base == kernels.CentredProduct {
		var change [simd.Width]float64
		project(g, u.vector, u.origin[g.First], &w.panels[nth], &change)
		for _, weight := range u.look.kept.of(g) {
			simd.AddTo(to, change[:], weight)
		}
		return
	}
	if u.look.functions[k] == 0 {
		return
	}
	w.packColumns(g, p, nth)
	base := w.tile(g, p, at, nth)
	if profile := u.look.profiles.(profiles[T]).of[0][k]; profile != nil {
		// All kernels of the group are one value by now, and the rows are summed once.
		w.some = grow(w.some, len(base))
		profile.Evaluate(w.some, base)
		simd.AddRows(to, w.some, w.delta, 1)
		return
	}
	group := &u.look.whole.bank.Groups[k]
	for i, weight := range u.look.whole.of(group) {
		if weight != 0 {
			w.eval.SumOne(to, base, w.delta, &group.Members[i], weight)
		}
	}
}
