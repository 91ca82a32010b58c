package budgets

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/conformal/calibration"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/train"
	"bigmkl/kernels"
	"bigmkl/tests/bigmkltest"
)

// TestBudgetIsEnoughForHeldOutRows: if predictions of held-out rows take more memory than the training, the plan has the larger
// of both. A training with calibration scores or probabilities is rejected before it begins, with a budget that is enough.
func TestBudgetIsEnoughForHeldOutRows(t *testing.T) {
	t.Parallel()
	rows := bigmkltest.Words(t, 7, 120, 4000, 15)
	plain := bigmkl.Options{Kernels: "matern:1.5:0.27 norm=centred,chi2:0.005 norm=centred,gauss:2^-6..2^1 norm=centred", Scale: "minmax", Store: dataset.LayoutSparse,
		MaxIterations: 2, Threads: 1, Scratch: t.TempDir()}
	plain.Tuning.WorkingSet = 8
	probabilities := plain
	probabilities.Folds = 2
	one := bigmkltest.Planned(t, rows, plain).Memory.Least
	table := map[string]struct {
		o   bigmkl.Options
		how *calibration.Options
	}{
		"split":         {plain, &calibration.Options{Share: 0.2}},
		"folds":         {plain, &calibration.Options{Folds: 2}},
		"probabilities": {probabilities, nil},
	}
	for name, c := range table {
		t.Run(name, func(t *testing.T) {
			bigmkltest.NameInTurn(t, table, name, 3)
			plan := func() (*bigmkl.Plan, error) {
				if c.how == nil {
					return bigmkl.NewPlan(t.Context(), datasettest.Stream(rows), c.o)
				}
				return calibration.Plan(t.Context(), datasettest.Stream(rows), c.o, *c.how)
			}
			iterations := 0
			train := func(memory int64) error {
				o := c.o
				o.Memory, iterations = memory, 0
				o.Recorder = bigmkltest.Recorder(func(bigmkl.Event) error { iterations++; return nil })
				var m *bigmkl.Model
				var err error
				if c.how == nil {
					m, _, err = bigmkl.Train(t.Context(), datasettest.Stream(rows), o)
				} else {
					m, _, err = calibration.Train(context.Background(), datasettest.Stream(rows), o, *c.how)
				}
				if err == nil {
					m.Close()
				}
				return err
			}
			p, err := plan()
			if err != nil {
				t.Fatal(err)
			}
			if p.Memory.Least <= one+4<<20 {
				t.Fatalf("with predictions %d bytes, the training alone %d: the test compares nothing", p.Memory.Least, one)
			}
			// The training has room in the second budget, and its predictions have none.
			for _, memory := range []int64{1 << 20, one + 2<<20} {
				named := bigmkltest.LeastNamed(t, train(memory))
				if iterations > 0 {
					t.Errorf("--memory %d is rejected after %d iterations", memory, iterations)
				}
				if err := train(named); err != nil {
					t.Errorf("--memory %d was named as enough: %v", named, err)
				}
				if named < p.Memory.Least || named-p.Memory.Least >= 1<<20 {
					t.Errorf("--memory %d is named, planned are %d", named, p.Memory.Least)
				}
			}
		})
	}
}

