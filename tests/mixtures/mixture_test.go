package mixtures

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify"
)

// TestMixtureAnswers: dual values of real data with all components observed, which others than this
// solver have found.
func TestMixtureAnswers(t *testing.T) {
	t.Parallel()
	rows := bigmkltest.FourFifths(t, "sonar", math.MaxInt)
	var observed []float64
	for i := range rows {
		observed = append(observed, float64(i%3+1))
	}
	for _, c := range []struct {
		entropy string
		cost    float64
		dual    float64
	}{
		{bigmkl.EntropyExact, 1, 407.9305}, {bigmkl.EntropyExact, 10, 1954.3788}, {bigmkl.EntropyDrop, 1, 246.92337}, {bigmkl.EntropyDrop, 10, 1189.6042},
	} {
		o := bigmkl.Options{Task: bigmkl.TaskMED, Kernels: "gauss:1,linear,poly:2", C: c.cost, Entropy: c.entropy, Observed: observed, Gap: 1e-6}
		if c.entropy == bigmkl.EntropyDrop {
			o.Solver = bigmkl.SolverSMO
			m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			if d := m.Certificate.Dual; math.Abs(d-c.dual) > 1.1e-6*c.dual {
				t.Errorf("%s by pairs, C = %g: dual %.9g, want %.9g", c.entropy, c.cost, d, c.dual)
			}
			o.Solver = ""
		}
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		if d := m.Certificate.Dual; math.Abs(d-c.dual) > 1.1e-6*c.dual || m.Certificate.Kind != bigmkltest.ProvenGap {
			t.Errorf("%s, C = %g: dual %.9g of kind %s, want %.9g", c.entropy, c.cost, d, m.Certificate.Kind, c.dual)
		}
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	}
}

// TestMixtureOfOne: one component a side is twice a support vector machine, in its value and in its
// decisions.
func TestMixtureOfOne(t *testing.T) {
	t.Parallel()
	rows := bigmkltest.FourFifths(t, "sonar", math.MaxInt)
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Task: bigmkl.TaskMED, Kernels: "gauss:1", C: 10, Gap: 1e-7})
	s, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "gauss:1", Norm: 2, Normalize: "spherical", C: 10, Gap: 1e-7})
	if d := m.Certificate.Dual; math.Abs(d-144.60779) > 2e-5 || math.Abs(d-2*s.Certificate.Dual) > 1e-6*d {
		t.Errorf("dual %.9g, that of the classifier %.9g", d, s.Certificate.Dual)
	}
	decisions := func(m *bigmkl.Model) (list []float64) {
		err := m.Predict(t.Context(), datasettest.Stream(rows), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
			list = append(list, p.Decision)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	own := decisions(s)
	for i, f := range decisions(m) {
		if math.Abs(f-2*own[i]) > 1e-3*(1+math.Abs(f)) {
			t.Fatalf("row %d: decision %g, that of the classifier %g", i+1, f, own[i])
		}
	}
}

// TestMixtureSlices: classes of four Gaussians each, in alternating places, are separated by two
// linear components a class only if these are trained to separate them.
func TestMixtureSlices(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 281001)
	var rows []dataset.Row
	for k := range 40 {
		y := float64(1 - 2*(k%2))
		x := []float64{y + 3*float64(1-k/2%2*2) + 0.3*rng.NormFloat64(), 6*float64(1-k/4%2*2) + 0.3*rng.NormFloat64()}
		rows = append(rows, dataset.Row{Label: fmt.Sprint(y), Index: []int32{0, 1}, Value: x})
	}
	// Mixtures of maximum likelihood see no other class, and pair places that lie in turn.
	for task, want := range map[string]int{bigmkl.TaskMED: len(rows), bigmkl.TaskMixture: len(rows) / 2} {
		o := bigmkl.Options{Task: task, Kernels: "linear", Components: "1,1/1,1", Normalize: "none", Restarts: 12}
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		right := 0
		err := m.Predict(t.Context(), datasettest.Stream(rows), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
			if p.Label == p.Known {
				right++
			}
			return nil
		})
		if err != nil || right != want {
			t.Errorf("task %s: %d of %d rows, %v", task, right, len(rows), err)
		}
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	}
}

