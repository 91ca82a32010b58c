package train

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/budget"
	"bigmkl/internal/cluster/shards"
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
	"bigmkl/kernels"
)

// Every run takes the same first steps: it finds its budgets, reads the data within them, and
// prepares the kernels for these data. What the run takes is only known after that. Each step that
// may not fit is therefore preceded by an account of what it takes at most (see budget.Outline).

// Workspace holds the data, the kernels and the budgets of a run, whatever the run does with them:
// a training, a path of trainings, a plan, kernel matrices or their alignments. Open begins it,
// then follow Read and PrepareKernels in this order, and Close ends it. One goroutine owns it.
type Workspace struct {
	Options Options
	Store   *dataset.Store    // nil before Read
	Objects *objects.Set      // with scaled features; nil before Read, and for rows with features
	Kernels *kernels.Prepared // nil before PrepareKernels; not normalised before FindScales
	Extent

	// points are the problems of a path, which its ranks compare and prepare by their numbers. It is nil if
	// there is no path.
	points []Point

	// mostPower is the largest power of the costs of kernels on a path, for importances that are not
	// numbers to be found before the first training.
	mostPower float64

	// Like is a store whose features, classes and scaling the rows have to have. If it is nil, the
	// rows decide.
	Like *dataset.Store
	// Given is what the kernels take from other rows. If it is nil, the rows decide.
	Given *kernels.Given
	// scales are factors of the normalisation that many lists of kernels share; nil for one list.
	scales *kernels.Scales
	// starts are the gradients that many trainings start with; nil for one training.
	starts *gradient.Starts

	// without holds the posteriors of nearest rows without those that were left out last. Copies of
	// the workspace share it.
	without *withoutRows

	compact bool     // features that do not occur need no numbers; see Options.compactable
	specs   []string // specifications of the kernels, one each; nil before they are split
	gates   *gates   // nil if the kernels have none
}

// Open returns a workspace for o, with the budgets filled in that o leaves open. It reads nothing.
func Open(o Options) (*Workspace, error) {
	w := &Workspace{Options: o, compact: o.compactable()}
	return w, w.Options.Budget.SetDefaults()
}

// Read reads src and packs the rows into a scratch file. It does not close src. Data that do not
// fit the budgets are of class fail.Budget, with the smallest budget that is enough.
func (w *Workspace) Read(ctx context.Context, src dataset.Source) error {
	d, b := &w.Options.Data, &w.Options.Budget
	// Views may name features that no row has, which then count as 0.
	last := 0
	for _, v := range d.Views {
		last = max(last, v.Last)
	}
	flags := 0
	if d.Missing != "" {
		flags = len(d.Views)
	}
	src, err := w.Options.withFlags(src)
	if err != nil {
		return err
	}
	if _, err := w.outline(); err != nil { // It splits the specifications of the kernels.
		return err
	}
	if w.Objects, err = d.scaledObjects(ctx, w.specs, b); err != nil {
		return err
	}
	src = d.checkObjects(src)
	w.Store, err = dataset.Build(ctx, src, dataset.StoreOptions{
		Flags: flags, Compact: w.compact,
		Dir: b.Scratch, Scale: d.scaleFor(w.specs), Impute: d.Impute, Views: d.Views, Layout: d.Layout, Features: last + flags, Limit: d.Limit,
		Sequences: d.Sequences, Labels: w.Options.Problem.labeling(), Positive: d.Positive,
		Share: shareOf(w.Options.Team), Like: w.Like, NewClasses: w.Options.Problem.Multiclass != "", Memory: budget.Reading(b.Memory), Disk: max(b.MostDisk-b.Kept.Disk, 1),
	})
	if err == nil && len(w.Store.Targets()) > 0 {
		w.Options.Problem.takeUnit(UnitOf(w.Options.Problem.Task, w.Store.Targets(), w.Store.Uppers()))
		w.Options.Problem.takeTau(tauOfEvents(w.Store.Targets(), w.Store.Uppers()))
	}
	if err == nil && model.HasPairs(w.Options.Problem.Task) {
		w.pairs, _, err = rankedRows{w.labelled()}.countPairs(b.Memory)
	}
	var large *dataset.TooLarge
	if errors.As(err, &large) {
		// The store knows its own size alone. The outline adds the rest of the run to the rejection.
		outline, e := w.outline()
		if e != nil {
			return e
		}
		err = outline.TooLarge(err)
	}
	return err
}

