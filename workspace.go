package bigmkl

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/kernels"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// workspace is the data, the kernels and the budgets of a run, whatever it does with them: a
// training, a path of trainings, a plan, matrices of kernels or their alignments.
type workspace struct {
	o       Options // with their defaults
	budgets budget.Options
	specs   []string // of the kernels
	store   *dataset.Store
	kernels *kernels.Prepared // nil before prepareKernels
	several budget.Effort     // of several machines; zero for one
	path    bool              // a model is made beside the gradients that the next training goes on with

	// account is what the run takes of the memory; nil: what a training takes.
	account func(r *budget.Run, points kernels.Points, b *kernels.Bank) budget.Share
}

// newWorkspace checks the options and fills in what they leave open.
func newWorkspace(o Options) (workspace, error) {
	w := workspace{o: o}
	if err := o.Validate(); err != nil {
		return w, err
	}
	w.o.setDefaults()
	w.budgets = w.o.budgets()
	return w, w.budgets.SetDefaults()
}

// read reads and packs the data. src is not closed.
func (w *workspace) read(ctx context.Context, src dataset.Source) error {
	last := 0
	for _, v := range w.o.Views {
		last = max(last, v.Last)
	}
	o := &w.o
	var err error
	w.store, err = dataset.Build(ctx, src, dataset.StoreOptions{
		Dir: w.budgets.Scratch, Scale: o.Scale, Layout: o.Store, Features: last, Limit: o.Limit, Sequences: o.Sequences, Labels: o.Labeling(), Positive: o.Positive,
		Memory: budget.Reading(w.budgets.Memory), Disk: w.budgets.MostDisk,
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

// prepareKernels makes the kernels, which are not normalised yet.
func (w *workspace) prepareKernels(ctx context.Context) error {
	outline, err := w.outline()
	if err != nil {
		return err
	}
	if !outline.Countable(w.store) {
		if err := outline.Refuse(w.store); err != nil {
			return err
		}
	}
	if err := model.CheckText(w.specs, w.o.Views); err != nil {
		return err
	}
	if slices.ContainsFunc(w.specs, model.NeedsFeatures) {
		switch {
		case w.store.Columns():
			return fail.New(fail.Input, "no row has a feature").WithHint(dataset.ColumnsHint)
		case w.store.Dim() == 0:
			return fail.New(fail.Input, "no row has a feature")
		}
	}
	w.kernels, err = kernels.Prepare(ctx, w.store, w.specs, w.preparing())
	if errors.Is(err, fail.Budget) { // which budget does, the kernels cannot say
		err = cmp.Or(outline.Refuse(w.store), err)
	}
	return err
}

// preparing is what the preparation of the kernels depends on.
func (w *workspace) preparing() kernels.PrepareOptions {
	o := &w.o
	return kernels.PrepareOptions{
		Views: o.Views, Sequences: o.Sequences, Seed: o.Seed, Normalizer: o.normalizer(), Uncentred: o.Task == TaskOneClass,
		Memory: budget.Allowance(w.budgets.Memory), Threads: w.budgets.Threads, Scratch: w.budgets.Scratch, Users: o.UserKernels,
	}
}

// outline is the run before its points and kernels are known.
func (w *workspace) outline() (*budget.Outline, error) {
	if w.specs == nil {
		var err error
		if w.specs, err = kernels.Specs(w.o.Kernels, w.o.Views, w.o.Sequences); err != nil {
			return nil, err
		}
	}
	return &budget.Outline{
		Run: w.run(), Specs: w.specs, Kernels: w.preparing(), Multiclass: w.o.Multiclass,
		QuasiNewton: func(b *kernels.Bank) bool { return w.choose(b) == SolverLBFGS }, Account: w.account,
	}, nil
}

// run is what the budgets depend on.
func (w *workspace) run() budget.Run {
	o := &w.o
	r := budget.Run{
		Options: w.budgets, Tuning: o.Tuning, QuasiNewton: o.Solver == SolverLBFGS, CuttingPlanes: o.cuts(),
		Interaction: o.Regularizer.Interaction != nil, GroupNorm: o.Regularizer.GroupNorm != 0, Double: o.double(), OneTheta: o.OneTheta,
		Path: w.path, Folds: o.Folds, Several: w.several, MaxIterations: o.MaxIterations, MaxTime: o.MaxTime,
	}
	if m := o.Init; m != nil {
		r.Initial = m.VectorBytes() + 12*int64(len(m.Alpha)) + 48*int64(len(m.Theta))
	}
	return r
}

// limitHeap has the Go heap kept to so many bytes.
func (w *workspace) limitHeap(bytes int64) {
	if w.o.Heap != nil {
		w.o.Heap(bytes)
	}
}

// changed gives err or, if a file of the kernels was written to since it was opened, the error that
// says so: whatever came of the run is then worth nothing.
func (w *workspace) changed(err error) error {
	if w.kernels != nil {
		if changed := w.kernels.Changed(); changed != nil {
			return changed
		}
	}
	return err
}

// close lets go of kernels and data.
func (w *workspace) close() {
	if w.kernels != nil {
		w.kernels.Close()
	}
	if w.store != nil {
		w.store.Close()
	}
}

// normalizer is that of the kernels which do not have their own.
func (o *Options) normalizer() kernelspec.Normalizer {
	n, _ := kernelspec.ParseNormalizer(o.Normalize) // has been validated
	return n
}

// double tells whether the run will end up in double precision because of what was asked for.
func (o *Options) double() bool {
	auto := o.Precision == string(chunking.Auto)
	return o.Precision == string(chunking.Double) || auto && (o.Gap < chunking.WidenBelow || o.delicate())
}
