package main

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"

	"github.com/spf13/pflag"

	"bigmkl"
	"bigmkl/dataset"
)

// The rows of the million experiment are noisy: their best classifier errs on 6.7 % of them, so the
// number of support vectors grows with that of the rows.
const (
	noisyKind     = "noisy"
	noisyFeatures = 18
	noisySteep    = 6 // P(y = 1) = 1/(1 + exp(-noisySteep f))
	noisyTests    = 20000
)

// noisy generates normal features, of which six decide about the class:
//
//	f = sin 2x1 + x2 x3 + 0.7 cos(1.5 x4 + x5) + 0.5 (x6^2 - 1).
func (s *synthetic) noisy() iter.Seq[dataset.Row] {
	return func(yield func(dataset.Row) bool) {
		rng := rand.New(rand.NewPCG(s.Seed, 4))
		row := s.row()
		for range s.Points {
			for j := range row.Value {
				row.Value[j] = rng.NormFloat64()
			}
			y := 0
			if rng.Float64() < noisyProbability(row.Value) {
				y = 1
			}
			row.Label, row.Target = classLabel(y), float64(2*y-1)
			if !yield(row) {
				return
			}
		}
	}
}

// noisyProbability is the probability of class 1 at a point.
func noisyProbability(x []float64) float64 {
	f := math.Sin(2*x[0]) + x[1]*x[2] + 0.7*math.Cos(1.5*x[3]+x[4]) + 0.5*(x[5]*x[5]-1)
	return 1 / (1 + math.Exp(-noisySteep*f))
}

// noisyRow is a training with the size of its working set, 0 for that of the solver.
type noisyRow struct {
	Set int `json:"working_set,omitempty" table:"working set|%d|blank"`
	outcome
}

// millionExperiment trains one Gaussian kernel on more and more noisy rows.
func millionExperiment() experiment {
	var sizes, sets []int
	var kernels string
	var c, gap float64
	return experiment{
		name: "million", short: "one Gaussian kernel on many noisy rows",
		long: fmt.Sprintf("Generates rows of %d normal features, of which the best classifier errs on 6.7 %%, and\n"+
			"trains on the first ones, one size after the other. Each model is tested on %d other rows.\n"+
			"Rows are generated as they are read; the packed points lie in a scratch file.", noisyFeatures, noisyTests),
		flags: func(f *pflag.FlagSet) {
			f.IntSliceVar(&sizes, "sizes", nil, "`NUMBERS` of rows (default 100000,400000,1000000)")
			f.IntSliceVar(&sets, "sets", nil, "`NUMBERS` of points in a working set (default that of the solver)")
			f.StringVar(&kernels, "kernels", "gauss:0.05", "`KERNELS` to learn")
			f.Float64Var(&c, "cost", 1, "`COST` of the loss")
			f.Float64Var(&gap, "gap", 1e-2, "relative duality `GAP` to reach")
		},
		run: func(ctx context.Context, s *session, r *experimentReport, _ []string) error {
			t := r.table("Noisy rows")
			t.note("Kernels %s, p = 1, C = %g.", kernels, c)
			for _, n := range s.chooseInts(sizes, []int{100000, 400000, 1000000}, []int{300, 600}) {
				for _, q := range orDefault(sets, []int{0}) {
					u := noisyTraining(n, kernels, c, gap)
					u.Options.Tuning.WorkingSet = q
					o, err := s.runTraining(ctx, u)
					if err != nil {
						return err
					}
					t.add(noisyRow{q, o})
				}
			}
			return nil
		},
	}
}

// noisyTraining is a training on the first n rows.
func noisyTraining(n int, kernels string, c, gap float64) training {
	of := func(points int, seed uint64) dataSet {
		return dataSet{Name: "noisy rows", Synthetic: &synthetic{
			Kind: noisyKind, Points: points, Features: noisyFeatures, Seed: seed}}
	}
	test := of(min(n, noisyTests), 2)
	return training{Data: of(n, 1), Test: &test, Norm: "1", Options: bigmkl.Options{
		Kernels: kernels, C: c, Gap: gap, Norm: 1}}
}
