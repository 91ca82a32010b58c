package train

import (
	"context"
	"errors"
	"time"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/predict"
)

// run is a training in progress: the workspace it is on, what it has found out, and the clocks that
// limits count from. One goroutine owns it.
type run struct {
	*Workspace
	plan   *budget.Plan // nil before planAndNormalize
	result *Result
	warned warned

	// began is the start of the run or, on a path, of its present problem. Limits of time count
	// from here.
	began time.Time
	// start is the end of the reading. Event.Elapsed and Result.Train count from here.
	start time.Time
	// hard ends the work that must not end when the run is asked to: see Limits.Cut.
	hard context.Context
	// while names the operation in progress, for the message of an Unfinished.
	while string
	// kept says that the latest attempt to write a checkpoint succeeded.
	kept bool
}

// newRun returns a run on a workspace that began at began. hard is the context that cuts it.
func newRun(w *Workspace, hard context.Context, began time.Time) *run {
	return &run{Workspace: w, hard: hard, began: began, start: began, result: &Result{TargetUnit: w.Options.Problem.Unit}}
}

// readData reads and packs the data, and records how long that took.
func (r *run) readData(ctx context.Context, src dataset.Source) error {
	r.setOperation("the data were read")
	err := r.Workspace.Read(ctx, src)
	r.start = time.Now()
	r.result.Read = r.start.Sub(r.began)
	r.result.TargetUnit = r.Options.Problem.Unit
	if err != nil {
		return err
	}
	r.setOperation("the nearest rows were looked for")
	return r.certainty().find(ctx)
}

// setStatus sets the status of the result. It is the only place that does, so that a run is said to
// have converged only if every certificate in the model says so, whatever the solver returned.
func (r *run) setStatus(m *predict.Model, status chunking.Status) {
	if m == nil {
		return
	}
	worst, _ := m.Worst()
	r.result.Status = chunking.Conclude(status, worst.RelativeGap, r.Options.Solver.Gap)
}

// setOperation records what the run does from here on. The text completes "interrupted while ..".
func (r *run) setOperation(what string) { r.while = what }

// describeEnd turns the error of a context into an Unfinished that names the operation in progress
// and says whether a checkpoint holds the state. Other errors stay as they are.
func (r *run) describeEnd(ctx context.Context, err error) error {
	err = Ended(ctx, err, r.while)
	var u *Unfinished
	if errors.As(err, &u) {
		u.Kept = r.kept
	}
	return err
}

// stopFunc returns the function that says between iterations whether a training has to end. Where
// so many machines are still to be trained, this one has an equal share of the time that is left.
func (r *run) stopFunc(ctx context.Context, machines int) func() chunking.Status {
	limit, now := r.Options.Limits.Time, time.Now()
	end := now.Add((limit - now.Sub(r.began)) / time.Duration(machines))
	return func() chunking.Status {
		switch {
		case ctx.Err() != nil:
			return askedStatus(ctx)
		case limit > 0 && !time.Now().Before(end):
			return chunking.TimeLimit
		}
		return ""
	}
}

// tellRecorder tells the recorder about an iteration of a training to a gap. at says which training
// of the run it is, and s what the training has taken so far.
func (r *run) tellRecorder(p chunking.Progress, s gradient.Stats, at place, gap float64) error {
	if r.Options.Recorder == nil {
		return nil
	}
	return r.Options.Recorder.Record(Event{
		Iteration: p.Iteration, Primal: p.Certificate.Primal, Dual: p.Certificate.Dual,
		Gap: p.Certificate.RelativeGap, Target: gap, Active: p.Active, Kernels: r.Kernels.Len(), Theta: p.Theta,
		Rows: s.Rows, Passes: s.Passes, Cache: s.Cache,
		Elapsed: time.Since(r.start), DoublePrecise: p.Double, Warning: r.warned.takeFresh(),
		Machine: at.machine, Machines: at.machines, Fold: at.fold,
	})
}
