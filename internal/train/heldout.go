package train

import (
	"context"
	"time"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/kernels"
	"bigmkl/predict"
)

// Cross-validation trains without some rows and looks at what comes out for these. As where
// probabilities are learned (calibrate.go), all trainings are on the gradients of all rows: a row
// that is left out has a cost of 0. Its dual variables are therefore 0, and the combined gradient
// there is its decision value. Reading, widths, normalisation and cached kernel rows are shared by
// all trainings. They are functions of the features of all rows, also of those left out, and of no
// label.
//
// A training is a function of the options, the rows left out, its point and the dual variables that
// it starts from, to the bit. Its gradients are computed again from these.

// HeldOut trains without some of its rows. One goroutine owns it.
type HeldOut struct {
	workspace     *Workspace
	path          *pathRun // of the gradients, which depend on the norm through the precision
	decomposition *decomposition
	method        string   // the solver that was asked for
	costPower     *float64 // the power of costs that was asked for
	tuning        chunking.Tuning
}

// Held is the outcome of a training without some rows.
type Held struct {
	// Point is the problem.
	Point Point
	// Rows are those that were left out, ascending.
	Rows []int32
	// Decisions has the decision values of every classifier at the rows: classifiers x len(Rows).
	Decisions [][]float64
	// Alpha has the dual variables of every classifier at all rows, infinite where they are at a
	// bound, for a training to start from; zeros if the dual variables belong to pairs of rows.
	Alpha [][]float64
	// Norms has the norms ||w_m|| of every classifier: classifiers x kernels. A classifier that was not trained
	// has zeros.
	Norms [][]float64
	// Certificates and Each have the certificate and the number of iterations of every classifier. One that
	// was not trained has zeros.
	Certificates []chunking.Certificate
	Each         []int
	// Status is the most severe one of the classifiers, Gap their largest relative gap.
	Status chunking.Status
	Gap    float64
	// Iterations are the iterations of all classifiers together.
	Iterations int
	// Untrained lists the classifiers for which there was nothing to train: the other rows are of
	// one class alone.
	Untrained []int
}

