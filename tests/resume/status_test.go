package resume

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/contexttest"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// everyRun returns a run for each task, solver, norm and kind of several classifiers, with the rows
// that it is for.
func everyRun(t testing.TB) map[string]struct {
	rows []dataset.Row
	o    bigmkl.Options
} {
	rng := datasettest.Random(t, 11)
	n := 140
	if testlevel.Reached(testlevel.EveryKind) {
		n = 240
	}
	two, targets := datasettest.Clouds(rng, n, 4), bigmkltest.Curve(rng, n, 4)
	classes, sets := datasettest.Clusters(rng, n, 4, 4, false), datasettest.Clusters(rng, n, 4, 4, true)
	const kernels = "gauss:auto/3,linear,poly:2"
	type run = struct {
		rows []dataset.Row
		o    bigmkl.Options
	}
	runs := map[string]run{
		"class":             {two, bigmkl.Options{}},
		"class, p=1":        {two, bigmkl.Options{Norm: 1}},
		"class, p=inf":      {two, bigmkl.Options{Norm: math.Inf(1), Gap: 1e-2}},
		"class, folds":      {two, bigmkl.Options{Folds: 3}},
		"svr":               {targets, bigmkl.Options{Task: bigmkl.TaskSVR, Epsilon: 0.1}},
		"quantile":          {targets, bigmkl.Options{Task: bigmkl.TaskQuantile, Tau: 0.9}},
		"quantiles":         {targets, bigmkl.Options{Task: bigmkl.TaskQuantile, Taus: []float64{0.1, 0.9}}},
		"survival":          {targets, bigmkl.Options{Task: bigmkl.TaskSurvival}},
		"intervals":         {bigmkltest.Bounded(targets), bigmkl.Options{Task: bigmkl.TaskSurvival}},
		"rank":              {bigmkltest.Ranked(targets), bigmkl.Options{Task: bigmkl.TaskRank, C: 0.1}},
		"survival ranking":  {targets, bigmkl.Options{Task: bigmkl.TaskSurvival, Survival: bigmkl.SurvivalRanking}},
		"cox":               {targets, bigmkl.Options{Task: bigmkl.TaskCox}},
		"expectile":         {targets, bigmkl.Options{Task: bigmkl.TaskExpectile, Tau: 0.1}},
		"huber":             {targets, bigmkl.Options{Task: bigmkl.TaskHuber}},
		"square":            {targets, bigmkl.Options{Task: bigmkl.TaskSquare, Solver: bigmkl.SolverChunking}},
		"square, lbfgs":     {targets, bigmkl.Options{Task: bigmkl.TaskSquare, Solver: bigmkl.SolverLBFGS}},
		"logistic":          {two, bigmkl.Options{Task: bigmkl.TaskLogistic}},
		"logistic ovr":      {classes, bigmkl.Options{Task: bigmkl.TaskLogistic, Multiclass: bigmkl.OneVsRest}},
		"logistic wrapper":  {two, bigmkl.Options{Task: bigmkl.TaskLogistic, Solver: bigmkl.SolverWrapper, Norm: 1}},
		"odds of one theta": {classes, bigmkl.Options{Task: bigmkl.TaskLogistic, Multiclass: bigmkl.OneVsRest, OneTheta: true}},
		"oneclass":          {two, bigmkl.Options{Task: bigmkl.TaskOneClass, Nu: 0.2}},
		"squared hinge":     {two, bigmkl.Options{Loss: bigmkl.LossSquaredHinge, Folds: 2}},
		"joint cost":        {two, bigmkl.Options{Loss: bigmkl.LossSquaredHinge, Norm: 1, JointCost: true}},
		"joint square":      {targets, bigmkl.Options{Task: bigmkl.TaskSquare, Norm: 1, JointCost: true}},
		"rkda":              {classes, bigmkl.Options{Task: bigmkl.TaskRKDA, Norm: 1.5}},
		"rkda, joint":       {classes, bigmkl.Options{Task: bigmkl.TaskRKDA, JointCost: true}},
		"squared ovr":       {classes, bigmkl.Options{Multiclass: bigmkl.OneVsRest, Loss: bigmkl.LossSquaredHinge}},
		"squared, wrapper":  {two, bigmkl.Options{Loss: bigmkl.LossSquaredHinge, Solver: bigmkl.SolverWrapper, Norm: 1}},
		"squared one theta": {classes, bigmkl.Options{Multiclass: bigmkl.OneVsRest, OneTheta: true, Loss: bigmkl.LossSquaredHinge}},
		"wrapper":           {two, bigmkl.Options{Solver: bigmkl.SolverWrapper}},
		"wrapper, p=1":      {two, bigmkl.Options{Solver: bigmkl.SolverWrapper, Norm: 1}},
		"wrapper, p=inf":    {two, bigmkl.Options{Solver: bigmkl.SolverWrapper, Norm: math.Inf(1), Gap: 1e-3}},
		"wrapper, low rank": {two, bigmkl.Options{Solver: bigmkl.SolverWrapper, Norm: math.Inf(1), Gap: 1e-2, Kernels: "linear@each-feature,poly:1..2@each-feature"}},
		"low rank, p=inf":   {two, bigmkl.Options{Norm: math.Inf(1), Gap: 1e-2, Kernels: "linear@each-feature,poly:1..2@each-feature"}},
		"cpm":               {two, bigmkl.Options{Solver: bigmkl.SolverCPM}},
		"cpm-wrapper":       {two, bigmkl.Options{Solver: bigmkl.SolverCPMWrapper}},
		"ovr":               {classes, bigmkl.Options{Multiclass: bigmkl.OneVsRest}},
		"ovr, p=1":          {classes, bigmkl.Options{Multiclass: bigmkl.OneVsRest, Norm: 1}},
		"ovr, p=4":          {classes, bigmkl.Options{Multiclass: bigmkl.OneVsRest, Norm: 4}},
		"ovr, wrapper":      {classes, bigmkl.Options{Multiclass: bigmkl.OneVsRest, Solver: bigmkl.SolverWrapper}},
		"ovr, wrapper inf":  {classes, bigmkl.Options{Multiclass: bigmkl.OneVsRest, Solver: bigmkl.SolverWrapper, Norm: math.Inf(1), Gap: 1e-3}},
		"ovr, folds":        {classes, bigmkl.Options{Multiclass: bigmkl.OneVsRest, Folds: 3}},
		"ovo":               {classes, bigmkl.Options{Multiclass: bigmkl.OneVsOne}},
		"labels":            {sets, bigmkl.Options{Multiclass: bigmkl.MultiLabel}},
		"one theta":         {classes, bigmkl.Options{Multiclass: bigmkl.OneVsRest, OneTheta: true}},
		"one theta, p=1":    {classes, bigmkl.Options{Multiclass: bigmkl.OneVsRest, OneTheta: true, Norm: 1}},
		"one theta, double": {classes, bigmkl.Options{Multiclass: bigmkl.OneVsRest, OneTheta: true, Precision: "64"}},
		"projections":       {two, bigmkl.Options{Kernels: "proj(gauss:0.4,2),linear", Scale: "standard", GateTol: 0.1}},
		"landmark gates":    {two, bigmkl.Options{Kernels: "gauss:auto,linear", Gating: "sigmoid", GateOn: "kernel:gauss:auto*12", GateTol: 0.1}},
		"shared landmarks":  {classes, bigmkl.Options{Kernels: "gauss:auto,linear", Gating: "softmax", GateOn: "kernel:poly:2*5", Multiclass: bigmkl.OneVsRest, OneGate: true, GateTol: 0.1}},
		"shared gates":      {classes, bigmkl.Options{Kernels: "gauss:auto,linear", Gating: "softmax", Multiclass: bigmkl.OneVsRest, OneGate: true, GateTol: 0.1}},
		"projected gates":   {two, bigmkl.Options{Kernels: "proj(gauss:0.4,2),linear", Gating: "softmax", GateTol: 0.1}},
		"projected ovr":     {classes, bigmkl.Options{Kernels: "proj(gauss:0.1,2)", Multiclass: bigmkl.OneVsRest, OneGate: true, GateTol: 0.1}},
		"one theta, labels": {sets, bigmkl.Options{Multiclass: bigmkl.MultiLabel, OneTheta: true}},
	}
	for name, r := range runs {
		if !r.o.JointCost && r.o.Task != bigmkl.TaskRKDA {
			r.o.C = 5
		}
		if r.o.Kernels == "" {
			r.o.Kernels = kernels
		}
		if r.o.Gap == 0 {
			r.o.Gap = 1e-4
		}
		runs[name] = r
	}
	return runs
}

