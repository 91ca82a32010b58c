package optima

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// holding lists the solvers whose weights stay as they are between moves.
var holding = []string{bigmkl.SolverWrapper, bigmkl.SolverCPM, bigmkl.SolverCPMWrapper}

// sameOptimum compares the certified values of two models, which may differ by the share relative
// of their size.
func sameOptimum(t *testing.T, name string, got, want *bigmkl.Model, relative float64) {
	t.Helper()
	a, b := got.Certificate, want.Certificate
	size := max(math.Abs(b.Primal), math.Abs(b.Dual))
	if d := max(math.Abs(a.Primal-b.Primal), math.Abs(a.Dual-b.Dual)); !(d <= relative*size) {
		t.Errorf("%s: P = %.10g, D = %.10g; chunking %.10g, %.10g", name, a.Primal, a.Dual, b.Primal, b.Dual)
	}
}

// TestSolversOnRealData: to a gap of 1e-5 all solvers give the same optimum, which verify confirms.
func TestSolversOnRealData(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sonar", "heart", "pima"} {
		for _, p := range []float64{1, 1.0667, 4.0 / 3, 2} {
			o := bigmkl.Options{Kernels: "gauss:auto/8,linear,poly:2", Norm: p, Gap: 1e-6, Scale: "standard", Limit: 200}
			src := func() dataset.Source { return bigmkltest.Open(t, bigmkltest.DataSet(t, name)) }
			want, _ := bigmkltest.Converge(t, src(), o)
			for _, solver := range holding {
				t.Run(fmt.Sprintf("%s/p=%.5g/%s", name, p, solver), func(t *testing.T) {
					testlevel.Sample(t, 3, 2)
					o := o
					o.Solver = solver
					m, r := bigmkltest.Converge(t, src(), o)
					t.Logf("%d iterations, %d moves, gap %.2g", r.Iterations, r.Moves, m.Certificate.RelativeGap)
					sameOptimum(t, solver, m, want, 1e-5)
					verifytest.MustVerify(t, &m.Model, src())
				})
			}
		}
	}
}

// TestSparseOptima: at p = 1, where kernels without a part in the optimum have to lose all of their
// weight, every solver and one set of weights for all classifiers reach a gap of 1e-6, also where the
// best weights are the weights of a single kernel. Of the 81 problems a third is drawn in which every pair of
// set, scale, kernels and solver occurs; the long run has all.
func TestSparseOptima(t *testing.T) {
	t.Parallel()
	draw := rand.IntN(3)
	t.Logf("draw %d", draw)
	for n, name := range []string{"iris", "wine", "thyroid"} {
		path := bigmkltest.DataSet(t, name)
		for s, scale := range []string{"none", "standard", "minmax"} {
			for k, kernels := range []string{"gauss:auto", "gauss:auto/3,linear,laplace:auto/2", "linear@each-feature"} {
				src := func() dataset.Source { return bigmkltest.Open(t, path) }
				for l, solver := range []string{bigmkl.SolverWrapper, bigmkl.SolverCPM, "one theta"} {
					if (n+s+k+l)%3 != draw && !testlevel.Reached(testlevel.ManyTimes) {
						continue
					}
					o := bigmkl.Options{Kernels: kernels, Norm: 1, Gap: 1e-6, Scale: scale, Solver: solver, Multiclass: bigmkl.OneVsRest}
					if o.OneTheta = solver == "one theta"; o.OneTheta {
						o.Solver = ""
					}
					t.Run(fmt.Sprintf("%s/%s/%s/%s", name, scale, kernels, solver), func(t *testing.T) {
						m, r := bigmkltest.Converge(t, src(), o)
						t.Logf("%d iterations, %d moves", r.Iterations, r.Moves)
						verifytest.MustVerify(t, &m.Model, src())
					})
				}
			}
		}
	}
}

