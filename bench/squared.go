package main

import (
	"context"
	"time"

	"github.com/spf13/pflag"

	"bigmkl"
)

// squaredRow is the squared loss with one of its solvers.
type squaredRow struct {
	Norm   string `json:"p" table:"p"`
	Solver string `json:"solver" table:"solver"`
	solverFigures
	Run outcome `json:"run"`
}

// solverFigures is the part of an outcome that a comparison of solvers shows.
type solverFigures struct {
	Iterations int     `json:"iterations" table:"iterations"`
	Rows       int64   `json:"rows" table:"rows"`
	Seconds    float64 `json:"train_seconds" table:"seconds|%.2f"`
	CPU        float64 `json:"cpu_seconds" table:"CPU s with reading|%.2f"`
	Gap        float64 `json:"relative_gap" table:"relative gap|%.2e"`
	Status     string  `json:"status" table:"status"`
}

// squaredExperiment compares the solvers of the squared loss.
func squaredExperiment() experiment {
	var norms []string
	var limit time.Duration
	return experiment{
		name: "squared", short: "the squared loss by chunking and by quasi-Newton steps",
		long: "Trains the smooth group lasso (Kloft 2011, 2.3.3) by chunking and by limited-memory\n" +
			"quasi-Newton steps: regression on concrete and whitewine, and on the class numbers of\n" +
			"sleep, with Gaussians and with one linear kernel for each feature.",
		flags: func(f *pflag.FlagSet) {
			f.StringSliceVar(&norms, "norms", nil, "block norms (default 1, 4/3, 2, 4)")
			f.DurationVar(&limit, "limit", 0, "time limit of each training (default 1m)")
		},
		run: func(ctx context.Context, s *session, r *experimentReport, _ []string) error {
			all := []string{"1", "4/3", "2", "4"}
			if s.quick {
				all = all[1:3]
			}
			if limit == 0 {
				limit = time.Minute
			}
			for _, u := range listRegressions(s, r) {
				t := r.table("%s, %s, C = %g", u.Data.Name, u.Options.Kernels, u.Options.C)
				for _, norm := range orDefault(norms, all) {
					for _, solver := range []string{bigmkl.SolverChunking, bigmkl.SolverLBFGS} {
						v := u
						v.Norm, v.Options.Solver, v.Options.MaxTime = norm, solver, limit
						o, err := s.runTraining(ctx, v)
						if err != nil {
							return err
						}
						t.add(squaredRow{norm, solver,
							solverFigures{o.Iterations, o.Rows, o.Seconds, o.CPU, o.Gap, o.Status},
							o})
					}
				}
			}
			return nil
		},
	}
}

// listRegressions returns the problems whose data are found, or a small one if there are none.
func listRegressions(s *session, r *experimentReport) []training {
	var list []training
	add := func(d dataSet, kernels string, cost float64, points int) {
		list = append(list, training{Data: d, Options: bigmkl.Options{
			Task: bigmkl.TaskSquare, Kernels: kernels, C: cost, Limit: points, Scale: "standard",
			Gap: 1e-3,
		}})
	}
	const gaussians, features = "gauss:auto/10", "linear@each-feature"
	for _, c := range []struct {
		set, kernels string
		cost         float64
		points       int
	}{
		{"concrete", gaussians, 1, 0}, {"whitewine", gaussians, 1, 0}, {"sleep", gaussians, 1,
			10000},
		{"whitewine", features, 1, 0}, {"sleep", features, 1, 0},
	} {
		if d, there := s.findData(c.set, ""); there {
			add(d, c.kernels, c.cost, c.points)
		} else {
			r.note("%s", s.describeAbsence(c.set))
		}
	}
	if s.quick || len(list) == 0 {
		list = nil
		add(dataSet{Name: "dense clouds",
			Synthetic: &synthetic{Kind: "dense", Points: 500, Features: 10, Seed: 5}}, features, 1,
			0)
	}
	return list
}
