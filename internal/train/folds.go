package train

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/holdout"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/dataset/parts"
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// Folds trains without each fold of some rows. The preparation of such a training, from scaling and
// widths to weights by a rule, has not seen the rows of the fold: they are predicted as new rows are.
// Rows keep their fold whatever becomes of them.
type Folds struct {
	// Names are the classes of the rows, and Has lists for each label the numbers of its classes:
	// several for a set of labels. Both are nil in regression.
	Names []string
	Has   [][]int32

	rows    *parts.Rows
	options Options
	of      []int32 // fold of each row
	count   int
	began   time.Time // the limit of time counts from here
}

// ErrStopped ends trainings without a fold of which one was interrupted or has no time left.
var ErrStopped = errors.New("stopped")

// NewFolds returns the trainings without each of so many folds, which the seed of o draws, and no more
// than there are rows. Of o, what belongs to the model of all rows alone has no effect: checkpoints, the
// model to start from, and folds of its own. began is the time from which the limit of time counts.
func NewFolds(rows *parts.Rows, o Options, count int, began time.Time) *Folds {
	o.Checkpoint, o.Budget.Checkpoint, o.Init, o.Folds, o.Data.Limit, o.Team = Checkpoint{}, "", nil, 0, 0, nil
	groups := o.FoldGroups
	o.FoldGroups = nil // The other rows have no folds.
	o.Budget.Kept.Predicted = true
	f := &Folds{rows: rows, options: o, count: min(count, rows.Len()), began: began}
	if groups != nil {
		f.of = holdout.OfGroups(groups, f.count, o.Seed)
	} else {
		f.of = rows.Deal(f.count, o.Seed)
	}
	if o.Problem.labeling() == dataset.Targets || o.Problem.labeling() == dataset.Times {
		return f
	}
	classes := rows.Classes(o.Data.Positive)
	if o.Problem.Multiclass == model.MultiLabel {
		f.Names, f.Has = labeltext.Sets(classes)
		return f
	}
	f.Names = slices.Compact(slices.Sorted(slices.Values(classes)))
	labeltext.Sort(f.Names)
	for _, c := range classes {
		f.Has = append(f.Has, []int32{int32(slices.Index(f.Names, c))})
	}
	return f
}

// Fold is a training without a fold.
type Fold struct {
	// Model is nil where nothing can be trained, as the other rows are of one class.
	Model  *predict.Model
	Result *Result
	// Present counts the other rows of each class, of Rows.
	Present []int
	Rows    int

	folds *Folds
	held  []bool
	known *dataset.Known
}

// Each trains without each fold in turn and calls emit, which may predict the fold. When ctx is done, or
// no time is left, it returns ErrStopped.
func (f *Folds) Each(ctx context.Context, emit func(*Fold) error) error {
	for k := range f.count {
		t := f.fold(k)
		err := f.train(ctx, t, k)
		if ctx.Err() != nil || err == nil && t.Result != nil && endsByClock(t.Result.Status) {
			err = ErrStopped
		}
		if err == nil {
			err = emit(t)
		} else if !errors.Is(err, ErrStopped) {
			err = fmt.Errorf("without fold %d of %d: %w", k+1, f.count, err)
		}
		if t.Model != nil {
			t.Model.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fold returns the training without fold k before it has begun.
func (f *Folds) fold(k int) *Fold {
	t := &Fold{folds: f, held: parts.Fold(f.of, k), known: &dataset.Known{}, Present: make([]int, len(f.Names))}
	for i, held := range t.held {
		if held {
			continue
		}
		t.Rows++
		if f.Has != nil {
			for _, c := range f.Has[f.rows.Labels[i]] {
				t.Present[c]++
			}
		}
	}
	return t
}

// trainable reports whether the other rows are of enough classes.
func (t *Fold) trainable() bool {
	least := 2
	switch {
	case t.folds.Has == nil:
		return true
	case t.folds.options.Problem.Multiclass == model.MultiLabel:
		least = 1
	}
	present := 0
	for _, n := range t.Present {
		if n > 0 {
			present++
		}
	}
	return present >= least
}

// train trains without fold k.
func (f *Folds) train(ctx context.Context, t *Fold, k int) error {
	if !t.trainable() {
		return nil
	}
	rest, err := f.rows.Part(t.held, false, t.known)
	if err != nil {
		return err
	}
	o := f.optionsOf(t)
	if o.Limits.Time > 0 {
		if o.Limits.Time -= time.Since(f.began); o.Limits.Time <= 0 {
			return ErrStopped
		}
	}
	if o.Recorder != nil {
		o.Recorder = foldRecorder{o.Recorder, k + 1}
	}
	t.Model, t.Result, err = Run(ctx, rest, o)
	return err
}

// optionsOf returns the options of a training. The weight of a class without rows would be rejected.
func (f *Folds) optionsOf(t *Fold) Options {
	o := f.options
	if slices.Contains(t.Present, 0) && o.Problem.ClassWeight != nil {
		o.Problem.ClassWeight = maps.Clone(o.Problem.ClassWeight)
		maps.DeleteFunc(o.Problem.ClassWeight, func(label string, _ float64) bool {
			for c, n := range t.Present {
				if n == 0 && parts.IsLabel(label, f.Names[c]) {
					return true
				}
			}
			return false
		})
	}
	return o
}

// Predict calls emit for each row of the fold in order, with the number of its label.
func (t *Fold) Predict(ctx context.Context, emit func(row int, label int32, p *predict.Prediction) error) error {
	src, err := t.folds.rows.Part(t.held, true, t.known)
	if err != nil {
		return err
	}
	src.Cuts = t.Model.Occurring != nil // Such a model has no place for other features.
	o := &t.folds.options
	row := -1
	return t.Model.Predict(ctx, src, predict.Options{Threads: o.Budget.Threads, Memory: o.Budget.Memory, Kept: o.Budget.Kept.Memory, UserKernels: o.Kernels.Users, Missing: o.Data.Missing},
		func(p predict.Prediction) error {
			for row++; !t.held[row]; row++ {
			}
			return emit(row, t.folds.rows.Labels[row], &p)
		})
}

// HeldOut calls emit for each row of the fold in order, with the number of its label.
func (t *Fold) HeldOut(emit func(row int, label int32)) {
	for i, held := range t.held {
		if held {
			emit(i, t.folds.rows.Labels[i])
		}
	}
}

// foldRecorder adds to each event of a recorder the fold that a training leaves out.
type foldRecorder struct {
	Recorder
	fold int
}

// Record records an event.
func (r foldRecorder) Record(e Event) error {
	e.Fold = r.fold
	return r.Recorder.Record(e)
}

// stoppedBy returns the status of a run of which a training without a fold was stopped.
func stoppedBy(ctx context.Context, s chunking.Status) chunking.Status {
	switch {
	case ctx.Err() != nil:
		return chunking.Interrupted
	case s != chunking.Interrupted:
		return chunking.TimeLimit
	}
	return s
}
