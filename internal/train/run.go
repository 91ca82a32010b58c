// Package train trains models. It reads the data, prepares the kernels, divides the budgets, and
// solves one problem or several.
//
// Every kind of run begins with a Workspace (workspace.go), which holds the data, the kernels and
// the budgets. A classifier is trained as a value (classifier.go): a problem goes in and its
// solution comes out. Several classifiers (multiclass.go, joint.go), the trainings without one fold
// that probabilities are learned from (calibrate.go), and paths (path.go) are composed of that.
//
// One goroutine runs a training from its start to its end. Package gradient computes on many
// threads inside a call, and gives the same bits for any number of them.
package train

import (
	"context"
	"time"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/holdout"
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
//
// Each rank of a team calls Run with the same data and options. Rank 0 returns the model, and the
// others shards.ErrServed. An error of one ends them all.
func Run(ctx context.Context, src dataset.Source, o Options) (*predict.Model, *Result, error) {
	// Checkpoints are rank 0's, and so is what is told of the run.
	if !o.Team.Leads() {
		o.Budget.Checkpoint, o.Checkpoint, o.Recorder = "", Checkpoint{}, nil
	}
	kept, src, err := keepRows(ctx, src, &o)
	if err != nil {
		return nil, nil, err
	}
	defer kept.close()
	bank, err := projectionOf(&o)
	if err != nil {
		return nil, nil, err
	}
	var m *predict.Model
	var r *Result
	if bank != nil {
		m, r, err = runProjected(ctx, src, o, bank)
	} else {
		m, r, err = runRank(ctx, src, o)
	}
	err = o.Team.End(err)
	if r != nil {
		r.Ranks = o.Team.Figures()
	}
	if kept == nil {
		return m, r, err
	}
	return kept.calibrate(ctx, m, r, o, err)
}

// runRank is Run up to the end of a team.
func runRank(ctx context.Context, src dataset.Source, o Options) (*predict.Model, *Result, error) {
	began := time.Now()
	w, err := Open(o)
	if err != nil {
		return nil, nil, err
	}
	defer w.Close()
	// The folder is locked before the data are read: another run in it shows at once.
	kept, err := openCheckpoints(ctx, &w.Options)
	if err != nil {
		return nil, nil, err
	}
	defer kept.close()
	hard, stop := o.Limits.Cut(ctx, began)
	defer stop()
	ctx, cancel := o.Limits.within(ctx, began)
	defer cancel()
	r := newRun(w, hard, began)
	if err := r.readData(ctx, src); err != nil {
		return nil, nil, r.describeEnd(ctx, err)
	}
	if r.Options.Folds > 0 { // Without folds the groups have no effect.
		if err := holdout.CheckGroups(r.Options.FoldGroups, r.Store.Len()); err != nil {
			return nil, nil, err
		}
	}
	t := newClassifierTrainer(r, kept)
	return t.trainModel(ctx)
}
