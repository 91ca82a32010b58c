package train

import (
	"context"
	"math"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/model"
	"bigmkl/kernels"
)

// dataDoubts warns of data and options that are legal and may be mistakes.
type dataDoubts struct {
	*warnings
	labelledRows
	options *Options
	kernels *kernels.Prepared // nil before they are made
	gates   *gates
}

// constant warns of features that are constant, and that scaling therefore makes 0. They are legal,
// and may be a mistake in the data.
func (w *dataDoubts) constant() {
	s := w.store.Scaling()
	constant := 0
	for _, f := range s.Factor {
		if f == 0 {
			constant++
		}
	}
	features := w.store.Dim()
	if o := w.store.Occurring(); o != nil && len(s.Factor) > len(o.Index) {
		constant, features = constant-1, len(o.Index) // The number of all others is not a feature.
	}
	if constant > 0 && s.Choice == "" { // ScaleAuto leaves features out without a request.
		w.warn("%d of %d features are constant on these data: scaling %s makes them 0",
			constant, features, s.Kind)
	}
}

// cost warns of a cost that is too large for double precision. A decision value of 1 is rounded
// by 2^-53; a loss of C times that exceeds the relative gap that was asked for if C > gap 2^53.
// With soft labels C is divided by the least of them.
// Only the tasks class and svr have a loss that grows in proportion to C and to the decision value.
func (w *dataDoubts) cost() {
	p, gap := w.problem, w.options.Solver.Gap
	most := math.Ldexp(gap, 53)
	if p.C*w.largestCost() > most && model.Bounded(p.Task, p.Loss) {
		w.warn("C = %g: from C = %.2g on, rounding of double precision costs more than "+
			"a gap of %g: the run may end without it", p.C, most, gap)
	}
}

// zeros warns of points without features if kernels are divided by the norms of the points,
// which is impossible for them.
func (w *dataDoubts) zeros(ctx context.Context) error {
	spherical := func(g kernels.Group) bool { return g.Spherical }
	if !slices.ContainsFunc(w.kernels.Groups, spherical) {
		return nil
	}
	n, err := zeroRows(ctx, w.store)
	if n > 0 {
		w.warn("%d of %d rows are 0 in all features: kernels with k(x,x) = 0 are 0 on them",
			n, w.store.Len())
	}
	return err
}

// zeroRows counts the points whose features are all 0. It takes one pass over the points, and ends
// early if ctx is done.
func zeroRows(ctx context.Context, store *dataset.Store) (int, error) {
	count := 0
	if store.Sparse() {
		for i := range store.Len() {
			if index, _ := store.Nonzeros(i); len(index) == 0 {
				count++
			}
		}
		return count, nil
	}
	for p := range store.Panels() {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		// A panel holds its points side by side, feature by feature. The last one may be padded.
		var used [dataset.PanelWidth]bool
		for j, x := range store.Panel(p) {
			used[j%dataset.PanelWidth] = used[j%dataset.PanelWidth] || x != 0
		}
		for _, u := range used[:min(dataset.PanelWidth, store.Len()-p*dataset.PanelWidth)] {
			if !u {
				count++
			}
		}
	}
	return count, nil
}
