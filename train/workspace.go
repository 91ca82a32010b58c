package train

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"bigmkl/budget"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/kernels"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// A run goes down the same steps whatever it is for, and they stand here once: budgets, then the data
// within them, then the kernels of these data. Only then is it known what the run takes, so that each
// step which may not fit is preceded by an account of what it takes at most (see budget.Outline).

// Workspace is the data, the kernels and the budgets of a run, whatever the run does with them: a
// training, a path of trainings, a plan, matrices of kernels or their alignments. It is begun by Open,
// then Read, then PrepareKernels, and ended by Close.
type Workspace struct {
	Options Options
	Store   *dataset.Store    // nil before Read
	Kernels *kernels.Prepared // nil before PrepareKernels; not normalised before FindScales
	Path    bool              // a model is made beside the gradients that the next training goes on with

	// Account is what the run takes of the memory; nil: what a training takes. Refusals name it where
	// the points or the kernels themselves do not fit.
	Account func(r *budget.Run, points kernels.Points, b *kernels.Bank) budget.Share

	specs    []string      // of the kernels, once they are split
	several  budget.Effort // of several machines; zero for one
	prepared time.Duration // how long the preparation of the kernels has taken, of a plan
}

// Open begins a workspace and fills in the budgets that were left open.
func Open(o Options) (*Workspace, error) {
	w := &Workspace{Options: o}
	return w, w.Options.Budget.SetDefaults()
}

// Read reads and packs the data. src is not closed.
func (w *Workspace) Read(ctx context.Context, src dataset.Source) error {
	d, b := &w.Options.Data, &w.Options.Budget
	last := 0
	for _, v := range d.Views {
		last = max(last, v.Last)
	}
	var err error
	w.Store, err = dataset.Build(ctx, src, dataset.StoreOptions{
		Dir: b.Scratch, Scale: d.Scale, Layout: d.Layout, Features: last, Limit: d.Limit, Sequences: d.Sequences,
		Labels: w.Options.labeling(), Positive: d.Positive, Memory: budget.Reading(b.Memory), Disk: b.MostDisk,
	})
	var large *dataset.TooLarge
	if errors.As(err, &large) {
		outline, e := w.outline()
		if e != nil {
			return e
		}
		err = outline.TooLarge(err)
	}
	return err
}

// PrepareKernels makes the kernels, which are not normalised yet, and chooses the solver if that was
// left open.
func (w *Workspace) PrepareKernels(ctx context.Context) error {
	outline, err := w.outline()
	if err != nil {
		return err
	}
	if !outline.Countable(w.Store) {
		if err := outline.Refuse(w.Store); err != nil {
			return err
		}
	}
	if err := model.CheckText(w.specs, w.Options.Data.Views); err != nil {
		return err
	}
	if slices.ContainsFunc(w.specs, model.NeedsFeatures) && (w.Store.Columns() || w.Store.Dim() == 0) {
		err := fail.New(fail.Input, "no row has a feature")
		if w.Store.Columns() {
			err = err.WithHint(dataset.ColumnsHint)
		}
		return err
	}
	w.Kernels, err = kernels.Prepare(ctx, w.Store, w.specs, w.prepareOptions())
	if errors.Is(err, fail.Budget) { // which budget does, the kernels cannot say
		return cmp.Or(outline.Refuse(w.Store), err)
	}
	if err == nil {
		w.Options.Solver.Method = w.Options.chooseMethod(w.Kernels.Bank, w.Path)
	}
	return err
}

// FindScales finds the scales of the kernels that are normalised multiplicatively; see
// kernels.Prepared.
func (w *Workspace) FindScales(ctx context.Context, report func(format string, args ...any)) error {
	return w.Kernels.FindScales(ctx, w.Store, w.Options.endsDouble(), report)
}

// BudgetRun is what the budgets of the run depend on.
func (w *Workspace) BudgetRun() *budget.Run {
	o := &w.Options
	r := &budget.Run{
		Options: o.Budget, Tuning: o.Solver.Tuning, QuasiNewton: o.Solver.Method == MethodLBFGS, CuttingPlanes: o.Solver.cutsPlanes(),
		Interaction: o.Norm.Interaction != nil, GroupNorm: o.Norm.GroupNorm != 0, Double: o.endsDouble(), OneTheta: o.Problem.OneTheta,
		Path: w.Path, Folds: o.Folds, Several: w.several, MaxIterations: o.Limits.Iterations, MaxTime: o.Limits.Time,
	}
	if m := o.Init; m != nil {
		r.Initial = m.VectorBytes() + 12*int64(len(m.Alpha)) + 48*int64(len(m.Theta))
	}
	return r
}

// LimitHeap has the Go heap kept to so many bytes.
func (w *Workspace) LimitHeap(bytes int64) {
	if w.Options.Heap != nil {
		w.Options.Heap(bytes)
	}
}

// Check gives err or, if a matrix of the kernels was written to since it was opened, the error that
// says so: whatever came of the run is then worth nothing.
func (w *Workspace) Check(err error) error {
	if w.Kernels != nil {
		if changed := w.Kernels.Changed(); changed != nil {
			return changed
		}
	}
	return err
}

// Close lets go of kernels and data.
func (w *Workspace) Close() {
	if w.Kernels != nil {
		w.Kernels.Close()
	}
	if w.Store != nil {
		w.Store.Close()
	}
}

// prepareOptions is what the preparation of the kernels depends on.
func (w *Workspace) prepareOptions() kernels.PrepareOptions {
	o := &w.Options
	normalizer, _ := kernelspec.ParseNormalizer(o.Kernels.Normalize) // has been checked
	return kernels.PrepareOptions{
		Views: o.Data.Views, Sequences: o.Data.Sequences, Seed: o.Seed, Normalizer: normalizer, Uncentred: o.Problem.Task == model.TaskOneClass,
		Memory: budget.Allowance(o.Budget.Memory), Threads: o.Budget.Threads, Scratch: o.Budget.Scratch, Users: o.Kernels.Users,
	}
}

// outline is the run before its points and kernels are known.
func (w *Workspace) outline() (*budget.Outline, error) {
	if w.specs == nil {
		var err error
		if w.specs, err = kernels.Specs(w.Options.Kernels.Specs, w.Options.Data.Views, w.Options.Data.Sequences); err != nil {
			return nil, err
		}
	}
	return &budget.Outline{
		Run: *w.BudgetRun(), Specs: w.specs, Kernels: w.prepareOptions(), Multiclass: w.Options.Problem.Multiclass,
		QuasiNewton: func(b *kernels.Bank) bool { return w.Options.chooseMethod(b, w.Path) == MethodLBFGS }, Account: w.Account,
	}, nil
}
