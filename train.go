package bigmkl

import (
	"context"
	"math"
	"time"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/chunking/loss"
	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/checkpoint"
	"bigmkl/kernels"
)

// Result is what is worth knowing of a run beside its model.
type Result struct {
	Status     chunking.Status
	Iterations int
	Moves      int // of weights that stay in between, for solvers other than chunking
	Resumed    int // the iteration of the checkpoint that the run went on from
	Gradient   gradient.Stats
	Read       time.Duration // reading and packing the data
	Train      time.Duration // everything after
	Times      Times         // its parts
	Sides      [][2]int      // of each of several machines, how many rows are of either class
	Folding    Folding       // what of it went to probabilities; Iterations and Gradient leave it out
	Warnings   []string      // a line for each kind, however often it was met

	warned warned
}

// Train reads src to its end and trains a model. When ctx is done it finishes the iteration in hand and returns the model
// as it then is, with status Interrupted; before the first iteration it returns an Unfinished. src is not closed.
//
// With Options.Checkpoint the state is kept as the run goes on, and before it ends early: the same call with Resume goes on there,
// and gives the very model that the undisturbed run would have given.
//
// With Options.Grace the iteration in hand, the points that have to wake for the model, and the model
// itself have so much time once ctx is done. What takes longer is cut: the state goes to a checkpoint, if
// there are to be any, even in the midst of an iteration, and the result is an Unfinished.
func Train(ctx context.Context, src dataset.Source, o Options) (*Model, *Result, error) {
	w, err := newWorkspace(o)
	if err != nil {
		return nil, nil, err
	}
	folder, err := o.openCheckpoints()
	if err != nil {
		return nil, nil, err
	}
	if folder != nil {
		defer folder.Close()
	}
	start := time.Now()
	hard, stop := o.Cut(ctx, start)
	defer stop()
	ctx, cancel := o.timed(ctx, start)
	defer cancel()
	return w.train(ctx, hard, start, src, folder)
}

// train is Train within its limits: what must not end with ctx ends with hard.
func (w workspace) train(ctx, hard context.Context, start time.Time, src dataset.Source, folder *checkpoint.Folder) (*Model, *Result, error) {
	t := &training{workspace: w, began: start, hard: hard, result: &Result{}}
	if err := t.readTimed(ctx, src); err != nil {
		return nil, nil, t.ended(ctx, err)
	}
	defer t.close()
	if folder != nil { // there are to be checkpoints
		t.saving = &saving{folder: folder, last: t.start}
		defer t.saving.close()
	}
	m, err := t.trainAll(ctx)
	t.conclude(m)
	if changed := t.changed(nil); changed != nil { // whatever came of it
		m, err = nil, changed
	}
	t.result.Train = time.Since(t.start)
	return m, t.result, t.ended(ctx, err)
}

// readTimed reads and packs the data, and notes how long that took.
func (t *training) readTimed(ctx context.Context, src dataset.Source) (err error) {
	t.doing("the data were read")
	err = t.workspace.read(ctx, src)
	t.start = time.Now()
	t.result.Read = t.start.Sub(t.began)
	return err
}

// training is one run on packed data.
type training struct {
	workspace
	plan    *budget.Plan
	grad    *gradient.Gradient
	used    bool // a problem has begun on these gradients: they need not be those of alpha = 0
	loss    chunking.Loss
	norm    chunking.Norm
	solver  *chunking.Solver
	saving  *saving         // nil without checkpoints
	along   *along          // nil for a single problem
	before  gradient.Stats  // counted when this problem began
	outcome chunking.Status // why the solver in hand stopped, of several machines the gravest reason
	result  *Result
	began   time.Time       // of the run, of a path of this problem: limits of time count from here
	start   time.Time       // of all that follows the reading
	hard    context.Context // of what must not end with the run's own: see Options.Cut
	while   string          // what is being done
	notice  string          // for the next event

	rivals  *rivals  // nil for one machine
	folding *folding // nil without probabilities
}

