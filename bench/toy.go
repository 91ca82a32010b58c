package main

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/evaluate/bound"
)

// The thesis's toy experiment (Kloft 2011, section 5.2).
const (
	toyFeatures = 50
	toyDistance = 1.75 // rho: of each mean from the origin, so that the Bayes error is that share of a normal tail
	toyTraining = 50
	toyTesting  = 1000 // and as many to choose C
	toySeed     = 2011
)

// toyInformative is the number of features with information in each scenario; the sparsest comes last, as in the thesis. Two of
// its minima of the bound, p = 1.14 and 1.25, belong to 1 and 4 features.
var (
	toyInformative = []int{50, 28, 18, 9, 4, 1}
	toyNorms       = []string{"1", "4/3", "2", "4", "inf"}
)

// toyCosts is 10^-4, 10^-3.5, .., 1.
func toyCosts() []float64 {
	var c []float64
	for k := range 9 {
		c = append(c, math.Pow(10, -4+float64(k)/2))
	}
	return c
}

// toyRow is a scenario: for each norm the mean over the repetitions, and its standard error.
type toyRow struct {
	Sparsity   string   `json:"sparsity" table:"features without information"`
	One        measured `json:"p1" table:"p = 1"`
	FourThirds measured `json:"p4/3" table:"p = 4/3"`
	Two        measured `json:"p2" table:"p = 2"`
	Four       measured `json:"p4" table:"p = 4"`
	Inf        measured `json:"pinf" table:"p = inf"`
	Bound      string   `json:"bound,omitempty" table:"the bound is least at p"`
}

// measured is a mean of repetitions.
type measured struct {
	Mean  float64 `json:"mean"`
	Error float64 `json:"standard_error"`
	text  string
}

func (m measured) String() string { return fmt.Sprintf(m.text, m.Mean, m.Error) }

func newToyRow(informative int, m [][]float64, text string) toyRow {
	var all [5]measured
	for i, x := range m {
		all[i] = mean(x, text)
	}
	return toyRow{sparsity(informative), all[0], all[1], all[2], all[3], all[4], ""}
}

func sparsity(informative int) string {
	return fmt.Sprintf("%.0f %%", 100*(1-float64(informative)/toyFeatures))
}

func mean(x []float64, text string) measured {
	n, s, ss := float64(len(x)), 0.0, 0.0
	for _, v := range x {
		s += v / n
	}
	for _, v := range x {
		ss += (v - s) * (v - s)
	}
	return measured{s, math.Sqrt(ss / max(n-1, 1) / n), text}
}

// toy is that experiment.
func toy() experiment {
	var repetitions int
	return experiment{
		name: "toy", short: "the thesis's toy experiment (Kloft 2011, Figure 5.2)",
		long: "Two Gaussians in 50 dimensions of which 50, 28, 18, 9, 4 or 1 carry information, 25 points each, one linear kernel a feature:\n" +
			"test error by block norm, C chosen on 1000 further points out of 10^-4 .. 1. In process, on all threads.",
		flags: func(f *pflag.FlagSet) { f.IntVar(&repetitions, "repetitions", 0, "of each scenario (default 250)") },
		run: func(ctx context.Context, s *session, r *report, _ []string) error {
			n := repetitions
			if n <= 0 {
				n = 250
				if s.quick {
					n = 3
				}
			}
			return s.toy(ctx, r, n)
		},
	}
}