// TestOptimumOfOneTheta compares the value on iris with that of independent code.
func TestOptimumOfOneTheta(t *testing.T) {
	t.Parallel()
	o := bigmkl.Options{Kernels: "gauss:auto/3,linear,laplace:auto/2", Norm: 1, Gap: 1e-6, Scale: "minmax", Multiclass: bigmkl.OneVsRest, OneTheta: true}
	m, _ := bigmkltest.Converge(t, bigmkltest.Open(t, bigmkltest.DataSet(t, "iris")), o)
	if c := m.Certificate; math.Abs(c.Primal-34.68810) > 1e-4 {
		t.Errorf("primal value %.7f, independent code has 34.68810", c.Primal)
	}
}

// TestConstantFunctions: where the best function is a constant, the run ends at once and has
// converged.
func TestConstantFunctions(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 54)
	rows := make([]dataset.Row, 150)
	for i := range rows {
		rows[i].Label, rows[i].Target = "1", 3
		for j := range int32(4) {
			rows[i].Index, rows[i].Value = append(rows[i].Index, j), append(rows[i].Value, rng.NormFloat64())
		}
	}
	for _, o := range []bigmkl.Options{
		// The mean of these features is 0, so P = D = 0.
		{Task: bigmkl.TaskOneClass, Nu: 0.5, Kernels: "linear", Scale: "standard"},
		{Task: bigmkl.TaskOneClass, Nu: 0.5, Kernels: "linear,linear@each-feature", Scale: "standard", Norm: 1},
		// All targets are the same here.
		{Task: bigmkl.TaskSVR, Epsilon: 0.1, Kernels: "gauss:auto,linear"},
		{Task: bigmkl.TaskSquare, Kernels: "gauss:auto,linear"},
	} {
		for _, gap := range []float64{1e-3, 1e-6} {
			o.Gap = gap
			m, r := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			if c := m.Certificate; r.Iterations > 50 || c.RelativeGap > gap || math.Signbit(c.Primal) && c.Primal == 0 {
				t.Errorf("%s, %s: %d iterations, P = %g, D = %g", o.Task, o.Kernels, r.Iterations, c.Primal, c.Dual)
			}
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		}
	}
}

// TestSolversOfTasks: every solver solves every task.
func TestSolversOfTasks(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 51)
	rows := datasettest.Clouds(rng, 80, 6)
	for i := range rows {
		for k, j := range rows[i].Index {
			rows[i].Target += rows[i].Value[k] * math.Sin(float64(j))
		}
	}
	for _, o := range []bigmkl.Options{
		{Task: bigmkl.TaskSVR}, {Task: bigmkl.TaskSquare}, {Task: bigmkl.TaskQuantile, Tau: 0.3}, {Task: bigmkl.TaskHuber, Delta: 0.3}, {Task: bigmkl.TaskExpectile, Tau: 0.8}, {Task: bigmkl.TaskLogistic}, {Task: bigmkl.TaskSurvival}, {Task: bigmkl.TaskOneClass, Nu: 0.3}, {Task: bigmkl.TaskClass, ClassWeight: map[string]float64{"1": 3}},
		// The kernels are of unequal a priori importance.
		{Task: bigmkl.TaskClass, Kernels: "gauss:auto/3,linear prior=2,poly:2 cost=3"},
	} {
		if o.Kernels == "" {
			o.Kernels = "gauss:auto/3,linear,poly:2"
		}
		o.Gap = 1e-6
		for _, p := range []float64{1, 1.0667, 4.0 / 3, 4} {
			if !testlevel.Tried(t, fmt.Sprint(o.Task, o.Kernels, p), 3, 1) {
				continue
			}
			o.Norm, o.Solver = p, ""
			want, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			for _, solver := range holding {
				if p > 2 && solver != bigmkl.SolverWrapper {
					continue
				}
				o.Solver = solver
				name := fmt.Sprintf("%s %s p=%.4g %s", o.Task, o.Kernels, p, solver)
				m, r := bigmkltest.Converge(t, datasettest.Stream(rows), o)
				t.Logf("%s: %d iterations, %d moves", name, r.Iterations, r.Moves)
				sameOptimum(t, name, m, want, 1e-5)
				verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			}
		}
	}
}

