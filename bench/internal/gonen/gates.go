package gonen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
)

// Gates that are learned, by the protocols of section 5.3 and of the figures of chapter 3 of the
// thesis. Every training is a run of its own, since gates go on no path.

// gatedRow is one line of a table: means and standard deviations over some trainings.
type gatedRow struct {
	Task    string `json:"task" table:"task"`
	Variant string `json:"variant" table:"variant"`
	// Test is the accuracy in percent, or the mean squared error of a regression.
	Test    string `json:"test" table:"test"`
	Support string `json:"support" table:"support vectors %"`
	Active  string `json:"active" table:"active kernels"`
	Gates   string `json:"gates" table:"mean gates"`
	Value   string `json:"objective" table:"objective"`
	// Trials counts trainings of the descent. The thesis does not print them.
	Trials  string `json:"trials" table:"trials"`
	Printed string `json:"printed" table:"printed in the thesis"`
}

// gatedResult is what one training gives.
type gatedResult struct {
	test    float64   // accuracy in percent, or the mean squared error
	support float64   // share of rows in percent
	active  float64   // kernels with a weight whose gate is 1e-3 at least, mean over the test rows
	gates   []float64 // mean of each gate over the test rows
	value   float64   // objective
	trials  float64   // of the descent
}

// The objective J of a training with gates is not convex, so a figure is the mean over several
// trainings, with its deviation. Two programs with the same protocol may end in different
// stationary points of the same quality. A comparison with the thesis is therefore one of means,
// and not of models.

// activeGate is the least gate with which a kernel counts as active at a row. bigmkl predict has the
// same threshold.
const activeGate = 1e-3

// trainGated trains on some rows and tests on others. It returns the figures that the tables of
// the thesis have: accuracy or squared error, and the mean gates over the test rows, which show
// how the gates divide the space.
func trainGated(ctx context.Context, o bigmkl.Options, train, test []dataset.Row) (r gatedResult,
	err error) {
	// Index j counts from 0, and views count features from 1.
	last := 0 // A feature that is 0 in all rows of a fold is one of the model all the same.
	for _, row := range slices.Concat(train, test) {
		for _, j := range row.Index {
			last = max(last, int(j)+1)
		}
	}
	// Kernels may name views. Data without views get one of all features, as wide in each fold.
	if o.Views == nil {
		o.Views = []dataset.View{{Name: "all", First: 1, Last: last}}
	}
	// AsPosed turns the defaults off that would change the problem of the thesis.
	m, _, err := bigmkl.Train(ctx, harness.SourceOf(train), harness.AsPosed(o))
	if err != nil {
		return r, err
	}
	defer m.Close()
	r.support = 100 * float64(len(m.Support)) / float64(m.Points)
	// The primal value at the learned gates is J, which the descent lowers.
	r.value = m.Certificate.Primal
	// The line without gates has 0 trials.
	if g := m.Family.Gates(); g != nil {
		r.trials = float64(g.Trials)
	}
	// All figures are means over the test rows, added row by row.
	n := float64(len(test))
	err = m.Predict(ctx, harness.SourceOf(test), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
		switch {
		case o.Task == bigmkl.TaskSVR:
			r.test += (p.Decision - p.Target) * (p.Decision - p.Target) / n
		// 100 makes the share a percentage.
		case p.Label == p.Known:
			r.test += 100 / n
		}
		if r.gates == nil {
			r.gates = make([]float64, len(p.Gates))
		}
		for k, eta := range p.Gates {
			// A kernel without a weight has the gate 0.
			if eta >= activeGate {
				r.active += 1 / n
			}
			r.gates[k] += eta / n
		}
		return nil
	})
	return r, err
}

// trainAllGated trains the folds, some at a time.
func trainAllGated(ctx context.Context, s *harness.Session, name string, o bigmkl.Options,
	folds []Fold) ([]gatedResult, error) {
	// Two folds are enough for a deviation.
	if s.Quick {
		folds = folds[:min(2, len(folds))]
	}
	// Folds run side by side with one thread each: small trainings gain little from several threads.
	o.Threads, o.Scratch = 1, s.Scratch
	list := make([]gatedResult, len(folds))
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(s.Threads)
	for k, fold := range folds {
		group.Go(func() (err error) {
			s.Progress.ShowNow("%s, fold %d of %d", name, k+1, len(folds))
			list[k], err = trainGated(inner, o, fold.Train, fold.Test)
			return err
		})
	}
	return list, group.Wait()
}

