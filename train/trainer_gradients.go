package train

import (
	"context"
	"slices"

	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/kernels"
	"bigmkl/mmap"
)

// changeRows puts the rows of the stores without the first few in the place of those in hand.
func (f *fitted) changeRows(ctx context.Context, stores []*dataset.Store, without int,
	used *gradient.Stats) error {
	w := f.workspace
	// The first batch is taken as it is: data which are packed already stay mapped.
	if len(stores) == 1 && without == 0 {
		w.Store, f.alpha = stores[0], make([]float64, stores[0].Len())
		return nil
	}
	// The order matters: rows leave the gradients while their points are still there, and gradients
	// refer to the store and to the kernels until they are kept.
	if err := f.forget(ctx, min(without, len(f.alpha)), used); err != nil {
		return err
	}
	next, err := stores[0].Extend(ctx, w.Options.Budget.Scratch, without, stores[1:]...)
	if err != nil {
		return err
	}
	if err := f.keepGradients(ctx, without); err != nil {
		next.Close()
		return err
	}
	w.Close() // the kernels and the rows before, which nobody refers to any more
	w.Store, w.Kernels, f.plan, f.vectors = next, nil, nil, max(0, f.vectors-without)
	alpha := make([]float64, next.Len())
	if without < len(f.alpha) {
		copy(alpha, f.alpha[without:])
	}
	f.alpha = alpha
	return nil
}

// forget sets the dual variables of the first rows in hand to 0. The gradients follow. Their sum is
// evened out when the next training starts, on the rows that stay.
func (f *fitted) forget(ctx context.Context, first int, used *gradient.Stats) error {
	var set []int
	for i, a := range f.alpha[:first] {
		if a != 0 {
			set = append(set, i)
		}
	}
	g := f.grad
	if set == nil || g == nil || g.Gradient == nil {
		clear(f.alpha[:first])
		return nil
	}
	before := g.Stats()
	err := g.Forget(ctx, set, f.alpha)
	clear(f.alpha[:first])
	if err != nil {
		f.dropGradients()
		return err
	}
	*used = used.And(g.Stats().Since(before))
	return nil
}

// keepGradients moves the gradients in hand to a scratch file, for gradients of other rows to
// continue from: the same rows without the first few and with others behind them.
func (f *fitted) keepGradients(ctx context.Context, without int) error {
	if f.grad == nil || f.grad.Gradient == nil || without >= len(f.alpha) {
		return f.dropGradients()
	}
	state, err := f.grad.State(ctx)
	if err != nil {
		return err
	}
	// A scratch file takes no anonymous memory: 8 n M bytes twice would not fit the budget.
	values := f.grad.Values()
	file, err := mmap.Create(f.workspace.Options.Budget.Scratch, "gradient-*",
		int64(len(values))*8)
	if err != nil {
		return err
	}
	copy(mmap.View[float64](file), values)
	f.kept = &keptGradients{file: file, points: len(f.alpha), without: without, alpha: f.alpha,
		double: state.Double, sum: slices.Clone(state.Sum), kernel: f.kernel}
	err = f.grad.Close()
	f.grad = nil
	return err
}

// dropGradients gives up the gradients: the next training computes them from alpha.
func (f *fitted) dropGradients() error {
	err := f.grad.Close()
	f.kept.close()
	f.grad, f.kept = nil, nil
	return err
}

// keptGradients holds gradients in a scratch file while the gradients that follow them are made.
// The memory therefore never has both.
type keptGradients struct {
	file    *mmap.Map
	points  int       // that the gradients are of
	without int       // of the first of these, which are forgotten
	alpha   []float64 // dual variables of the points that stay
	double  bool
	sum     []float64
	kernel  *kernels.Prepared
}

// close frees the file. It may be called for nil.
func (k *keptGradients) close() {
	if k != nil {
		k.file.Close()
	}
}
