package heldout

import (
	"context"
	"math"
	"slices"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
	"bigmkl/internal/conformal"
	"bigmkl/internal/model"
)

// The promise of a coverage is a mean over all draws of scored rows. One split may meet 0.87 or 0.93 of 0.9 without a
// fault. So shares are compared with the mean and the spread that theory gives for the numbers of rows, over many
// splits. The rarest class shows what a promise for all classes together hides.

// coverageFound has the counts of all splits of a data set.
type coverageFound struct {
	// rarest is the name of the class with the fewest rows, and splits has the counts in the order of the
	// splits.
	data     *defaultsData
	coverage float64
	rarest   string
	splits   []coverageSplit
}

// coverageSplit has the counts of one split. Shares are between 0 and 1.
// Index 0 of a pair is for scores of all rows together, and index 1 for scores by class.
type coverageSplit struct {
	// tests and scores are numbers of rows. met is the share of test rows in their regions, and size
	// the mean size.
	tests, scores int
	met, size     float64
	classMet      [2]float64 // of the rarest class, with the scores of all rows and by class
	classSize     [2]float64 // of all sets
	classTests    int
	ownScores     int // of the rarest class
	// expected and spread are the mean and the standard deviation of met in theory
	// (conformal.Expected).
	expected, spread float64
	// foldsMet and foldsSize are met and size of a model with scores of folds.
	foldsMet  float64
	foldsSize float64
	// Predictions for other programs: of classes a decision value for each, of a regression the prediction.
	Calibration [][]float64 `json:"calibration"`
	Known       []float64   `json:"known"`
	Values      [][]float64 `json:"rows"`
	Truth       []float64   `json:"truth"`
}

// newCoverageFound begins to count. Of equally rare classes it takes the first name, so two runs report
// the same class.
func newCoverageFound(d *defaultsData, coverage float64) *coverageFound {
	f := &coverageFound{data: d, coverage: coverage}
	count := map[string]int{}
	for _, r := range d.rows {
		count[r.Label]++
	}
	for name, n := range count {
		if f.rarest == "" || n < count[f.rarest] || n == count[f.rarest] && name < f.rarest {
			f.rarest = name
		}
	}
	return f
}

// add counts the test rows that are in the regions of a model. The scores of all rows are made from the scores by class of a model of classes.
func (f *coverageFound) add(ctx context.Context, m *bigmkl.Model, calibration, test []dataset.Row) error {
	s := coverageSplit{tests: len(test), scores: len(calibration)}
	var err error
	if s.Calibration, s.Known, err = f.values(ctx, m, calibration, nil); err != nil {
		return err
	}
	own := m.Model
	// Calibration rows are predicted too, for MAPIE, which makes its own scores of them.
	pooled := own
	// Both kinds of scores come from one training, so their difference is not a difference of models.
	pooled.Conformal = poolScores(own.Conformal, len(calibration))
	// kinds[0] has the pooled scores, and kinds[1] the scores by class if there are classes.
	kinds := []*model.Model{&pooled}
	if own.Conformal.ByClass {
		kinds = append(kinds, &own)
		at := slices.Index(own.ClassNames(), f.rarest)
		// The theory of the rarest class depends on its own number of scores.
		s.ownScores = int(own.Conformal.Counts[max(at, 0)])
	}
	regions := make([]*conformal.Regions, len(kinds))
	for k, of := range kinds {
		if regions[k], err = conformal.New(of, f.coverage); err != nil {
			return err
		}
	}
	s.Values, s.Truth, err = f.values(ctx, m, test, func(p *bigmkl.Prediction) {
		// The interval is f(x) +- threshold, so every row has the same size.
		if regions[0].Classes() == nil {
			s.classSize[0] = 2 * regions[0].Thresholds()[0] // of every row
			if low, high := regions[0].Interval(p); low <= p.Target && p.Target <= high {
				s.met += 1 / float64(len(test))
			}
			return
		}
		// A set of classes covers the row if it has its known class.
		rare := p.Known == f.rarest
		if rare {
			s.classTests++
		}
		for k, r := range regions {
			set := r.Set(p, nil)
			s.classSize[k] += float64(len(set)) / float64(len(test))
			if !slices.ContainsFunc(set, func(c int) bool { return r.Classes()[c] == p.Known }) {
				continue
			}
			if rare {
				s.classMet[k]++
			}
			if k == 0 {
				s.met += 1 / float64(len(test))
			}
		}
	})
	if err != nil {
		return err
	}
	s.size = s.classSize[0]
	// The share of n test rows is beta-binomial, given the number of scores.
	s.expected, s.spread = conformal.Expected(s.scores, s.tests, f.coverage)
	f.splits = append(f.splits, s)
	return nil
}