// conclude gives the result its status, which nothing else does: a run has converged if every certificate that is in the model
// says so.
func (t *training) conclude(m *Model) {
	if m == nil {
		return
	}
	worst, _ := m.Worst()
	t.result.Status = chunking.Conclude(t.outcome, worst.RelativeGap, t.o.Gap)
}

func (t *training) close() {
	if t.grad != nil {
		t.grad.Close()
	}
	t.workspace.close()
}

func (t *training) trainAll(ctx context.Context) (*Model, error) {
	c, err := t.problem()
	if err != nil {
		return nil, err
	}
	if c != nil {
		return t.trainSeveral(ctx, c)
	}
	if err := t.pose(ctx); err != nil {
		return nil, err
	}
	if err := t.equip(ctx); err != nil {
		return nil, err
	}
	return t.solve(ctx)
}

// problem finds out what there is to learn: by several machines, or by one that minimises a loss.
func (t *training) problem() (*contest, error) {
	c, err := t.contest()
	if c == nil && err == nil {
		t.loss, err = t.taskLoss()
	}
	return c, err
}

// pose makes the kernels, unless they are there, and the norm.
func (t *training) pose(ctx context.Context) error {
	var err error
	if t.kernels == nil {
		t.doing("the kernels were made")
		t.warnData()
		if err := t.prepareKernels(ctx); err != nil {
			return err
		}
		if err := t.warnZeros(ctx); err != nil {
			return err
		}
	}
	t.warnCost()
	t.o.Solver = t.choose(t.kernels.Bank)
	t.norm, err = t.regularizer()
	return err
}

// equip prepares the kernels and makes the gradients.
func (t *training) equip(ctx context.Context) error {
	if err := t.prepare(ctx); err != nil {
		return err
	}
	return t.hold(t.store, t.kernels.Bank)
}

// prepare shares the budgets out and normalises the kernels.
func (t *training) prepare(ctx context.Context) error {
	t.doing("the kernels were normalised")
	r := t.run()
	p := r.Plan(t.store, t.kernels.Bank)
	t.plan = p
	if err := p.Check(); err != nil {
		return err
	}
	if short := p.Checkpoints.Short(); short != "" && !t.o.Resume { // of a run that goes on most of them are there
		t.warn("%s", short)
	}
	t.limitHeap(p.Heap(budget.Normalizing))
	return t.kernels.FindScales(ctx, t.store, t.o.double(), t.warn)
}

// planned is what the plan leaves to the gradients.
func (t *training) planned() gradient.Options {
	r := t.run()
	return t.plan.Gradient(&r)
}

// hold makes the gradients of some points.
func (t *training) hold(points kernels.Points, bank *kernels.Bank) (err error) {
	t.limitHeap(t.plan.Heap(budget.Single))
	t.grad, err = gradient.New(points, bank, t.planned())
	t.used = false
	return err
}

// solve trains and makes the model.
func (t *training) solve(ctx context.Context) (*Model, error) {
	s, err := t.optimise(ctx, nil)
	if err != nil {
		return nil, err
	}
	if err := t.release(s.Alpha); err != nil {
		return nil, err
	}
	t.doing("the model was put together")
	return t.model(s)
}

// optimise trains on some points, nil for all.
func (t *training) optimise(ctx context.Context, index []int32) (*chunking.Solution, error) {
	t.doing("the start was made ready")
	stop := t.stop(ctx)
	d := t.drive(t.loss, t.points(index), t.o.Gap, stop)
	if err := t.begin(ctx, d); err != nil {
		return nil, err
	}
	// An iteration does not end with ctx: stop asks it between iterations.
	t.doing("what was in hand took longer than the time that was left")
	status, err := d.Run(t.hard)
	if err != nil {
		return nil, err
	}
	s := t.solver.Solution()
	t.outcome, t.result.Iterations, t.result.Moves, t.result.Gradient = status, s.Iterations, s.Moves, t.grad.Stats().Since(t.before)
	return &s, t.calibrate(ctx, s.Alpha, index, stop)
}

