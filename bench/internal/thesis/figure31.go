// Package thesis repeats the experiments of Kloft's thesis (2011), and compares solvers and their parameters on its
// kernels.
package thesis

import (
	"context"

	"github.com/spf13/pflag"

	"bigmkl/bench/internal/harness"
)

// The first experiment shows how the time grows with the points, the second how it grows with the kernels. Norm p = 2
// is a support vector machine with the sum of the kernels: it is the floor that learned weights are compared with.

// Figure31 repeats the two runtime experiments of the thesis (Kloft 2011, Figure 3.1).
func Figure31() harness.Experiment {
	// Empty lists mean the grids of the thesis and beyond.
	var sizes, counts []int
	var norms []string
	// memory is in MiB.
	var memory int64
	return harness.Experiment{
		Name: "figure31", Short: "the thesis's two runtime experiments (Kloft 2011, Figure 3.1)",
		Long: "Trains MNIST, even against odd digits, with C = 1, pixels in [0,1], no normalisation, a\n" +
			"relative gap of 1e-3 and kernels computed on the fly. It measures the time against the\n" +
			"number of points with 50 Gaussians, and the number of Gaussians for 1000 points.",
		Flags: func(f *pflag.FlagSet) {
			f.IntSliceVar(&sizes, "sizes", nil, "numbers of points (default 500 .. 60000)")
			f.IntSliceVar(&counts, "kernels", nil,
				"numbers of kernels for 1000 points (default 10 .. 10000)")
			f.StringSliceVar(&norms, "norms", nil, "block norms (default 1, 4/3, 2)")
			f.Int64Var(&memory, "memory", 0, "memory budget in MiB, 0 for the default")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			sizes := s.ChooseInts(sizes, []int{500, 1000, 2000, 4000, 8000, 20000, 60000},
				[]int{500, 1000})
			counts := s.ChooseInts(counts, []int{10, 50, 100, 500, 1000, 5000, 10000},
				[]int{10, 50})
			// 4/3 is the norm of the thesis between sparse and plain weights.
			norms := harness.OrDefault(norms, []string{"1", "4/3", "2"})
			digits, positive := s.Data.FindDigits(r)
			// series trains at each norm, and adds a line for each.
			series := func(t *harness.Table, kernels string, points int) error {
				for _, norm := range norms {
					u := harness.ThesisTraining(digits, positive, kernels, norm, points)
					// 0 stays 0, which is the default of the library.
					u.Options.Memory = memory << 20
					// A training runs in a child process, whose peak of memory is its own.
					o, err := s.Train(ctx, u)
					if err != nil {
						return err
					}
					// The names are the names of the curves in the figure.
					method := "MKL"
					if norm == "2" {
						method = "SVM, uniform sum of the kernels"
					}
					t.Add(methodRow{method, o})
				}
				return nil
			}

			// The slope of this curve shows the exponent of n.
			t := r.Table("Time against the number of points, 50 Gaussians with 2 sigma^2 = 1.2^0 .. 1.2^49")
			for _, n := range sizes {
				if err := series(t, harness.FiftyGaussians, n); err != nil {
					return err
				}
			}
			// The slope of this curve shows the exponent of M.
			t = r.Table("Time against the number of kernels, 1000 points, Gaussians with 2 sigma^2 geometric in [1, 2^20]")
			for _, m := range counts {
				if err := series(t, harness.ManyGaussians(m), 1000); err != nil {
					return err
				}
			}
			// Times of different data would be compared without a warning.
			if digits.File == "" {
				r.Note("SHOGUN's recorded figures are left out: they are of MNIST")
				return nil
			}
			return besideShogun(ctx, s, r, digits, positive)
		},
	}
}

// methodRow is a training with the name of its method in the thesis.
type methodRow struct {
	Method string `json:"method" table:"method"`
	harness.Outcome
}

// besideShogun repeats the trainings for which figures of SHOGUN are recorded. The gap is the gap that
// SHOGUN's solutions have, which exceeds its tolerance. At the tolerance, bigmkl would solve a harder
// problem.
func besideShogun(ctx context.Context, s *harness.Session, r *harness.Report, digits harness.DataSet,
	positive []string) error {
	t := r.Table("Beside SHOGUN 4.0.0 at its true gap, 50 Gaussians")
	t.Note("SHOGUN was recorded on a virtual machine with two processors (AMD EPYC, Zen 5), interleaved,"+
		" with a cache for all rows and one thread; the gap is "+
		"the true one of its result at tolerances of 1e-3. bigmkl stops at %.1e.", harness.SHOGUNGap)
	// Each recorded training is repeated with the same rows, norm and gap.
	for _, theirs := range harness.SHOGUN {
		// The larger trainings take minutes.
		if s.Quick && theirs.Points > 1000 {
			continue
		}
		u := harness.ThesisTraining(digits, positive, harness.FiftyGaussians, theirs.Norm, theirs.Points)
		u.Options.Gap = harness.SHOGUNGap
		o, err := s.Train(ctx, u)
		if err != nil {
			return err
		}
		t.Add(besideRow{
			Outcome: o, Theirs: theirs.Seconds, TheirGap: theirs.Gap, TheirDual: theirs.Dual,
			Difference: harness.Difference(o.Dual, theirs.Dual),
			Ratio:      harness.Ratio(theirs.Seconds, o.Seconds),
		})
	}
	return nil
}

// besideRow is a training beside the recorded figure of another program. Difference is the relative
// difference of both dual values. It shows that both programs solve one problem.
type besideRow struct {
	harness.Outcome
	// Ratio is their seconds by ours, whole trainings on both sides.
	Theirs     float64 `json:"their_seconds" table:"SHOGUN s (recorded, 1 thread)|%.1f"`
	TheirGap   float64 `json:"their_gap" table:"its true gap|%.1e"`
	TheirDual  float64 `json:"their_dual"`
	Difference float64 `json:"dual_difference" table:"duals differ by|%.1e"`
	Ratio      float64 `json:"ratio" table:"times faster|%.0f"`
}
