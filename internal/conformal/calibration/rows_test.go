package calibration

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/conformal"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/verifytest"
)

// TestRareClasses: a training without a fold may lack a class. Its rows have no bound, weights of its cost count for nothing, and where one class is
// left there is no training.
func TestRareClasses(t *testing.T) {
	t.Parallel()
	named := func(labels ...string) []dataset.Row {
		rows := clusters(datasettest.Random(t, 11), len(labels))
		for i, label := range labels {
			rows[i].Label = label
		}
		return rows
	}
	three := slices.Repeat([]string{"a", "b"}, 20)
	for name, c := range map[string]struct {
		rows              []dataset.Row
		o                 bigmkl.Options
		c                 Options
		counts, unbounded []int32
	}{
		"one row of three classes": {named(append(slices.Clone(three), "c")...), bigmkl.Options{Multiclass: "ovr", ClassWeight: map[string]float64{"c": 2}}, Options{Folds: 4, ByClass: true}, []int32{20, 20, 0}, []int32{0, 0, 1}},
		"the same in pairs":        {named(append(slices.Clone(three), "c")...), bigmkl.Options{Multiclass: "ovo"}, Options{Folds: 4}, nil, []int32{1}},
		// 20 rows of a and one of 1 in 4 folds: the fold of the latter has 5 others.
		"one row of two classes": {named(append(slices.Repeat([]string{"-1"}, 20), "+1")...), bigmkl.Options{ClassWeight: map[string]float64{"+1": 3}}, Options{Folds: 4, ByClass: true}, []int32{15, 0}, []int32{5, 1}},
		"one positive label":     {named(append(slices.Clone(three), "+3", "c", "c")...), bigmkl.Options{Positive: []string{"3"}, ClassWeight: map[string]float64{"1": 3}}, Options{Folds: 43}, nil, []int32{1}},
		"two rows of a class":    {named(append(slices.Clone(three), "c", "c", "d", "d", "e", "e", "f", "f")...), bigmkl.Options{Multiclass: "ovr"}, Options{Folds: 2, ByClass: true}, []int32{20, 20, 2, 2, 2, 2}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range c.rows { // as a reader has them
				if l, err := labeltext.Canonical(c.rows[i].Label); err == nil {
					c.rows[i].Label = l
				}
			}
			c.o.Kernels = "linear"
			m, _, err := Train(t.Context(), datasettest.Stream(c.rows), c.o, c.c)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(c.rows))
			if got := m.Conformal; !slices.Equal(got.Counts, c.counts) || !slices.Equal(got.Unbounded, c.unbounded) || got.Len() != len(c.rows) {
				t.Errorf("%d scores, counts %v, without bounds %v", got.Len(), got.Counts, got.Unbounded)
			}
			if err := m.Validate(); err != nil {
				t.Error(err)
			}
			r, err := conformal.New(&m.Model, .5)
			if err != nil {
				t.Fatal(err)
			}
			if c.unbounded == nil != r.Bounded() && c.c.ByClass {
				t.Errorf("thresholds %v", r.Thresholds())
			}
		})
	}
}

// TestPositiveLabels: the sets of a model of positive labels have the classes of the labels.
func TestPositiveLabels(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 12)
	rows := clusters(rng, 240)
	m, _, err := Train(t.Context(), datasettest.Stream(rows[:120]), bigmkl.Options{Kernels: "linear", Positive: []string{"0", "+2"}}, Options{Share: .4, ByClass: true})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows[:120]))
	r, err := conformal.New(&m.Model, .8)
	if err != nil || !r.Bounded() || len(m.Conformal.Scores) != 48 {
		t.Fatalf("%v, %+v", err, m.Conformal)
	}
	held := 0
	if err := m.Predict(t.Context(), datasettest.Stream(rows[120:]), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
		if covers(r, &p) {
			held++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if held < 78 {
		t.Errorf("%d of 120 rows are held, where .8 were asked for", held)
	}
}

// enough finds the budget that a rejection names.
var enough = regexp.MustCompile(`the least that is enough is --(memory|disk) ([0-9]+)MiB`)

// TestBudgets: what the rows take is part of the budgets, and a budget that a rejection names is enough.
func TestBudgets(t *testing.T) {
	t.Parallel()
	rows := clouds(datasettest.Random(t, 13), 400)
	try := func(o bigmkl.Options) (rejection string, least int64) {
		o.Kernels = "linear"
		m, _, err := Train(t.Context(), datasettest.Stream(rows), o, Options{Folds: 3})
		if err == nil {
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			m.Close()
			return "", 0
		}
		found := enough.FindStringSubmatch(err.Error())
		if found == nil || !errors.Is(err, fail.Budget) {
			t.Fatalf("a rejection that names no budget: %v", err)
		}
		if least, err = strconv.ParseInt(found[2], 10, 64); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(found[0], err), least << 20
	}
	for want, small := range map[string]func(int64) bigmkl.Options{
		"labels, targets and scores that calibrate = ": func(n int64) bigmkl.Options { return bigmkl.Options{Memory: n} },
		"all rows, which calibrate = ":                 func(n int64) bigmkl.Options { return bigmkl.Options{Disk: n} },
	} {
		_, least := try(small(1))
		free := bigmkl.Options{Kernels: "linear"}
		plan, err := Plan(t.Context(), datasettest.Stream(rows), free, Options{Folds: 3})
		if err != nil {
			t.Fatal(err)
		}
		planned := plan.Memory.Least
		if small(1).Disk > 0 {
			planned = plan.Disk.Least
		}
		if planned > least || planned < least-1<<20 {
			t.Errorf("%d bytes are planned, and %d were named as enough", planned, least)
		}
		if rejection, _ := try(small(least)); rejection != "" {
			t.Errorf("%d bytes were named as enough: %s", least, rejection)
		}
		o := small(1)
		o.Kernels = "linear"
		if _, _, err := Train(t.Context(), datasettest.Stream(rows), o, Options{}); !errors.Is(err, fail.Budget) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, and not %s", err, want)
		}
	}
}
