package calibration

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/conformal"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// Options say how rows are held out. The zero value keeps a share of DefaultShare from the training.
type Options struct {
	// Folds is the number of folds, at least 2. It excludes Share.
	Folds int
	// Share is the share of the rows that have no part in the training, in (0, 1). If it and Folds equal zero, it is
	// DefaultShare.
	Share float64
	// ByClass gives each class scores of its own.
	ByClass bool
}

// DefaultShare is the share of a zero Options.
const DefaultShare = 0.2

// setDefaults fills in what was left open.
func (o *Options) setDefaults() {
	if o.Folds == 0 && o.Share == 0 {
		o.Share = DefaultShare
	}
}

// Validate lists every fault at once. Each is of class fail.Usage. training is the options of the training.
func (o Options) Validate(training *bigmkl.Options) error {
	var faults []error
	check := func(ok bool, hint, format string, args ...any) {
		if !ok {
			faults = append(faults, fail.New(fail.Usage, format, args...).WithHint("%s", hint))
		}
	}
	check(o.Folds == 0 || o.Share == 0, "use one of them", "folds and a share of rows that are held out")
	check(o.Folds == 0 || o.Folds >= 2, "", "%d folds: at least 2", o.Folds)
	check(o.Share == 0 || o.Share > 0 && o.Share < 1, "", "a share of %g of the rows is not in (0, 1)", o.Share)
	t := training
	classes := t.Task == "" || t.Task == model.TaskClass || model.HasComponents(t.Task)
	check(classes || t.Task == model.TaskSVR || t.Task == model.TaskSquare, "", "task %s has no intervals and no sets", t.Task)
	check(t.Multiclass != model.MultiLabel, "", "sets of labels have no conformal sets")
	check(!o.ByClass || t.Task != model.TaskSVR && t.Task != model.TaskSquare, "", "scores by class of a regression")
	for text, has := range map[string]bool{
		"a precomputed matrix": strings.Contains(t.Kernels+" "+t.GateOn, kernelspec.Precomputed.String()+":"),
		"a file of gates":      t.Gating != "" && !strings.HasPrefix(t.Gating, "regions:") && strings.HasPrefix(t.Gating, "fixed"),
		"a file of posteriors": t.Posteriors.Values != nil, "a file of missing views": t.Missing != "" && t.Missing != dataset.MissingEmpty,
		"a list of observed components": t.Observed != nil,
	} {
		check(!has, "", "%s is one of all rows, and no rows can be held out", text)
	}
	// The rows of such a model would have a part in the training through where it starts.
	check(t.Init == nil || o.Folds > 0 || o.sameRows(t), "start from a model of the same --conformal split and --seed", "an initial model that may know rows which are held out")
	check(t.Team == nil, "train in one process", "ranks train no model with calibration scores")
	return errors.Join(faults...)
}

// sameRows reports whether the initial model of a training had the same share held out by the same seed. That the rows are as many is seen once they
// were read.
func (o Options) sameRows(t *bigmkl.Options) bool {
	o.setDefaults()
	c := t.Init.Conformal
	return c.Split() && c.Share == o.Share && t.Init.Seed == t.Seed
}

// Plan computes what the training of the model would take, with the rows that are kept meanwhile. Trainings without a fold take no more.
func Plan(ctx context.Context, src dataset.Source, o bigmkl.Options, c Options) (*bigmkl.Plan, error) {
	if err := c.Validate(&o); err != nil {
		return nil, err
	}
	r, err := readRows(ctx, src, &o)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	c.setDefaults()
	rest, err := r.part(r.heldOut(&c, o.Seed), false, &dataset.Known{})
	if err != nil {
		return nil, err
	}
	return bigmkl.NewPlan(ctx, rest, o)
}

// Train trains a model with calibration scores. It is as bigmkl.Train, which it calls for the model and, with folds, once more for each;
// what a fold warns of is not told. o.MaxTime is the time of all trainings together. Where the training or one of a fold is
// interrupted, or has no time left, the model has no scores and the result a warning and the status of that.
func Train(ctx context.Context, src dataset.Source, o bigmkl.Options, c Options) (*bigmkl.Model, *bigmkl.Result, error) {
	if err := c.Validate(&o); err != nil {
		return nil, nil, err
	}
	c.setDefaults()
	began := time.Now()
	r, err := readRows(ctx, src, &o)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	n := len(r.labels)
	if n < 3 {
		return nil, nil, fail.New(fail.Input, "%d rows, of which none can be held out", n)
	}
	if c.Share > 0 && o.Init != nil && o.Init.Conformal.Rows != n {
		return nil, nil, fail.New(fail.Usage, "an initial model that may know rows which are held out: it had %d rows, these are %d", o.Init.Conformal.Rows, n).
			WithHint("start from a model of the same rows")
	}
	held, known := r.heldOut(&c, o.Seed), &dataset.Known{}
	rest, err := r.part(held, false, known)
	if err != nil {
		return nil, nil, err
	}
	m, result, err := bigmkl.Train(ctx, rest, o)
	if err != nil {
		return nil, result, err
	}
	s := &scores{rows: r, names: m.ClassNames(), classes: r.classesOf(o.Positive), byClass: c.ByClass, options: &o, began: began}
	s.of = make([][]float64, max(1, len(s.names)))
	switch {
	case result.Status == chunking.Interrupted:
		err = errStopped
	case c.Share > 0:
		err = s.predict(ctx, m, held, known)
	default:
		err = s.train(ctx, min(c.Folds, n))
	}
	switch {
	case errors.Is(err, errStopped) || err != nil && ctx.Err() != nil:
		result.Warnings = append(result.Warnings, "the run was interrupted or had no time left: the model has no calibration scores")
		switch {
		case ctx.Err() != nil:
			result.Status = chunking.Interrupted
		case result.Status != chunking.Interrupted:
			result.Status = chunking.TimeLimit
		}
		if clear(s.of); c.Share == 0 {
			return m, result, nil
		}
		// Which rows had no part in the training has to be known all the same.
	case err != nil:
		m.Close()
		return nil, result, err
	}
	m.Conformal = s.sorted(&c)
	return m, result, nil
}

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
		held := make([]bool, len(of))
		for i, f := range of {
			held[i] = int(f) == k
		}
		o := *s.options
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
		o.Checkpoint, o.Resume, o.Init, o.Folds, o.Limit, o.Recorder = "", false, nil, 0, 0, nil
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
