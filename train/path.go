package train

import (
	"context"
	"math"
	"slices"
	"time"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/predict"
)

// Point is a problem of a path: block norm and cost of the loss.
type Point struct{ Norm, C float64 }

// distance is how far apart two costs are.
func (p Point) distance(q Point) float64 { return math.Abs(math.Log(q.C / p.C)) }

// Path reads the data and trains one model after the other, for the norms and costs of the points in
// the place of those of the options. Data, kernels and normalisation are made once, and cached rows
// serve all. Each model is handed to emit as soon as it is there; an error of emit ends the path.
func Path(ctx context.Context, src dataset.Source, o Options, points []Point, emit func(Point, *predict.Model, *Result) error) error {
	w, err := Open(o)
	if err != nil {
		return err
	}
	defer w.Close()
	w.Path = true
	began := time.Now()
	reading := newRun(w, ctx, began)
	if err := reading.readDataWithin(ctx, src); err != nil {
		return err
	}
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
		m, status, err := p.trainWithin(ctx, r, point, i == len(points)-1)
		r.setStatus(m, status)
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

// at is the workspace for a problem of a path: the same data and kernels, with a norm and a cost of
// its own.
func (w *Workspace) withPoint(p Point) *Workspace {
	here := *w
	here.Options.Norm.P, here.Options.Problem.C = p.Norm, p.C
	return &here
}

// readWithin reads the data within the limit of time of the first problem.
func (r *run) readDataWithin(ctx context.Context, src dataset.Source) error {
	ctx, cancel := r.Options.Limits.within(ctx, r.began)
	defer cancel()
	return r.describeEnd(ctx, r.readData(ctx, src))
}

// A path is worth its while because neighbouring problems have neighbouring solutions. With another
// cost and the same norm the gradients g_m = K_m alpha of the problem before stay valid, so that only
// the points whose dual variables stood at their bound C have to move. With another norm the weights
// differ at once, and the first solution with the norm before may be nearer than the last one.
//
// A model of a path is within the gap the model of Train, but not to the bit, since it depends on the
// points of the path before it.

// pathRun is what the problems of a path have in common, and what each takes over from those before it.
type pathRun struct {
	workspace *Workspace // whose kernels are there once the first problem has made them
	plan      *budget.Plan
	grad      *gradients // nil before the first problem
	double    bool       // the gradients were made for a run in double precision from the start

	last  *chunking.Solver // of the problem before; nil: there is none to go on from
	point Point            // the problem before
	first *pathEnd         // of the first problem with the norm of the one before
}

// pathEnd is where a training has ended.
type pathEnd struct {
	point Point
	alpha []float64 // infinite where it was at its bound
}

// trainWithin trains one problem within its limit of time.
func (p *pathRun) trainWithin(ctx context.Context, r *run, point Point, last bool) (*predict.Model, chunking.Status, error) {
	hard, stop := r.Options.Limits.Cut(ctx, r.began)
	defer stop()
	ctx, cancel := r.Options.Limits.within(ctx, r.began)
	defer cancel()
	r.hard = hard
	m, status, err := p.train(ctx, r, point, last)
	return m, status, r.describeEnd(ctx, err)
}

// train trains one problem.
func (p *pathRun) train(ctx context.Context, r *run, point Point, last bool) (*predict.Model, chunking.Status, error) {
	loss, err := r.taskLoss()
	if err != nil {
		return nil, "", err
	}
	if r.Kernels == nil {
		if err := r.prepareKernels(ctx); err != nil {
			return nil, "", err
		}
		p.workspace.Kernels, p.workspace.Options.Solver.Method = r.Kernels, r.Options.Solver.Method
	} else {
		warnCost(r)
	}
	norm, err := r.regularizer()
	if err != nil {
		return nil, "", err
	}
	if err := p.ensureGradients(ctx, r); err != nil {
		return nil, "", err
	}
	t := newTrainer(r, nil)
	q := problem{loss: loss, norm: norm, start: t.startFunc(p.grad, loss, nil)}
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
	if last { // else the gradients stay for the next problem: a path has room for both
		if err := r.releaseGradients(p.grad); err != nil {
			return nil, s.status, err
		}
	}
	m, err := r.modelOfOne(s, nil)
	return m, s.status, err
}

// hold makes the gradients, unless those of the problem before serve. A run in double precision has
// other budgets, and another normalisation.
func (p *pathRun) ensureGradients(ctx context.Context, r *run) error {
	double := r.Options.endsDouble()
	if p.grad != nil && p.double != double {
		if err := p.grad.Close(); err != nil {
			return err
		}
		p.grad, p.last = nil, nil
	}
	r.plan = p.plan
	if p.grad != nil {
		return nil
	}
	if err := r.planAndNormalize(ctx); err != nil {
		return err
	}
	var err error
	p.plan, p.double = r.plan, double
	p.grad, err = r.makeGradients(r.Store, r.Kernels.Bank)
	return err
}

// note takes note of where a training has ended.
func (p *pathRun) noteEnd(s *solved, point Point) {
	if p.first == nil || p.first.point.Norm != point.Norm {
		p.first = &pathEnd{point, slices.Clone(s.solution.Alpha)}
		for i, x := range s.solution.Alpha {
			switch low, high := s.loss.Box(i); {
			case x > 0 && x >= high:
				p.first.alpha[i] = math.Inf(1)
			case x < 0 && x <= low:
				p.first.alpha[i] = math.Inf(-1)
			}
		}
	}
	p.last, p.point = s.solver, point
}

// start starts from where the training before has ended, with its gradients, or for another norm from
// where the first one with the norm before has ended, if that is nearer. What stood at its bound there
// starts at the bound that it has now.
func (p *pathRun) startFromPrevious(ctx context.Context, r *run, s *chunking.Solver, point Point) error {
	last := p.last
	p.last, p.grad.used = nil, true
	near := point.Norm == p.point.Norm || point.distance(p.point) <= point.distance(p.first.point)
	if last != nil && near && (last.Double() || !r.Options.startsDouble()) {
		return s.Follow(ctx, last)
	}
	return r.startAfresh(ctx, s, p.first.alpha)
}
