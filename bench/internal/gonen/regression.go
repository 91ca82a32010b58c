package gonen

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
)

// Regressions by gates that are learned, section 5.3.2 of the thesis: a linear kernel and
// polynomials up to the fifth degree alone, and all of them with gates. Ten trainings of a third of
// the rows each are tested on another third.

// regressionTask is a table of regressions with the cost and the width of its tube.
type regressionTask struct {
	// epsilon is the half-width of the tube, in the unit of the targets.
	table, set    string
	cost, epsilon float64
	// printed has the errors and the shares of support vectors in the thesis, in the order of
	// regressionVariants.
	printed []string
}

// regressionTasks are the tasks of the tables.
// Each printed figure has the squared error and the share of support vectors.
var regressionTasks = map[string]regressionTask{
	"5.22": {"Table 5.22: CONCRETE", "concrete", 100, 4, []string{
		"120.61, 44.3 % SVs", "92.57, 36.2 % SVs", "58.32, 73.2 % SVs", "63.83, 52.5 % SVs", "61.26, 52.2 % SVs",
		"44.80, 64.3 % SVs", "48.18, 49.2 % SVs", "53.14, 34.9 % SVs", ""}},
	"5.24": {"Table 5.24: WHITEWINE", "whitewine", 1, 0.32, []string{
		"0.59, 66.8 % SVs", "0.54, 66.2 % SVs", "0.54, 66.1 % SVs", "0.52, 66.6 % SVs", "0.52, 66.3 % SVs",
		"0.52, 18.7 % SVs", "0.51, 38.3 % SVs", "", ""}},
}

// regressionVariants are the lines of a table. The last one takes the decay of the least error in
// validation.
// k_L is the linear kernel and k_P a polynomial of degree q, as the thesis names them.
var regressionVariants = []struct{ variant, kernels, gating string }{
	{"k_L", "linear", ""},
	{"k_P, q = 2", "poly:2", ""},
	{"k_P, q = 3", "poly:3", ""},
	{"k_P, q = 4", "poly:4", ""},
	{"k_P, q = 5", "poly:5", ""},
	{"softmax", fiveKernels, "softmax"},
	{"sigmoid", fiveKernels, "sigmoid"},
	{"softmax, 5 copies of k_L", "linear copies=5", "softmax"},
	{"sigmoid, decay", fiveKernels, "sigmoid"},
}

// fiveKernels are the kernels of a regression.
const fiveKernels = "linear,poly:2,poly:3,poly:4,poly:5"

// regressionDecays are the decays of the gates that bestDecay chooses from. Three values keep the
// choice short: each takes ten trainings with gates.
var regressionDecays = []float64{1e-4, 1e-3, 1e-2}

// regressionTable trains the variants of a table on the same ten folds. One kernel alone shows
// what gates add: the thesis chooses the degree of the polynomial by hand, and gates choose it
// by the region.
func regressionTable(ctx context.Context, s *harness.Session, r *harness.Report, seed uint64,
	task regressionTask) error {
	d, ok := s.Data.Find(task.set, "")
	if !ok {
		r.Note("%s", s.Data.DescribeAbsence(task.set))
		return nil
	}
	rows, err := readTargets(d)
	if err != nil {
		return err
	}
	// All variants have the same folds.
	folds := targetFolds(rows, rand.New(rand.NewPCG(seed, 6)))
	t := r.Table("%s, squared error, C = %g, eps = %g", task.table, task.cost, task.epsilon)
	for k, c := range regressionVariants {
		o := bigmkl.Options{Task: bigmkl.TaskSVR, Kernels: c.kernels, Gating: c.gating, C: task.cost,
			Epsilon: task.epsilon, Scale: "standard", Normalize: "spherical", Norm: 2}
		variant := c.variant
		// The last line chooses its decay first, on the rows for validation.
		if k == len(regressionVariants)-1 {
			if o.GateDecay, err = bestDecay(ctx, s, task.set, o, folds); err != nil {
				return err
			}
			variant = fmt.Sprintf("%s %g", variant, o.GateDecay)
		}
		list, err := trainAllGated(ctx, s, task.set+" "+variant, o, folds)
		if err != nil {
			return err
		}
		t.Add(newGatedRow(task.set, variant, list, task.printed[k]))
	}
	return nil
}

// bestDecay returns the decay with the least error on the rows for validation. The rows for
// testing have no influence on it.
func bestDecay(ctx context.Context, s *harness.Session, name string, o bigmkl.Options, folds []Fold) (
	best float64, err error) {
	// trainAllGated measures on Test, so the rows for validation take this place.
	held := make([]Fold, len(folds))
	for k, f := range folds {
		held[k] = Fold{Train: f.Train, Test: f.validation}
	}
	least := math.Inf(1)
	for _, decay := range regressionDecays {
		o.GateDecay = decay
		list, err := trainAllGated(ctx, s, fmt.Sprintf("%s, decay %g", name, decay), o, held)
		if err != nil {
			return 0, err
		}
		// Folds are equally large, so the sum orders the decays as the mean does.
		sum := 0.0
		for _, r := range list {
			sum += r.test
		}
		if sum < least {
			least, best = sum, decay
		}
	}
	return best, nil
}

// targetFolds returns ten folds of the rows of a regression, as drawFolds does for two classes. Targets
// have no classes, so rows are shuffled as a whole and not by class.
func targetFolds(rows []dataset.Row, rng *rand.Rand) (folds []Fold) {
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	// The same third is for testing in all ten folds.
	test, rest := rows[:len(rows)/3], rows[len(rows)/3:]
	for range 5 {
		order := make([]dataset.Row, len(rest))
		for k, i := range rng.Perm(len(rest)) {
			order[k] = rest[i]
		}
		half := len(order) / 2
		folds = append(folds, Fold{order[:half], order[half:], test},
			Fold{order[half:], order[:half], test})
	}
	return folds
}