// newGatedRow formats the results of the folds. The deviation has the divisor n-1.
func newGatedRow(task, variant string, list []gatedResult, printed string) gatedRow {
	// The mean comes first, since one pass over squares would cancel.
	of := func(value func(gatedResult) float64) string {
		mean, deviation, n := 0.0, 0.0, float64(len(list))
		for _, r := range list {
			mean += value(r) / n
		}
		for _, r := range list {
			deviation += (value(r) - mean) * (value(r) - mean) / max(1, n-1)
		}
		return fmt.Sprintf("%.2f ± %.2f", mean, math.Sqrt(deviation))
	}
	// Gates have means alone, since a line of six deviations would be too long.
	var gates []string
	for k := range list[0].gates {
		mean := 0.0
		for _, r := range list {
			mean += r.gates[k] / float64(len(list))
		}
		gates = append(gates, fmt.Sprintf("%.2f", mean))
	}
	return gatedRow{
		Task: task, Variant: variant, Printed: printed, Gates: strings.Join(gates, "-"),
		Test:    of(func(r gatedResult) float64 { return r.test }),
		Support: of(func(r gatedResult) float64 { return r.support }),
		Active:  of(func(r gatedResult) float64 { return r.active }),
		Value:   of(func(r gatedResult) float64 { return r.value }),
		Trials:  of(func(r gatedResult) float64 { return r.trials }),
	}
}

// digitsGates trains the gates of the six views of multifeat by all features. The line sum has the same
// kernels without gates, so the difference is the effect of the gates.
func digitsGates(ctx context.Context, s *harness.Session, r *harness.Report, seed uint64) error {
	d, ok := s.Data.Find("multifeat", "")
	if !ok {
		return nil // Table 5.16 without gates reports this.
	}
	views, err := dataset.ReadViews(filepath.Join(filepath.Dir(d.File), "multifeat.views.txt"))
	if err != nil {
		return err
	}
	t := r.Table("Table 5.16, LMKL: MULTIFEAT-SL, gates of six linear kernels on all features, C = 1")
	// The seed is the seed of the table without gates, so the folds are the same.
	rng := rand.New(rand.NewPCG(seed, 1))
	rows, err := ReadRows(d, Task{Positive: strings.Split("01234", "")}, 0, rng)
	if err != nil {
		return err
	}
	folds := drawFolds(rows, rng)
	for _, c := range []struct{ variant, gating, printed string }{
		{"sum", "", ""},
		{"softmax", "softmax", "97.69, 15.06 % SVs, 2.43 active"},
		{"sigmoid", "sigmoid", "98.58, 15.27 % SVs, 5.36 active"},
	} {
		// With gates, p = 2 gives every kernel the weight 1, so only the gates choose.
		o := bigmkl.Options{
			Kernels: "linear@each-view", Views: views, Gating: c.gating, Norm: 2,
			Scale: "standard", Normalize: "spherical",
		}
		list, err := trainAllGated(ctx, s, "MULTIFEAT-SL "+c.variant, o, folds)
		if err != nil {
			return err
		}
		t.Add(newGatedRow("MULTIFEAT-SL", c.variant, list, c.printed))
	}
	return nil
}

