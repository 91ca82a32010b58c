package train

import (
	"cmp"
	"context"
	"time"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/budget"
	"bigmkl/internal/cluster/shards"
	"bigmkl/internal/loss"
	"bigmkl/kernels"
)

// run is a training in progress: the workspace it is on, and what it has found out. One goroutine owns
// it.
type run struct {
	*Workspace
	runClock
	warnings
	heapShares
	result *Result
	models models
}

// models is the memory of quadratic models, which classifiers share: they are trained one after the
// other. It goes when the gradients do.
type models struct {
	solvers   chunking.Memory
	gradients gradient.Workspace
}

// heapShares are the shares that the heap has of the memory in the stages of a run.
type heapShares struct {
	plan    *budget.Plan // nil before planAndNormalize
	setHeap func(bytes int64)
}

// limitTo gives the heap the share of a stage.
func (s *heapShares) limitTo(stage int) { s.setHeap(s.plan.Heap(stage)) }

// widen gives the heap the share that it has beside gradients in double precision.
func (s *heapShares) widen() { s.limitTo(budget.Double) }

// newRun returns a run on a workspace that began at began. hard is the context that cuts it.
func newRun(w *Workspace, hard context.Context, began time.Time) *run {
	result := &Result{TargetUnit: w.Options.Problem.Unit}
	return &run{
		Workspace: w, runClock: runClock{limit: w.Options.Limits.Time, hard: hard, began: began, start: began},
		warnings: warnings{result: result}, heapShares: heapShares{setHeap: w.LimitHeap}, result: result,
	}
}

// readData reads and packs the data, and records how long that took.
func (r *run) readData(ctx context.Context, src dataset.Source) error {
	r.setOperation("the data were read")
	err := r.Workspace.Read(ctx, src)
	r.start = time.Now()
	r.result.Read = r.start.Sub(r.began)
	r.result.TargetUnit = r.Options.Problem.Unit
	if err != nil {
		return err
	}
	r.setOperation("the nearest rows were looked for")
	return r.certainty().find(ctx)
}

// prepareKernels makes the kernels, and warns of data and options that are legal and may be
// mistakes.
func (r *run) prepareKernels(ctx context.Context) error {
	r.setOperation("the kernels were made")
	r.dataDoubts().constant()
	if err := r.Workspace.PrepareKernels(ctx); err != nil {
		return err
	}
	// A sum over values that are not finite is a number or not by which terms of a factor of 0 it leaves out, so a run
	// that went on would end in one way or another.
	if large := r.Kernels.Large; large[1] || large[0] && !r.Options.startsDouble() {
		return r.Kernels.Blame(nil, r.Store, large[1])
	}
	d := r.dataDoubts()
	if err := d.zeros(ctx); err != nil {
		return err
	}
	d.cost()
	d.groups()
	d.unscaled()
	d.views()
	d.rare()
	return d.contradictions(ctx)
}

// planAndNormalize is normalizePlanned, after which the ranks of a team join: they are compared once the
// kernels are known. Ranks other than 0 serve then, and get shards.ErrServed in the end. One process
// alone goes on at once.
func (r *run) planAndNormalize(ctx context.Context) error {
	if err := r.normalizePlanned(ctx); err != nil {
		return err
	}
	team := r.Options.Team
	if team.Alone() {
		return nil
	}
	identity, err := r.identity().text(r.points)
	if err := team.Join(identity, err); err != nil || team.Leads() {
		return err
	}
	return shards.Serve(ctx, team, r.Kernels.Len(), &servedRun{r}, func() error { return changed(r.Store, r.Kernels) })
}