// PrepareKernels makes the kernels and chooses the solver if that was left open. The kernels are
// not normalised yet: the budget for that is known only now. See FindScales.
func (w *Workspace) PrepareKernels(ctx context.Context) error {
	outline, err := w.outline()
	if err != nil {
		return err
	}
	// The preparation needs memory in proportion to the rows and the features. If that alone
	// exceeds the budget, the outline rejects the run with the budget of the whole.
	if !outline.Countable(w.Store) {
		if err := outline.Reject(w.Store); err != nil {
			return err
		}
	}
	// A model has to be able to store the text; a long training would fail at its end otherwise.
	if err := model.CheckText(w.specs, w.Options.Data.viewsOfKernels()); err != nil {
		return err
	}
	noFeatures := w.Store.Columns() || w.Store.Dim() == 0
	if noFeatures && slices.ContainsFunc(w.specs, model.NeedsFeatures) {
		err := fail.New(fail.Input, "no row has a feature")
		if w.Store.Columns() {
			err = err.WithHint(dataset.ColumnsHint)
		}
		return err
	}
	w.Kernels, err = kernels.Prepare(ctx, w.Store, w.specs, w.prepareOptions())
	// The outline, and not the kernels, has the budget that is enough for the run.
	if errors.Is(err, fail.Budget) {
		return cmp.Or(outline.Reject(w.Store), err)
	}
	if err != nil {
		return err
	}
	w.Options.Kernels.large = w.Kernels.Large[0]
	w.Options.Solver.Method = w.Options.chooseMethod(w.Kernels.Bank, w.Path)
	if o := &w.Options; o.Problem.traits().componentColumns {
		if err := o.Mixture.choose(w.Kernels, o.Problem.Task); err != nil {
			return err
		}
		w.several = o.Mixture.effort(w.Store.Len(), w.Kernels.Len())
		return nil
	}
	m := &gateMaker{&w.Options, w.Store, w.Kernels, w.prepareOptions()}
	w.gates, err = m.make(ctx)
	return err
}

// FindScales computes the factors of the kernels that are normalised multiplicatively, in the
// precision in which the run will end; see kernels.Prepared. report is told of kernels that have
// none.
func (w *Workspace) FindScales(ctx context.Context, report func(format string, args ...any)) error {
	return w.Kernels.FindScales(ctx, w.Store, w.Options.endsDouble(), report)
}

// Plan prepares the kernels and divides the budgets as a training on the data does. It goes through
// the same steps as classifierTrainer.trainModel, and rejects what a training would reject.
func (w *Workspace) Plan(ctx context.Context) (*budget.Plan, error) {
	r := newRun(w, ctx, time.Now()) // Its warnings are for a training, and nobody sees them here.
	d, err := w.labelled().decompose(&r.warnings)
	if err != nil {
		return nil, err
	}
	w.split(d, w.Store)
	if d == nil {
		if _, err := w.labelled().loss(); err != nil {
			return nil, err
		}
	}
	if err := r.prepareKernels(ctx); err != nil {
		return nil, err
	}
	if _, err := w.norms().regularizer(); err != nil {
		return nil, err
	}
	return w.BudgetRun().Plan(w.Store, w.gates.over(w.Kernels.Bank)), nil
}

// withPoint returns the workspace for one problem of a path: it has the same data and kernels, and
// the norm, the cost and the power of the point.
func (w *Workspace) withPoint(p Point) *Workspace {
	here := *w
	here.Options.Norm.P = p.Norm
	if p.C != 0 {
		here.Options.Problem.C = p.C
	}
	if p.CostPower != nil {
		here.Options.Norm.CostPower = p.CostPower
	}
	if p.Gap != 0 {
		here.Options.Solver.Gap = p.Gap
	}
	return &here
}

// BudgetRun returns what the budgets of the run depend on, apart from the points and the kernels.
func (w *Workspace) BudgetRun() *budget.Run { return w.Extent.run(&w.Options, w.Store, w.Kernels) }

// labelled returns the rows with the problem of them.
func (w *Workspace) labelled() labelledRows { return labelledRows{w.Store, &w.Options.Problem} }