func (s *session) toy(ctx context.Context, r *report, repetitions int) error {
	start := time.Now()
	errors := r.table("Test error in percent, mean of %d repetitions ± standard error; the Bayes error is %.2f %%", repetitions, bayesError())
	models := r.table("Model error |w/|w| - w*/|w*||, likewise")
	costs := r.table("log10 C that was chosen, likewise")
	var rows []toyRow
	loose := 0
	for _, informative := range toyInformative {
		results := make([][]toyResult, repetitions)
		group, inner := errgroup.WithContext(ctx)
		group.SetLimit(s.threads)
		for k := range results {
			group.Go(func() error {
				s.progress.now("%s, repetition %d of %d", sparsity(informative), k+1, repetitions)
				var err error
				results[k], err = s.toyOnce(inner, informative, uint64(k))
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		var test, model, cost [][]float64
		for p := range toyNorms {
			var e, m, c []float64
			for _, x := range results {
				e, m, c = append(e, x[p].test), append(m, x[p].model), append(c, math.Log10(x[p].cost))
				loose += x[p].loose
			}
			test, model, cost = append(test, e), append(model, m), append(cost, c)
		}
		row := newToyRow(informative, test, "%.1f ± %.1f")
		row.Bound = leastNorm(informative)
		s.say("%s: %v %v %v %v %v", row.Sparsity, row.One, row.FourThirds, row.Two, row.Four, row.Inf)
		rows = append(rows, row)
		errors.add(row)
		models.add(newToyRow(informative, model, "%.3f ± %.3f"))
		costs.add(newToyRow(informative, cost, "%.1f ± %.1f"))
	}
	trainings := len(toyInformative) * repetitions * len(toyNorms) * len(toyCosts())
	r.note("%d trainings and as many predictions in %.0f s; seed %d", trainings, time.Since(start).Seconds(), toySeed)
	if loose > 0 {
		r.note("%d of them ended with a larger gap than 1e-3", loose)
	} else {
		r.note("all of them with a certified gap of at most 1e-3")
	}
	r.attached = append(r.attached, attachment{"error.svg", toyFigure(rows).write})
	return nil
}

// bayesError is the share of points beyond the hyperplane between the means, in percent.
func bayesError() float64 { return 50 * math.Erfc(toyDistance/math.Sqrt2) }

// truth is the vector that carries the information.
func truth(informative int) []float64 {
	w := make([]float64, toyFeatures)
	for j := range informative {
		w[j] = 1
	}
	return w
}

// leastNorm is where the factor of the bound is least for the true w.
func leastNorm(informative int) string {
	w := truth(informative)
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

// toyResult is what one norm made of one data set, with its best C.
type toyResult struct {
	cost, test, model float64
	wrong             int // of the points that choose C
	loose             int // trainings that did not reach their gap
}

// toyOnce draws a data set and trains every norm with every C.
func (s *session) toyOnce(ctx context.Context, informative int, repetition uint64) ([]toyResult, error) {
	rng := rand.New(rand.NewPCG(toySeed+repetition, uint64(informative)))
	train, choose, test := toyPoints(rng, informative, toyTraining), toyPoints(rng, informative, toyTesting), toyPoints(rng, informative, toyTesting)
	results := make([]toyResult, len(toyNorms))
	norms := make([]float64, len(toyNorms))
	for i, text := range toyNorms {
		var err error
		if norms[i], err = parseNorm(text); err != nil {
			return nil, err
		}
		results[i].wrong = math.MaxInt
	}
	o := bigmkl.Options{Kernels: "linear@each-feature", Threads: 1, Scratch: s.scratch, Seed: repetition}
	err := bigmkl.Path(ctx, dataset.FromSeq(train.rows()), o, bigmkl.Grid(norms, toyCosts()), func(p bigmkl.PathPoint, m *bigmkl.Model, r *bigmkl.Result) error {
		best := &results[slices.Index(norms, p.Norm)]
		if r.Status != chunking.Converged {
			best.loose++
		}
		w := toyWeights(m)
		wrong := choose.wrong(w, m.Bias)
		if wrong > best.wrong || wrong == best.wrong && p.C > best.cost { // of equals the smallest, whatever the order
			return nil
		}
		best.wrong, best.cost = wrong, p.C
		best.test = 100 * float64(test.wrong(w, m.Bias)) / toyTesting
		best.model = direction(w, truth(informative))
		return nil
	})
	return results, err
}

// toyWeights is w of f(x) = w'x + b, that of each feature in its own kernel.
func toyWeights(m *bigmkl.Model) []float64 {
	w := make([]float64, m.Features)
	for s, a := range m.Alpha {
		for j, x := range m.Vector(s) {
			w[j] += a * float64(x)
		}
	}
	for j := range w {
		w[j] *= m.Theta[j] * m.Normalization.Scale[j]
	}
	return w
}

// direction is the distance of two vectors once they are scaled to length 1.
func direction(a, b []float64) float64 {
	la, lb, d := 0.0, 0.0, 0.0
	for j := range a {
		la, lb = la+a[j]*a[j], lb+b[j]*b[j]
	}
	for j := range a {
		x := 0.0
		if la > 0 {
			x = a[j] / math.Sqrt(la)
		}
		x -= b[j] / math.Sqrt(lb)
		d += x * x
	}
	return math.Sqrt(d)
}

// toyData is points of both classes by turns, the positive one first.
type toyData [][]float64

func toyPoints(rng *rand.Rand, informative, n int) toyData {
	w := truth(informative)
	step := toyDistance / math.Sqrt(float64(informative))
	points := make(toyData, n)
	for i := range points {
		points[i] = make([]float64, toyFeatures)
		for j := range points[i] {
			points[i][j] = sign(i)*step*w[j] + rng.NormFloat64()
		}
	}
	return points
}

func sign(i int) float64 { return float64(1 - 2*(i%2)) }

func (d toyData) rows() iter.Seq[dataset.Row] {
	return func(yield func(dataset.Row) bool) {
		index := make([]int32, toyFeatures)
		for j := range index {
			index[j] = int32(j)
		}
		for i, x := range d {
			if !yield(dataset.Row{Label: label(1 - i%2), Index: index, Value: x}) {
				return
			}
		}
	}
}

// wrong counts the points on the wrong side.
func (d toyData) wrong(w []float64, bias float64) int {
	count := 0
	for i, x := range d {
		f := bias
		for j, v := range x {
			f += w[j] * v
		}
		if (f > 0) != (sign(i) > 0) {
			count++
		}
	}
	return count
}