// normalizePlanned divides the budgets and normalises the kernels, and finds their weights if a rule gives
// them. The plan comes first because the normalisation takes memory of its own. It equals that of Plan,
// number by number, and no later step asks the computer for a budget again.
func (r *run) normalizePlanned(ctx context.Context) error {
	r.setOperation("the kernels were normalised")
	p := r.BudgetRun().Plan(r.Store, r.gates.over(r.Kernels.Bank))
	r.plan = p
	if err := p.Check(); err != nil {
		return err
	}
	// The checkpoints of a resumed run take most of their disk already.
	if short := p.Checkpoints.Short(); short != "" && !r.Options.Checkpoint.Resume {
		r.warn("%s", short)
	}
	r.limitTo(budget.Normalizing)
	if err := r.FindScales(ctx, r.warn); err != nil {
		return err
	}
	if o := &r.Options.Norm; o.Rule == nil || o.Weights != nil {
		return nil
	}
	r.setOperation("the weights of the kernels were found")
	return weighing{r.Workspace}.find(ctx)
}

// makeGradients returns the gradients of some points at alpha = 0, which are the given rows of the
// store; nil means all rows. They refer to the points, and have to be closed before them.
func (r *run) makeGradients(points kernels.Points, rows []int32) (*gradients, error) {
	r.limitTo(budget.Single)
	g, err := shards.Make(r.Options.Team, rows, points.Len()*r.columns(&r.Options.Problem, len(r.Store.Classes())), func() (*gradient.Gradient, error) {
		return r.newGradients(points, rows)
	})
	if err != nil {
		return nil, err
	}
	return &gradients{Gradient: g}, nil
}

// newGradients returns the gradients of some points at alpha = 0 that this rank holds, which are
// the given rows of the store; nil means all rows.
func (r *run) newGradients(points kernels.Points, rows []int32) (*gradient.Gradient, error) {
	bank, o := r.gates.over(r.Kernels.Bank), r.plan.Gradient(r.BudgetRun())
	o.Skeletons, o.Workspace = r.Kernels.Skeletons, &r.models.gradients
	o.Columns, o.Repeated = r.columns(&r.Options.Problem, len(r.Store.Classes())), r.KeepsAlpha && !r.Stream
	if r.starts != nil && rows == nil {
		o.Starts, o.GroupNames = r.starts, r.Kernels.GroupNames(r.Options.endsDouble())
	}
	if rows != nil {
		bank = bank.Of(rows)
		for i, s := range o.Skeletons {
			o.Skeletons[i] = s.Of(rows)
		}
	}
	if !r.Options.Team.Alone() {
		o.Ranks = r.Options.Team
	}
	return gradient.New(points, bank, o)
}

// releaseGradients frees the gradients and the row cache before the model is made, which takes
// memory of its own. The heap may then take all of the budget.
func (r *run) releaseGradients(g *gradients) error {
	err := g.Close()
	r.models = models{}
	r.LimitHeap(r.Options.Budget.Memory)
	return err
}

// solve trains one classifier on the gradients g. Until the first iteration it ends as soon as ctx
// is done, because nothing is lost. Then ctx only ends it through p.stop, between two iterations,
// and during is the context that can cut an iteration.
func (r *run) solve(ctx, during context.Context, g *gradients, p problem) (*solved, error) {
	n := r.Store.Len()
	if p.rows != nil {
		n = len(p.rows)
	}
	before := g.Stats()
	since := before
	if p.since != nil {
		since = *p.since
	}
	how := r.Options.Solver
	if p.set > 0 {
		how.Tuning.WorkingSet = p.set
	}
	s := &solved{problem: p, solver: how.newSolver(
		g.withClock(&r.result.Times, r.widen), n, r.Kernels.Len(), p.loss, p.norm, p.gap)}
	r.models.solvers.Hold(r.plan.Whole)
	r.models.solvers.Lend(s.solver)
	var d *chunking.Driver // Keep refers to it, and is called only after the assignment.
	d = chunking.NewDriver(s.solver, chunking.Limits{
		Iterations: r.Options.Limits.Iterations, Precision: r.Options.Kernels.precision(r.Options.Solver.Precision),
		Stop: p.stop, Trusting: p.trusting,
		Record: func(q chunking.Progress) error {
			if err := checkFinite(s.solver, q, r.Kernels, r.Store); err != nil {
				return err
			}
			q.Iteration += p.before
			return r.tellRecorder(q, g.Stats().Since(since), p.at, p.gap)
		},
		Keep: func(must bool) {
			if p.keep != nil {
				p.keep(d, must)
			}
		},
	})
	if p.start != nil {
		if err := p.start(ctx, s.solver, d); err != nil {
			return nil, err
		}
	}
	r.setOperation(InProgress)
	var err error
	if s.status, err = d.Run(during); err != nil {
		return nil, err
	}
	s.bounds = settle(s.solver, p.loss)
	if p.reported && (endsRun(s.status) || !p.trusting) {
		if err := r.claim(during, s); err != nil {
			return nil, err
		}
	}
	s.solution, s.used = s.solver.Solution(), g.Stats().Since(before)
	return s, nil
}

