package selection

import (
	"math"
	"math/rand/v2"
	"testing"

	"bigmkl/internal/datasettest"
	"bigmkl/internal/evaluate"
)

// countedCells is a selection of two cells with figures that count rows: the figures of the second, and the number of rows more that
// the first has right in each fold.
func countedCells(measure string, tested, more []int) *Selection {
	s := &Selection{Measure: measure, Ratio: 1 / float64(len(tested)-1), Folds: make([]string, len(tested)), tests: tests{tested: tested}, byFold: make([][]float64, 2)}
	for k, n := range tested {
		s.distinct += n
		s.Rows += n
		right := n - n/8
		s.byFold[0] = append(s.byFold[0], float64(right+more[k])/float64(n))
		s.byFold[1] = append(s.byFold[1], float64(right)/float64(n))
	}
	return s
}

// TestFoldsThatDifferAlike: folds of 134, 133 and 133 rows that differ by a row each have no spread, and three rows are not
// a proof. A figure that does not count rows, and one of true spread, keeps its error.
func TestFoldsThatDifferAlike(t *testing.T) {
	t.Parallel()
	s := countedCells("accuracy", []int{134, 133, 133}, []int{1, 1, 1})
	r := s.Difference(0, 1)
	plain := evaluate.Resample([]float64{1. / 134, 1. / 133, 1. / 133}, 0.5)
	t.Logf("±%.4f, p = %.3g; by the spread alone ±%.5f, p = %.3g", r.Error, r.P(), plain.Error, plain.P())
	// sqrt(3) of 400 rows, and a t test of two degrees of freedom of sqrt(3).
	if math.Abs(r.Error-math.Sqrt(3)/400) > 1e-4 || math.Abs(r.P()-0.2254) > 2e-3 || r.P() < 0.05 || plain.P() > 1e-4 {
		t.Errorf("%+v, p = %g; plainly %g", r, r.P(), plain.P())
	}
	if back := s.Difference(1, 0); math.Abs(back.Greater()+r.Greater()-1) > 1e-12 {
		t.Errorf("one-sided %g and %g", r.Greater(), back.Greater())
	}
	// One row fewer in one fold is more spread, and the difference smaller: it must not be far better evidence.
	if other := countedCells("accuracy", []int{134, 133, 133}, []int{1, 1, 0}).Difference(0, 1); other.P() < r.P() {
		t.Errorf("p = %g of less, %g of more", other.P(), r.P())
	}
	for _, folds := range []int{2, 3, 5, 10} {
		tested, one, none := make([]int, folds), make([]int, folds), make([]int, folds)
		for k := range tested {
			tested[k], one[k] = 40, 1
		}
		equal := countedCells("accuracy", tested, none).Difference(0, 1)
		if _, equivalent, _ := equal.Practical(0.01); equal.P() != 1 || equivalent > 0.95 {
			t.Errorf("%d equal folds of 40 rows: p = %g, equivalent %g", folds, equal.P(), equivalent)
		}
		// As many rows in favour of one, and none of the other, by McNemar's test.
		chi := math.Erfc(math.Sqrt(float64(folds) / 2))
		if p := countedCells("accuracy", tested, one).Difference(0, 1).P(); p < chi {
			t.Errorf("%d folds that differ by a row: p = %g, McNemar %g", folds, p, chi)
		}
	}
	many := countedCells("accuracy", []int{1000, 1000, 1000, 1000, 1000}, []int{50, 52, 48, 51, 49}).Difference(0, 1)
	if many.P() > 0.001 {
		t.Errorf("250 of 5,000 rows: p = %g", many.P())
	}
	if r := countedCells("auc", []int{134, 133, 133}, []int{1, 1, 1}).Difference(0, 1); r.Error != plain.Error && math.Abs(r.Error-plain.Error) > 1e-9 {
		t.Errorf("auc has the error %g", r.Error)
	}
	wide := countedCells("accuracy", []int{100, 100, 100, 100}, []int{9, -3, 4, 12})
	if r, want := wide.Difference(0, 1), evaluate.Resample([]float64{0.09, -0.03, 0.04, 0.12}, wide.Ratio); math.Abs(r.Error-want.Error) > 1e-12 {
		t.Errorf("±%g, by the spread ±%g", r.Error, want.Error)
	}
	// Rows that are tested five times are no further rows.
	often := countedCells("accuracy", []int{100, 100}, []int{1, 1})
	often.distinct = 40
	if r := often.Difference(0, 1); math.Abs(r.Error-math.Sqrt(2*5)/200) > 1e-12 {
		t.Errorf("±%g of rows that are tested five times", r.Error)
	}
}