// gaussTable trains copies of a linear kernel on GAUSS4 and on the motorcycle data of Silverman.
// Both need a function of linear pieces, so gates have to divide the space where the pieces
// meet.
func gaussTable(ctx context.Context, s *harness.Session, r *harness.Report, seed uint64) error {
	t := r.Table("GAUSS4: 10 draws of 400 rows, tested on 20,000, C = 1")
	rng := rand.New(rand.NewPCG(seed, 4))
	// The mixture is known, so a large test set makes the error of the measurement small beside the
	// differences of interest.
	test := drawGauss4(20000, rng)
	var folds []Fold
	for range 10 {
		folds = append(folds, Fold{Train: drawGauss4(400, rng), Test: test})
	}
	for _, c := range []struct{ variant, kernels, gating, printed string }{
		// The thesis names the linear kernel k_L and the quadratic one k_P.
		{"MKL of k_L and k_P", "linear,poly:2", "", "90.95, 38.2 % SVs (another test set)"},
		{"softmax of k_L and k_P", "linear,poly:2", "softmax", "91.83, 25.1 % SVs"},
		{"softmax, 3 copies", "linear copies=3", "softmax", "91.78, 23.8 % SVs"},
		// More copies than pieces show whether gates of unused copies close.
		{"softmax, 6 copies", "linear copies=6", "softmax", ""},
		{"softmax, 12 copies", "linear copies=12", "softmax", ""},
		{"sigmoid, 3 copies", "linear copies=3", "sigmoid", ""},
		{"gauss, 3 copies", "linear copies=3", "gauss", ""},
	} {
		o := bigmkl.Options{Kernels: c.kernels, Gating: c.gating, Scale: "standard", Normalize: "none",
			Norm: 2}
		// MKL of the thesis has p = 1. With gates the weights are p = 2, which are all 1: the
		// gates choose.
		if c.gating == "" {
			o.Norm = 1
		}
		list, err := trainAllGated(ctx, s, "GAUSS4 "+c.variant, o, folds)
		if err != nil {
			return err
		}
		t.Add(newGatedRow("GAUSS4", c.variant, list, c.printed))
	}
	return motorcycleTable(ctx, s, r, seed)
}

// motorcycleTable trains on the motorcycle data in ten folds, with C and the tube of the thesis.
// The target has the unit g, so the tube of 16 is about a third of its deviation. The data have few
// rows, so ten folds leave most of them for training.
func motorcycleTable(ctx context.Context, s *harness.Session, r *harness.Report, seed uint64) error {
	d, ok := s.Data.Find("motorcycle", "")
	if !ok {
		r.Note("%s", s.Data.DescribeAbsence("motorcycle"))
		return nil
	}
	rows, err := readTargets(d)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 5))
	// The file may have an order, so rows are shuffled before they are divided.
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	// Fold k holds rows k n/10 to (k+1) n/10 out, whose sizes differ by at most one.
	const parts = 10
	var folds []Fold
	for k := range parts {
		from, to := k*len(rows)/parts, (k+1)*len(rows)/parts
		folds = append(folds, Fold{Train: slices.Concat(rows[:from], rows[to:]),
			Test: rows[from:to]})
	}
	t := r.Table("MOTORCYCLE: squared error in 10 folds, C = 1000, eps = 16")
	for _, c := range []struct{ variant, kernels, gating string }{
		{"one linear kernel", "linear", ""},
		{"softmax, 3 copies", "linear copies=3", "softmax"},
	} {
		o := bigmkl.Options{Task: bigmkl.TaskSVR, Kernels: c.kernels, Gating: c.gating, C: 1000,
			Epsilon: 16, Scale: "standard", Normalize: "none", Norm: 2}
		list, err := trainAllGated(ctx, s, "MOTORCYCLE "+c.variant, o, folds)
		if err != nil {
			return err
		}
		t.Add(newGatedRow("MOTORCYCLE", c.variant, list, ""))
	}
	return nil
}

// readTargets reads the rows of a regression.
// The rows are copied, because a source may use their memory again.
func readTargets(d harness.DataSet) ([]dataset.Row, error) {
	src, err := d.Open(bigmkl.TaskSVR)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	var rows []dataset.Row
	for {
		row, err := src.Next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, row.Clone())
	}
}

// drawGauss4 draws rows of GAUSS4 (table 2.2 of the thesis): two normal clouds of each class. The
// variance in x is 0.8 for all clouds. In y it is 2 for the positive class and 4 for the negative one.
func drawGauss4(n int, rng *rand.Rand) []dataset.Row {
	rows := make([]dataset.Row, n)
	for i := range rows {
		// Each cloud has a quarter of the rows on average. The classes thus have equally many.
		c := [...]struct {
			x, y, square float64
			label        string
		}{
			{-3, 1, 2, "1"}, {1, 1, 2, "1"}, {-1, -2.2, 4, "-1"}, {3, -2.2, 4, "-1"},
		}[rng.IntN(4)]
		rows[i] = dataset.Row{
			Label: c.label, Index: []int32{0, 1},
			Value: []float64{
				c.x + math.Sqrt(0.8)*rng.NormFloat64(), c.y + math.Sqrt(c.square)*rng.NormFloat64(),
			},
		}
	}
	return rows
}