// TestMixtureCurve: nonstationary combination separates classes above and below the curve min(x^2, 1), which no
// kernel of two does, and weighs the quadratic kernel where the curve bends.
func TestMixtureCurve(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 281004)
	var rows []dataset.Row
	for k := range 80 {
		x, shift := 6*rng.Float64()-3, 0.125+0.25*rng.Float64()
		label := "1"
		if k%2 == 1 {
			label, shift = "-1", -shift
		}
		rows = append(rows, dataset.Row{Label: label, Index: []int32{0, 1}, Value: []float64{x, min(x*x, 1) + shift}})
	}
	for _, entropy := range testlevel.Some(t, "", 1, []string{bigmkl.EntropyExact, bigmkl.EntropyDrop}) {
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Task: bigmkl.TaskMED, Kernels: "linear,poly:2", Normalize: "none", C: 1000, Entropy: entropy, Restarts: 3})
		right, at := 0, 0
		var weight, count [2]float64 // of the quadratic kernel within |x| < 1 and beyond
		err := m.Predict(t.Context(), datasettest.Stream(rows), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
			if p.Label == p.Known {
				right++
			}
			w, where := p.KernelWeights, 0
			if math.Abs(rows[at].Value[0]) >= 1 {
				where = 1
			}
			if len(w) != 4 || math.Abs(w[0]+w[1]-1) > 1e-12 || math.Abs(w[2]+w[3]-1) > 1e-12 {
				t.Errorf("%s, row %d: weights %v", entropy, at+1, w)
			}
			weight[where] += (w[1] + w[3]) / 2
			count[where]++
			at++
			return nil
		})
		within, beyond := weight[0]/count[0], weight[1]/count[1]
		t.Logf("%s: %d of %d rows, the quadratic kernel weighs %.3f within and %.3f beyond", entropy, right, len(rows), within, beyond)
		if err != nil || right != len(rows) || entropy == bigmkl.EntropyDrop && (within < 0.6 || beyond > 0.4) {
			t.Errorf("%s: %d of %d rows, weights %g and %g, %v", entropy, right, len(rows), within, beyond, err)
		}
	}
}

// TestMixtureHasTheSameBits: whatever the threads, the memory and the cache.
func TestMixtureHasTheSameBits(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.ManyTimes) // The table of tests/bits has its kind.
	rows := datasettest.Clusters(datasettest.Random(t, 281000), 130, 5, 2, false)
	for _, o := range []bigmkl.Options{
		{Normalize: "spherical", Entropy: bigmkl.EntropyDrop, Solver: bigmkl.SolverSMO},
		{Normalize: "spherical"}, {Normalize: "multiplicative", Entropy: bigmkl.EntropyDrop}, {Normalize: "none", Precision: "32", Gap: 1e-2},
		{Store: dataset.LayoutSparse, Components: "1,2,2/3", ClassWeight: map[string]float64{"1": 2}},
	} {
		o.Task, o.Kernels, o.C, o.Restarts, o.Rounds, o.Seed = bigmkl.TaskMED, "gauss:auto,linear,poly:2@1-3", 5, 3, 2, 9
		bigmkltest.SameBits(t, rows, o, bigmkltest.Ample)
		o.Task, o.C, o.Entropy, o.ClassWeight, o.Rounds, o.Gap, o.Solver = bigmkl.TaskMixture, 0, "", nil, 0, 1e-2, ""
		bigmkltest.SameBits(t, rows, o, bigmkltest.Ample)
	}
}