// TestResumeFromNothing: if the folder of checkpoints is empty, a run with Resume begins at the
// beginning, for each of its classifiers, and gives the model of a run without checkpoints. The
// state that one classifier leaves in the folder does not become the start of the next.
func TestResumeFromNothing(t *testing.T) {
	t.Parallel()
	for name, r := range everyRun(t) {
		t.Run(name, func(t *testing.T) {
			if name != "ovr" { // It has a second classifier in any case.
				testlevel.Sample(t, 4, 1)
			}
			o := r.o
			o.Checkpoint = "x"
			if o.Validate() != nil {
				t.Skip("this run takes no checkpoints")
			}
			o.Checkpoint = ""
			m, whole := bigmkltest.TrainModel(t, datasettest.Stream(r.rows), o)
			want := bigmkltest.Encoded(t, m)
			o = bigmkltest.Resumable(t, o)
			o.Resume = true
			for _, what := range []string{"an empty folder", "the end of the run"} {
				m, again := bigmkltest.TrainModel(t, datasettest.Stream(r.rows), o)
				if !bytes.Equal(bigmkltest.Encoded(t, m), want) || again.Status != whole.Status || again.Iterations != whole.Iterations {
					t.Errorf("from %s another model: %s after %d iterations, undisturbed %s after %d", what, again.Status, again.Iterations, whole.Status, whole.Iterations)
				}
				verifytest.MustVerify(t, &m.Model, datasettest.Stream(r.rows))
			}
		})
	}
}

