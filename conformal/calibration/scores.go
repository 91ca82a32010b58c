package calibration

import (
	"context"
	"math"
	"slices"

	"bigmkl"
	"bigmkl/conformal"
	"bigmkl/dataset"
	"bigmkl/dataset/parts"
	"bigmkl/model"
	"bigmkl/train"
)

// scores collects the nonconformity of rows that were held out.
type scores struct {
	rows    *parts.Rows
	names   []string // of the model's classes
	classes []string // of each label
	byClass bool
	options *bigmkl.Options
	of      [][]float64 // of each class if byClass, else of all
}

// train trains without each fold and predicts it.
func (s *scores) train(ctx context.Context, folds *train.Folds) error {
	return folds.Each(ctx, func(t *train.Fold) error {
		if t.Model == nil { // Rows that nothing can be trained for are like no row.
			t.HeldOut(func(_ int, label int32) { s.add(math.Inf(1), slices.Index(s.names, s.classes[label])) })
			return nil
		}
		return t.Predict(ctx, func(_ int, _ int32, p *bigmkl.Prediction) error {
			s.add(conformal.Score(&t.Model.Model, p, s.names))
			return nil
		})
	})
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
	o := bigmkl.PredictOptions{Threads: s.options.Threads, Memory: s.options.Memory, UserKernels: s.options.UserKernels, Missing: s.options.Missing}
	return m.Predict(ctx, src, o, func(p bigmkl.Prediction) error {
		s.add(conformal.Score(&m.Model, &p, s.names))
		return nil
	})
}

// sorted returns the scores as a model has them.
func (s *scores) sorted(c *Options) *model.Conformal {
	found := &model.Conformal{Folds: c.Folds, Share: c.Share, Rows: s.rows.Len(), ByClass: c.ByClass}
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
