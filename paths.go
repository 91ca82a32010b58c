package bigmkl

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

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
// learned with another cost is worth far more than what has been with another norm, and up and down the costs by turns.
func Grid(norms, costs []float64) []PathPoint {
	var points []PathPoint
	for i, p := range norms {
		for k := range costs {
			if i%2 == 1 {
				k = len(costs) - 1 - k
			}
			points = append(points, PathPoint{p, costs[k]})
		}
	}
	return points
}

// Path reads the data and trains one model after the other, each from the dual variables of the one before: what Options say of norm
// and C is that of the points instead. Data, kernels and normalisation are made once, and cached rows serve all. Every model has
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
	o.setDefaults()
	if err := o.setBudgets(); err != nil {
		return err
	}
	start := time.Now()
	store, err := o.build(ctx, src)
	if err != nil {
		return err
	}
	defer store.Close()
	read := time.Since(start)
	o.path = true
	t := &training{o: o, store: store, along: &along{}}
	defer t.close()
	for i, p := range points {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.start, t.result, t.solver = time.Now(), &Result{Read: read}, nil
		m, err := t.step(ctx, p, i == len(points)-1)
		if t.bank != nil {
			if changed := t.bank.changed(); changed != nil { // whatever came of it
				return changed
			}
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
	if o.Checkpoint != "" {
		faults = append(faults, fail.New(fail.Usage, "a path has no checkpoints"))
	}
	if o.holds() {
		faults = append(faults, fail.New(fail.Usage, "a path goes by solver chunking"))
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

// along is what a training takes over from the one before it on a path.
type along struct {
	alpha  []float64     // its dual variables; nil: it is the first
	loss   chunking.Loss // whose bounds they kept
	double bool          // the gradients were made for a run in double precision from the start
	last   bool

	held, heldDouble bool // the gradients are still those of alpha, in double precision
}

// step trains one problem.
func (t *training) step(ctx context.Context, p PathPoint, last bool) (*Model, error) {
	a := t.along
	t.o.Norm, t.o.C, a.last = p.Norm, p.C, last
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
		t.grad, a.held = nil, false
	}
	t.before = gradient.Stats{}
	if t.grad == nil {
		if err := t.equip(ctx); err != nil {
			return nil, err
		}
		a.double = t.o.double()
	} else {
		t.before = t.grad.Stats()
		if !a.goesOn(&t.o) {
			t.o.limitHeap(t.plan.stages.heap[single])
		}
	}
	return t.solve(ctx)
}

// keep takes note of where a training has ended, and tells whether its gradients stay for the next.
func (a *along) keep(t *training, alpha []float64) bool {
	a.alpha, a.loss, a.held, a.heldDouble = alpha, t.loss, !a.last, t.solver.Double()
	return a.held
}

// goesOn tells whether the gradients in hand, which are those of alpha, are of the precision that the training starts in.
func (a *along) goesOn(o *Options) bool { return a.held && a.heldDouble == o.startsDouble() }

// startsDouble tells whether a training starts in double precision.
func (o *Options) startsDouble() bool {
	return o.delicate() || o.Precision == string(chunking.Double)
}

// begin starts from the dual variables of the problem before. What stood at its bound starts at the bound that it has now.
func (a *along) begin(ctx context.Context, s *chunking.Solver, o *Options) error {
	alpha := slices.Clone(a.alpha)
	for i, x := range alpha {
		switch low, high := a.loss.Box(i); {
		case x > 0 && x >= high:
			alpha[i] = math.Inf(1)
		case x < 0 && x <= low:
			alpha[i] = math.Inf(-1)
		}
	}
	if a.goesOn(o) {
		return s.Continue(ctx, alpha, a.alpha, a.heldDouble)
	}
	if o.startsDouble() {
		if err := s.Widen(ctx); err != nil { // while there is nothing to compute
			return err
		}
	}
	return s.Start(ctx, alpha)
}