// TestCountedNull: two classifiers that err alike and on nearly the same rows are called different in at most 5 %
// of the data sets, where the spread of the folds alone calls more: few rows in which they differ often spread little.
func TestCountedNull(t *testing.T) {
	t.Parallel()
	const sets, folds, rows = 4000, 5, 24
	t.Log("seed 5")
	rng := rand.New(rand.NewPCG(5, 48))
	called, plain := 0, 0
	for range sets {
		tested, more := make([]int, folds), make([]int, folds)
		for k := range tested {
			tested[k] = rows
			for range rows {
				if rng.Float64() < 0.05 { // The two differ in this row.
					more[k] += 1 - 2*rng.IntN(2)
				}
			}
		}
		s := countedCells("accuracy", tested, more)
		if s.Difference(0, 1).P() < 0.05 {
			called++
		}
		s.tested = nil
		if s.Difference(0, 1).P() < 0.05 {
			plain++
		}
	}
	t.Logf("%d of %d are called different, by the spread alone %d", called, sets, plain)
	if limit := sets*0.05 + 2*math.Sqrt(sets*0.05*0.95); float64(called) > limit || called >= plain {
		t.Errorf("%d of %d are called different, by the spread alone %d", called, sets, plain)
	}
}

// TestErrorsOfRuns: no difference of accuracies of a run has an error below that of a row for each fold, whether rows are
// tested once, several times, or by trials.
func TestErrorsOfRuns(t *testing.T) {
	t.Parallel()
	const rows = 60
	for name, change := range map[string]func(o *Options){
		"folds": func(*Options) {}, "repeated": func(o *Options) { o.Splits.Repeat = 3 },
		"splits": func(o *Options) { o.Splits = Splits{Random: 12, Share: 0.25} },
		"shared": func(o *Options) { o.SharedPreparation = true },
		"trials": func(o *Options) { o.Trials.Contrast, o.Splits.Repeat = AgainstRest, 2 },
	} {
		o := small()
		change(&o)
		s, _, err := selectRows(t, t.Context(), datasettest.Clouds(datasettest.Random(t, 15), rows, 3), o)
		if err != nil {
			t.Fatal(err)
		}
		least := math.Sqrt(float64(len(s.Folds))*math.Max(1, float64(len(s.Folds))*float64(s.tested[0])/float64(s.distinct))) / (float64(len(s.Folds)) * float64(s.tested[0]))
		errors := 0
		for _, c := range s.Baselines {
			if errors++; c.Difference.Error < 0.99*least || c.P == nil {
				t.Errorf("%s: %+v, at least ±%g", name, c, least)
			}
		}
		for _, p := range s.Pairs {
			r := s.Difference(p.First, p.Second)
			if errors++; r.Error < 0.99*least || r.Greater() != p.P {
				t.Errorf("%s: pair %+v, %+v, at least ±%g", name, p, r, least)
			}
		}
		if errors == 0 || s.distinct%rows != 0 || len(s.tested) != len(s.Folds) {
			t.Errorf("%s: %d differences, %d rows in %d folds, %d of them", name, errors, s.distinct, len(s.tested), len(s.Folds))
		}
	}
}

