package train

import (
	"context"
	"errors"
	"time"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/dataset/holdout"
	"bigmkl/internal/dataset/parts"
	"bigmkl/internal/model"
	"bigmkl/internal/probability"
	"bigmkl/predict"
)

// Probabilities of rows that were held out of everything: the sigmoids are fitted to decision values of models
// that were trained, from the reading on, without the rows. calibrate.go has the sigmoids of trainings that share
// what is prepared from all rows.

// apartRows are the rows of a run that trains once more without each fold.
type apartRows struct {
	rows    *parts.Rows
	options Options // of the run, with its folds
	began   time.Time
}

// bytesOfDecision is the memory of a decision value and its side, in lists that grow to twice.
const bytesOfDecision = 2 * (8 + 1)

// keepRows reads the rows of a run whose folds are held out of everything, and returns the source and the options of
// the training on all rows. It returns nil and the source as it is for other runs, and for ranks but the first.
func keepRows(ctx context.Context, src dataset.Source, o *Options) (*apartRows, dataset.Source, error) {
	if o.Folds == 0 || o.SharedFolds {
		return nil, src, nil
	}
	k := &apartRows{options: *o, began: time.Now()}
	o.Folds, o.apart = 0, o.Folds
	if !o.Team.Leads() {
		return nil, src, nil
	}
	rows, err := parts.Read(ctx, src, o.Budget.Scratch, o.Data.Limit)
	if err != nil {
		return nil, nil, Ended(ctx, err, "the data were read")
	}
	if err := holdout.CheckGroups(k.options.FoldGroups, rows.Len()); err != nil {
		rows.Close()
		return nil, nil, err
	}
	k.rows = rows
	f := k.folds()
	o.Budget.Kept.Memory += rows.Bytes() + bytesOfDecision*f.decisions()
	o.Budget.Kept.Disk += rows.Size()
	// Models without a fold predict. They are of fewer rows, so a budget for the model of all rows is one for them.
	o.Budget.Kept.Predicted = true
	k.options.Budget.Kept = o.Budget.Kept
	if o.Limits.Time > 0 { // Reading is a part of the run, and what is left may be too little for it.
		o.Limits.Time = max(o.Limits.Time-time.Since(k.began), 1)
	}
	all, err := k.all()
	if err != nil {
		rows.Close()
		return nil, nil, err
	}
	return k, all, nil
}

// close frees the rows, if there are any.
func (k *apartRows) close() {
	if k != nil {
		k.rows.Close()
	}
}

// calibrate gives a model that was trained on all rows its probabilities. o is the options of that training, and err its error.
func (k *apartRows) calibrate(ctx context.Context, m *predict.Model, r *Result, o Options, err error) (*predict.Model, *Result, error) {
	if err == nil {
		if err = k.addSigmoids(ctx, m, r); err != nil {
			m.Close()
		}
	}
	if err != nil {
		return nil, r, k.rejected(ctx, err, o)
	}
	return m, r, nil
}

// all returns all rows as a source.
func (k *apartRows) all() (dataset.Source, error) { return k.rows.Part(nil, false, &dataset.Known{}) }

// folds returns the trainings without each fold. They have the gap of shared trainings.
func (k *apartRows) folds() *Folds {
	o := k.options
	o.Solver.Gap = max(o.Solver.Gap, foldGap)
	return NewFolds(k.rows, o, o.Folds, k.began)
}

// decisions is the number of decision values of rows that are held out once each.
func (f *Folds) decisions() int64 {
	n, classes := int64(f.rows.Len()), int64(len(f.Names))
	switch f.options.Problem.Multiclass {
	case "":
		return n
	case model.OneVsOne:
		return n * max(1, classes-1)
	}
	return n * max(1, classes)
}

// rejected is Rejected for the run.
func (k *apartRows) rejected(ctx context.Context, err error, o Options) error {
	return Rejected(ctx, err, func() (*budget.Plan, error) { return k.plan(ctx, o) }, k.folds())
}

// plan plans the training on all rows.
func (k *apartRows) plan(ctx context.Context, o Options) (*budget.Plan, error) {
	src, err := k.all()
	if err != nil {
		return nil, err
	}
	return Plan(ctx, src, o)
}

// sides are the decision values of one classifier at rows that were held out of it, and whether these are
// positive.
type sides struct {
	decisions []float64
	positive  []bool
}

