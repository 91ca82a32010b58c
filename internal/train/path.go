package train

import (
	"context"
	"math"
	"slices"
	"time"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/cluster/shards"
	"bigmkl/internal/fail"
	"bigmkl/predict"
)

// Point is one problem of a path: a block norm, a cost of the loss, and the power with which costs of
// kernels enter the norm. A power of nil means the power of the options. Gap is the relative gap to reach;
// zero means the gap of the options.
type Point struct {
	Norm, C   float64
	CostPower *float64
	Gap       float64
}

// sameNorm reports whether two problems have the same norm and differ in C alone.
func (p Point) sameNorm(q Point) bool {
	return p.Norm == q.Norm && (p.CostPower == nil) == (q.CostPower == nil) &&
		(p.CostPower == nil || *p.CostPower == *q.CostPower)
}

// distance returns how far apart two costs are. A factor of 10 is as far everywhere.
func (p Point) distance(q Point) float64 {
	if p.C == q.C { // Both are zero where the data decide.
		return 0
	}
	return math.Abs(math.Log(q.C / p.C))
}

// Path reads src and trains one model for each point, in order. What a point names replaces
// that of o. The data, the kernels and their normalisation are prepared once, and cached
// kernel rows serve all trainings. Path hands each model to emit as soon as it is trained. An error
// of emit ends the path.
//
// The limit of time holds for each training by itself; the first one includes the reading.
//
// Each rank of a team calls Path with the same data, options and points. Rank 0 alone emits models, and the
// others return shards.ErrServed.
func Path(ctx context.Context, src dataset.Source, o Options, points []Point,
	emit func(Point, *predict.Model, *Result) error) error {
	if !o.Team.Leads() {
		o.Recorder = nil
	}
	return o.Team.End(runPath(ctx, src, o, points, emit))
}

// runPath is Path up to the end of a team.
func runPath(ctx context.Context, src dataset.Source, o Options, points []Point,
	emit func(Point, *predict.Model, *Result) error) error {
	w, err := Open(o)
	if err != nil {
		return err
	}
	defer w.Close()
	w.Path, w.points = true, points
	for _, point := range points {
		w.cost = max(w.cost, point.C)
	}
	for _, point := range points {
		if g := point.CostPower; g != nil {
			w.mostPower = max(w.mostPower, *g)
		}
	}
	began := time.Now()
	reading := newRun(w, ctx, began)
	within, cancel := o.Limits.within(ctx, began) // the limit of the first problem
	err = reading.describeEnd(within, reading.readData(within, src))
	cancel()
	if err != nil {
		return err
	}
	// The gradients stay from problem to problem, and p closes those that are left at the end.
	p := &pathRun{workspace: w}
	defer func() { p.grad.Close() }()
	for i, point := range points {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i > 0 {
			began = time.Now()
		}
		r := newRun(w.withPoint(point), ctx, began)
		r.start, r.result.Read = time.Now(), reading.result.Read
		p.number = i
		m, status, err := p.trainWithin(ctx, r, point, i == len(points)-1)
		r.result.conclude(m, status, r.Options.Solver.Gap)
		if err := w.Check(err); err != nil {
			return err
		}
		r.result.Train = time.Since(r.start)
		if err := emit(point, m, r.result); err != nil || r.result.Status == chunking.Interrupted {
			return err
		}
	}
	return nil
}

// A path saves time because neighbouring problems have neighbouring solutions. With another cost
// and the same norm, the gradients g_m = K_m alpha of the previous problem stay valid, and mainly
// the points whose dual variables were at their bound C have to move. With another norm all weights
// differ at once, and the first solution with the previous norm may be nearer than the last one,
// which has another cost.
//
// A model of a path equals the model of Train within the gap and not bit for bit, since it depends
// on the points of the path before it.

// pathRun holds what the problems of a path share, and what each of them takes over from those
// before.
type pathRun struct {
	workspace *Workspace   // its kernels exist after the first problem has prepared them
	plan      *budget.Plan // of the gradients in hand
	grad      *gradients   // nil before the first problem
	double    bool         // the gradients were planned for a run that ends in double precision
	number    int          // of the problem in hand

	last  *chunking.Solver // solver of the previous problem; nil if there is none to continue from
	point Point            // the previous problem
	first *pathEnd         // end of the first problem with the norm of the previous one
	ended []float64        // as pathEnd.alpha, of the previous problem if gates are learned
}

// pathEnd is where a training has ended.
type pathEnd struct {
	point Point
	alpha []float64 // dual variables, infinite if they were at their bound
}