// TestMixtureOptions: what does not go with task med is rejected before the training.
func TestMixtureOptions(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 281002), 40, 3)
	three := datasettest.Clusters(datasettest.Random(t, 281003), 60, 3, 3, false)
	for name, c := range map[string]struct {
		rows []dataset.Row
		o    bigmkl.Options
		want error
	}{
		"three classes":       {three, bigmkl.Options{}, fail.Input},
		"no such kernel":      {rows, bigmkl.Options{Components: "1/3"}, fail.Usage},
		"an empty side":       {rows, bigmkl.Options{Components: "1/"}, fail.Usage},
		"one side":            {rows, bigmkl.Options{Components: "1"}, fail.Usage},
		"kernel 0":            {rows, bigmkl.Options{Components: "0/1"}, fail.Usage},
		"too many to drop":    {rows, bigmkl.Options{Kernels: "gauss:1..9/8", Entropy: bigmkl.EntropyDrop}, fail.Usage},
		"another entropy":     {rows, bigmkl.Options{Entropy: "some"}, fail.Usage},
		"no restarts":         {rows, bigmkl.Options{Restarts: -1}, fail.Usage},
		"no rounds":           {rows, bigmkl.Options{Rounds: -1}, fail.Usage},
		"few observed":        {rows, bigmkl.Options{Observed: []float64{1, 2}}, fail.Input},
		"observed in between": {rows, bigmkl.Options{Observed: []float64{0.5}}, fail.Usage},
		"observed beyond":     {rows, bigmkl.Options{Observed: append([]float64{3}, make([]float64, 39)...)}, fail.Input},
		"a norm":              {rows, bigmkl.Options{Norm: 1}, fail.Usage},
		"a net":               {rows, bigmkl.Options{Regularizer: bigmkl.Regularizer{ElasticNet: 0.5}}, fail.Usage},
		"importance":          {rows, bigmkl.Options{Kernels: "gauss:1 prior=2,linear"}, fail.Usage},
		"several classifiers": {rows, bigmkl.Options{Multiclass: bigmkl.OneVsRest}, fail.Usage},
		"another solver":      {rows, bigmkl.Options{Solver: bigmkl.SolverWrapper}, fail.Usage},
		"gates":               {rows, bigmkl.Options{Gating: "regions:2"}, fail.Usage},
		"probabilities":       {rows, bigmkl.Options{Folds: 3}, fail.Usage},
		"posteriors":          {rows, bigmkl.Options{Posteriors: bigmkl.Posteriors{Neighbours: 3}}, fail.Usage},
		"missing views":       {rows, bigmkl.Options{Missing: "empty"}, fail.Usage},
		"pairs with entropy":  {rows, bigmkl.Options{Solver: bigmkl.SolverSMO}, fail.Usage},
		"pairs in 32 bits":    {rows, bigmkl.Options{Solver: bigmkl.SolverSMO, Entropy: bigmkl.EntropyDrop, Precision: "32"}, fail.Usage},
		"pairs of a class":    {rows, bigmkl.Options{Task: bigmkl.TaskClass, Solver: bigmkl.SolverSMO}, fail.Usage},
		"pairs of likelihood": {rows, bigmkl.Options{Task: bigmkl.TaskMixture, Solver: bigmkl.SolverSMO}, fail.Usage},
		"a likelihood's C":    {rows, bigmkl.Options{Task: bigmkl.TaskMixture, C: 2}, fail.Usage},
		"its entropy":         {rows, bigmkl.Options{Task: bigmkl.TaskMixture, Entropy: bigmkl.EntropyExact}, fail.Usage},
		"its class weights":   {rows, bigmkl.Options{Task: bigmkl.TaskMixture, ClassWeight: map[string]float64{"1": 2}}, fail.Usage},
		"its norm":            {rows, bigmkl.Options{Task: bigmkl.TaskMixture, Norm: 1}, fail.Usage},
		"its components":      {rows, bigmkl.Options{Task: bigmkl.TaskMixture, Components: "1/3"}, fail.Usage},
		"what it observed":    {rows, bigmkl.Options{Task: bigmkl.TaskMixture, Observed: append([]float64{3}, make([]float64, 39)...)}, fail.Input},
	} {
		if c.o.Task == "" {
			c.o.Task = bigmkl.TaskMED
		}
		if c.o.Kernels == "" {
			c.o.Kernels = "gauss:1,linear"
		}
		if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(c.rows), c.o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	for _, o := range []bigmkl.Options{{Components: "1/1"}, {Entropy: bigmkl.EntropyDrop}, {Restarts: 2}, {Rounds: 3}, {Observed: []float64{1}}} {
		if err := o.Validate(); !errors.Is(err, fail.Usage) {
			t.Errorf("task class with what is of components: %v", err)
		}
	}
}

// TestMixtureOfSinglePrecision: what a run in single precision claims is what double precision gives,
// for gaps that rounding hides and for those that it does not.
func TestMixtureOfSinglePrecision(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 274002), 100, 5)
	for i := range rows {
		for j := range rows[i].Value {
			rows[i].Value[j] = 3*rows[i].Value[j] + 40
		}
	}
	for at, gap := range []float64{1e-3, 1e-6, 1e-7} {
		o := bigmkl.Options{Task: bigmkl.TaskMED, Kernels: "gauss:auto/6,linear", Components: "4,2/7,6", Entropy: bigmkl.EntropyDrop, C: 3,
			Gap: gap, Precision: "32", Restarts: 1, Rounds: 2, Scale: []string{"none", "global", "global"}[at], Normalize: []string{"multiplicative", "none", "none"}[at]}
		m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
		t.Logf("gap %g: %s at %g", gap, r.Status, m.Certificate.RelativeGap)
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	}
	// The factors of linear kernels belong to features around a mean that single precision can represent.
	o := bigmkl.Options{Task: bigmkl.TaskMED, Kernels: "linear@each-feature,sigmoid:0.1:1@1-2", Components: "1,6/2,3", C: 1, Gap: 1e-3, Precision: "64",
		Restarts: 2, Rounds: 1, Scale: "standard", MaxIterations: 60, Seed: 655}
	m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
	r, err := verify.Run(t.Context(), &m.Model, datasettest.Stream(rows), verify.Options{})
	if err != nil || len(r.Faults) > 0 {
		t.Errorf("%v %q", err, r.Faults)
	}
}