// TestSolversOnRandomProblems: over the range of the options, every solver ends with a certificate
// that verify confirms. It reaches the requested gap, or has another status.
func TestSolversOnRandomProblems(t *testing.T) {
	t.Parallel()
	draws, short := testlevel.Repeats(40, 400), 0
	for seed := range uint64(draws) {
		rng := rand.New(rand.NewPCG(seed, 52))
		p := bigmkltest.Draw(rng)
		p.Solver, p.MaxIterations, p.Gap = bigmkltest.Pick(rng, holding...), 1500, 1e-3
		if p.Solver == bigmkl.SolverCPM || p.Solver == bigmkl.SolverCPMWrapper {
			p.Norm = min(p.Norm, 2)
		}
		if rng.IntN(5) == 0 {
			p.Kernels += ",sigmoid:0.5:-1,poly:3:1:-2"
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m, r := bigmkltest.TrainModel(t, datasettest.Stream(p.Rows), p.Options)
			if r.Status == chunking.Stalled && p.Precision == "32" {
				// Rounding is as large as the gap.
				return
			}
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(p.Rows))
			if r.Status != chunking.Converged && m.Certificate.Kind == bigmkltest.ProvenGap {
				short++
				t.Logf("%s n=%d %s p=%.4g C=%.3g precision=%s: %s after %d iterations, %d moves, gap %.2g", p.Solver, len(p.Rows), p.Kernels, p.Norm, p.C,
					p.Precision, r.Status, r.Iterations, r.Moves, m.Certificate.RelativeGap)
			}
		})
	}
	if short > draws/10 {
		t.Errorf("%d of %d runs did not reach their gap", short, draws)
	}
}

// TestSolversKeepTheirBits: the numbers of threads and the memory budget change no bit of what a
// solver gives.
func TestSolversKeepTheirBits(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 53), 400, 8)
	for _, solver := range holding {
		o := bigmkl.Options{Kernels: "gauss:auto/6,linear", Norm: 1.0667, Solver: solver, Threads: 1, Tuning: chunking.Tuning{WorkingSet: 50}}
		a, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		o.Threads, o.Memory = 3, 64<<20
		b, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		if !bytes.Equal(bigmkltest.Encoded(t, a), bigmkltest.Encoded(t, b)) {
			t.Errorf("%s: another model with three threads", solver)
		}
		o.Init, o.C = a, 1.1
		if _, r := bigmkltest.Converge(t, datasettest.Stream(rows), o); r.Iterations == 0 {
			t.Errorf("%s: no iterations for another C", solver)
		}
	}
}

// TestSolversRefused: combinations of a solver with other options that make no sense are rejected.
func TestSolversRefused(t *testing.T) {
	t.Parallel()
	rule := func(int) chunking.Rule { return nil }
	for want, o := range map[string]bigmkl.Options{
		"unknown solver":                   {Solver: "simplex"},
		"solver cpm is for the block norm": {Solver: bigmkl.SolverCPM, Regularizer: bigmkl.Regularizer{ElasticNet: 0.5}, Norm: 1},
		"solver wrapper is for the block":  {Solver: bigmkl.SolverWrapper, Regularizer: bigmkl.Regularizer{Weights: []float64{1}}},
		"p = 4 with solver cpm-wrapper":    {Solver: bigmkl.SolverCPMWrapper, Norm: 4},
		"and none of solver wrapper":       {Solver: bigmkl.SolverWrapper, Checkpoint: "folder"},
		"which has its own rule":           {Solver: bigmkl.SolverCPM, Rule: rule},
		"a rule for the weights is for":    {Rule: rule, Regularizer: bigmkl.Regularizer{GroupNorm: 2}},
	} {
		if err := o.Validate(); !errors.Is(err, fail.Usage) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("want %q: %v", want, err)
		}
	}
}
