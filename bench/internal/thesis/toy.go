package thesis

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/evaluate/bound"
)

// Toy repeats the toy experiment of the thesis (Kloft 2011, section 5.2).
func Toy() harness.Experiment {
	// The thesis has 250 repetitions. Standard errors fall with their square root.
	var repetitions int
	return harness.Experiment{
		Name: "toy", Short: "the thesis's toy experiment (Kloft 2011, Figure 5.2)",
		Long: "Draws two Gaussians in 50 dimensions, of which 50, 28, 18, 9, 4 or 1 carry information,\n" +
			"with 25 points each and one linear kernel for each feature. It measures the test error\n" +
			"for each block norm. C is chosen from 10^-4 .. 1 on 1000 further points. The trainings\n" +
			"run in this process, on all threads.",
		Flags: func(f *pflag.FlagSet) {
			f.IntVar(&repetitions, "repetitions", 0,
				"number of repetitions of each scenario (default 250)")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			n := repetitions
			if n <= 0 {
				n = 250
				if s.Quick {
					n = 3
				}
			}
			return runToy(ctx, s, r, n)
		},
	}
}

// runToy runs all scenarios and fills the tables. A scenario is a number of informative
// features. In the thesis, the best p grows with this number.
func runToy(ctx context.Context, s *harness.Session, r *harness.Report, repetitions int) error {
	// The seconds of the note are wall time.
	start := time.Now()
	errors := r.Table("Test error in percent, mean of %d repetitions ± standard error; the Bayes error is %.2f %%", repetitions, bayesError())
	// w* is the true direction. Both vectors are scaled to length 1.
	models := r.Table("Model error |w/|w| - w*/|w*||, likewise")
	costs := r.Table("log10 C that was chosen, likewise")
	var rows []toyRow
	// loose counts trainings above the gap, which the note reports.
	loose := 0
	for _, informative := range toyInformative {
		// results[k][p] is the result of repetition k at norm p.
		results := make([][]toyResult, repetitions)
		group, inner := errgroup.WithContext(ctx)
		group.SetLimit(s.Threads)
		for k := range results {
			group.Go(func() error {
				s.Progress.ShowNow("%s, repetition %d of %d", sparsity(informative), k+1,
					repetitions)
				var err error
				results[k], err = trainToyOnce(inner, s, informative, uint64(k))
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		// The tables need lists by norm, and results are by repetition.
		var test, model, cost [][]float64
		for p := range toyNorms {
			var e, m, c []float64
			for _, x := range results {
				e, m, c = append(e, x[p].test), append(m, x[p].model), append(c,
					math.Log10(x[p].cost))
				loose += x[p].loose
			}
			test, model, cost = append(test, e), append(model, m), append(cost, c)
		}
		row := newToyRow(informative, test, "%.1f ± %.1f")
		row.Bound = leastNorm(informative)
		s.PrintLine("%s: %v %v %v %v %v", row.Sparsity, row.One, row.FourThirds, row.Two, row.Four,
			row.Inf)
		rows = append(rows, row)
		errors.Add(row)
		models.Add(newToyRow(informative, model, "%.3f ± %.3f"))
		// The mean of log10 C is the logarithm of the geometric mean.
		costs.Add(newToyRow(informative, cost, "%.1f ± %.1f"))
	}
	// Each scenario has a training for each repetition, norm and C.
	trainings := len(toyInformative) * repetitions * len(toyNorms) * len(toyCosts(s.Quick))
	r.Note("%d trainings and as many predictions in %.0f s; seed %d", trainings,
		time.Since(start).Seconds(), toySeed)
	if loose > 0 {
		r.Note("%d of them ended with a larger gap than 1e-3", loose)
	} else {
		r.Note("all of them with a certified gap of at most 1e-3")
	}
	r.Attach("error.svg", toyFigure(rows).write)
	return nil
}

// trainToyOnce draws a data set and trains each norm with each C, as one path: each training
// starts from the solution of its neighbour. All norms have the same data, so their differences
// are paired.
func trainToyOnce(ctx context.Context, s *harness.Session, informative int,
	repetition uint64) ([]toyResult, error) {
	// Each repetition has a stream of its own, so the results do not depend on how many repetitions
	// run at once.
	rng := rand.New(rand.NewPCG(toySeed+repetition, uint64(informative)))
	// Three independent sets: to train, to choose C, and to measure.
	train, choose, test := toyPoints(rng, informative, toyTraining), toyPoints(rng, informative,
		toyTesting), toyPoints(rng, informative, toyTesting)
	results := make([]toyResult, len(toyNorms))
	norms := make([]float64, len(toyNorms))
	for i, text := range toyNorms {
		var err error
		if norms[i], err = harness.ParseNorm(text); err != nil {
			return nil, err
		}
		// The first C is better than none.
		results[i].wrong = math.MaxInt
	}
	// Repetitions run side by side, so each has one thread.
	o := bigmkl.Options{Kernels: "linear@each-feature", Threads: 1, Scratch: s.Scratch,
		Seed: repetition}
	// The trainings of a norm go along its costs.
	err := bigmkl.Path(ctx, dataset.FromSeq(train.rows()), harness.AsPosed(o), bigmkl.Grid(norms, toyCosts(s.Quick)),
		func(p bigmkl.PathPoint, m *bigmkl.Model, r *bigmkl.Result) error {
			// The norms of the path are the values of the list, without rounding.
			best := &results[slices.Index(norms, p.Norm)]
			if r.Status != chunking.Converged {
				best.loose++
			}
			w := toyWeights(m)
			// C is chosen on points of its own. The points of the test decide nothing.
			wrong := choose.wrong(w, m.Bias)
			// Of costs that do equally well the smallest counts, whatever the order of trainings.
			if wrong > best.wrong || wrong == best.wrong && p.C > best.cost {
				return nil
			}
			best.wrong, best.cost = wrong, p.C
			best.test = 100 * float64(test.wrong(w, m.Bias)) / toyTesting
			best.model = directionError(w, trueWeights(informative))
			return nil
		})
	return results, err
}

// toyResult is the result of one norm on one data set, for the best C.
type toyResult struct {
	// test is in percent, and model the distance of directions.
	cost, test, model float64
	// wrong counts wrong points among those that choose C.
	wrong int
	// loose counts trainings that did not reach their gap.
	loose int
}

// toyWeights returns w of f(x) = w'x + b, where each feature has a kernel of its own.
func toyWeights(m *bigmkl.Model) []float64 {
	w := make([]float64, m.Features)
	for s, a := range m.Alpha {
		// Each feature has one kernel, so component j of w belongs to kernel j.
		for j, x := range m.Vector(s) {
			w[j] += a * float64(x)
		}
	}
	for j := range w {
		// f(x) = sum_m theta_m scale_m sum_i alpha_i y_i <x_im, x_m>, of which the model has alpha_i
		// y_i in Alpha.
		w[j] *= m.Theta[j] * m.Normalization.Scale[j]
	}
	return w
}

// directionError returns the distance of two vectors after both are scaled to length 1. The length of w
// has no effect on the sign of w'x, so only directions are compared.
// The result is | a/|a| - b/|b| |, between 0 and 2.
func directionError(a, b []float64) float64 {
	la, lb, d := 0.0, 0.0, 0.0
	for j := range a {
		la, lb = la+a[j]*a[j], lb+b[j]*b[j]
	}
	for j := range a {
		// A model without any support vector has w = 0, whose direction counts as the origin: the
		// distance is then 1.
		x := 0.0
		if la > 0 {
			x = a[j] / math.Sqrt(la)
		}
		x -= b[j] / math.Sqrt(lb)
		d += x * x
	}
	return math.Sqrt(d)
}

// leastNorm returns the p at which the factor of the bound is least for the true w. The theory
// would choose this p; the table compares it with the p of the least test error (Figure 5.2 of
// the thesis).
func leastNorm(informative int) string {
	w := trueWeights(informative)
	// Where several p give the least value, the result is an interval.
	r := bound.Least(func(p float64) float64 { return bound.Global(w, p) }, math.Inf(1))
	if math.IsInf(r.Low, 1) {
		return "inf"
	}
	low := fmt.Sprintf("%.2f", r.Low)
	if r.Low == r.High {
		return low
	}
	return low + fmt.Sprintf(" to %.2f", r.High)
}
