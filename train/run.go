// Package train trains models: it reads the data, prepares the kernels, shares the budgets out, and
// solves one problem or many.
//
// A Workspace is what every kind of run begins with. A machine is trained as a value (machine.go): a
// problem goes in and what solves it comes out. Several machines (multiclass.go, joint.go), the
// trainings without a fold that probabilities are learned from (calibrate.go) and paths (path.go) are
// composed of that.
package train

import (
	"context"
	"time"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/predict"
)

// Run reads src to its end and trains a model. When ctx is done it finishes the iteration in hand and
// returns the model as it then is, with status Interrupted; before the first iteration it returns an
// Unfinished. src is not closed.
//
// With a folder of checkpoints the state is kept as the run goes on, and before it ends early: the
// same call with Checkpoint.Resume goes on there, and gives the very model that the undisturbed run
// would have given.
//
// With a grace the iteration in hand, the points that have to wake for the model, and the model
// itself have so much time once ctx is done. What takes longer is cut: the state goes to a
// checkpoint, if there are to be any, even in the midst of an iteration, and the result is an
// Unfinished.
func Run(ctx context.Context, src dataset.Source, o Options) (*predict.Model, *Result, error) {
	began := time.Now()
	hard, stop := o.Limits.Cut(ctx, began)
	defer stop()
	ctx, cancel := o.Limits.within(ctx, began)
	defer cancel()
	return RunWithin(ctx, hard, began, src, o)
}

// RunWithin is Run for a caller that watches over the time itself: the run has begun then, is asked to
// end by ctx, and is cut by hard.
func RunWithin(ctx, hard context.Context, began time.Time, src dataset.Source, o Options) (*predict.Model, *Result, error) {
	w, err := Open(o)
	if err != nil {
		return nil, nil, err
	}
	defer w.Close()
	kept, err := w.openCheckpoints()
	if err != nil {
		return nil, nil, err
	}
	defer kept.close()
	r := newRun(w, hard, began)
	if err := r.read(ctx, src); err != nil {
		return nil, nil, r.ended(ctx, err)
	}
	r.checkpoints = kept
	if kept != nil {
		kept.last = r.start
	}
	m, status, err := r.train(ctx)
	r.conclude(m, status)
	if err = w.Check(err); err != nil {
		m = nil
	}
	r.result.Train = time.Since(r.start)
	return m, r.result, r.ended(ctx, err)
}

// run is a training that is going on.
type run struct {
	*Workspace
	plan   *budget.Plan
	result *Result
	warned warned

	began time.Time       // of a path, of this problem: limits of time count from here
	start time.Time       // of all that follows the reading
	hard  context.Context // of what must not end with the run's own: see Limits.Cut
	while string          // what is being done

	checkpoints *checkpoints // nil without
	calibration *calibration // nil without probabilities
}

func newRun(w *Workspace, hard context.Context, began time.Time) *run {
	r := &run{Workspace: w, hard: hard, began: began, start: began, result: &Result{}}
	if w.Options.Folds != 0 {
		r.calibration = &calibration{}
	}
	return r
}

// read reads and packs the data, and notes how long that took.
func (r *run) read(ctx context.Context, src dataset.Source) error {
	r.doing("the data were read")
	err := r.Workspace.Read(ctx, src)
	r.start = time.Now()
	r.result.Read = r.start.Sub(r.began)
	return err
}

// train finds out what there is to learn, by several machines or by one that minimises a loss, and
// learns it. The status is why the solver has stopped; of several machines it is the gravest.
func (r *run) train(ctx context.Context) (*predict.Model, chunking.Status, error) {
	d, err := newDecomposition(r)
	if err != nil {
		return nil, "", err
	}
	if d != nil {
		return r.trainSeveral(ctx, d)
	}
	loss, err := r.taskLoss()
	if err != nil {
		return nil, "", err
	}
	if err := r.prepareKernels(ctx); err != nil {
		return nil, "", err
	}
	norm, err := r.regularizer()
	if err != nil {
		return nil, "", err
	}
	if err := r.prepare(ctx); err != nil {
		return nil, "", err
	}
	g, err := r.hold(r.Store, r.Kernels.Bank)
	if err != nil {
		return nil, "", err
	}
	defer g.Close()
	s, err := r.trainOne(ctx, g, problem{loss: loss, norm: norm, start: r.begin(g, loss, nil)}, nil)
	if err != nil {
		return nil, "", err
	}
	if err := r.release(g); err != nil {
		return nil, s.status, err
	}
	m, err := r.modelOfOne(s)
	return m, s.status, err
}

// trainOne trains a machine to the gap of the run and calibrates it. f are the machines that are
// finished, of several; else nil.
func (r *run) trainOne(ctx context.Context, g *gradients, p problem, f *finished) (*solved, error) {
	r.doing("the start was made ready")
	p.gap, p.stop, p.at = r.Options.Solver.Gap, r.stop(ctx, f.left()), f.place()
	p.keep = func(d *chunking.Driver, must bool) { r.keep(g, d, f, must) }
	s, err := r.solve(ctx, r.hard, g, p)
	if err != nil {
		return nil, err
	}
	r.result.Iterations, r.result.Moves, r.result.Gradient = s.solution.Iterations, s.solution.Moves, s.used
	return s, r.calibrate(ctx, g, s)
}

// prepareKernels makes the kernels, and warns of what in the data may be a slip.
func (r *run) prepareKernels(ctx context.Context) error {
	r.doing("the kernels were made")
	r.warnData()
	if err := r.Workspace.PrepareKernels(ctx); err != nil {
		return err
	}
	if err := r.warnZeros(ctx); err != nil {
		return err
	}
	r.warnCost()
	return nil
}

// prepare shares the budgets out and normalises the kernels.
func (r *run) prepare(ctx context.Context) error {
	r.doing("the kernels were normalised")
	p := r.BudgetRun().Plan(r.Store, r.Kernels.Bank)
	r.plan = p
	if err := p.Check(); err != nil {
		return err
	}
	if short := p.Checkpoints.Short(); short != "" && !r.Options.Checkpoint.Resume { // of a run that goes on most of them are there
		r.warn("%s", short)
	}
	r.LimitHeap(p.Heap(budget.Normalizing))
	return r.FindScales(ctx, r.warn)
}

// release makes room for the model, which takes memory of its own: what the gradients and the row
// cache held goes first.
func (r *run) release(g *gradients) error {
	err := g.Close()
	r.LimitHeap(r.Options.Budget.Memory)
	return err
}

// conclude gives the result its status, which nothing else does: a run has converged if every
// certificate that is in the model says so.
func (r *run) conclude(m *predict.Model, status chunking.Status) {
	if m == nil {
		return
	}
	worst, _ := m.Worst()
	r.result.Status = chunking.Conclude(status, worst.RelativeGap, r.Options.Solver.Gap)
}