// TestMixtureOfIndefiniteKernels: where w'Kw is below 0 it counts as it is on both sides of the certificate.
func TestMixtureOfIndefiniteKernels(t *testing.T) {
	t.Parallel()
	rows := bigmkltest.Magnitudes(datasettest.Clouds(datasettest.Random(t, 285008), 90, 20))
	for _, o := range []bigmkl.Options{
		{Kernels: "sigmoid:0.2:0", C: 5, Entropy: bigmkl.EntropyDrop, Components: "1,1/1"},
		{Kernels: "sigmoid:1:0", C: 0.1, Entropy: bigmkl.EntropyDrop},
		{Kernels: "sigmoid:1:0", C: 5},
	} {
		o.Task, o.Scale, o.Precision, o.Restarts, o.Rounds, o.MaxIterations = bigmkl.TaskMED, "minmax", "64", 1, 4, 20
		m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	}
}

// TestMixtureResumes: a run that was interrupted anywhere, in any start, and resumed has the bytes of the
// one that was not. A run that is over is made of its checkpoint alone.
func TestMixtureResumes(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.ManyTimes) // The table of tests/bits has its kind.
	rng := datasettest.Random(t, 274001)
	rows := datasettest.Clouds(rng, 200, 5)
	for _, o := range []bigmkl.Options{
		{Task: bigmkl.TaskMED, Kernels: "gauss:auto/3,linear", C: 1, Restarts: 3, Rounds: 4, Cache: cache.Never},
		{Task: bigmkl.TaskMED, Kernels: "gauss:auto,poly:2", C: 5, Restarts: 2, Rounds: 3, Entropy: bigmkl.EntropyDrop, Precision: "64", Normalize: "none"},
		{Task: bigmkl.TaskMED, Kernels: "gauss:auto/2", C: 1, Restarts: 2, Rounds: 3, Precision: "32", Gap: 1e-4},
		{Task: bigmkl.TaskMED, Kernels: "gauss:auto,linear", C: 20, Restarts: 2, Rounds: 4, Entropy: bigmkl.EntropyDrop, Solver: bigmkl.SolverSMO, Gap: 1e-5},
		{Task: bigmkl.TaskMixture, Kernels: "gauss:auto/2,linear", Restarts: 3, Rounds: 6, Gap: 1e-5},
		{Task: bigmkl.TaskMixture, Kernels: "gauss:auto,poly:2", Restarts: 2, Precision: "32", Normalize: "none"},
	} {
		m, whole := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
		want, total := bigmkltest.Encoded(t, m), whole.Iterations
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		for at := 1; at < total; at += max(1, total/max(4, testlevel.Repeats(4, 25))) {
			r := bigmkltest.Resumable(t, o)
			ctx, cancel := context.WithCancel(t.Context())
			seen := 0
			r.Recorder = bigmkltest.Recorder(func(bigmkl.Event) error {
				if seen++; seen == at {
					cancel()
				}
				return nil
			})
			_, first, err := bigmkl.Train(ctx, datasettest.Stream(rows), r)
			if err != nil {
				t.Fatal(err)
			}
			if first.Status != chunking.Interrupted {
				t.Fatalf("%s after %d of %d chunks", first.Status, at, total)
			}
			r.Resume, r.Recorder = true, nil
			other := r
			other.Rounds++
			if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), other); !errors.Is(err, fail.Version) {
				t.Errorf("a run of more rounds: %v", err)
			}
			r.Threads, r.Cache = 1+rng.IntN(3), bigmkltest.Pick(rng, cache.Auto, cache.Always, cache.Never)
			m, result := bigmkltest.TrainModel(t, datasettest.Stream(rows), r)
			if !bytes.Equal(bigmkltest.Encoded(t, m), want) || result.Iterations != total {
				t.Errorf("another model after an interrupt at chunk %d of %d: %s, %d chunks", at, total, result.Status, result.Iterations)
			}
			m, result = bigmkltest.TrainModel(t, datasettest.Stream(rows), r)
			if !bytes.Equal(bigmkltest.Encoded(t, m), want) || result.Gradient.Passes != 0 || result.Iterations != total {
				t.Errorf("another model of a run that is over, or %d passes to make it", result.Gradient.Passes)
			}
		}
	}
}
