package train

import (
	"context"
	"slices"

	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// takeRows makes the batches that wait rows of the workspace, and forgets the oldest rows as far as
// the window asks for it. An error leaves the trainer with the rows that it had.
func (t *Trainer) takeRows(ctx context.Context, used *gradient.Stats) error {
	t.mu.Lock()
	pending, window, refresh, period := slices.Clone(t.pending), t.window, t.refresh, t.period
	form := t.form
	t.mu.Unlock()
	if form == nil {
		return fail.New(fail.Usage, "a stream without rows")
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
	without, came := 0, t.seen
	if window > 0 {
		without = max(0, total-window)
	}
	for _, s := range pending {
		came += s.Len()
	}
	// The count of rows decides, which a saved trainer has: it refreshes where one that was not saved does.
	due := period > 0 && came/period > t.seen/period && t.seen > 0
	// What can be rejected is rejected before anything changes.
	if err := t.checkClasses(stores, without); err != nil {
		return err
	}
	// Other kernels have other gradients. The dual variables stay: they are a good start for any.
	if refresh || due {
		if err := t.drop(); err != nil {
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

// checkClasses returns an error if there is nothing to separate behind the first few rows: two classes have to
// have a row each, of more of them two, and of labels one.
func (t *Trainer) checkClasses(stores []*dataset.Store, without int) error {
	if stores[0].Labels() == nil {
		return nil
	}
	const longer = "a longer window keeps more rows"
	left := dataset.LeftOf(stores, without)
	switch t.options.Problem.Multiclass {
	case "":
		for _, name := range stores[0].Classes() {
			if !slices.Contains(left, name) {
				return fail.New(fail.Input, "no row of class %s is left in the window", fail.Word(name)).WithHint(longer)
			}
		}
	case model.MultiLabel:
		if labels, _ := labeltext.Sets(left); len(labels) == 0 {
			return fail.New(fail.Input, "no row with a label is left in the window").WithHint(longer)
		}
	default:
		if len(left) < 2 {
			return fail.New(fail.Input, "only one class: all rows in the window are %s", fail.Word(left[0])).WithHint(longer)
		}
	}
	return nil
}

// newStreamWorkspace returns the workspace of a trainer, with rows or without.
func newStreamWorkspace(o Options, rows *dataset.Store) *Workspace {
	return &Workspace{Options: o, Store: rows, Extent: Extent{Path: true, Stream: true, KeepsAlpha: true}}
}
