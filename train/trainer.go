package train

import (
	"context"
	"time"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/chunking/loss"
	"bigmkl/predict"
)

// trainer trains the machines of a run to the gap of the run. It adds to solve what every machine
// of a run has, whether it is one of several or the only one: a share of the remaining time,
// checkpoints, and the calibration of probabilities after the machine itself is trained.
type trainer struct {
	*run
	checkpoints *checkpoints // nil if the run writes none
	calibration *calibration // nil if the model gives no probabilities; shared by all machines
}

// newTrainer returns the trainer of a run that has read its data. c is nil if the run writes no
// checkpoints.
func newTrainer(r *run, c *checkpoints) *trainer {
	t := &trainer{run: r, checkpoints: c}
	if c != nil {
		c.last = r.start // The first checkpoint is due one interval after the reading.
	}
	if r.Options.Folds != 0 {
		t.calibration = &calibration{}
	}
	return t
}

// train trains a model of the rows. ctx asks the run to end, and the context hard of the run cuts
// what is then still in progress.
func (t *trainer) train(ctx context.Context) (*predict.Model, *Result, error) {
	m, status, err := t.trainMachines(ctx)
	t.setStatus(m, status)
	// A matrix that changed under the run outweighs any other error, and spoils a model.
	if err = t.Check(err); err != nil {
		m = nil
	}
	t.result.Train = time.Since(t.start)
	return m, t.result, t.describeEnd(ctx, err)
}

// trainMachines decides from the options and the labels whether there is one machine or several,
// and trains them. The status says why the solver stopped; for several machines it is the most
// severe one.
//
// The order of the steps matters: faults of the problem are found before the kernels are prepared,
// and faults of the norm before the kernels are normalised, which can take minutes.
func (t *trainer) trainMachines(ctx context.Context) (
	*predict.Model, chunking.Status, error) {
	d, err := newDecomposition(t.run)
	if err != nil {
		return nil, "", err
	}
	if d != nil {
		if err := t.prepareSeveral(ctx, d); err != nil {
			return nil, "", err
		}
		if t.Options.Problem.OneTheta {
			return t.trainJointly(ctx, d)
		}
		return t.trainInTurn(ctx, d)
	}
	loss, err := t.taskLoss()
	if err != nil {
		return nil, "", err
	}
	if err := t.prepareKernels(ctx); err != nil {
		return nil, "", err
	}
	norm, err := t.regularizer()
	if err != nil {
		return nil, "", err
	}
	if err := t.planAndNormalize(ctx); err != nil {
		return nil, "", err
	}
	g, err := t.makeGradients(t.Store, nil)
	if err != nil {
		return nil, "", err
	}
	defer g.Close()
	p := problem{loss: loss, norm: norm, start: t.makeStart(g, loss, nil)}
	s, err := t.trainOne(ctx, g, p, nil)
	if err != nil {
		return nil, "", err
	}
	// The model takes memory of its own, which the budget has only after the gradients are gone.
	if err := t.releaseGradients(g); err != nil {
		return nil, s.status, err
	}
	m, err := t.modelOfOne(s, t.calibration)
	return m, s.status, err
}

// trainOne trains a machine on the gradients g, to the gap of the run, and calibrates it. f holds
// the finished machines if the run has several, and is nil otherwise. The machine gets an equal
// share of the time that is left to the unfinished ones, so that a time limit leaves no class
// untrained.
func (t *trainer) trainOne(ctx context.Context, g *gradients, p problem, f *finished) (
	*solved, error) {
	t.setOperation("the start was made ready")
	p.gap, p.stop, p.at = t.Options.Solver.Gap, t.stopFunc(ctx, f.countUnfinished()), f.place()
	p.keep = func(d *chunking.Driver, must bool) { t.checkpoints.saveIfDue(t.run, g, d, f, must) }
	s, err := t.solve(ctx, t.hard, g, p)
	if err != nil {
		return nil, err
	}
	// The trainings of calibrate are counted apart, in Result.Folding.
	t.result.Iterations, t.result.Moves = s.solution.Iterations, s.solution.Moves
	t.result.Gradient = s.used
	return s, t.calibration.calibrate(ctx, t.run, g, s)
}

// makeStart returns the function that brings a solver to its start: to the state of a checkpoint,
// to the dual variables of another model, or to the point where the loss of begins. f holds the
// finished machines if the run has several, and is nil otherwise.
func (t *trainer) makeStart(g *gradients, of chunking.Loss, f *finished) startFunc {
	return func(ctx context.Context, s *chunking.Solver, d *chunking.Driver) error {
		used := g.used
		g.used = true
		// A checkpoint comes first: it already contains what any other start led to.
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
		// The dual variables of one class sum to 1, so that alpha = 0 is not feasible.
		if l, ok := of.(*loss.OneClass); ok {
			return s.Start(ctx, l.Feasible())
		}
		if !used {
			return nil // New gradients are those of alpha = 0, and nothing has to be computed.
		}
		// The machine before left these gradients somewhere else.
		if t.Options.startsDouble() {
			return s.Widen(ctx)
		}
		t.LimitHeap(t.plan.Heap(budget.Single))
		return s.Start(ctx, make([]float64, t.Store.Len()))
	}
}
