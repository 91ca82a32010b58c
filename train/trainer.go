package train

import (
	"context"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/chunking/loss"
)

// trainer trains the machines of a run to the gap of the run. It adds to solve what every machine of a
// run has in common, whether it is one of several or the only one: the share of the time that is left,
// checkpoints, and the calibration of probabilities once the machine itself is there.
type trainer struct {
	*run
	checkpoints *checkpoints // nil without
	calibration *calibration // nil without probabilities
}

func newTrainer(r *run, c *checkpoints) *trainer {
	t := &trainer{run: r, checkpoints: c}
	if r.Options.Folds != 0 {
		t.calibration = &calibration{}
	}
	return t
}

// trainOne trains a machine to the gap of the run and calibrates it. f are the machines that are
// finished, of several; else nil.
func (t *trainer) trainOne(ctx context.Context, g *gradients, p problem, f *finished) (*solved, error) {
	t.setOperation("the start was made ready")
	p.gap, p.stop, p.at = t.Options.Solver.Gap, t.stopFunc(ctx, f.countUnfinished()), f.place()
	p.keep = func(d *chunking.Driver, must bool) { t.checkpoints.saveIfDue(t.run, g, d, f, must) }
	s, err := t.solve(ctx, t.hard, g, p)
	if err != nil {
		return nil, err
	}
	t.result.Iterations, t.result.Moves, t.result.Gradient = s.solution.Iterations, s.solution.Moves, s.used
	return s, t.calibration.calibrate(ctx, t.run, g, s)
}

// begin makes the start of a training: from a checkpoint, from another model's dual variables, or
// from nothing. finished are the machines before it; nil if there is only one.
func (t *trainer) startFunc(g *gradients, of chunking.Loss, f *finished) func(context.Context, *chunking.Solver, *chunking.Driver) error {
	return func(ctx context.Context, s *chunking.Solver, d *chunking.Driver) error {
		used := g.used
		g.used = true
		if resumed, err := t.checkpoints.resume(ctx, t.run, g, d, f); resumed || err != nil {
			return err
		}
		if t.Options.Init != nil {
			alpha, err := t.startFrom(ctx, t.Options.Init)
			if err != nil {
				return err
			}
			return s.Start(ctx, alpha)
		}
		if l, ok := of.(*loss.OneClass); ok {
			return s.Start(ctx, l.Feasible())
		}
		if !used {
			return nil
		}
		if t.Options.startsDouble() {
			return s.Widen(ctx)
		}
		t.LimitHeap(t.plan.Heap(budget.Single))
		return s.Start(ctx, make([]float64, t.Store.Len()))
	}
}