// TestConvergedIsCertified: whatever stops a run, it is said to have converged only if all
// certificates in its model reach the gap.
func TestConvergedIsCertified(t *testing.T) {
	t.Parallel()
	for name, r := range everyRun(t) {
		t.Run(name, func(t *testing.T) {
			testlevel.Sample(t, 4, 3)
			for _, most := range []int{1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 0} {
				if most > 0 && !testlevel.Reached(testlevel.EveryKind) && !testlevel.Drawn(fmt.Sprint(name, most), 3) {
					continue
				}
				o := r.o
				o.MaxIterations = most
				m, result := bigmkltest.TrainModel(t, datasettest.Stream(r.rows), o)
				worst, _ := m.Convergence().Worst()
				if converged := worst.RelativeGap <= o.Gap; (result.Status == chunking.Converged) != converged {
					t.Errorf("at most %d iterations: %s at a gap of %g, asked %g", most, result.Status, worst.RelativeGap, o.Gap)
				}
				if most == 0 && result.Status != chunking.Converged {
					t.Errorf("%s without a limit, at a gap of %g", result.Status, worst.RelativeGap)
				}
				if m.Folds == 0 {
					verifytest.MustVerify(t, &m.Model, datasettest.Stream(r.rows))
				}
			}
		})
	}
}

// TestInterruptedAnywhere: wherever a run is interrupted, its model holds what it claims, also if
// some classifiers have never begun.
func TestInterruptedAnywhere(t *testing.T) {
	t.Parallel()
	pieces := 8
	if testlevel.Reached(testlevel.ManyTimes) {
		pieces = 25
	}
	for name, r := range everyRun(t) {
		t.Run(name, func(t *testing.T) {
			testlevel.Sample(t, 6, 3)
			o := r.o
			counting := contexttest.NewCountdown(math.MaxInt64)
			if _, _, err := bigmkl.Train(counting, datasettest.Stream(r.rows), o); err != nil {
				t.Fatal(err)
			}
			asked := int(counting.Asked())
			if asked == 0 {
				t.Fatal("the run never looked at its context")
			}
			stride := max(1, asked/pieces)
			for at := int(testlevel.Seed % uint64(stride)); at < asked; at += stride {
				o.Scratch = t.TempDir()
				m, result, err := bigmkl.Train(contexttest.NewCountdown(int64(at+1)), datasettest.Stream(r.rows), o)
				if err != nil {
					if !errors.Is(err, context.Canceled) {
						t.Errorf("interrupted after %d of %d questions: %v", at, asked, err)
					}
					continue
				}
				if worst, _ := m.Convergence().Worst(); result.Status != chunking.Interrupted && (m.Folds > 0 || worst.RelativeGap > o.Gap) {
					t.Errorf("interrupted after %d of %d questions, and %s at a gap of %g", at, asked, result.Status, worst.RelativeGap)
				}
				verifytest.MustVerify(t, &m.Model, datasettest.Stream(r.rows))
			}
		})
	}
}

// TestClaimsOfSinglePrecision: single precision cannot resolve kernels that are nearly constant,
// nor any kernel at large costs. A run that ends there, in any way, claims nothing that double precision
// does not confirm.
func TestClaimsOfSinglePrecision(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 13), 150, 6)
	number := testlevel.Seed
	for _, kernels := range []string{"poly:2", "gauss:1e-7", "gauss:1e-7,linear", "gauss:1e-5..1/8", "linear,laplace:1e5", "poly:3..4"} {
		for _, most := range []int{0, 4} {
			for _, precision := range []string{"32", "auto"} {
				for _, p := range []float64{1, 4.0 / 3} {
					// Each list of kernels has eight cases, of which a plain run takes one or two.
					if number++; !testlevel.Reached(testlevel.EveryKind) && number%5 > 0 {
						continue
					}
					o := bigmkl.Options{Kernels: kernels, C: 1e5, Gap: 1e-3, Precision: precision, MaxIterations: most, Norm: p}
					m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
					verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
					if t.Failed() {
						t.Fatalf("%s, precision %s, p = %g, at most %d iterations: %s at a gap of %g", kernels, precision, p, most, r.Status, m.Certificate.RelativeGap)
					}
				}
			}
		}
	}
}
