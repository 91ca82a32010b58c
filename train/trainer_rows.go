package train

import (
	"context"
	"slices"

	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/fail"
	"bigmkl/mmap"
)

// takeRows makes the batches that wait rows of the workspace, and forgets the oldest rows as far as
// the window asks for it. An error leaves the trainer with the rows that it had.
func (t *Trainer) takeRows(ctx context.Context, used *gradient.Stats) error {
	t.mu.Lock()
	pending, window, refresh := slices.Clone(t.pending), t.window, t.refresh
	form := t.form
	t.mu.Unlock()
	if form == nil {
		return fail.New(fail.Usage, "a trainer without rows")
	}
	if t.workspace == nil {
		t.workspace = newStreamWorkspace(t.options, nil)
	}
	w := t.workspace
	stores := pending
	if w.Store != nil {
		stores = append([]*dataset.Store{w.Store}, pending...)
	}
	total := 0
	for _, s := range stores {
		total += s.Len()
	}
	without := 0
	if window > 0 {
		without = max(0, total-window)
	}
	// What can be refused is refused before anything changes.
	if err := checkClasses(stores, without); err != nil {
		return err
	}
	// Other kernels have other gradients. The dual variables stay: they are a good start for any.
	if refresh {
		if err := t.dropGradients(); err != nil {
			return err
		}
		t.given, t.plan = nil, nil
	}
	if len(pending) > 0 || without > 0 {
		if err := t.changeRows(ctx, stores, without, used); err != nil {
			return err
		}
	}
	t.mu.Lock()
	t.pending = t.pending[len(pending):] // others may have been added meanwhile
	t.refresh = t.refresh && !refresh
	t.mu.Unlock()
	for _, s := range pending {
		t.seen += s.Len()
		if s != w.Store {
			s.Close()
		}
	}
	return nil
}

// changeRows puts the rows of the stores without the first few in the place of those in hand.
func (t *Trainer) changeRows(ctx context.Context, stores []*dataset.Store, without int,
	used *gradient.Stats) error {
	w := t.workspace
	// The first batch is taken as it is, so that data which are packed already stay mapped.
	if len(stores) == 1 && without == 0 {
		w.Store, t.alpha = stores[0], make([]float64, stores[0].Len())
		return nil
	}
	// The order matters: rows leave the gradients while their points are still there, and gradients
	// refer to the store and to the kernels until they are kept.
	if err := t.forget(ctx, min(without, len(t.alpha)), used); err != nil {
		return err
	}
	next, err := stores[0].Extend(ctx, w.Options.Budget.Scratch, without, stores[1:]...)
	if err != nil {
		return err
	}
	if err := t.keepGradients(ctx, without); err != nil {
		next.Close()
		return err
	}
	w.Close() // the kernels and the rows before, which nobody refers to any more
	w.Store, w.Kernels, t.plan, t.vectors = next, nil, nil, max(0, t.vectors-without)
	alpha := make([]float64, next.Len())
	if without < len(t.alpha) {
		copy(alpha, t.alpha[without:])
	}
	t.alpha = alpha
	return nil
}

// forget sets the dual variables of the first rows in hand to 0. The gradients follow. Their sum is
// evened out when the next training starts, on the rows that stay.
func (t *Trainer) forget(ctx context.Context, first int, used *gradient.Stats) error {
	var set []int
	for i, a := range t.alpha[:first] {
		if a != 0 {
			set = append(set, i)
		}
	}
	g := t.grad
	if set == nil || g == nil || g.Gradient == nil {
		clear(t.alpha[:first])
		return nil
	}
	before := g.Stats()
	err := g.Forget(ctx, set, t.alpha)
	clear(t.alpha[:first])
	if err != nil {
		t.dropGradients()
		return err
	}
	*used = used.And(g.Stats().Since(before))
	return nil
}

// keepGradients moves the gradients in hand to a scratch file, for gradients of other rows to go on
// from: those without the first few and with others behind them.
func (t *Trainer) keepGradients(ctx context.Context, without int) error {
	if t.grad == nil || t.grad.Gradient == nil || without >= len(t.alpha) {
		return t.dropGradients()
	}
	state, err := t.grad.State(ctx)
	if err != nil {
		return err
	}
	// A scratch file takes no anonymous memory: 8 n M bytes twice would not fit the budget.
	values := t.grad.Values()
	file, err := mmap.Create(t.workspace.Options.Budget.Scratch, "gradient-*",
		int64(len(values))*8)
	if err != nil {
		return err
	}
	copy(mmap.View[float64](file), values)
	t.kept = &keptGradients{file: file, points: len(t.alpha), without: without, alpha: t.alpha,
		double: state.Double, sum: slices.Clone(state.Sum), kernel: t.kernel}
	err = t.grad.Close()
	t.grad = nil
	return err
}

// dropGradients gives up the gradients: the next training computes them from alpha.
func (t *Trainer) dropGradients() error {
	err := t.grad.Close()
	t.kept.close()
	t.grad, t.kept = nil, nil
	return err
}

// checkClasses returns an error if one of the classes has no row behind the first few rows.
func checkClasses(stores []*dataset.Store, without int) error {
	// All stores number their classes as the first one does.
	names := stores[0].Classes()
	if stores[0].Labels() == nil {
		return nil
	}
	found := make([]bool, len(names))
	for _, s := range stores {
		first := min(without, s.Len())
		without -= first
		for _, c := range s.Labels()[first:] {
			found[c] = true
		}
	}
	for c, ok := range found {
		if !ok {
			return fail.New(fail.Input, "no row of class %s is left in the window",
				fail.Word(names[c])).WithHint("a longer window keeps more rows")
		}
	}
	return nil
}

// newStreamWorkspace returns the workspace of a trainer, with rows or without.
func newStreamWorkspace(o Options, rows *dataset.Store) *Workspace {
	return &Workspace{Options: o, Store: rows, Extent: Extent{Path: true, Stream: true, KeepsAlpha: true}}
}