// claim computes a certificate again in double precision if the model may claim it in no other. A trial of a
// descent is solved to a gap of its own in single precision, and may come to the gap of the run by chance. A
// limit can make it the last one. The rounding of a smoothed problem is also no measure for the loss itself,
// whose slopes are as large as the costs.
func (r *run) claim(ctx context.Context, of *solved) error {
	s := of.solver
	if _, smoothed := of.loss.(*loss.Smoothed); smoothed && !s.Double() {
		if err := s.Claim(ctx, r.Options.Kernels.precision(r.Options.Solver.Precision), func() {}); err != nil {
			return err
		}
	}
	o := &r.Options
	asked := cmp.Or(o.asked, o.Solver.Gap)
	if s.Double() || o.Solver.Precision != chunking.Auto || asked >= chunking.WidenBelow ||
		s.Solution().Certificate.RelativeGap > asked {
		return nil
	}
	if err := s.Widen(ctx); err != nil {
		return err
	}
	return s.Claim(ctx, chunking.Double, func() {})
}

// startAfresh brings a solver to the dual variables alpha. The gradients may belong to any other
// classifier: they are computed again from alpha.
func (r *run) startAfresh(ctx context.Context, s *chunking.Solver, alpha []float64) error {
	if r.Options.startsDouble() {
		// At alpha = 0 the change to double precision has nothing to compute.
		if err := s.Widen(ctx); err != nil {
			return err
		}
	} else {
		r.limitTo(budget.Single)
	}
	return s.Start(ctx, alpha)
}

// tellRecorder passes an iteration of a training to a gap to the recorder. at is the place of the
// training in the run, and s is the work of the training so far.
func (r *run) tellRecorder(p chunking.Progress, s gradient.Stats, at place, gap float64) error {
	if r.Options.Recorder == nil {
		return nil
	}
	return r.Options.Recorder.Record(Event{
		Iteration: p.Iteration, Primal: p.Certificate.Primal, Dual: p.Certificate.Dual,
		Gap: p.Certificate.RelativeGap, Target: gap, Active: p.Active, Kernels: r.Kernels.Len(), Theta: p.Theta,
		Rows: s.Rows, Passes: s.Passes, Cache: s.Cache,
		Elapsed: time.Since(r.start), DoublePrecise: p.Double, Warning: r.takeFresh(),
		Classifier: at.classifier, Classifiers: at.classifiers, Fold: at.fold,
	})
}

// dataDoubts returns what warns of the data.
func (r *run) dataDoubts() *dataDoubts {
	return &dataDoubts{&r.warnings, r.labelled(), &r.Options, r.Kernels, r.gates}
}

// doubts returns what warns of classifiers.
func (r *run) doubts() *classifierDoubts {
	return &classifierDoubts{&r.warnings, r.labelled(), r.Kernels, r.gates, r.several.Classifiers}
}

// assembler returns what makes the models.
func (r *run) assembler() *assembler {
	return &assembler{&r.Options, r.Store, r.Kernels, r.gates, &r.runClock, r.doubts()}
}