// OpenHeldOut reads src, prepares the kernels of o and plans the budgets. It does not close src.
// Task oneclass is of class fail.Usage, and so are one set of weights for several classifiers and
// one problem of all classes.
func OpenHeldOut(ctx context.Context, src dataset.Source, o Options) (*HeldOut, error) {
	switch {
	case model.DescribesSupport(o.Problem.Task):
		return nil, fail.New(fail.Usage, "one class has no label that rows left out could be held to")
	case o.Problem.traits().classColumns:
		return nil, fail.New(fail.Usage,
			"one problem of all classes is not trained without some rows")
	case o.Problem.OneTheta:
		return nil, fail.New(fail.Usage,
			"classifiers with one set of weights are not trained without some rows")
	case o.Gating.Learned():
		return nil, fail.New(fail.Usage,
			"gates that are learned, which trainings without some rows do not move").
			WithHint("train --gating for each fold")
	case o.Norm.Rule != nil:
		return nil, fail.New(fail.Usage, "the rule %s looks at the labels of all rows, also of those "+
			"that are left out", o.Norm.Rule).
			WithHint("give the weights as a file, from rows that have no part in the selection")
	}
	o.Folds = 1 // The budget has room for a loss without some rows.
	w, err := Open(o)
	if err != nil {
		return nil, err
	}
	w.Path, w.KeepsAlpha = true, true
	w.scales, w.starts = new(kernels.Scales), new(gradient.Starts)
	h := &HeldOut{
		workspace: w, path: &pathRun{workspace: w},
		method: o.Solver.Method, costPower: o.Norm.CostPower, tuning: o.Solver.Tuning,
	}
	if err := h.prepare(ctx, src); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// prepare reads the data and makes the kernels.
func (h *HeldOut) prepare(ctx context.Context, src dataset.Source) error {
	r := newRun(h.workspace, ctx, time.Now())
	if err := r.readData(ctx, src); err != nil {
		return r.describeEnd(ctx, err)
	}
	var err error
	if h.decomposition, err = r.labelled().decompose(&r.warnings); err != nil {
		return err
	}
	r.split(h.decomposition, r.Store)
	if h.decomposition == nil {
		if _, err := r.labelled().loss(); err != nil {
			return err
		}
	}
	// Nobody sees warnings of a training without some rows.
	r.setOperation("the kernels were made")
	if err := r.PrepareKernels(ctx); err != nil {
		return r.describeEnd(ctx, err)
	}
	h.workspace.Options.Solver.Tuning = tuned(h.tuning, h.workspace)
	_, err = r.norms().regularizer()
	return err
}

// TakeScales takes the normalisation factors of the kernels that are in use in other, which finds them unless it
// has. The rows of h must have the same values of each of these kernels, in any order.
func (h *HeldOut) TakeScales(ctx context.Context, other *HeldOut) error {
	if err := other.workspace.FindScales(ctx, func(string, ...any) {}); err != nil {
		return err
	}
	h.workspace.scales.Take(other.workspace.scales)
	return nil
}

// fewRows is the size in bytes of all base rows of all groups up to which no points are left out.
const fewRows = 1 << 30

// tuned decides whether trainings leave points out. The next training cannot use a row that was cached without
// them, and has to make it again. As long as all rows are few, it is better to keep them whole: that halves the
// time on 2,000 points with 6 groups. The bits of a training depend on it. It therefore follows from the points
// and the kernels and not from the memory.
func tuned(t chunking.Tuning, w *Workspace) chunking.Tuning {
	t.NoShrink = t.NoShrink || areFew(w.Store.Len(), len(w.Kernels.Groups))
	return settings{t}.most(w.Store.Len())
}

// LeavesPointsOut reports whether trainings leave points out. They then share hardly any cached kernel rows.
func (h *HeldOut) LeavesPointsOut() bool { return !h.workspace.Options.Solver.Tuning.NoShrink }

// areFew reports whether all base rows of so many points and groups, of 4 bytes an entry, take at
// most fewRows. The product is one of floats, because it exceeds an int64 from a billion points on.
func areFew(points, groups int) bool {
	return 4*float64(points)*float64(points)*float64(groups) <= fewRows
}

// UseKernels puts other kernels in the place of those in hand, for the same rows. specs is as in
// Kernels.Specs.
func (h *HeldOut) UseKernels(ctx context.Context, specs string) error {
	w := h.workspace
	err := h.path.grad.Close()
	h.path = &pathRun{workspace: w}
	if w.Kernels != nil {
		w.Kernels.Close()
	}
	w.Kernels, w.specs, w.Options.Kernels.Specs, w.Options.Solver.Method = nil, nil, specs, h.method
	if err != nil {
		return err
	}
	r := newRun(w, ctx, time.Now())
	if err := w.PrepareKernels(ctx); err != nil {
		return r.describeEnd(ctx, err)
	}
	w.Options.Solver.Tuning = tuned(h.tuning, w)
	// A list of kernels may name costs, and a kernel of it by itself none.
	if w.Options.Norm.CostPower = h.costPower; !w.Kernels.Expanded.HasCosts {
		w.Options.Norm.CostPower = nil
	}
	_, err = r.norms().regularizer()
	return err
}

// Close frees the gradients, the kernels and the data.
func (h *HeldOut) Close() {
	h.path.grad.Close()
	h.workspace.starts.Close()
	h.workspace.Close()
}

// Store returns the rows.
func (h *HeldOut) Store() *dataset.Store { return h.workspace.Store }

// Kernels returns what is to be said of the kernels in hand.
func (h *HeldOut) Kernels() KernelList {
	return KernelList{h.workspace.Kernels.Expanded, &h.workspace.Options.Norm}
}

// A tuning trains without the rows of a fold at many importances of the kernels,
//
//	||w|| = || (||w_m|| / e_m^(1/2))_m ||,    e_m = d_m^-2 for the regularisation parameters d_m
//
// of Goenen 2010, (2.11). The gradients g_m = K_m alpha do not depend on e_m, nor do the rows of the
// kernels, and all its trainings share both.

// Tune multiplies the importance of each kernel by a number in all trainings from here on. A kernel of
// importance 0 is left out. nil means ones.
func (h *HeldOut) Tune(importance []float64) { h.workspace.Options.Norm.tuned = importance }

// Identity lists what the bits of a training depend on beside its rows, its point and its start: the
// data, the options and the kernels in hand, and the program.
func (h *HeldOut) Identity() ([]Fact, error) { return h.workspace.identity().facts() }

// Classifiers returns the number of classifiers, each of which has dual variables of its own.
func (h *HeldOut) Classifiers() int {
	if h.decomposition == nil {
		return 1
	}
	return len(h.decomposition.pairs)
}

// Shape returns a model without support vectors. It has the meaning of decision values: the task,
// the classes and the classifiers.
func (h *HeldOut) Shape() *predict.Model {
	o := &h.workspace.Options
	m := &predict.Model{Model: model.Model{
		Task: o.Problem.Task, Gap: o.Solver.Gap, PositiveLabels: o.Data.Positive,
		LossSettings: o.Problem.lossOfModel(),
	}}
	names := h.Store().Classes()
	switch d := h.decomposition; {
	case d != nil:
		m.Multiclass, m.Classes, m.Taus = d.kind, d.classes, d.taus
		for _, p := range d.pairs {
			m.Classifiers = append(m.Classifiers, model.Classifier{Positive: p[0], Negative: p[1]})
		}
	case m.HasClasses():
		m.Negative, m.Positive = names[0], names[1]
	}
	return m
}

// Train trains without the given rows, ascending, at one point. start holds the dual variables that
// each classifier starts from; nil means zeros. When ctx is done it returns the error of ctx.
func (h *HeldOut) Train(ctx context.Context, out []int32, point Point, start [][]float64) (
	*Held, error) {
	t, err := h.trainingAt(ctx, out, point, start)
	if err != nil {
		return nil, err
	}
	for k := range h.Classifiers() {
		if _, err := t.train(ctx, k); err != nil {
			return nil, h.workspace.Check(err)
		}
	}
	return t.held, h.workspace.Check(nil)
}
