package bigmkl

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/fail"
)

// PathPoint is a problem of a path: block norm and cost of the loss.
type PathPoint struct{ Norm, C float64 }

// Point gives the block norm and the cost that the options stand for.
func (o Options) Point() PathPoint {
	o.setDefaults()
	return PathPoint{o.Norm, o.C}
}

// Grid lists the problems of a path over all norms and costs in the order that serves it best: norm by norm, since what has been
// learned with another cost is worth far more than what has been with another norm, and up the costs.
func Grid(norms, costs []float64) []PathPoint {
	var points []PathPoint
	up := slices.Sorted(slices.Values(costs))
	for _, p := range norms {
		for _, c := range up {
			points = append(points, PathPoint{p, c})
		}
	}
	return points
}

// Path reads the data and trains one model after the other, each from the dual variables of the one before or, with another norm, of
// the first with the norm before if its cost is nearer: what Options say of norm and C is that of the points instead. Data, kernels and normalisation are made once, and cached rows serve all. Every model has
// the certificate that was asked for and is handed to emit as soon as it is there; an error of emit ends the path. Limits of
// iterations and time are those of each training; when ctx is done, the model in hand is the last, and between two models its
// error is returned. Init is where the first starts.
//
// A model is a function of the data, the options and the points before it: within the gap it is that of Train, but not to the bit.
// Models that emit keeps take memory and disk of their own. A path has no checkpoints, and goes by solver chunking. One class has no
// cost, and a norm that has no p only its own: there the points may not differ in them.
func Path(ctx context.Context, src dataset.Source, o Options, points []PathPoint, emit func(PathPoint, *Model, *Result) error) error {
	if err := validatePath(&o, points); err != nil {
		return err
	}
	o.Norm, o.C = points[0].Norm, points[0].C
	w, err := newWorkspace(o)
	if err != nil {
		return err
	}
	w.path = true
	t := &training{workspace: w, along: &along{}, result: &Result{}, began: time.Now()}
	if err := t.readPath(ctx, src); err != nil {
		return err
	}
	defer t.close()
	read := t.result.Read
	for i, p := range points {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i > 0 {
			t.began = time.Now()
		}
		t.start, t.result, t.solver = time.Now(), &Result{Read: read}, nil
		m, err := t.limitedStep(ctx, p, i == len(points)-1)
		t.conclude(m)
		if changed := t.changed(nil); changed != nil { // whatever came of it
			return changed
		}
		if err != nil {
			return err
		}
		t.result.Train = time.Since(t.start)
		if err := emit(p, m, t.result); err != nil || t.result.Status == chunking.Interrupted {
			return err
		}
	}
	return nil
}

// readPath reads the data within the limit of time of the first problem.
func (t *training) readPath(ctx context.Context, src dataset.Source) error {
	ctx, cancel := t.o.timed(ctx, t.began)
	defer cancel()
	return t.ended(ctx, t.readTimed(ctx, src))
}

// limitedStep trains one problem within its limit of time.
func (t *training) limitedStep(ctx context.Context, p PathPoint, last bool) (*Model, error) {
	hard, stop := t.o.Cut(ctx, t.began)
	defer stop()
	ctx, cancel := t.o.timed(ctx, t.began)
	defer cancel()
	t.hard = hard
	m, err := t.step(ctx, p, last)
	return m, t.ended(ctx, err)
}

