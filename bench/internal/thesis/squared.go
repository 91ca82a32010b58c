package thesis

import (
	"context"
	"time"

	"github.com/spf13/pflag"

	"bigmkl"
	"bigmkl/bench/internal/harness"
)

// The squared loss has no bounds on the dual variables, so a step may move all of them (quasi-Newton). Chunking moves
// a few at a time and shares its kernel rows with the other losses. Which one is faster depends on the rank of the
// kernels: working sets see a small part of a Hessian of low rank. Both are stopped at the same certified gap.

// squaredRow is the squared loss with one of its solvers.
// Run has all figures of the training, for readers of the JSON file.
type squaredRow struct {
	// Solver is chunking or lbfgs.
	Norm   string `json:"p" table:"p"`
	Solver string `json:"solver" table:"solver"`
	solverFigures
	Run harness.Outcome `json:"run"`
}

// solverFigures is the part of an outcome that a comparison of solvers shows.
// CPU is processor time of the process, so it includes the reading of rows. Seconds is the training alone.
type solverFigures struct {
	Iterations int     `json:"iterations" table:"iterations"`
	Rows       int64   `json:"rows" table:"rows"`
	Seconds    float64 `json:"train_seconds" table:"seconds|%.2f"`
	CPU        float64 `json:"cpu_seconds" table:"CPU s with reading|%.2f"`
	Gap        float64 `json:"relative_gap" table:"relative gap|%.2e"`
	Status     string  `json:"status" table:"status"`
}

// Squared compares the solvers of the squared loss.
// The problem is min 1/2 ||w||^2_{2,p} + C/2 sum (f(x_i) - y_i)^2, the smooth group lasso of Kloft (2011,
// 2.3.3).
func Squared() harness.Experiment {
	// Both flags are empty by default, which means the full list and one minute.
	var norms []string
	var limit time.Duration
	return harness.Experiment{
		Name: "squared", Short: "the squared loss by chunking and by quasi-Newton steps",
		Long: "Trains the smooth group lasso (Kloft 2011, 2.3.3) by chunking and by limited-memory\n" +
			"quasi-Newton steps: regression on concrete and whitewine, and on the class numbers of\n" +
			"sleep, with Gaussians and with one linear kernel for each feature.",
		Flags: func(f *pflag.FlagSet) {
			f.StringSliceVar(&norms, "norms", nil, "block norms (default 1, 4/3, 2, 4)")
			f.DurationVar(&limit, "limit", 0, "time limit of each training (default 1m)")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			// Quick runs have two norms in the middle.
			all := []string{"1", "4/3", "2", "4"}
			if s.Quick {
				all = all[1:3]
			}
			// The same limit holds for quick runs, whose problem is small.
			if limit == 0 {
				limit = time.Minute
			}
			for _, u := range listRegressions(s, r) {
				// A table is one problem, with two lines for each norm.
				t := r.Table("%s, %s, C = %g", u.Data.Name, u.Options.Kernels, u.Options.C)
				for _, norm := range harness.OrDefault(norms, all) {
					for _, solver := range []string{bigmkl.SolverChunking, bigmkl.SolverLBFGS} {
						// The copy differs from the problem in norm, solver and time limit alone.
						v := u
						v.Norm, v.Options.Solver, v.Options.MaxTime = norm, solver, limit
						// The comparison holds at equal gaps. Status shows a training that missed it.
						o, err := s.Train(ctx, v)
						if err != nil {
							return err
						}
						t.Add(squaredRow{norm, solver,
							solverFigures{o.Iterations, o.Rows, o.Seconds, o.CPU, o.Gap, o.Status},
							o})
					}
				}
			}
			return nil
		},
	}
}

// listRegressions returns the problems whose data are found, or a small one if there are none. A linear
// kernel for each feature has a Hessian of low rank, and Gaussians have one of full rank.
func listRegressions(s *harness.Session, r *harness.Report) []harness.Training {
	var list []harness.Training
	// points is the number of rows that are used, 0 for all.
	add := func(d harness.DataSet, kernels string, cost float64, points int) {
		list = append(list, harness.Training{Data: d, Options: bigmkl.Options{
			Task: bigmkl.TaskSquare, Kernels: kernels, C: cost, Limit: points, Scale: "standard",
			Gap: 1e-3,
		}})
	}
	// gauss:auto/10 has ten widths on all features. linear@each-feature has M = d kernels of rank 1.
	const gaussians, features = "gauss:auto/10", "linear@each-feature"
	for _, c := range []struct {
		set, kernels string
		cost         float64
		points       int
	}{
		// The class numbers of sleep serve as targets of a regression.
		{"concrete", gaussians, 1, 0}, {"whitewine", gaussians, 1, 0}, {"sleep", gaussians, 1,
			10000},
		{"whitewine", features, 1, 0}, {"sleep", features, 1, 0},
	} {
		// Absent sets are noted, and their lines are missing.
		if d, there := s.Data.Find(c.set, ""); there {
			add(d, c.kernels, c.cost, c.points)
		} else {
			r.Note("%s", s.Data.DescribeAbsence(c.set))
		}
	}
	// Without any set the experiment still shows that it works.
	if s.Quick || len(list) == 0 {
		list = nil
		add(harness.DataSet{Name: "dense clouds",
			Synthetic: &harness.Synthetic{Kind: "dense", Points: 500, Features: 10, Seed: 5}}, features, 1,
			0)
	}
	return list
}