// certainty returns what finds the posteriors of the rows.
func (w *Workspace) certainty() *certainty {
	if w.without == nil {
		w.without = &withoutRows{}
	}
	return &certainty{w.labelled(), &w.Options.Data, w.Options.Seed, w.Options.Budget.Threads, w.without}
}

// norms returns what makes the norms over the kernels.
func (w *Workspace) norms() normChoice { return normChoice{&w.Options, w.Kernels} }

// identity returns what identifies the run.
func (w *Workspace) identity() *identity { return &identity{&w.Options, w.Store, w.Kernels, w.gates} }

// LimitHeap asks whoever owns the process to keep the Go heap to so many bytes.
func (w *Workspace) LimitHeap(bytes int64) {
	if w.Options.Heap != nil {
		w.Options.Heap(bytes)
	}
}

// Check returns err or, if a matrix of a precomputed kernel was written to since it was opened, an error
// that reports it. The run may then have seen two matrices, and its result is worthless. So it is if points
// that were packed beforehand do not match their checksums. Rank 0 asks the others what they have found.
func (w *Workspace) Check(err error) error {
	if errors.Is(err, shards.ErrServed) {
		return err // Rank 0 has asked.
	}
	if changed := changed(w.Store, w.Kernels); changed != nil {
		return changed
	}
	if err == nil {
		err = w.Options.Team.Confirm()
	}
	return err
}

// Close frees the kernels and then the data, which the kernels refer to.
func (w *Workspace) Close() {
	if w.Kernels != nil {
		w.Kernels.Close()
	}
	if w.Store != nil {
		w.Store.Close()
	}
}

// prepareOptions returns what the preparation of the kernels depends on.
func (w *Workspace) prepareOptions() kernels.PrepareOptions {
	o := &w.Options
	normalizer, _ := kernelspec.ParseNormalizer(o.Kernels.Normalize) // The name has been checked.
	return kernels.PrepareOptions{
		Views: o.Data.viewsOfKernels(), Objects: cmp.Or(w.Objects, o.Data.Objects), Flags: o.Data.Missing != "", Sequences: o.Data.Sequences, Seed: o.Seed, Normalizer: normalizer,
		// Centring changes no decision value only where the dual variables sum to 0, and with gates
		// eta_m only where alpha_i eta_m(x_i) do, which nothing ensures.
		//
		// Where k(x,x) varies it is a part of the scores of components, whose means are about the origin.
		Uncentred: slices.Contains(model.Uncentred, o.Problem.Task) || o.Gating.Gated(),
		Regions:   o.Gating.Regions, Gated: o.Gating.Learned(),
		CostPower: max(o.Norm.costPower(), w.mostPower),
		Memory:    budget.Allowance(o.Budget.Memory), Threads: o.Budget.Threads,
		Scratch: o.Budget.Scratch, Users: o.Kernels.Users, Given: w.Given, Scales: w.scales,
	}
}

// outline describes the run before its points and kernels are known, for rejections that have to name
// a budget by then.
func (w *Workspace) outline() (*budget.Outline, error) {
	if w.specs == nil {
		var err error
		o := &w.Options
		w.specs, err = kernels.Specs(o.Kernels.Specs, o.Data.viewsOfKernels(), o.Data.Sequences)
		if err != nil {
			return nil, err
		}
		o.Kernels.centred = model.Centred(w.specs, o.Kernels.Normalize)
		if err := o.checkCentred(); err != nil {
			return nil, err
		}
	}
	family := w.Options.Problem.traits()
	o := &budget.Outline{
		Run: *w.BudgetRun(), Specs: w.specs, Kernels: w.prepareOptions(),
		Multiclass: cmp.Or(family.kind, w.Options.Problem.Multiclass), Account: w.Account,
		QuasiNewton: func(b *kernels.Bank) bool {
			return movesAll(w.Options.chooseMethod(b, w.Path))
		},
	}
	if family.componentColumns {
		o.Components = w.Options.Mixture.effort
	} else if n := family.regressors; n > 0 {
		o.Components = func(points, _ int) budget.Effort { return effortOfQuantiles(n, points) }
	}
	return o, nil
}

// changed returns an error if rows or matrices that were mapped are not what they were. Both may be nil.
func changed(store *dataset.Store, k *kernels.Prepared) error {
	if store != nil {
		if err := store.Changed(); err != nil {
			return err
		}
	}
	if k != nil {
		return k.Changed()
	}
	return nil
}