// addFolds counts the test rows of the last split that are in the regions of a model with scores of folds.
func (f *coverageFound) addFolds(ctx context.Context, m *bigmkl.Model, test []dataset.Row) error {
	// add has appended the split before.
	s := &f.splits[len(f.splits)-1]
	r, err := conformal.New(&m.Model, f.coverage)
	if err != nil {
		return err
	}
	n := float64(len(test))
	_, _, err = f.values(ctx, m, test, func(p *bigmkl.Prediction) {
		if r.Classes() == nil {
			s.foldsSize += 2 * r.Thresholds()[0] / n
			if low, high := r.Interval(p); low <= p.Target && p.Target <= high {
				s.foldsMet += 1 / n
			}
			return
		}
		set := r.Set(p, nil)
		s.foldsSize += float64(len(set)) / n
		if slices.ContainsFunc(set, func(c int) bool { return r.Classes()[c] == p.Known }) {
			s.foldsMet += 1 / n
		}
	})
	return err
}

// poolScores makes scores of all rows from scores by class. A row of a class that the model lacks has
// an infinite score, because no set contains that class.
// The scores of a model by class are listed class after class. Sorted together they are the scores of all
// rows.
func poolScores(c *model.Conformal, rows int) *model.Conformal {
	all := *c
	all.Scores, all.Counts, all.ByClass, all.Unbounded = slices.Sorted(slices.Values(c.Scores)), nil, false, []int32{int32(rows - len(c.Scores))}
	return &all
}

// values predicts rows. It returns decision values and known classes or targets, from which other
// programs make regions of the same predictions. It calls see for each prediction, unless see is nil.
func (f *coverageFound) values(ctx context.Context, m *bigmkl.Model, rows []dataset.Row, see func(*bigmkl.Prediction)) (list [][]float64, known []float64, err error) {
	names := m.ClassNames()
	err = m.Predict(ctx, dataset.Narrow(harness.SourceOf(rows), m.Input().Features()), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
		if see != nil {
			see(&p)
		}
		switch {
		case names == nil:
			list, known = append(list, []float64{p.Decision}), append(known, p.Target)
			return nil
		// One classifier of two classes has f for the positive class and -f for the other.
		case p.Decisions == nil:
			list = append(list, []float64{-p.Decision, p.Decision})
		default:
			// Classifiers may have another order than the names.
			g := make([]float64, len(names))
			for k, x := range p.Decisions {
				g[m.Classifiers[k].Positive] = x
			}
			list = append(list, g)
		}
		known = append(known, float64(slices.Index(names, p.Known)))
		return nil
	})
	return list, known, err
}

// row is the line of the table. Splits are drawn independently, so the variance of their mean is the
// sum of their variances divided by the squared number.
func (f *coverageFound) row() coverageRow {
	// All splits have the same number of scores.
	row := coverageRow{Set: f.data.name, Rows: len(f.data.rows), Scores: f.splits[0].scores}
	if f.data.task == bigmkl.TaskClass {
		row.Classes = f.data.classes
	}
	n, variance := float64(len(f.splits)), 0.0
	for _, s := range f.splits {
		row.Met += s.met / n
		row.Size += s.size / n
		row.Expected += s.expected / n
		variance += s.spread * s.spread / (n * n)
	}
	row.Error = math.Sqrt(variance)
	for _, s := range f.splits {
		row.Folds += s.foldsMet / n
		row.FoldsSize += s.foldsSize / n
	}
	for _, s := range f.splits {
		row.FoldsError += (s.foldsMet - row.Folds) * (s.foldsMet - row.Folds)
	}
	row.FoldsError = math.Sqrt(row.FoldsError / max(n-1, 1) / n)
	// Off is in standard errors of the theory: beyond 3 something is wrong.
	row.Off = (row.Met - row.Expected) / row.Error
	return row
}

// rareRow is the line of the rarest class. Splits have different numbers of rows of the class, so
// shares are sums over all splits divided by the sum of the rows.
func (f *coverageFound) rareRow() rareRow {
	row := rareRow{Set: f.data.name}
	n := float64(len(f.splits))
	var own []float64
	// tests is the number of rows of the class in all splits.
	tests := 0.0
	for _, s := range f.splits {
		tests += float64(s.classTests)
		row.All += s.classMet[0]
		row.Own += s.classMet[1]
		row.AllSize += s.classSize[0] / n
		row.OwnSize += s.classSize[1] / n
		// The expected share is weighted by the test rows of the class, as the measured one is.
		expected, _ := conformal.Expected(s.ownScores, max(s.classTests, 1), f.coverage)
		row.Expected += expected * float64(s.classTests)
	}
	row.All, row.Own, row.Expected, row.Share = row.All/tests, row.Own/tests, row.Expected/tests, tests/(n*float64(f.splits[0].tests))
	for _, s := range f.splits {
		// The error of a ratio of sums: residuals of each split from the common share, divided by the mean
		// number of rows.
		own = append(own, (s.classMet[1]-row.Own*float64(s.classTests))*n/tests)
	}
	squares := 0.0
	for _, x := range own {
		squares += x * x
	}
	row.Error = math.Sqrt(squares / max(n-1, 1) / n)
	return row
}