// trainWithin trains one problem within its time limit. last is set for the last problem of the
// path.
func (p *pathRun) trainWithin(ctx context.Context, r *run, point Point, last bool) (
	*predict.Model, chunking.Status, error) {
	hard, stop := r.Options.Limits.Cut(ctx, r.began)
	defer stop()
	ctx, cancel := r.Options.Limits.within(ctx, r.began)
	defer cancel()
	r.hard = hard
	m, status, err := p.train(ctx, r, point, last)
	return m, status, r.describeEnd(ctx, err)
}

// train trains one problem. The first one prepares the kernels, which those after it share through
// the workspace of the path, together with the solver that suits them.
func (p *pathRun) train(ctx context.Context, r *run, point Point, last bool) (
	*predict.Model, chunking.Status, error) {
	loss, err := r.labelled().loss()
	if err != nil {
		return nil, "", err
	}
	if r.Kernels == nil {
		if err := r.prepareKernels(ctx); err != nil {
			return nil, "", err
		}
		p.workspace.Kernels, p.workspace.Options.Solver.Method = r.Kernels, r.Options.Solver.Method
		p.workspace.gates = r.gates
	} else {
		r.dataDoubts().cost()
	}
	if rule := r.Options.Norm.Rule; rule != nil && rule.HoldsOut() {
		return nil, "", fail.New(fail.Usage, "the rule %s trains at one C, and a path may have several",
			rule)
	}
	if _, err := r.norms().regularizer(); err != nil {
		return nil, "", err
	}
	if err := p.ensureGradients(ctx, r); err != nil {
		return nil, "", err
	}
	// All problems of the path have the weights that a rule has found for the first.
	shared := &p.workspace.Options.Norm
	shared.Weights, shared.ruleSums = r.Options.Norm.Weights, r.Options.Norm.ruleSums
	norm, err := r.norms().regularizer()
	if err != nil {
		return nil, "", err
	}
	t := newClassifierTrainer(r, nil)
	q := problem{loss: loss, norm: norm, start: t.makeStart(p.grad, problem{loss: loss}, nil)}
	if p.first != nil {
		q.start = func(ctx context.Context, s *chunking.Solver, _ *chunking.Driver) error {
			return p.startFromPrevious(ctx, r, s, point)
		}
	}
	s, err := t.trainOne(ctx, p.grad, q, nil)
	if err != nil {
		return nil, "", err
	}
	p.noteEnd(s, point)
	// Before another problem the gradients stay: the budget of a path has room for a model beside
	// them.
	if last {
		if err := r.releaseGradients(p.grad); err != nil {
			return nil, s.status, err
		}
	}
	m, err := r.assembler().modelOfOne(s, nil)
	return m, s.status, err
}

// ensureGradients makes gradients, unless the gradients of the previous problem serve. They do not
// after a change of precision: a run in double precision has another plan and another
// normalisation.
func (p *pathRun) ensureGradients(ctx context.Context, r *run) error {
	double := r.Options.endsDouble()
	if p.grad != nil && p.double != double {
		if err := p.grad.Close(); err != nil {
			return err
		}
		p.grad, p.last = nil, nil
	}
	var err error
	switch r.plan = p.plan; {
	case p.grad != nil:
		return nil
	case p.plan == nil:
		err = r.planAndNormalize(ctx)
	default:
		err = shards.PrepareProblem(ctx, r.Options.Team, p.number, r.normalizePlanned)
	}
	if err != nil {
		return err
	}
	p.plan, p.double = r.plan, double
	p.grad, err = r.makeGradients(r.Store, nil)
	return err
}

// noteEnd records where a training has ended, for the problems after it. Dual variables at a bound
// are recorded as infinite. They then start at the bound that the next cost gives them.
func (p *pathRun) noteEnd(s *solved, point Point) {
	if p.first == nil || !p.first.point.sameNorm(point) {
		p.first = &pathEnd{point, liftedAlpha(s)}
	}
	p.last, p.point = s.solver, point
	if g := p.workspace.gates; g != nil && g.learned != nil {
		p.ended, g.from = liftedAlpha(s), slices.Clone(g.model.Parameters)
	}
}

// startFromPrevious starts a problem from the end of the previous one, with its gradients. With
// another norm it starts from the end of the first problem with the previous norm, if the cost of
// that one is nearer; gradients are then computed again.
func (p *pathRun) startFromPrevious(ctx context.Context, r *run, s *chunking.Solver,
	point Point) error {
	last := p.last
	p.last, p.grad.used = nil, true // The gradients belong to the new solver from here on.
	if r.Options.Gating.Learned() {
		// The first trial has the gates of the last solution, except for the gates that were
		// closed.
		return r.startAfresh(ctx, s, p.ended)
	}
	near := point.sameNorm(p.point) || point.distance(p.point) <= point.distance(p.first.point)
	// Gradients in single precision cannot be continued in double precision.
	if last != nil && near && (last.Double() || !r.Options.startsDouble()) {
		return s.Follow(ctx, last)
	}
	return r.startAfresh(ctx, s, p.first.alpha)
}
