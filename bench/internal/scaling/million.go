package scaling

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"bigmkl"
	"bigmkl/bench/internal/harness"
)

// noisyRow is a training with the size of its working set, and 0 if the solver chooses the size.
type noisyRow struct {
	// The column is blank if the solver chooses.
	Set int `json:"working_set,omitempty" table:"working set|%d|blank"`
	harness.Outcome
}

// Million trains one Gaussian kernel on more and more noisy rows. With noise, the number of support
// vectors grows with the rows. This is the worst case for kernel methods, whose time is rows times
// support vectors.
// The Bayes error of 6.7 % bounds the accuracy, so the test shows whether a loose gap is enough.
func Million() harness.Experiment {
	var sizes, sets []int
	var kernels string
	var c, gap float64
	return harness.Experiment{
		Name: "million", Short: "one Gaussian kernel on many noisy rows",
		Long: fmt.Sprintf("Generates rows of %d normal features, of which the best classifier errs on 6.7 %%, and\n"+
			"trains on the first ones, one size after the other. Each model is tested on %d other rows.\n"+
			"Rows are generated as they are read; the packed points lie in a scratch file.", harness.NoisyFeatures, harness.NoisyTests),
		Flags: func(f *pflag.FlagSet) {
			f.IntSliceVar(&sizes, "sizes", nil, "`NUMBERS` of rows (default 100000,400000,1000000)")
			f.IntSliceVar(&sets, "sets", nil, "`NUMBERS` of points in a working set (default that of the solver)")
			f.StringVar(&kernels, "kernels", "gauss:0.05", "`KERNELS` to learn")
			f.Float64Var(&c, "cost", 1, "`COST` of the loss")
			f.Float64Var(&gap, "gap", 1e-2, "relative duality `GAP` to reach")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			// Each row of the table has the sizes of its training, and the test error.
			t := r.Table("Noisy rows")
			t.Note("Kernels %s, p = 1, C = %g.", kernels, c)
			for _, n := range s.ChooseInts(sizes, []int{100000, 400000, 1000000}, []int{300, 600}) {
				// 0 leaves the size of the working set to the solver.
				for _, q := range harness.OrDefault(sets, []int{0}) {
					u := noisyTraining(n, kernels, c, gap)
					u.Options.Tuning.WorkingSet = q
					o, err := s.Train(ctx, u)
					if err != nil {
						return err
					}
					t.Add(noisyRow{q, o})
				}
			}
			return nil
		},
	}
}

// noisyTraining is a training on the first n rows. The rows are a prefix of one stream, so each size
// has all rows of the smaller ones.
func noisyTraining(n int, kernels string, c, gap float64) harness.Training {
	// Rows are generated as they are read, so a million of them needs no file.
	of := func(points int, seed uint64) harness.DataSet {
		return harness.DataSet{Name: "noisy rows", Synthetic: &harness.Synthetic{
			Kind: harness.NoisyKind, Points: points, Features: harness.NoisyFeatures, Seed: seed}}
	}
	// The rows for the test have another seed. They are as many as the training has, up to 20,000, so
	// a quick run stays quick.
	test := of(min(n, harness.NoisyTests), 2)
	return harness.Training{Data: of(n, 1), Test: &test, Norm: "1", Options: bigmkl.Options{
		Kernels: kernels, C: c, Gap: gap, Norm: 1}}
}
