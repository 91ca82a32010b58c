// Package gonen repeats the experiments of Gonen and Alpaydin on localized multiple kernel learning, on kernels with
// costs and on gates of a regression.
package gonen

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
)

// gonenTables lists the tables of Goenen 2010 that are repeated.
// The names with a point are tables of the thesis. The others are experiments of its text or of its papers.
var gonenTables = []string{"5.6", "5.16", "5.10", "gauss", "ring", "5.11", "5.12", "5.22", "5.24", "rmkl"}

// row is one line of a table: means and standard deviations over ten trainings. The column Printed has
// the same figures from the thesis, for a comparison line by line.
type row struct {
	// All figures are text, since each is a mean with a deviation.
	Task    string `json:"task" table:"task"`
	Variant string `json:"variant" table:"variant"`
	// C is the chosen cost, and Weights the mean weights of the kernels.
	C        string `json:"C" table:"C"`
	Accuracy string `json:"accuracy" table:"test accuracy %"`
	Support  string `json:"support" table:"support vectors %"`
	Cost     string `json:"cost" table:"total cost %"`
	Weights  string `json:"weights" table:"weights"`
	Printed  string `json:"printed" table:"printed in the thesis"`
}

// Experiment repeats tables of Goenen's thesis. Most trainings take less than a second, so they run in
// this process: the start of a child would take as long.
// A table whose data are absent has a note in its place.
func Experiment() harness.Experiment {
	// The default is arbitrary and fixed, so a run can be repeated.
	var seed uint64
	return harness.Experiment{
		Name: "gonen", Short: "tables of Goenen's thesis (2010)",
		Long: "Trains by the protocol of the thesis, five times two folds of two thirds of the rows, with\n" +
			"features standardised by the fold, spherical normalisation and p = 1:\n" +
			"5.6 and 5.16 (the column MKL), six views of handwritten digits; 5.10, costs of a linear, a\n" +
			"quadratic and a Gaussian kernel on twelve tasks of at most 1,506 rows; 5.11 and 5.12, costs of\n" +
			"the movement of a pen and of its traces as images of several sizes; rmkl, the regularisation\n" +
			"parameters of the six views by a response surface (MULTIFEAT-SL of 5.6). Table 5.16 has gates\n" +
			"that are learned as well, and gauss copies of a linear kernel on GAUSS4 and MOTORCYCLE; 5.22 and\n" +
			"5.24 are regressions by polynomials, alone and with gates; ring has projections of\n" +
			"twenty features, two of which say the class. The trainings run in this process, on all threads.",
		Argument: "TABLE...", StandIn: "5.6", Several: true,
		Flags: func(f *pflag.FlagSet) {
			f.Uint64Var(&seed, "seed", 17, "seed of the rows that are taken and of the folds")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, args []string) error {
			// Tables run in the order of the command line, each with random numbers of its own.
			for _, table := range args {
				var err error
				switch {
				case table == "5.10":
					err = costTable(ctx, s, r, seed)
				// The tables of regressions are in a map, because they differ in data and kernels alone.
				case regressionTasks[table].set != "":
					err = regressionTable(ctx, s, r, seed, regressionTasks[table])
				case table == "gauss":
					err = gaussTable(ctx, s, r, seed)
				case table == "ring":
					err = ringTable(ctx, s, r, seed)
				case table == "5.11":
					err = penTable(ctx, s, r, seed, "Table 5.11: the movement of a pen and 16 x 16 images, of costs 1 and 4",
						"linear@DYN cost=1,linear@STA16 cost=4", penPrinted11)
				case table == "5.12":
					err = penTable(ctx, s, r, seed,
						"Table 5.12: the movement of a pen and 4 x 4, 8 x 8 and 16 x 16 images, of costs 1, 1, 2 and 4",
						"linear@DYN cost=1,linear@STA4 cost=1,linear@STA8 cost=2,linear@STA16 cost=4", penPrinted12)
				case table == "rmkl":
					err = tunedTable(ctx, s, r, seed)
				case !slices.Contains(gonenTables, table):
					err = fmt.Errorf("no table %s (one of %s)", table, strings.Join(gonenTables, ", "))
				default:
					if table == "5.6" || !slices.Contains(args, "5.6") { // has the same line of MKL
						err = digitsTable(ctx, s, r, seed)
					}
					if err == nil && table == "5.16" {
						err = digitsGates(ctx, s, r, seed)
					}
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// digitsTable trains on the six views of multifeat, at the C of the thesis. The C are the ones that the
// thesis chose, so no time goes into a choice.
func digitsTable(ctx context.Context, s *harness.Session, r *harness.Report, seed uint64) error {
	// The set has 2,000 digits in six views.
	d, ok := s.Data.Find("multifeat", "")
	if !ok {
		r.Note("%s", s.Data.DescribeAbsence("multifeat"))
		return nil
	}
	// The views are six kinds of features of the same images.
	views, err := dataset.ReadViews(filepath.Join(filepath.Dir(d.File), "multifeat.views.txt"))
	if err != nil {
		return err
	}
	t := r.Table("Tables 5.6 and 5.16, MKL: one linear kernel for each of six views")
	for _, c := range []struct {
		// positive has the digits of the positive class, and printed the line of the thesis.
		name, positive, printed string
		cost                    float64
	}{
		{"MULTIFEAT-EO", "02468", "98.3, 14.9 % SVs, 0.30-0.29-0.11-0.01-0.28-0.02", 10},
		{"MULTIFEAT-SL", "01234", "97.4, 32.6 % SVs, 0.25-0.30-0.09-0.15-0.15-0.07", 1},
	} {
		// Labels are single digits.
		task := Task{Positive: strings.Split(c.positive, "")}
		o := bigmkl.Options{Kernels: "linear@each-view", Views: views}
		// Both tasks begin with the same random numbers, so they have the same draws.
		rng := rand.New(rand.NewPCG(seed, 1))
		// One C is given, so at is 0.
		results, at, err := runTask(ctx, s, c.name, d, task, o, []float64{c.cost}, 0, rng)
		if err != nil {
			return err
		}
		t.Add(newRow(c.name, "MKL", c.cost, results[at], c.printed))
	}
	return nil
}

// runTask runs the ten folds of a task. results has the results of the folds for each C. at is
// the place of the C with the best mean accuracy on the validation rows, of equals the smallest.
// The thesis chooses C so, once for all folds and without the test rows.
func runTask(ctx context.Context, s *harness.Session, name string, d harness.DataSet, task Task,
	o bigmkl.Options, costs []float64, most int, rng *rand.Rand) (results [][]Result, at int,
	err error) {
	// most limits the number of rows, 0 for all.
	rows, err := ReadRows(d, task, most, rng)
	if err != nil {
		return nil, 0, err
	}
	// Ten folds have the same rows for testing.
	folds := drawFolds(rows, rng)
	// Two folds show that the protocol works.
	if s.Quick {
		folds = folds[:2]
	}
	// Each goroutine writes the results of its own fold, so no lock is needed.
	found := make([][]Result, len(folds))
	// Folds run side by side with one thread each: such small trainings gain little from several.
	o.Threads, o.Scratch = 1, s.Scratch
	// The first fault cancels the other folds.
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(s.Threads)
	for k, fold := range folds {
		group.Go(func() (err error) {
			s.Progress.ShowNow("%s, fold %d of %d", name, k+1, len(folds))
			found[k], err = trainGonen(inner, o, fold, costs)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, 0, err
	}
	// A later C replaces the best only if it is better, so equals leave the smallest.
	best := math.Inf(-1)
	// results[c] has the folds of cost c, and found has the costs of each fold.
	for c := range costs {
		var list []Result
		for _, f := range found {
			list = append(list, f[c])
		}
		results = append(results, list)
		if m, _ := meanDeviation(list, func(r Result) float64 { return r.validation }); m > best {
			best, at = m, c
		}
	}
	return results, at, nil
}

// newRow formats the results of the folds at one C, as the thesis prints them: mean and standard
// deviation over the ten trainings.
func newRow(task, variant string, cost float64, list []Result, printed string) row {
	// The weights are means alone, since their deviations would not fit into a line.
	of := func(value func(Result) float64) string {
		m, d := meanDeviation(list, value)
		return fmt.Sprintf("%.2f ± %.2f", m, d)
	}
	var weights []string
	for k := range list[0].weights {
		m, _ := meanDeviation(list, func(r Result) float64 { return r.weights[k] })
		weights = append(weights, fmt.Sprintf("%.2f", m))
	}
	return row{
		Task: task, Variant: variant, C: fmt.Sprintf("%g", cost),
		Accuracy: of(func(r Result) float64 { return r.test }),
		Support:  of(func(r Result) float64 { return r.support }),
		Cost:     of(func(r Result) float64 { return r.cost }),
		Weights:  strings.Join(weights, "-"), Printed: printed,
	}
}

// meanDeviation returns the mean and the standard deviation of a sample. The divisor is n-1. One value
// has the deviation 0.
// The deviation is of single trainings, as the thesis prints it.
func meanDeviation(list []Result, value func(Result) float64) (mean, deviation float64) {
	n := float64(len(list))
	for _, r := range list {
		mean += value(r) / n
	}
	for _, r := range list {
		deviation += (value(r) - mean) * (value(r) - mean)
	}
	return mean, math.Sqrt(deviation / max(1, n-1))
}
