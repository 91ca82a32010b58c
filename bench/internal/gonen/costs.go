package gonen

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/internal/evaluate"
)

// A kernel may be expensive at prediction, such as a Gaussian of many support vectors beside a linear kernel. With a
// cost in the norm the training prefers inexpensive kernels. The table shows how many support vectors and kernels that
// saves, and how much accuracy it loses.

// costTable compares costs of kernels that are only charged after the training (equal cost) with
// costs that enter the norm (cost-conscious). Wilcoxon's signed-rank test over the tasks asks
// whether the accuracies differ. The cost of a decision is the number of support vectors times the
// share of the active kernels in the costs of all, in percent of the rows. A printed entry has
// accuracy, support vectors and total cost in percent, and the weights.
func costTable(ctx context.Context, s *harness.Session, r *harness.Report, seed uint64) error {
	// nn is the width by the nearest neighbours, which the thesis takes.
	const kernels = "linear cost=1,poly:2 cost=1.4142,gauss:nn cost=2"
	// pair separates two labels of a set with more of them, and whole two classes.
	pair := func(set, a, b string) Task {
		return Task{Set: set, Positive: []string{a}, negative: []string{b}}
	}
	whole := func(set string) Task { return Task{Set: set, Positive: []string{"+1", "1"}} }
	t := r.Table("Table 5.10: linear, quadratic and Gaussian kernels of costs 1, 1.4142 and 2")
	// fewer counts tasks with fewer support vectors, cheaper tasks with a smaller total cost.
	fewer, cheaper, count := 0, 0, 0
	var differences []float64
	for _, c := range []struct {
		task    Task
		printed [2]string
	}{
		{whole("banana"), [2]string{"83.17, 90.68, 70.14, 0.00-0.03-0.97", "83.27, 83.27, 64.40, 0.00-0.04-0.96"}},
		{whole("heart"), [2]string{"79.67, 79.44, 18.00, 1.00-0.00-0.00", "79.67, 79.44, 18.00, 1.00-0.00-0.00"}},
		{pair("optdigits", "1", "8"), [2]string{"98.01, 28.21, 28.21, 0.27-0.38-0.34", "98.01, 19.12, 10.46, 0.53-0.47-0.00"}},
		{pair("optdigits", "3", "9"), [2]string{"96.71, 25.46, 25.46, 0.44-0.20-0.36", "97.37, 15.25, 8.34, 0.73-0.27-0.00"}},
		{pair("pendigits", "0", "8"), [2]string{"99.30, 11.70, 11.70, 0.18-0.71-0.11", "99.80, 9.10, 9.10, 0.25-0.66-0.09"}},
		{pair("pendigits", "1", "7"), [2]string{"100.00, 14.00, 14.00, 0.39-0.24-0.37", "100.00, 6.50, 6.50, 0.68-0.23-0.09"}},
		{pair("pendigits", "5", "9"), [2]string{"99.20, 33.20, 18.16, 0.79-0.21-0.00", "99.20, 32.60, 7.39, 1.00-0.00-0.00"}},
		{whole("pima"), [2]string{"73.09, 68.91, 20.14, 0.97-0.03-0.00", "72.93, 68.79, 15.58, 1.00-0.00-0.00"}},
		{whole("ringnorm"), [2]string{"98.01, 26.85, 12.17, 0.00-0.00-1.00", "87.25, 82.46, 56.05, 0.75-0.00-0.25"}},
		{whole("sonar"), [2]string{"81.14, 86.96, 86.96, 0.14-0.33-0.54", "80.29, 69.13, 37.81, 0.48-0.52-0.00"}},
		{whole("spambase"), [2]string{"92.53, 42.99, 42.99, 0.39-0.18-0.43", "92.43, 31.06, 12.40, 0.96-0.04-0.00"}},
		{whole("twonorm"), [2]string{"97.20, 89.10, 20.18, 1.00-0.00-0.00", "97.20, 89.00, 20.16, 1.00-0.00-0.00"}},
	} {
		found, err := compareCosts(ctx, s, r, t, c.task, bigmkl.Options{Kernels: kernels}, seed, c.printed)
		if err != nil {
			return err
		}
		// The data of the task are absent.
		if found[0] == nil {
			continue
		}
		count++
		if meanOf(found[1], supportOf) < meanOf(found[0], supportOf) {
			fewer++
		}
		if meanOf(found[1], costOf) < meanOf(found[0], costOf) {
			cheaper++
		}
		// A difference is cost-conscious minus equal cost, in percent of accuracy.
		differences = append(differences, meanOf(found[1], testOf)-meanOf(found[0], testOf))
	}
	t.Note("support vectors fall on %d and total cost on %d of %d tasks; the accuracies differ with p = %.3g by "+
		"Wilcoxon's test", fewer, cheaper, count, evaluate.Wilcoxon(differences))
	return nil
}

// These are figures of a training.
func supportOf(r Result) float64 { return r.support }
func costOf(r Result) float64    { return r.cost }
func testOf(r Result) float64    { return r.test }

// meanOf returns the mean of a figure.
func meanOf(list []Result, of func(Result) float64) float64 {
	m, _ := meanDeviation(list, of)
	return m
}

// compareCosts trains a task with costs of kernels that are charged alone and with costs in the norm,
// on the same rows and folds, and adds both lines to a table. found is empty where there are no data.
func compareCosts(ctx context.Context, s *harness.Session, r *harness.Report, t *harness.Table, task Task,
	o bigmkl.Options, seed uint64, printed [2]string) (found [2][]Result, err error) {
	// Tasks of the thesis have at most this number of rows.
	const most = 1506
	// C is chosen from these values on the validation rows.
	costs := []float64{1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1e3, 1e4}
	if s.Quick {
		costs = costs[3:6]
	}
	d, ok := s.Data.Find(task.Set, "")
	if !ok {
		r.Note("%s", s.Data.DescribeAbsence(task.Set))
		return found, nil
	}
	name := strings.ToUpper(task.Set)
	if task.negative != nil {
		name += fmt.Sprintf(" (%svs%s)", task.Positive[0], task.negative[0])
	}
	// At the power 0 every kernel has cost 1 in the norm. The bank still has the true costs,
	// which the table charges.
	for k, power := range []float64{bigmkl.Zero, 1} {
		o.CostPower = power
		// Both variants start from the same numbers, so they have the same rows and folds and can be
		// compared in pairs.
		rng := rand.New(rand.NewPCG(seed, 2))
		results, at, err := runTask(ctx, s, name, d, task, o, costs, most, rng)
		if err != nil {
			return found, err
		}
		found[k] = results[at]
		t.Add(newRow(name, []string{"equal cost", "cost-conscious"}[k], costs[at], found[k],
			printed[k]))
	}
	return found, nil
}