// TestPlansBoundPredictions: what a plan counts for predictions with the model of a training is at least what they take with the
// trained model, part by part.
func TestPlansBoundPredictions(t *testing.T) {
	t.Parallel()
	dense, sparse := datasettest.Clouds(datasettest.Random(t, 190), 300, 30), bigmkltest.Words(t, 191, 160, 15000, 15)
	classes, sets := datasettest.Clusters(datasettest.Random(t, 12), 240, 8, 5, false), datasettest.Clusters(datasettest.Random(t, 13), 200, 8, 4, true)
	targets := slices.Clone(dense)
	for i := range targets {
		targets[i].Target = targets[i].Value[0]
	}
	pairs := bigmkltest.DrawPairs(t, 3, 120, 20, 15)
	const gausses = "gauss:2^-6..2^3,gauss:1@1-4"
	table := map[string]struct {
		rows []dataset.Row
		o    bigmkl.Options
	}{
		"dense":            {dense, bigmkl.Options{Kernels: "gauss:auto/10,linear,poly:2"}},
		"double":           {dense, bigmkl.Options{Kernels: "gauss:auto/3", Precision: "64", Norm: 8}},
		"centred":          {dense, bigmkl.Options{Kernels: "gauss:auto/5 norm=centred,linear norm=centred"}},
		"centred, sparse":  {sparse, bigmkl.Options{Kernels: "gauss:auto/3 norm=centred,linear", Store: dataset.LayoutSparse}},
		"many groups":      {dense, bigmkl.Options{Kernels: "gauss:auto/1@each-feature,laplace:1@random:5*60", Normalize: "spherical"}},
		"products":         {dense, bigmkl.Options{Kernels: "prod(gauss:auto,poly:2,laplace:1@1-10) norm=spherical,pow(linear,2)"}},
		"sparse":           {sparse, bigmkl.Options{Kernels: "gauss:auto/3,linear", Store: dataset.LayoutSparse}},
		"sparse, laid out": {sparse, bigmkl.Options{Kernels: "laplace:1,gauss:auto", Store: dataset.LayoutSparse}},
		"many widths":      {dense[:120], bigmkl.Options{Kernels: "gauss:0.0001..1/200,laplace:auto/20@each-feature", Precision: "64"}},
		"pairs":            {classes, bigmkl.Options{Kernels: gausses, Multiclass: bigmkl.OneVsOne}},
		"against the rest": {classes, bigmkl.Options{Kernels: gausses, Multiclass: bigmkl.OneVsRest}},
		"one theta":        {classes, bigmkl.Options{Kernels: gausses, Multiclass: bigmkl.OneVsRest, OneTheta: true}},
		"single":           {classes, bigmkl.Options{Kernels: gausses, Multiclass: bigmkl.SingleClassifier}},
		"sets":             {sets, bigmkl.Options{Kernels: gausses, Multiclass: bigmkl.MultiLabel}},
		"rkda":             {classes, bigmkl.Options{Kernels: gausses, Task: bigmkl.TaskRKDA}},
		"quantiles":        {targets, bigmkl.Options{Kernels: gausses, Task: bigmkl.TaskQuantile, Taus: []float64{0.1, 0.5, 0.9}}},
		"svr":              {targets, bigmkl.Options{Kernels: gausses, Task: bigmkl.TaskSVR}},
		"med":              {dense[:60], bigmkl.Options{Kernels: "gauss:1,gauss:0.1,linear", Task: bigmkl.TaskMED, Rounds: 1, Restarts: 1}},
		"mixture":          {dense, bigmkl.Options{Kernels: "gauss:1,gauss:0.1,linear", Task: bigmkl.TaskMixture, Rounds: 1, Restarts: 1}},
		"softmax":          {dense, bigmkl.Options{Kernels: "gauss:1,linear copies=2", Gating: "softmax", GateSteps: 2}},
		"gates of each":    {classes, bigmkl.Options{Kernels: "gauss:1,linear copies=2", Gating: "sigmoid", GateSteps: 2, Multiclass: bigmkl.OneVsRest}},
		"components":       {dense, bigmkl.Options{Kernels: "gauss:1,linear copies=2", Gating: "gauss", GateSteps: 2, GateOn: "pca:3"}},
		"landmarks":        {dense, bigmkl.Options{Kernels: "gauss:1,linear copies=2", Gating: "softmax", GateSteps: 2, GateOn: "kernel:gauss:1*9"}},
		"landmarks, words": {sparse, bigmkl.Options{Kernels: "gauss:1,linear", Gating: "softmax", GateSteps: 1, GateOn: "kernel:linear*9", Store: dataset.LayoutSparse}},
		"regions":          {dense, bigmkl.Options{Kernels: "gauss:1,linear", Gating: "regions:3"}},
		"letters":          {bigmkltest.Sites(datasettest.Random(t, 5), 80), bigmkl.Options{Sequences: dataset.DNA, Kernels: "spectrum:3,wd:4"}},
		"objects":          {pairs.Rows, bigmkl.Options{Kernels: "gauss:1@drug,linear@target", Objects: pairs.Set}},
	}
	for name, c := range table {
		t.Run(name, func(t *testing.T) {
			bigmkltest.NameInTurn(t, table, name, 5)
			c.o.Threads, c.o.MaxIterations, c.o.Scratch = 1, 20, t.TempDir()
			planned := plannedPrediction(t, c.rows, c.o)
			m, _, err := bigmkl.Train(t.Context(), datasettest.Stream(c.rows), c.o)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			err = m.Predict(t.Context(), datasettest.Stream(c.rows), bigmkl.PredictOptions{Memory: 1}, func(bigmkl.Prediction) error { return nil })
			if !errors.Is(err, fail.Budget) {
				t.Fatal(err)
			}
			taken := partsNamed(t, err.Error())
			for name, bytes := range taken {
				if of := float64(planned[name]) * budget.Slack; bytes > 1.01*of {
					t.Errorf("%s: %.0f bytes are planned, and predictions take %.0f", name, of, bytes)
				}
				delete(planned, name)
			}
			for name, bytes := range planned {
				if bytes > 1<<20 {
					t.Logf("%s: %d bytes are planned for nothing", name, bytes)
				}
			}
			if len(taken) < 6 {
				t.Errorf("%d parts in: %v", len(taken), err)
			}
		})
	}
}

// plannedPrediction returns what the plan of a training counts for predictions with its model, in bytes and by part.
func plannedPrediction(t *testing.T, rows []dataset.Row, o bigmkl.Options) map[string]int64 {
	t.Helper()
	o.Kept.Predicted = true
	cut, err := o.Parts()
	if err != nil {
		t.Fatal(err)
	}
	w, err := train.Open(cut)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Read(t.Context(), datasettest.Stream(rows)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Plan(t.Context()); err != nil {
		t.Fatal(err)
	}
	var points kernels.Points = w.Store
	bank, r := w.Kernels.Bank, w.BudgetRun()
	if o.Gating != "" {
		bank = bank.Gated(nil, nil)
	}
	p := r.Prediction(r, points, bank)
	all := map[string]int64{}
	for _, double := range []bool{false, true} {
		work, _, _ := p.Work(bank, double)
		for _, part := range append(p.Tables(), work...) {
			all[part.Name] = max(all[part.Name], part.Bytes)
		}
	}
	return all
}

// partsNamed returns the bytes of each part that a rejection names, except for the program.
func partsNamed(t *testing.T, text string) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	_, list, _ := strings.Cut(text, " of memory: ")
	units := map[string]float64{"B": 1, "bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
	for _, m := range regexp.MustCompile(`([^=;]+) = ([0-9.]+) (B|bytes|KiB|MiB|GiB)(?: \+ |;)`).FindAllStringSubmatch(list, -1) {
		x, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		name := m[1]
		for _, formula := range []string{" 112 d", " 300 M", " 24 for each", " 88 for each", " 16 for each dual variable + 16 M each"} {
			name = strings.TrimSuffix(name, formula)
		}
		all[name] = x * units[m[3]]
	}
	delete(all, "the program")
	return all
}