// addSigmoids trains without each fold and gives the model the sigmoids of its classifiers. Where the time is over or
// the run is interrupted the model gives no probabilities, and the result has a warning and that status.
func (k *apartRows) addSigmoids(ctx context.Context, m *predict.Model, r *Result) error {
	w, c := &warnings{result: &Result{}}, &calibration{count: min(k.options.Folds, k.rows.Len()), gap: max(k.options.Solver.Gap, foldGap)}
	start := time.Now()
	defer func() { // The time of the folds is a part of the training, as it is where they share its gradients.
		r.Folding.Time = time.Since(start)
		r.Train += r.Folding.Time
		w.word()
		r.Warnings = append(r.Warnings, w.result.Warnings...)
	}()
	if endsByClock(r.Status) {
		w.warn("the model gives no probabilities: the run ended before its folds")
		return nil
	}
	f, done := k.folds(), 0
	pairs := pairsOf(m)
	found, rowOf := make([]sides, len(pairs)), make([]int32, 0, k.rows.Len())
	err := f.Each(ctx, func(t *Fold) error {
		c.note(r, t)
		values := make([]func(*predict.Prediction) float64, len(pairs))
		for j, pair := range pairs {
			values[j] = t.valueOf(pair)
		}
		add := func(row int, label int32, p *predict.Prediction) error {
			rowOf = append(rowOf, int32(row))
			for j, pair := range pairs {
				if side := f.sideOf(pair, label); side != 0 {
					found[j].decisions = append(found[j].decisions, values[j](p))
					found[j].positive = append(found[j].positive, side > 0)
				}
			}
			return nil
		}
		done++
		if t.Model == nil {
			t.HeldOut(func(row int, label int32) { add(row, label, nil) })
			return nil
		}
		return t.Predict(ctx, add)
	})
	switch {
	case errors.Is(err, ErrStopped) || err != nil && ctx.Err() != nil:
		r.Status = stoppedBy(ctx, r.Status)
		w.warn("the model gives no probabilities: the run ended after %d of %d trainings without a fold", done, c.count)
		return nil
	case err != nil:
		return err
	}
	for _, s := range found {
		c.sigmoids = append(c.sigmoids, probability.Fit(s.decisions, s.positive))
	}
	if !m.Several() {
		posteriors, positive := make([]float64, len(rowOf)), make([]bool, len(rowOf))
		for i, row := range rowOf {
			posteriors[row], positive[row] = c.sigmoids[0].At(found[0].decisions[i]), found[0].positive[i]
		}
		r.Folding.keep(posteriors, positive)
	}
	c.addSigmoids(k.options.Folds, w, m)
	m.FoldsApart = true
	return nil
}

// note counts a training without a fold.
func (f *calibration) note(r *Result, t *Fold) {
	if t.Model == nil {
		return
	}
	r.Folding.Trainings += max(1, len(t.Model.Classifiers))
	r.Folding.Iterations += t.Result.Iterations
	r.Folding.Gradient = r.Folding.Gradient.And(t.Result.Gradient)
	if s := t.Result.Status; s != chunking.Converged && s != StepLimit {
		worst, _ := t.Model.Convergence().Worst()
		f.unsettled++
		f.widest = max(f.widest, worst.RelativeGap)
	}
}

// pairsOf returns the positive and the negative class of each classifier of a model, as places among its classes. The only one
// of a model of two classes has the second for its positive.
func pairsOf(m *predict.Model) (pairs [][2]int32) {
	if !m.Several() {
		return [][2]int32{{1, 0}}
	}
	for _, one := range m.Classifiers {
		pairs = append(pairs, [2]int32{one.Positive, one.Negative})
	}
	return pairs
}

// sideOf returns 1 or -1 for the side of a label in a classifier, and 0 if rows of it have no part
// there.
func (f *Folds) sideOf(pair [2]int32, label int32) int {
	negative := pair[1] == model.Rest
	for _, c := range f.Has[label] {
		if c == pair[0] {
			return 1
		}
		negative = negative || c == pair[1]
	}
	if negative {
		return -1
	}
	return 0
}

// valueOf returns a function for the decision value of a classifier of the model of all rows. It uses the classifier
// of the fold with the same classes. Where the other rows of the classifier are of one class alone, the decision
// value belongs to this class.
func (t *Fold) valueOf(pair [2]int32) func(*predict.Prediction) float64 {
	a, b := pair[0], pair[1]
	positive, negative := t.Present[a] > 0, t.Present[a] < t.Rows
	if b != model.Rest {
		negative = t.Present[b] > 0
	}
	if !positive || !negative {
		value := valueOfOneClass(positive, negative)
		return func(*predict.Prediction) float64 { return value }
	}
	m, name := t.Model, t.folds.Names[a]
	if !m.Several() {
		sign := 1.
		if m.Positive != name {
			sign = -1
		}
		return func(p *predict.Prediction) float64 { return sign * p.Decision }
	}
	for k, one := range m.Classifiers {
		if m.Classes[one.Positive] == name && (b == model.Rest || m.Classes[one.Negative] == t.folds.Names[b]) {
			return func(p *predict.Prediction) float64 { return p.Decisions[k] }
		}
	}
	return func(*predict.Prediction) float64 { return 0 } // not reached: both classes are there
}
