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

// run is a training that is going on.
type run struct {
	*Workspace
	plan   *budget.Plan
	result *Result
	warned warned

	began time.Time       // of a path, of this problem: limits of time count from here
	start time.Time       // of all that follows the reading
	hard  context.Context // of what must not end with the run's own: see Limits.Cut
	while string          // what is being done
	kept  bool            // the latest checkpoint holds the state

}

// newRun begins a run on a workspace.
func newRun(w *Workspace, hard context.Context, began time.Time) *run {
	return &run{Workspace: w, hard: hard, began: began, start: began, result: &Result{}}
}

// read reads and packs the data, and notes how long that took.
func (r *run) readData(ctx context.Context, src dataset.Source) error {
	r.setOperation("the data were read")
	err := r.Workspace.Read(ctx, src)
	r.start = time.Now()
	r.result.Read = r.start.Sub(r.began)
	return err
}

// conclude gives the result its status, which nothing else does: a run has converged if every
// certificate that is in the model says so.
func (r *run) setStatus(m *predict.Model, status chunking.Status) {
	if m == nil {
		return
	}
	worst, _ := m.Worst()
	r.result.Status = chunking.Conclude(status, worst.RelativeGap, r.Options.Solver.Gap)
}

// doing notes what the run does from here on, for the message if it is cut.
func (r *run) setOperation(what string) { r.while = what }

// ended is Ended for what the training is doing.
func (r *run) describeEnd(ctx context.Context, err error) error {
	err = Ended(ctx, err, r.while)
	var u *Unfinished
	if errors.As(err, &u) {
		u.Kept = r.kept
	}
	return err
}

// stop tells between iterations whether the training in hand is to end. It has an equal share of the
// time that is left to so many machines.
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

// tell tells the recorder of an iteration towards a gap.
func (r *run) tellRecorder(p chunking.Progress, s gradient.Stats, at place, gap float64) error {
	if r.Options.Recorder == nil {
		return nil
	}
	return r.Options.Recorder.Record(Event{
		Iteration: p.Iteration, Primal: p.Certificate.Primal, Dual: p.Certificate.Dual, Gap: p.Certificate.RelativeGap,
		Target: gap, Active: p.Active, Kernels: r.Kernels.Len(), Rows: s.Rows, Passes: s.Passes, Cache: s.Cache,
		Elapsed: time.Since(r.start), DoublePrecise: p.Double, Warning: r.warned.takeFresh(),
		Machine: at.machine, Machines: at.machines, Fold: at.fold,
	})
}