// TestErrorOfOneFigure: folds that agree do not prove a small error. The error of a share of rows is at least that of as many draws, of which one is wrong.
func TestErrorOfOneFigure(t *testing.T) {
	t.Parallel()
	two, five := &tests{tested: []int{30, 30}, distinct: 60}, &tests{tested: []int{12, 12, 12, 12, 12}, distinct: 60}
	again := &tests{tested: []int{30, 30, 30, 30}, distinct: 60}
	one := math.Sqrt(1. / 60 * 59 / 60 / 60)
	for _, c := range []struct {
		t       *tests
		measure string
		list    []float64
		want    float64
	}{
		{five, "accuracy", []float64{1, 1, 1, 1, 1}, one},
		{five, "accuracy", []float64{0, 0, 0, 0, 0}, one},
		{two, "accuracy", []float64{1, 1}, one},
		{again, "accuracy", []float64{1, 1, 1, 1}, one},
		{five, "accuracy", []float64{.75, .75, .75, .75, .75}, math.Sqrt(.75 * .25 / 60)},
		{five, "accuracy", []float64{1, 1}, math.Sqrt(1. / 24 * 23 / 24 / 24)}, // defined in two of the folds
		{five, "accuracy", []float64{0.2, 1, 0.4, 0.9, 0.5}, evaluate.Resample([]float64{0.2, 1, 0.4, 0.9, 0.5}, 0.25).Error},
		{five, "auc", []float64{1, 1, 1, 1, 1}, 0},
		{five, "accuracy", []float64{1}, 0},
		{&tests{}, "accuracy", []float64{1, 1}, 0}, // of a file
	} {
		if got := c.t.figure(c.measure, c.list, 0.25); math.Abs(got.Error-c.want) > 1e-15 || got.Folds != len(c.list) {
			t.Errorf("%s %v: %+v, want an error of %g", c.measure, c.list, got, c.want)
		}
	}
}

// TestErrorOfOneClass: sensitivity and specificity count the rows of one class, so a rare class has a wide error.
func TestErrorOfOneClass(t *testing.T) {
	t.Parallel()
	const rows, positive = 200, 12
	// The classes are far apart, so every combination has all rows right in all folds.
	clouds := datasettest.Clouds(datasettest.Random(t, 16), rows, 3)
	for i := range clouds {
		clouds[i].Label = "-1"
		clouds[i].Value[0] = -9
		if i < positive {
			clouds[i].Label, clouds[i].Value[0] = "1", 9
		}
	}
	shares := func(n float64) float64 { return math.Sqrt((n - 1) / (n * n * n)) }
	for _, contrast := range []Contrast{"", AgainstRest} {
		o := small()
		o.Measure, o.Trials.Contrast = sensitivity, contrast
		s, _, err := selectRows(t, t.Context(), clouds, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range s.Problems { // The problem of either class has its rows as the positive ones.
			for k, f := range p.Cells {
				if want := shares(math.Round(p.Positive)); f.Mean == 1 && math.Abs(f.Error-want) > 1e-12 {
					t.Errorf("problem %s, cell %d: %+v, want an error of %g", p.Name, k, f, want)
				}
			}
		}
		if contrast != "" {
			continue
		}
		for key, n := range map[string]float64{"accuracy": rows, sensitivity: positive, specificity: rows - positive} {
			if f := s.Cells[s.Best].Figures[key]; f.Mean != 1 || math.Abs(f.Error-shares(n)) > 1e-12 {
				t.Errorf("%s %+v, want an error of %g", key, f, shares(n))
			}
		}
		// A difference has at least the error of a row for each fold, of the rows of its class.
		for _, c := range s.Baselines {
			if least := math.Sqrt(float64(len(s.Folds))) / positive; c.Difference.Error < 0.99*least {
				t.Errorf("%+v, want an error of at least %g", c.Difference, least)
			}
		}
	}
}

// TestErrorsOfAgreeingSources: an importance whose folds have all rows right does not prove an error of 0.
func TestErrorsOfAgreeingSources(t *testing.T) {
	t.Parallel()
	rows := fourSources(datasettest.Random(t, 17), 60)
	for i := range rows { // strong separates the classes.
		rows[i].Value[0] += 20 * rows[i].Target
	}
	o := quick()
	o.Measure = "accuracy"
	s, _, err := measureRows(t, t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	least := math.Sqrt(1. / 60 * 59 / 60 / 60)
	for _, f := range []Figure{s.Whole, s.Sources[0].Alone} {
		if f.Mean != 1 || math.Abs(f.Error-least) > 1e-12 {
			t.Errorf("%+v, want an error of %g", f, least)
		}
	}
	// A share of the weights counts no rows.
	if share := s.Sources[0].Share; share.Error >= least {
		t.Errorf("share %+v", share)
	}
}
