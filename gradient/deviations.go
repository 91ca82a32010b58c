package gradient

import (
	"context"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// deviationPanels is the number of panels of support vectors that are looked at together.
const deviationPanels = 32

// Deviations gives, for every kernel, by how much the gradients that are held are off at a few points, weighted by d:
//
//	e_m = sum_s d_s ( (K_m alpha)_s - g_m,s )
//
// K_m alpha is computed afresh in float64. With d = alpha on all support vectors that is the rounding of V_m = alpha'g_m, of
// kernels without a weight, too, which the combined gradient says nothing of. Linear kernels, whose V_m is not made of
// gradients, have 0. e: one number a kernel.
func (gr *Gradient) Deviations(ctx context.Context, sample []int, d, alpha, e []float64) error {
	factor := scaled{gr.bank, make([]float64, gr.bank.Len())}
	for id, at := range gr.bank.Places() {
		factor.factor[at] = gr.bank.Factor(id)
	}
	rows := gr.collect(sample)
	workers := make([]deviation, max(gr.opt.Threads, 1))
	sums := make([]float64, gr.bank.Len())
	list := balanced(alpha)
	for _, r := range cut(len(list), deviationPanels*simd.Width) {
		part := gr.collect(list[r[0]:r[1]])
		weight := make([]float64, part.panels()*simd.Width)
		for k, i := range part.index {
			weight[k] = alpha[i]
		}
		// A group is one item: its kernels are summed in the order of the panels, however many threads there are.
		err := each(ctx, len(workers), len(gr.bank.Groups), func(at, item int) error {
			g := &gr.bank.Groups[item]
			if g.Base != kernels.CentredProduct {
				workers[at].add(gr.bank, factor, g, rows, part, d, weight, sums[g.First:g.First+len(g.Members)])
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for id, at := range gr.bank.Places() {
		e[id] = sums[at]
	}
	for i := range gr.bank.Groups {
		g := &gr.bank.Groups[i]
		if g.Base == kernels.CentredProduct {
			continue
		}
		for k := range g.Members {
			held := 0.0
			for s, point := range sample {
				held += d[s] * gr.now.g[gr.now.place(point, gr.bank.Len())+(g.First+k)*simd.Width]
			}
			e[g.Members[k].ID] -= held
		}
	}
	return nil
}

// deviation is the memory of one goroutine.
type deviation struct {
	worker[float64]
	lanes []float64
}

// add adds sum_j weight_j sum_s d_s k_m(s, j) over the panels of columns to the sums of the kernels of a group.
func (w *deviation) add(b *kernels.Bank, factor scaled, g *kernels.Group, rows, columns *workingSet, d, weight, sums []float64) {
	if w.eval == nil {
		w.eval = kernels.NewEvaluator[float64](b)
	}
	q := len(rows.index)
	w.eval.PackRows(&w.rows, g, rows.points)
	w.base = grow(w.base, g.TileSize(q))
	w.lanes = grow(w.lanes, len(g.Members)*simd.Width)
	for p := range columns.panels() {
		panel := columns.points.Panel(p*simd.Width, w.buffer(0))
		w.eval.PackColumns(&w.cols, g, &panel, len(columns.index))
		w.eval.Base(w.base, g, &w.rows, 0, q, &w.cols, nil)
		clear(w.lanes)
		if g.Spherical {
			w.addNormed(&factor, g, &w.rows, w.base[:g.Used(q)], d, w.lanes)
		} else {
			w.eval.Sum(w.lanes, w.base[:g.Used(q)], d, g, factor.of(g))
		}
		for k := range sums {
			for j, x := range w.lanes[k*simd.Width : (k+1)*simd.Width] {
				sums[k] += weight[p*simd.Width+j] * x
			}
		}
	}
}
