package thesis

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"bigmkl"
	"bigmkl/bench/internal/harness"
)

// Solvers of the same problem differ in what a step moves: chunking moves weights with every working set, wrappers
// train a whole classifier between two steps of the weights, and cutting planes take the weights from a small program
// over all planes so far. Equal gaps make their times comparable, and equal dual values show that they solve one
// problem.

// solverRow is a training by one solver. Seconds are medians; the other figures belong to the
// last run.
// A row is a solver at one size, with one norm.
type solverRow struct {
	Solver  string  `json:"solver" table:"solver"`
	Points  int     `json:"n" table:"n"`
	Kernels int     `json:"kernels" table:"kernels"`
	Norm    string  `json:"p" table:"p"`
	Seconds float64 `json:"train_seconds" table:"seconds|%.2f"`
	CPU     float64 `json:"cpu_seconds" table:"CPU s with reading|%.2f"`
	Against float64 `json:"against_chunking" table:"times chunking's CPU|%.1f"`
	// Moves counts changes of the weights. Chunking changes them with every working set.
	Moves int     `json:"moves" table:"steps of the weights"`
	Dual  float64 `json:"dual" table:"dual|%.6g"`
	// Difference is |D - D'| / max(|D|, |D'|) of the dual values. Certified gaps bound it.
	Difference float64 `json:"dual_difference" table:"from chunking's|%.1e"`
	harness.Certificate
	Run harness.Outcome `json:"run"`
}

// Solvers compares solvers on the two runtime experiments of the thesis.
// The problems are figure31 of this package: time against the number of points, and against the number of
// kernels.
func Solvers() harness.Experiment {
	var sizes, counts []int
	var norms, names []string
	var limit time.Duration
	// All solvers stop at the same certified gap, and not at tolerances of their own.
	var gap float64
	var repeats int
	return harness.Experiment{
		Name:  "solvers",
		Short: "five solvers on the two runtime experiments of the thesis",
		Long: "Solves the problems of figure31 to the same gap with each solver. All solvers use the\n" +
			"same gradients and end in the same certificate, so that only the method differs.\n" +
			"SimpleMKL and HessianMKL exist for p = 1. The solvers take turns; seconds are medians.",
		Flags: func(f *pflag.FlagSet) {
			f.IntSliceVar(&sizes, "sizes", nil,
				"numbers of points for 50 kernels (default 500 .. 8000)")
			f.IntSliceVar(&counts, "kernels", nil,
				"numbers of kernels for 1000 points (default 50 .. 10000)")
			f.StringSliceVar(&norms, "norms", nil, "block norms (default 1, 4/3)")
			f.StringSliceVar(&names, "solvers", nil, "solvers to compare (default all)")
			f.DurationVar(&limit, "max-time", 0, "time limit of each training (default 2m)")
			f.Float64Var(&gap, "gap", 1e-3, "relative gap to reach")
			f.IntVar(&repeats, "repeat", 0, "number of runs of each solver (default 3)")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			// The second list is for a full run, and the third one for a quick run.
			sizes := s.ChooseInts(sizes, []int{500, 1000, 2000, 4000, 8000}, []int{300})
			counts := s.ChooseInts(counts, []int{50, 200, 1000, 10000}, []int{20})
			// A solver that reaches the limit has a row with its gap, so the table shows how far it came.
			if limit == 0 {
				limit = 2 * time.Minute
				if s.Quick {
					limit = harness.QuickTime
				}
			}
			if repeats == 0 {
				repeats = s.ChooseInts(nil, []int{3}, []int{1})[0]
			}
			// Even digits are the positive class, as in the thesis.
			digits, positive := s.Data.FindDigits(r)
			// series adds the rows of one size to a table, for each norm.
			series := func(t *harness.Table, kernels string, count, points int) error {
				for _, norm := range harness.OrDefault(norms, []string{"1", "4/3"}) {
					u := harness.ThesisTraining(digits, positive, kernels, norm, points)
					// A solver that misses the limit is not run again.
					u.Options.MaxTime, u.Options.Gap = limit, gap
					if err := runSolversInTurns(ctx, s, t, u,
						harness.OrDefault(names, solversFor(norm, count)), repeats); err != nil {
						return err
					}
				}
				return nil
			}
			// The head of each table has the number that stays fixed.
			t := r.Table("Against the number of points, 50 Gaussians with 2 sigma^2 = 1.2^0 .. 1.2^49")
			for _, n := range sizes {
				if err := series(t, harness.FiftyGaussians, 50, n); err != nil {
					return err
				}
			}
			// Each table varies one number alone.
			points := s.ChooseInts(nil, []int{1000}, []int{200})[0]
			t = r.Table("Against the number of kernels, %d points, Gaussians with 2 sigma^2 geometric in [1, 2^20]", points)
			t.Note("HessianMKL is left out above %d kernels: it factorises a matrix of their number squared.", mostSecond)
			for _, m := range counts {
				if err := series(t, harness.ManyGaussians(m), m, points); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// mostSecond is the number of kernels up to which HessianMKL is tried. It factorises an M x M
// matrix for M kernels.
const mostSecond = 2000

// solversFor lists the solvers that exist for a norm and a number of kernels, chunking first.
func solversFor(norm string, kernels int) []string {
	// SimpleMKL and HessianMKL minimise over the simplex of weights, which is p = 1.
	list := []string{bigmkl.SolverChunking, bigmkl.SolverWrapper, bigmkl.SolverCPM,
		bigmkl.SolverCPMWrapper}
	if norm == "1" {
		list = append(list, "simplemkl")
		if kernels <= mostSecond {
			list = append(list, "hessianmkl")
		}
	}
	return list
}

// runSolversInTurns runs a problem with each solver in turn, so all solvers meet the same state
// of the computer. The column of the dual differences shows that all of them solved the same
// problem. After an interrupt, the table keeps the rows that were measured.
func runSolversInTurns(ctx context.Context, s *harness.Session, t *harness.Table, u harness.Training, names []string,
	repeats int) error {
	var err error
	// Times are medians of the turns. Counts are the same in each turn, so the last run has them.
	seconds, processor := make([][]float64, len(names)), make([][]float64, len(names))
	last := make([]harness.Outcome, len(names))
turns:
	for turn := range repeats {
		for i, name := range names {
			if turn > 0 && !last[i].Converged() {
				continue // It would take as long again.
			}
			// The problem is the same for every solver.
			v := u
			v.Solver = name
			var o harness.Outcome
			if o, err = s.Train(ctx, v); err != nil {
				break turns
			}
			seconds[i], processor[i], last[i] = append(seconds[i], o.Seconds), append(processor[i],
				o.CPU), o
		}
	}
	// --solvers may leave chunking out. The columns that compare with it are then 0.
	base := slices.Index(names, bigmkl.SolverChunking)
	for i, name := range names {
		// After an interrupt, later solvers have no run.
		if len(seconds[i]) == 0 {
			continue
		}
		// Figures that do not vary come from the last run.
		o := last[i]
		row := solverRow{
			Solver: name, Points: o.Points, Kernels: o.Kernels, Norm: o.Norm,
			Seconds: harness.MedianOf(seconds[i]), CPU: harness.MedianOf(processor[i]),
			Moves: o.Moves, Dual: o.Dual, Certificate: o.Certificate, Run: o,
		}
		if base >= 0 {
			row.Against, row.Difference = harness.Ratio(row.CPU,
				harness.MedianOf(processor[base])), harness.Difference(o.Dual, last[base].Dual)
		}
		t.Add(row)
	}
	return err
}
