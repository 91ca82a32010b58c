package train

import (
	"context"
	"sync"
	"sync/atomic"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/kernels"
	"bigmkl/predict"
)

// A Trainer is for data that keep coming. The problem of all rows so far,
//
//	min over w, b of  1/2 norm(||w_1||, .., ||w_M||)^2 + sum_i loss_i(f(x_i)),
//
// changes with every batch by some terms of the sum, and its dual by some variables, which are 0 at
// first. The solution before is feasible then, and its gradients g_m = K_m alpha on the rows before
// are right as they are. On the new rows they cost one kernel value for each support vector. The
// solver so begins near the optimum, and moves little on rows without new information.
//
// With several classifiers each has dual variables and gradients of its own that stay. A model has the classes of
// the rows in hand: a new class gets a classifier that begins at alpha = 0, and one without a row loses its classifier.
//
// The first batch fixes what kernels are functions of: the features and their scaling, two
// classes, the median distances that widths refer to, and the factors of the normalisation. Refresh
// takes the medians and the factors from all rows in hand. The scaling stays, because the rows are
// kept scaled.

// Trainer trains on batches of rows: one classifier or regressor of any task, or one for each class, label or
// quantile. Its methods may be called by
// several goroutines at once: rows are added while a Fit runs, and count from the next one on.
type Trainer struct {
	options Options

	adding sync.Mutex // is held by an Add while it reads

	mu      sync.Mutex       // guards what follows
	form    *dataset.Store   // store of the first batch, which others have to be like; nil before
	pending []*dataset.Store // batches that no Fit has taken, the oldest first
	window  int              // rows that the next Fit keeps, 0 for all
	refresh bool             // the next Fit prepares the kernels again
	period  int              // rows that come between two such fits; 0 if nobody asks for them
	closed  bool

	snapshot atomic.Pointer[predict.Model]

	fitting sync.Mutex // guards what follows, and is held by a Fit
	fitted
}

// NewTrainer returns a trainer without rows. Options that only a training in one go has are of
// class fail.Usage: pairs of classes, probabilities, checkpoints, precomputed kernels, other
// solvers. The limits of o hold for each Fit by itself.
func NewTrainer(o Options) (*Trainer, error) {
	switch s := &o.Solver; {
	case o.Problem.traits().stream != "":
		return nil, notInStream("no stream trains %s", o.Problem.traits().stream)
	case o.Problem.Multiclass == model.OneVsOne:
		return nil, fail.New(fail.Usage, "no stream trains pairs of classes, each of which has rows of its own").
			WithHint("--multiclass ovr has a classifier for each class")
	case o.Problem.OneTheta:
		return nil, notInStream("no stream trains one set of weights, which moves between all classifiers")
	case o.Folds != 0:
		return nil, fail.New(fail.Usage, "a stream fits no probabilities, for which rows would have to be held out").
			WithHint("task logistic gives probabilities without that")
	case o.Budget.Checkpoint != "":
		return nil, fail.New(fail.Usage, "a stream writes no checkpoints").
			WithHint("its state is saved between two trainings")
	case s.Method != "" && s.Method != MethodChunking || s.Rule != nil:
		return nil, notInStream("a stream is trained by solver chunking alone")
	case o.Init != nil:
		return nil, notInStream("a stream starts where its last training ended")
	case o.Norm.Rule != nil:
		return nil, notInStream("a stream learns weights, and takes none by a rule")
	case o.Problem.JointCost:
		return nil, notInStream("a stream takes a C, and finds none")
	case o.Gating.Gated():
		return nil, notInStream("no stream trains kernels with gates, which belong to the rows of a run")
	case o.Data.Missing != "":
		return nil, notInStream("no stream trains rows that lack views, which a file of all rows names")
	case o.Problem.Posteriors.Asked():
		return nil, notInStream("no stream trains posteriors, which a file of all rows has")
	case o.Data.Objects != nil:
		return nil, notInStream("no stream trains rows that name objects, which are known before the first row")
	case o.Data.Limit != 0:
		return nil, fail.New(fail.Usage, "a stream takes all rows of a batch").
			WithHint("a window limits how many rows are kept")
	}
	specs, err := kernels.Specs(o.Kernels.Specs, o.Data.viewsOfKernels(), o.Data.Sequences)
	if err != nil {
		return nil, err
	}
	if model.Centred(specs, o.Kernels.Normalize) {
		return nil, notInStream("no stream trains kernels that are centred at the mean of the rows of a run")
	}
	for _, s := range specs {
		if !model.NeedsFeatures(s) {
			return nil, notInStream("no stream trains precomputed kernels, which have no values of new rows")
		}
	}
	o.Solver.Method = MethodChunking
	if err := o.Budget.SetDefaults(); err != nil {
		return nil, err
	}
	return &Trainer{options: o}, nil
}

