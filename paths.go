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

// PathPoint is a problem of a path.
type PathPoint struct{ Norm, C float64 }

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
// A path has no checkpoints.
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
	t := &training{o: o, store: store, along: &along{}}
	defer t.close()
	for i, p := range points {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.start, t.result = time.Now(), &Result{Read: read}
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
	faults := []error{o.Validate()}
	if len(points) == 0 {
		faults = append(faults, fail.New(fail.Usage, "a path of no problems"))
	}
	if o.Checkpoint != "" {
		faults = append(faults, fail.New(fail.Usage, "a path has no checkpoints"))
	}
	for _, p := range points {
		if !(p.Norm >= 1) || !(p.C > 0) || math.IsInf(p.C, 0) {
			faults = append(faults, fail.New(fail.Usage, "block norm %g with C = %g on the path", p.Norm, p.C))
		}
	}
	return errors.Join(faults...)
}

// along is what a training takes over from the one before it on a path.
type along struct {
	alpha  []float64       // its dual variables; nil: it is the first
	loss   chunking.Loss // whose bounds they kept
	double bool            // the gradients were made for a run in double precision from the start
	last   bool

	held, heldDouble bool // the gradients are still those of alpha, in double precision
}

// step trains one problem.
func (t *training) step(ctx context.Context, p PathPoint, last bool) (*Model, error) {
	t.o.Norm, t.o.C, t.along.last = p.Norm, p.C, last
	if err := t.pose(ctx); err != nil {
		return nil, err
	}
	if double := t.o.double(); t.grad != nil && t.along.double != double { // other budgets, and another normalisation
		if err := t.grad.Close(); err != nil {
			return nil, err
		}
		t.grad, t.along.held = nil, false
	}
	t.before = gradient.Stats{}
	if t.grad == nil {
		if err := t.equip(ctx); err != nil {
			return nil, err
		}
		t.along.double = t.o.double()
	} else {
		t.before = t.grad.Stats()
		t.o.limitHeap(t.plan.stages.heap[single])
	}
	return t.solve(ctx)
}

// goesOn tells whether the gradients stay for the next problem: where they, or cached rows, take disk, the model needs that.
func (a *along) goesOn(t *training, alpha []float64) bool {
	a.alpha, a.loss = alpha, t.loss
	a.held = !a.last && t.plan.Disk.Gradients == 0 && t.grad.Stats().Cache.SpilledBytes == 0
	a.heldDouble = t.solver.Double()
	return a.held
}

// begin starts from the dual variables of the problem before. What stood at its bound starts at the bound that it has now.
func (a *along) begin(ctx context.Context, s *chunking.Solver, double bool) error {
	alpha := slices.Clone(a.alpha)
	for i, x := range alpha {
		switch low, high := a.loss.Box(i); {
		case x > 0 && x >= high:
			alpha[i] = math.Inf(1)
		case x < 0 && x <= low:
			alpha[i] = math.Inf(-1)
		}
	}
	if a.held && a.heldDouble == double {
		return s.Continue(ctx, alpha, a.alpha, double)
	}
	if double {
		if err := s.Widen(ctx); err != nil { // while there is nothing to compute
			return err
		}
	}
	return s.Start(ctx, alpha)
}
