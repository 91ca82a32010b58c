// Package train trains models: it reads the data, prepares the kernels, shares the budgets out, and
// solves one problem or many.
//
// A Workspace is what every kind of run begins with. A machine is trained as a value (machine.go): a
// problem goes in and what solves it comes out. Several machines (multiclass.go, joint.go), the
// trainings without a fold that probabilities are learned from (calibrate.go) and paths (path.go) are
// composed of that.
package train

import (
	"context"
	"time"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/predict"
)

// Run reads src to its end and trains a model. When ctx is done it finishes the iteration in hand and
// returns the model as it then is, with status Interrupted; before the first iteration it returns an
// Unfinished. src is not closed.
//
// With a folder of checkpoints the state is kept as the run goes on, and before it ends early: the
// same call with Checkpoint.Resume goes on there, and gives the very model that the undisturbed run
// would have given.
//
// With a grace the iteration in hand, the points that have to wake for the model, and the model
// itself have so much time once ctx is done. What takes longer is cut: the state goes to a
// checkpoint, if there are to be any, even in the midst of an iteration, and the result is an
// Unfinished.
func Run(ctx context.Context, src dataset.Source, o Options) (*predict.Model, *Result, error) {
	began := time.Now()
	hard, stop := o.Limits.Cut(ctx, began)
	defer stop()
	ctx, cancel := o.Limits.within(ctx, began)
	defer cancel()
	return RunWithin(ctx, hard, began, src, o)
}

// RunWithin is Run for a caller that watches over the time itself: the run has begun then, is asked to
// end by ctx, and is cut by hard.
func RunWithin(ctx, hard context.Context, began time.Time, src dataset.Source, o Options) (*predict.Model, *Result, error) {
	w, err := Open(o)
	if err != nil {
		return nil, nil, err
	}
	defer w.Close()
	kept, err := openCheckpoints(&w.Options)
	if err != nil {
		return nil, nil, err
	}
	defer kept.close()
	r := newRun(w, hard, began)
	if err := r.readData(ctx, src); err != nil {
		return nil, nil, r.describeEnd(ctx, err)
	}
	if kept != nil {
		kept.last = r.start
	}
	m, status, err := newTrainer(r, kept).train(ctx)
	r.setStatus(m, status)
	if err = w.Check(err); err != nil {
		m = nil
	}
	r.result.Train = time.Since(r.start)
	return m, r.result, r.describeEnd(ctx, err)
}

// train finds out what there is to learn, by several machines or by one that minimises a loss, and
// learns it. The status is why the solver has stopped; of several machines it is the gravest.
func (t *trainer) train(ctx context.Context) (*predict.Model, chunking.Status, error) {
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
	g, err := t.makeGradients(t.Store, t.Kernels.Bank)
	if err != nil {
		return nil, "", err
	}
	defer g.Close()
	s, err := t.trainOne(ctx, g, problem{loss: loss, norm: norm, start: t.startFunc(g, loss, nil)}, nil)
	if err != nil {
		return nil, "", err
	}
	if err := t.releaseGradients(g); err != nil {
		return nil, s.status, err
	}
	m, err := t.modelOfOne(s, t.calibration)
	return m, s.status, err
}
