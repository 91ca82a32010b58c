package train

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"bigmkl/budget"
	"bigmkl/cluster/shards"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/kernels"
	"bigmkl/kernelspec"
	"bigmkl/model"
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
	Kernels *kernels.Prepared // nil before PrepareKernels; not normalised before FindScales
	Path    bool              // models are made beside gradients that the next training needs

	// points are the problems of a path, which its ranks compare and prepare by their numbers. It is nil if
	// there is no path.
	points []Point

	// mostPower is the largest power of the costs of kernels on a path, so that importances that are
	// no numbers are found before the first training.
	mostPower float64

	// KeepsAlpha says that the dual variables of every machine are kept for a training that starts
	// from them.
	KeepsAlpha bool

	// Like is a store whose features, classes and scaling the rows have to have. If it is nil, the
	// rows decide.
	Like *dataset.Store
	// Given is what the kernels take from other rows. If it is nil, the rows decide.
	Given *kernels.Given

	// Stream says that rows are put behind others that were trained on.
	Stream bool

	// Account returns what the run takes of the memory. If it is nil, that is what a training
	// takes. A refusal because the points or the kernels do not fit quotes it.
	Account func(r *budget.Run, points kernels.Points, b *kernels.Bank) budget.Share

	// without holds the posteriors of nearest rows without those that were left out last.
	without withoutRows

	compact  bool          // features that do not occur need no numbers; see Options.compactable
	specs    []string      // specifications of the kernels, one each; nil before they are split
	gates    *gates        // nil if the kernels have none
	several  budget.Effort // what several machines take; zero for one machine
	prepared time.Duration // duration of the preparation of the kernels, for a plan
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
	src, err := w.withFlags(src)
	if err != nil {
		return err
	}
	if _, err := w.outline(); err != nil { // It splits the specifications of the kernels.
		return err
	}
	w.Store, err = dataset.Build(ctx, src, dataset.StoreOptions{
		Flags: flags, Compact: w.compact,
		Dir: b.Scratch, Scale: w.scale(), Impute: d.Impute, Views: d.Views, Layout: d.Layout, Features: last + flags, Limit: d.Limit,
		Sequences: d.Sequences, Labels: w.Options.labeling(), Positive: d.Positive,
		Share: w.Options.share(), Like: w.Like, Memory: budget.Reading(b.Memory), Disk: max(b.MostDisk-b.Kept.Disk, 1),
	})
	if err == nil && len(w.Store.Targets()) > 0 {
		w.Options.Problem.takeUnit(TargetUnit(w.Store.Targets()))
	}
	var large *dataset.TooLarge
	if errors.As(err, &large) {
		// The store knows its own size alone. The outline adds the rest of the run to the refusal.
		outline, e := w.outline()
		if e != nil {
			return e
		}
		err = outline.TooLarge(err)
	}
	return err
}

// scale returns the kind of scaling of the features. Kernels of counts have no part in ScaleAuto: a
// feature that is standardised is negative in some rows.
func (w *Workspace) scale() string {
	kind := w.Options.Data.Scale
	if kind == dataset.ScaleAuto && slices.ContainsFunc(w.specs, func(s string) bool { return strings.Contains(s, "chi2") }) {
		return dataset.ScaleNone
	}
	return kind
}

