package calibration

import (
	"context"
	"math"
	"slices"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/conformal"
	"bigmkl/internal/dataset/parts"
	"bigmkl/internal/evaluate"
	"bigmkl/internal/model"
	"bigmkl/internal/train"
)

// scores collects the nonconformity of rows that were held out.
type scores struct {
	rows    *parts.Rows
	names   []string // of the model's classes
	classes []string // of each label
	byClass bool
	options *bigmkl.Options
	of      [][]float64 // of each class if byClass, else of all
	// residuals are log t - f of rows with times, in place of scores, and events has which of these rows have an event.
	residuals []float64
	events    []bool
}

// train trains without each fold and predicts it.
func (s *scores) train(ctx context.Context, folds *train.Folds) error {
	return folds.Each(ctx, func(t *train.Fold) error {
		if t.Model == nil { // Rows that nothing can be trained for are like no row.
			t.HeldOut(func(_ int, label int32) { s.add(math.Inf(1), slices.Index(s.names, s.classes[label])) })
			return nil
		}
		return t.Predict(ctx, func(_ int, _ int32, p *bigmkl.Prediction) error {
			s.take(&t.Model.Model, p)
			return nil
		})
	})
}

// take takes a row that a model predicts which it had no part in.
func (s *scores) take(m *model.Model, p *bigmkl.Prediction) {
	if !model.PredictsLogarithm(m.Task) {
		s.add(conformal.Score(m, p, s.names))
		return
	}
	s.residuals, s.events = append(s.residuals, math.Log(math.Abs(p.Target))-math.Log(p.Decision)), append(s.events, p.Target > 0)
}

// add adds the score of a row of a class.
func (s *scores) add(score float64, class int) {
	if !s.byClass {
		class = 0
	}
	if class >= 0 { // A class that no row of the training has is none of the model's.
		s.of[class] = append(s.of[class], score)
	}
}

// predict adds the scores of the rows that are held out of a model.
func (s *scores) predict(ctx context.Context, m *bigmkl.Model, held []bool, known *dataset.Known) error {
	src, err := s.rows.Part(held, true, known)
	if err != nil {
		return err
	}
	src.Cuts = m.Occurring != nil // such a model has no place for other features
	o := bigmkl.PredictOptions{Threads: s.options.Threads, Memory: s.options.Memory, Kept: s.options.Kept.Memory, UserKernels: s.options.UserKernels, Missing: s.options.Missing}
	return m.Predict(ctx, src, o, func(p bigmkl.Prediction) error {
		s.take(&m.Model, &p)
		return nil
	})
}

// sorted returns the scores as a model has them.
func (s *scores) sorted(c *Options) *model.Conformal {
	found := &model.Conformal{Folds: c.Folds, Share: c.Share, Rows: s.rows.Len(), ByClass: c.ByClass}
	if s.residuals != nil {
		found.Scores, found.Shares = evaluate.Survival(s.residuals, s.events)
		for n := len(found.Scores); n > 0 && math.IsInf(found.Scores[n-1], 1); n-- { // exp(f) may be 0.
			found.Scores, found.Shares = found.Scores[:n-1], found.Shares[:n-1]
		}
		return found
	}
	unbounded := make([]int32, len(s.of))
	for k, list := range s.of {
		slices.Sort(list)
		finite, _ := slices.BinarySearch(list, math.Inf(1))
		unbounded[k] = int32(len(list) - finite)
		found.Scores = append(found.Scores, list[:finite]...)
		if c.ByClass {
			found.Counts = append(found.Counts, int32(finite))
		}
	}
	if !c.ByClass {
		unbounded = unbounded[:1]
	}
	if slices.Max(unbounded) > 0 {
		found.Unbounded = unbounded
	}
	return found
}