func validatePath(o *Options, points []PathPoint) error {
	if len(points) == 0 {
		return errors.Join(o.Validate(), fail.New(fail.Usage, "a path of no problems"))
	}
	first := *o
	first.Norm, first.C = points[0].Norm, points[0].C
	faults := []error{first.Validate()}
	if o.Multiclass != "" {
		faults = append(faults, fail.New(fail.Usage, "a path of several machines"))
	}
	if o.Solver != "" && o.Solver != SolverChunking || o.Rule != nil {
		faults = append(faults, fail.New(fail.Usage, "a path goes by solver chunking"))
	}
	if o.Checkpoint != "" {
		faults = append(faults, fail.New(fail.Usage, "a path has no checkpoints"))
	}
	if o.Folds != 0 {
		faults = append(faults, fail.New(fail.Usage, "a path gives no probabilities"))
	}
	norms, costs := false, false // that differ
	for _, p := range points {
		if !(p.Norm >= 1) || !(p.C > 0) || math.IsInf(p.C, 0) {
			faults = append(faults, fail.New(fail.Usage, "block norm %g with C = %g on the path", p.Norm, p.C))
		}
		norms, costs = norms || p.Norm != points[0].Norm, costs || p.C != points[0].C
	}
	if norms && o.Regularizer.only() {
		faults = append(faults, fail.New(fail.Usage, "several block norms on a path with a norm that has no p"))
	}
	if costs && o.Task == TaskOneClass {
		faults = append(faults, fail.New(fail.Usage, "several costs on a path of one class, which has none"))
	}
	return errors.Join(faults...)
}

// along is what a training takes over from those before it on a path.
type along struct {
	last   *chunking.Solver // of the one before; nil: there is none
	point  PathPoint        // its problem
	double bool             // its gradients were made for a run in double precision from the start
	first  *place           // of the first training with its norm
	ends   bool             // no other training comes
}

// place is where a training has ended.
type place struct {
	point PathPoint
	alpha []float64 // infinite where it was at its bound
}

// step trains one problem.
func (t *training) step(ctx context.Context, p PathPoint, last bool) (*Model, error) {
	a := t.along
	t.o.Norm, t.o.C, a.ends = p.Norm, p.C, last
	var err error
	if t.loss, err = t.taskLoss(); err != nil {
		return nil, err
	}
	if err := t.pose(ctx); err != nil {
		return nil, err
	}
	if double := t.o.double(); t.grad != nil && a.double != double { // other budgets, and another normalisation
		if err := t.grad.Close(); err != nil {
			return nil, err
		}
		t.grad, a.last = nil, nil
	}
	t.before = gradient.Stats{}
	if t.grad == nil {
		if err := t.equip(ctx); err != nil {
			return nil, err
		}
		a.double = t.o.double()
	} else {
		t.before = t.grad.Stats()
	}
	return t.solve(ctx)
}

// keep takes note of where a training has ended, and tells whether its gradients stay for the next.
func (a *along) keep(t *training, alpha []float64) bool {
	p := t.o.Point()
	if a.first == nil || a.first.point.Norm != p.Norm {
		a.first = &place{p, slices.Clone(alpha)}
		for i, x := range alpha {
			switch low, high := t.loss.Box(i); {
			case x > 0 && x >= high:
				a.first.alpha[i] = math.Inf(1)
			case x < 0 && x <= low:
				a.first.alpha[i] = math.Inf(-1)
			}
		}
	}
	a.last, a.point = t.solver, p
	return !a.ends
}

// begin starts from where the training before has ended, with its gradients, or for another norm from where the first one with the
// norm before has ended, if that is nearer. What stood at its bound there starts at the bound that it has now.
func (a *along) begin(ctx context.Context, t *training) error {
	p := t.o.Point()
	far := func(q PathPoint) float64 { return math.Abs(math.Log(q.C / p.C)) }
	starts := t.o.startsDouble()
	if last := a.last; last != nil && (p.Norm == a.point.Norm || far(a.point) <= far(a.first.point)) && (last.Double() || !starts) {
		a.last = nil
		return t.solver.Follow(ctx, last)
	}
	a.last = nil
	if starts {
		if err := t.solver.Widen(ctx); err != nil { // while there is nothing to compute
			return err
		}
	} else {
		t.limitHeap(t.plan.Heap(budget.Single))
	}
	return t.solver.Start(ctx, a.first.alpha)
}

// startsDouble tells whether a training starts in double precision.
func (o *Options) startsDouble() bool {
	return o.delicate() || o.Precision == string(chunking.Double)
}