// PrepareKernels makes the kernels and chooses the solver if that was left open. The kernels are
// not normalised yet: the budget for that is known only now. See FindScales.
func (w *Workspace) PrepareKernels(ctx context.Context) error {
	outline, err := w.outline()
	if err != nil {
		return err
	}
	// The preparation needs memory in proportion to the rows and the features. If that alone
	// exceeds the budget, the outline refuses the run with the budget of the whole.
	if !outline.Countable(w.Store) {
		if err := outline.Refuse(w.Store); err != nil {
			return err
		}
	}
	// A model has to be able to store the text; a long training would fail at its end otherwise.
	if err := model.CheckText(w.specs, w.Options.Data.Views); err != nil {
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
	// The kernels cannot say which budget is enough for the run, and the outline can.
	if errors.Is(err, fail.Budget) {
		return cmp.Or(outline.Refuse(w.Store), err)
	}
	if err != nil {
		return err
	}
	w.Options.Solver.Method = w.Options.chooseMethod(w.Kernels.Bank, w.Path)
	if model.HasComponents(w.Options.Problem.Task) {
		return w.chooseComponents()
	}
	return w.makeGates(ctx)
}

// FindScales computes the factors of the kernels that are normalised multiplicatively, in the
// precision in which the run will end; see kernels.Prepared. report is told of kernels that have
// none.
func (w *Workspace) FindScales(ctx context.Context, report func(format string, args ...any)) error {
	return w.Kernels.FindScales(ctx, w.Store, w.Options.endsDouble(), report)
}

// BudgetRun returns what the budgets of the run depend on, apart from the points and the kernels.
func (w *Workspace) BudgetRun() *budget.Run {
	o := &w.Options
	r := &budget.Run{
		Options: o.Budget, Tuning: o.Solver.Tuning, QuasiNewton: o.Solver.Method == MethodLBFGS,
		CuttingPlanes: o.Solver.cutsPlanes(), Interaction: o.Norm.Interaction != nil,
		GroupNorm: o.Norm.GroupNorm != 0, Double: o.endsDouble(), OneTheta: o.Problem.OneTheta,
		Path: w.Path, Stream: w.Stream, Folds: o.Folds, Several: w.several,
		Posteriors:    o.Problem.Posteriors.Asked(),
		MaxIterations: o.Limits.Iterations, MaxTime: o.Limits.Time,
	}
	switch p := &o.Problem; {
	case p.inColumns():
		r.Columns, r.Contrasts, r.Several = true, p.Multiclass == model.SingleMachine, w.several
		if o.byProgram() {
			r.Program = w.programBytes
		}
	case model.HasComponents(p.Task):
		r.Columns, r.Several, r.Mixture = true, w.several, w.mixtureBytes
	}
	if !o.Team.Alone() {
		r.Ranks = o.Team.Size()
	}
	if rule := o.Norm.Rule; rule != nil && rule.HoldsOut() {
		r.Folds, r.HoldsOut = max(r.Folds, o.Norm.RuleFolds), true
	} else if rule != nil {
		r.Aligned, r.Sample = true, o.Norm.RuleSample
	}
	if o.Gating.Gated() {
		r.Gates = w.gateBytes
	}
	if w.Kernels != nil {
		if r.Held = w.Kernels.Held(); r.Columns {
			r.Held = 0 // Several columns keep the gradients of all kernels.
		}
		for _, s := range w.Kernels.Skeletons {
			r.Skeletons += s.Bytes()
		}
	}
	if w.KeepsAlpha && w.Store != nil {
		r.Initial += 8 * int64(w.Store.Len()) * int64(max(1, w.several.Machines))
	}
	// The initial model stays in memory: 12 bytes for each support vector, 48 for each kernel.
	if m := o.Init; m != nil {
		r.Initial += m.VectorBytes() + 12*int64(len(m.Alpha)) + 48*int64(len(m.Theta))
	}
	r.Projected, r.Descent = o.projected, o.descent
	return r
}

// LimitHeap asks whoever owns the process to keep the Go heap to so many bytes.
func (w *Workspace) LimitHeap(bytes int64) {
	if w.Options.Heap != nil {
		w.Options.Heap(bytes)
	}
}

// Check returns err or, if a matrix of a precomputed kernel was written to since it was opened, an
// error that says so. The run may then have seen two matrices, and its result is worthless. So it is
// if points that were packed beforehand are not what their checksums say. Rank 0 asks the others what they
// have found.
func (w *Workspace) Check(err error) error {
	if errors.Is(err, shards.ErrServed) {
		return err // Rank 0 has asked.
	}
	if changed := w.changed(); changed != nil {
		return changed
	}
	if err == nil {
		err = w.Options.Team.Confirm()
	}
	return err
}

// changed returns an error if something that was mapped is not what it was.
func (w *Workspace) changed() error {
	if w.Store != nil {
		if changed := w.Store.Changed(); changed != nil {
			return changed
		}
	}
	if w.Kernels != nil {
		return w.Kernels.Changed()
	}
	return nil
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
		Views: o.Data.Views, Flags: o.Data.Missing != "", Sequences: o.Data.Sequences, Seed: o.Seed, Normalizer: normalizer,
		// Centring changes no decision value only where the dual variables sum to 0, and with gates
		// eta_m only where alpha_i eta_m(x_i) do, which nothing ensures.
		//
		// Where k(x,x) varies it is a part of the scores of components, whose means are about the origin.
		Uncentred: o.Problem.Task == model.TaskOneClass || model.HasComponents(o.Problem.Task) || o.Gating.Gated(),
		Regions:   o.Gating.Regions, Gated: o.Gating.Learned(),
		CostPower: max(o.Norm.costPower(), w.mostPower),
		Memory:    budget.Allowance(o.Budget.Memory), Threads: o.Budget.Threads,
		Scratch: o.Budget.Scratch, Users: o.Kernels.Users, Given: w.Given,
	}
}

// outline describes the run before its points and kernels are known, for refusals that have to name
// a budget by then.
func (w *Workspace) outline() (*budget.Outline, error) {
	if w.specs == nil {
		var err error
		o := &w.Options
		w.specs, err = kernels.Specs(o.Kernels.Specs, o.Data.Views, o.Data.Sequences)
		if err != nil {
			return nil, err
		}
		o.Kernels.centred = model.Centred(w.specs, o.Kernels.Normalize)
		if err := o.checkCentred(); err != nil {
			return nil, err
		}
	}
	several := w.Options.Problem.Multiclass
	if w.Options.Problem.Task == model.TaskRKDA {
		several = model.OneVsRest
	}
	o := &budget.Outline{
		Run: *w.BudgetRun(), Specs: w.specs, Kernels: w.prepareOptions(),
		Multiclass: several, Account: w.Account,
		QuasiNewton: func(b *kernels.Bank) bool {
			return w.Options.chooseMethod(b, w.Path) == MethodLBFGS
		},
	}
	if model.HasComponents(w.Options.Problem.Task) {
		o.Components = w.mixtureEffort
	}
	return o, nil
}
