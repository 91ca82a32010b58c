package train

import (
	"context"

	"bigmkl/chunking"
	"bigmkl/internal/budget"
	"bigmkl/internal/loss"
)

// classifierTrainer trains the classifiers of a run to the gap of the run. It adds to solve what every
// classifier of a run has, whether it is one of several or the only one: a share of the remaining time,
// checkpoints, and the calibration of probabilities after the classifier itself is trained.
type classifierTrainer struct {
	*run
	checkpoints *checkpoints // nil if the run writes none
	calibration *calibration // nil if the model gives no probabilities; shared by all classifiers
}

// newClassifierTrainer returns the trainer of a run that has read its data. c is nil if the run writes
// no checkpoints.
func newClassifierTrainer(r *run, c *checkpoints) *classifierTrainer {
	t := &classifierTrainer{run: r, checkpoints: c}
	if c != nil {
		c.last = r.start // The first checkpoint is due one interval after the reading.
	}
	if r.Options.Folds != 0 {
		t.calibration = &calibration{}
	}
	return t
}

// trainOne trains a classifier on the gradients g, to the gap of the run, and calibrates it. f
// holds the finished classifiers if the run has several, and is nil otherwise. The classifier gets
// an equal share of the time that is left to the unfinished ones. A time limit therefore leaves no
// class untrained.
func (t *classifierTrainer) trainOne(ctx context.Context, g *gradients, p problem, f *finished) (
	*solved, error) {
	t.setOperation("the start was made ready")
	p.gap, p.stop, p.at = t.Options.Solver.Gap, t.stopFunc(ctx, f.countUnfinished()), f.place()
	p.keep = func(d *chunking.Driver, must bool) { t.checkpoints.saveIfDue(t.run, g, d, f, must) }
	p.loss, p.reported = loss.Smooth(p.loss, t.Options.ridge), true
	var s *solved
	var err error
	if t.Options.given != nil {
		s, err = t.solveGiven(ctx, g, p)
	} else if t.Options.Gating.Learned() {
		s, err = t.learnGates(ctx, t.hard, g, p, f)
	} else {
		s, err = t.solve(ctx, t.hard, g, p)
	}
	if err != nil {
		return nil, err
	}
	// The trainings of calibrate are counted apart, in Result.Folding.
	t.result.Iterations, t.result.Moves = s.solution.Iterations, s.solution.Moves
	t.result.Gradient = s.used
	t.result.lower, t.result.upper = t.result.lower+s.bounds.Dual, t.result.upper+s.bounds.Primal
	return s, t.calibration.calibrate(ctx, t.run, g, s)
}

// makeStart returns the function that brings a solver to its start: to the state of a checkpoint,
// to the dual variables of another model, or to the point where the loss of the problem begins. f
// holds the finished classifiers if the run has several, and is nil otherwise.
func (t *classifierTrainer) makeStart(g *gradients, p problem, f *finished) startFunc {
	return func(ctx context.Context, s *chunking.Solver, d *chunking.Driver) error {
		used := g.used
		g.used = true
		// A checkpoint comes first: it already contains what any other start led to.
		if resumed, err := t.checkpoints.resume(ctx, t.run, g, d, f); resumed || err != nil {
			return err
		}
		if from := t.Options.startOf(f.count()); from != nil {
			alpha, err := t.labelled().startFrom(ctx, from)
			if err != nil {
				return err
			}
			return s.Start(ctx, pick(alpha, p.rows))
		}
		// The dual variables of one class sum to 1. alpha = 0 is therefore not feasible.
		if l, ok := loss.Sharp(p.loss).(*loss.OneClass); ok {
			return s.Start(ctx, l.Feasible())
		}
		if _, ok := p.loss.(chunking.Collective); ok {
			return t.startAfresh(ctx, s, make([]float64, t.Store.Len()))
		}
		if !used {
			return nil // New gradients belong to alpha = 0 and need no computation.
		}
		// The classifier before left these gradients somewhere else.
		if t.Options.startsDouble() {
			return s.Widen(ctx)
		}
		t.limitTo(budget.Single)
		points := t.Store.Len()
		if p.rows != nil {
			points = len(p.rows)
		}
		return s.Start(ctx, make([]float64, points))
	}
}
