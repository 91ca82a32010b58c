package calibration

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/conformal"
	"bigmkl/dataset"
	"bigmkl/model"
)

// scores collects the nonconformity of rows that were held out.
type scores struct {
	rows    *rows
	names   []string // of the model's classes
	classes []string // of each label
	byClass bool
	options *bigmkl.Options
	began   time.Time
	of      [][]float64 // of each class if byClass, else of all
}

// errStopped ends the trainings of folds of which one was interrupted or has no time left.
var errStopped = errors.New("stopped")

// train trains without each fold and predicts it.
func (s *scores) train(ctx context.Context, folds int) error {
	of := s.rows.deal(folds, s.options.Seed)
	for k := range folds {
		held := foldOf(of, k)
		o := optionsOfFold(*s.options)
		if lacks := s.lack(held); lacks != nil {
			if len(s.names)-len(lacks) < 2 {
				s.giveUp(held)
				continue
			}
			// The weight of a class without rows would be refused.
			o.ClassWeight = maps.Clone(o.ClassWeight)
			maps.DeleteFunc(o.ClassWeight, func(label string, _ float64) bool {
				return slices.ContainsFunc(lacks, func(name string) bool { return isLabel(label, name) })
			})
		}
		known := &dataset.Known{}
		rest, err := s.rows.part(held, false, known)
		if err != nil {
			return err
		}
		if o.MaxTime > 0 {
			if o.MaxTime -= time.Since(s.began); o.MaxTime <= 0 {
				return errStopped
			}
		}
		m, result, err := bigmkl.Train(ctx, rest, o)
		if ctx.Err() != nil {
			if err == nil {
				m.Close()
			}
			return errStopped
		}
		if err != nil {
			return fmt.Errorf("without fold %d of %d: %w", k+1, folds, err)
		}
		if result.Status == chunking.Interrupted || result.Status == chunking.TimeLimit {
			m.Close()
			return errStopped
		}
		err = s.predict(ctx, m, held, known)
		m.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// lack lists the classes that no row outside of a part has.
func (s *scores) lack(held []bool) (lacks []string) {
	has := map[string]bool{}
	for i, k := range s.rows.labels {
		if !held[i] {
			has[s.classes[k]] = true
		}
	}
	for _, name := range s.names {
		if !has[name] {
			lacks = append(lacks, name)
		}
	}
	return lacks
}

// giveUp adds the scores of rows that nothing can be trained for, as the others are of one class: they are like no row.
func (s *scores) giveUp(held []bool) {
	for i, k := range s.rows.labels {
		if held[i] {
			s.add(math.Inf(1), slices.Index(s.names, s.classes[k]))
		}
	}
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
	src, err := s.rows.part(held, true, known)
	if err != nil {
		return err
	}
	src.cuts = m.Occurring != nil // such a model has no place for other features
	o := bigmkl.PredictOptions{Threads: s.options.Threads, Memory: s.options.Memory, UserKernels: s.options.UserKernels, Missing: s.options.Missing}
	return m.Predict(ctx, src, o, func(p bigmkl.Prediction) error {
		s.add(conformal.Score(&m.Model, &p, s.names))
		return nil
	})
}

// sorted returns the scores as a model has them.
func (s *scores) sorted(c *Options) *model.Conformal {
	found := &model.Conformal{Folds: c.Folds, Share: c.Share, Rows: len(s.rows.labels), ByClass: c.ByClass}
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
