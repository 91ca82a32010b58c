package gradient

import (
	"context"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

var (
	_ blockWork[float32] = (*mixing[float32])(nil)
	_ blockWork[float64] = (*mixing[float64])(nil)
)

// mixing sums theta_m K_m[B,B] over the kernels.
type mixing[T simd.Real] struct {
	weight []float64 // theta_m times the normaliser, in storage order
	parts  []*square // one for each share, if shares are ranges of groups

	apart  []bool                  // kernels that are not summed from bases, in storage order
	model  *kernels.ObjectModel[T] // the sum of these; nil: there is none
	ranges bool                    // shares are ranges of groups
}

// mixedKernels is the number of kernels, by their place in storage order, that are summed in T
// before they join the float64 model. It counts over groups, so the sum has the same bits however
// kernels are grouped.
const mixedKernels = 64

// hessian adds sum_m theta_m K_m[B,B] to h.
func (ps *pass[T]) hessian(ctx context.Context, s *workingSet, theta []float64, h *square) error {
	work := &mixing[T]{weight: make([]float64, len(theta)), parts: []*square{h}}
	for id, at := range ps.bank.Places() {
		work.weight[at] = theta[id] * ps.factor[at]
	}
	// The first share sums to h itself, and each further one to a matrix of its own.
	if groups := len(ps.bank.Groups); groups >= manyGroups {
		work.ranges = true
		for range len(shares(groups, s.panels())) - 1 {
			work.parts = append(work.parts, newSquare(len(s.index)))
		}
	}
	err := objectWork[T]{ps}.sumModel(ctx, s, work)
	if err == nil {
		err = ps.blocks(ctx, s, work)
	}
	if err == nil {
		err = ps.fields.collectModel(s, work.parts)
	}
	for _, p := range work.parts[1:] {
		for i, x := range p.at {
			h.at[i] += x
		}
	}
	return err
}

// of returns the weights of a group's kernels.
func (x *mixing[T]) of(g *kernels.Group) []float64 {
	return x.weight[g.First : g.First+len(g.Members)]
}

// wanted implements blockWork: groups without weight are left out.
func (x *mixing[T]) wanted(g *kernels.Group) bool { return anyWeight(x.of(g)) && !x.apart[g.First] }

// part returns the matrix that a share's kernels are summed to.
func (x *mixing[T]) part(t *share) *square { return x.parts[min(t.number, len(x.parts)-1)] }

// block implements blockWork.
func (x *mixing[T]) block(w *worker[T], t *share, g *kernels.Group, j int, base []T) {
	if w.haveFactors(g) {
		x.factored(w, t, g, j, base)
		return
	}
	if columns := t.columns[1] - t.columns[0]; len(w.mix) != columns {
		w.mix = make([]columnSum[T], columns)
	}
	w.mix[j-t.columns[0]].mix(w.eval, g, x.of(g), base, x.part(t).column(j))
}

// factored adds a block of kernels that have a factor for each point.
func (x *mixing[T]) factored(w *worker[T], t *share, g *kernels.Group, j int, base []T) {
	to := x.part(t).column(j)
	w.fresh = grow(w.fresh, len(base)/g.Layers)
	for i, weight := range x.of(g) {
		if weight == 0 {
			continue
		}
		k := &g.Members[i]
		left, right, open := w.factors.of(w.eval, g, i, w.square, &w.cols)
		if !open {
			continue
		}
		// The values are multiplied before they are summed, because each kernel has factors of its
		// own.
		w.eval.Transform(w.fresh, base, k)
		for r := range len(w.fresh) / simd.Width {
			row, a := w.fresh[r*simd.Width:(r+1)*simd.Width], left[r]
			for c, b := range right {
				row[c] *= a * b
			}
		}
		simd.AddTo(to[:len(w.fresh)], w.fresh, weight)
	}
}

// end joins what is left. Where the share had no kernel with a weight, the column sums belong to
// an earlier working set and are unused.
func (x *mixing[T]) end(w *worker[T], t *share) {
	for i := range w.mix {
		if w.mix[i].used {
			w.mix[i].join(x.part(t).column(t.columns[0] + i))
		}
	}
	// Where shares are ranges of groups, the first of them adds the kernels of objects.
	for j := t.columns[0]; x.model != nil && (!x.ranges || t.number == 0) && j < t.columns[1]; j++ {
		x.model.Add(x.part(t).column(j), j, w.number)
	}
}