// notInStream returns the error of options whose problem only a training of all rows at once solves.
func notInStream(format string, args ...any) error {
	return fail.New(fail.Usage, format, args...).WithHint("train all rows at once, without --stream")
}

// Add reads src to its end and keeps its rows for the next Fit. It does not close src. If a row is
// faulty, none of the batch is kept, and the trainer is as it was: a row with features or a class
// that the first batch does not have, or with numbers that are not finite, is of class fail.Input.
func (t *Trainer) Add(ctx context.Context, src dataset.Source) error {
	t.adding.Lock()
	defer t.adding.Unlock()
	t.mu.Lock()
	form, closed := t.form, t.closed
	t.mu.Unlock()
	if closed {
		return errClosed
	}
	// The batch is a workspace of its own until it is known to be sound.
	w := &Workspace{Options: t.options, Like: form}
	if err := w.Read(ctx, src); err != nil {
		return err
	}
	if form == nil {
		if err := w.labelled().check(); err != nil {
			w.Store.Close()
			return err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		w.Store.Close()
		return errClosed
	}
	if form == nil {
		// The first rows decide in which units costs are counted.
		t.form, t.options.Problem = w.Store, w.Options.Problem
	}
	t.pending = append(t.pending, w.Store)
	return nil
}

// errClosed is the error of a call after Close.
var errClosed = fail.New(fail.Usage, "the trainer is closed")

// Window makes the next Fit and those after it keep the newest rows only. It forgets the others:
// their dual variables become 0. If rows equals zero, all are kept.
func (t *Trainer) Window(rows int) error {
	if rows < 0 {
		return fail.New(fail.Usage, "a window of %d rows", rows)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.window = rows
	return nil
}

// Refresh makes the next Fit take the median distances and the factors of the normalisation from
// the rows that it keeps. It then computes all gradients again.
func (t *Trainer) Refresh() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refresh = true
}

// RefreshEvery makes fits do what Refresh asks for, whenever so many rows have come since the first of all or
// since the last time. If rows equals zero, none does.
func (t *Trainer) RefreshEvery(rows int) error {
	if rows < 0 {
		return fail.New(fail.Usage, "new distances every %d rows", rows)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.period = rows
	return nil
}

// Snapshot returns the model of the last Fit, which later ones do not change. Its certificate is
// one about the rows that this Fit kept. Before the first Fit it is of class fail.Usage.
func (t *Trainer) Snapshot() (*predict.Model, error) {
	m := t.snapshot.Load()
	if m == nil {
		return nil, fail.New(fail.Usage, "a stream has no model before its first training")
	}
	return m, nil
}

// Rows returns how many rows the last Fit kept, and how many wait for the next.
func (t *Trainer) Rows() (kept, waiting int) {
	if m := t.snapshot.Load(); m != nil {
		kept = m.Points
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.pending {
		waiting += s.Len()
	}
	return kept, waiting
}

// Empty reports whether no rows have ever been added.
func (t *Trainer) Empty() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.form == nil
}

// Close frees the rows and the gradients, once a Fit in progress is over. Snapshots stay.
func (t *Trainer) Close() error {
	t.mu.Lock()
	t.closed = true
	for _, s := range t.pending {
		s.Close()
	}
	t.pending = nil
	t.mu.Unlock()
	t.fitting.Lock()
	defer t.fitting.Unlock()
	err := t.drop()
	if t.workspace != nil {
		t.workspace.Close()
		t.workspace = nil
	}
	return err
}