// drive makes a solver and its driver.
func (t *training) drive(loss chunking.Loss, n int, gap float64, stop func() chunking.Status) *chunking.Driver {
	t.solver = t.newSolver(n, loss, gap)
	var d *chunking.Driver
	d = chunking.NewDriver(t.solver, chunking.Limits{
		Iterations: t.o.MaxIterations, Precision: chunking.Precision(t.o.Precision), Stop: stop, Record: t.record,
		Keep: func(must bool) { t.keep(d, must) },
	})
	return d
}

// points is the number of some points, nil for all.
func (t *training) points(index []int32) int {
	if index == nil {
		return t.store.Len()
	}
	return len(index)
}

// release makes room for the model, which takes memory of its own: what the gradients and the row cache held goes first, unless
// another problem of a path is to go on with them. A path has room for both.
func (t *training) release(alpha []float64) error {
	if t.along != nil && t.along.keep(t, alpha) {
		return nil
	}
	var err error
	if t.grad != nil {
		err = t.grad.Close()
		t.grad = nil
	}
	t.limitHeap(t.budgets.Memory)
	return err
}

// begin brings the solver to where the run starts: a checkpoint, another model's dual variables, or nothing.
func (t *training) begin(ctx context.Context, d *chunking.Driver) error {
	used := t.used
	t.used = true
	if t.along != nil && t.along.first != nil {
		return t.along.begin(ctx, t)
	}
	if err := t.describe(); err != nil {
		return err
	}
	if resumed, err := t.resume(ctx, d); resumed || err != nil {
		return err
	}
	var alpha []float64
	if t.o.Init != nil {
		var err error
		if alpha, err = t.warmStart(ctx, t.o.Init); err != nil {
			return err
		}
	} else if l, ok := t.loss.(*loss.OneClass); ok {
		alpha = l.Feasible()
	} else if used { // by another machine
		if t.o.startsDouble() {
			return t.solver.Widen(ctx)
		}
		t.limitHeap(t.plan.Heap(budget.Single))
		alpha = make([]float64, t.store.Len())
	}
	if alpha == nil {
		return nil
	}
	return t.solver.Start(ctx, alpha)
}

func (t *training) record(p chunking.Progress) error {
	if err := t.sound(p); err != nil {
		return err
	}
	return t.tell(p, t.grad.Stats().Since(t.before))
}

// sound finds kernels whose values are too large.
func (t *training) sound(p chunking.Progress) error {
	if c := p.Certificate; math.IsNaN(c.Primal) || math.IsInf(c.Primal, 0) || math.IsNaN(c.Dual) {
		return t.kernels.Blame(t.solver.Energies(), t.store, p.Double)
	}
	return nil
}

// tell tells the recorder.
func (t *training) tell(p chunking.Progress, s gradient.Stats) error {
	if t.o.Recorder == nil {
		return nil
	}
	notice := t.result.warned.news()
	e := Event{
		Iteration: p.Iteration, Primal: p.Certificate.Primal, Dual: p.Certificate.Dual, Gap: p.Certificate.RelativeGap,
		Target: t.o.Gap, Active: p.Active, Kernels: t.kernels.Len(), Rows: s.Rows, Passes: s.Passes, Cache: s.Cache,
		Elapsed: time.Since(t.start), DoublePrecise: p.Double, Warning: notice,
	}
	if t.folding != nil {
		if e.Fold = t.folding.now; e.Fold > 0 {
			e.Target = t.folding.gap
		}
	}
	if t.rivals != nil {
		e.Machine, e.Machines = len(t.rivals.done), t.rivals.Machines
	}
	return t.o.Recorder.Record(e)
}
