// Package train trains models. It reads the data, prepares the kernels, divides the budgets, and
// solves one problem or several.
//
// Every kind of run begins with a Workspace (workspace.go), which holds the data, the kernels and
// the budgets. A machine is trained as a value (machine.go): a problem goes in and its solution
// comes out. Several machines (multiclass.go, joint.go), the trainings without one fold that
// probabilities are learned from (calibrate.go), and paths (path.go) are composed of that.
//
// One goroutine runs a training from its start to its end. Package gradient computes on many
// threads inside a call, and gives the same bits for any number of them.
package train

import (
	"context"
	"time"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/predict"
)

// Run reads src to its end and trains a model. It does not close src. When ctx is done, Run
// finishes the operation in progress and returns the model as it then is, with status Interrupted.
// Before the first iteration it returns an Unfinished instead.
//
// If o names a folder of checkpoints, the state is saved there during the run and before an early
// end. The same call with Checkpoint.Resume continues from that state, and returns the very model
// that the undisturbed run would have returned.
//
// If o has a Grace, the current iteration, the update of points that were left out, and the model
// have that much time after ctx is done. What takes longer is cut: the state goes to a checkpoint,
// if there is a folder, and Run returns an Unfinished. A checkpoint can hold a half-finished
// iteration.
func Run(ctx context.Context, src dataset.Source, o Options) (*predict.Model, *Result, error) {
	began := time.Now()
	hard, stop := o.Limits.Cut(ctx, began)
	defer stop()
	ctx, cancel := o.Limits.within(ctx, began)
	defer cancel()
	return RunWithin(ctx, hard, began, src, o)
}

// RunWithin is Run for a caller that watches the time itself. ctx asks the run to end, and hard
// cuts what is then still in progress. began is the start of the run, from which limits of time
// count.
func RunWithin(ctx, hard context.Context, began time.Time, src dataset.Source, o Options) (
	*predict.Model, *Result, error) {
	w, err := Open(o)
	if err != nil {
		return nil, nil, err
	}
	defer w.Close()
	// The folder is locked before the data are read: another run in it shows at once.
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
		kept.last = r.start // The first checkpoint is due one interval after the reading.
	}
	m, status, err := newTrainer(r, kept).train(ctx)
	r.setStatus(m, status)
	// A matrix that changed under the run outweighs any other error, and spoils a model.
	if err = w.Check(err); err != nil {
		m = nil
	}
	r.result.Train = time.Since(r.start)
	return m, r.result, r.describeEnd(ctx, err)
}

// train decides from the options and the labels whether there is one machine or several, and trains
// them. The status says why the solver stopped; for several machines it is the most severe one.
//
// The order of the steps matters: faults of the problem are found before the kernels are prepared,
// and faults of the norm before the kernels are normalised, which can take minutes.
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
