package train

import (
	"context"
	"slices"

	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/fail"
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
	// What can be rejected is rejected before anything changes.
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
