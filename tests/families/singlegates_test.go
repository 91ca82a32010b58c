package families

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/gating"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/bigmkltest"
)

// TestSingleOfTwoWithGates: gates that one classifier for two classes has learned equal the gates of the classifier for two, of which
// it has twice the objective and half of the function.
func TestSingleOfTwoWithGates(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 284030), 100, 4, 2, false)
	for _, form := range []string{"softmax", "sigmoid", "gauss", "regions:3"} {
		for _, p := range []float64{2, 4.0 / 3} {
			t.Run(fmt.Sprintf("%s/%.3g", form, p), func(t *testing.T) {
				testlevel.Sample(t, 3, 1)
				o := bigmkl.Options{Multiclass: bigmkl.SingleClassifier, Kernels: "gauss:auto,linear", Gating: form, Norm: p, C: 0.5, Gap: 1e-6, Precision: "64"}
				if form != "regions:3" {
					o.Kernels += " copies=2"
				}
				m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
				bigmkltest.MustVerifyGated(t, m, rows, "")
				// Regions have a gate each, for every kernel; gates that are learned have one each.
				kernels, gates := m.Len(), [][]float64(nil)
				for _, q := range bigmkltest.Predictions(t, m, rows) {
					var own []float64
					for k := range kernels {
						own = append(own, q.Gates[k*len(q.Gates)/kernels])
					}
					gates = append(gates, own)
				}
				file := bigmkltest.WriteArray(t, gates)
				two := o
				two.Multiclass, two.Gating, two.Kernels = "", "fixed:"+file, "gauss:auto,linear,linear"
				if form == "regions:3" {
					two.Kernels = "gauss:auto,linear,gauss:auto,linear,gauss:auto,linear"
				}
				want, _ := bigmkltest.Converge(t, datasettest.Stream(rows), two)
				bigmkltest.MustVerifyGated(t, want, rows, file)
				if x, y := m.Certificate.Dual, 2*want.Certificate.Dual; math.Abs(x-y) > 1e-5*y {
					t.Errorf("a dual value of %.9g, twice that of two is %.9g", x, y)
				}
				for k, x := range m.Shared() {
					if math.Abs(x-want.Theta[k]) > 5e-3 {
						t.Errorf("theta %d is %.4f, of the classifier for two %.4f", k+1, x, want.Theta[k])
					}
				}
			})
		}
	}
}

// TestSingleWithGates: gates of one classifier for more classes, learned or given, verify and have the same bytes whatever
// the threads, the memory and the cache; gates that are learned lower the objective, and gates of 1 leave it.
func TestSingleWithGates(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 284031), 300, 5, 4, false)
	rng := datasettest.Random(t, 284032)
	given, ones := make([][]float64, len(rows)), make([][]float64, len(rows))
	for i := range given {
		given[i] = []float64{rng.Float64(), max(0, 2*rng.Float64()-1), 1}
		ones[i] = []float64{1, 1, 1}
	}
	table := map[string]bigmkl.Options{
		"softmax":          {Kernels: "gauss:auto,linear copies=2", Gating: "softmax", GateFloor: 1e-2},
		"sigmoid, p = 4/3": {Kernels: "gauss:auto/2 gate=a,linear", Gating: "sigmoid", Norm: 4.0 / 3, GateDecay: 1e-3},
		"gauss, 32":        {Kernels: "gauss:auto,poly:2", Gating: "gauss", GateOn: "1-3", Precision: "32", Starts: 2},
		"regions":          {Kernels: "gauss:auto,linear", Gating: "regions:3", GateOn: "pca:2"},
		"fixed, p = 1":     {Kernels: "gauss:auto,linear,poly:2", Gating: "fixed:" + bigmkltest.WriteArray(t, given), Norm: 1},
		"knn":              {Kernels: "gauss:auto,linear", Gating: "softmax", Posteriors: bigmkl.Posteriors{Neighbours: 9}},
	}
	for name, o := range table {
		t.Run(name, func(t *testing.T) {
			bigmkltest.NameInTurn(t, table, name, 6)
			o.Multiclass, o.GateTol, o.Tuning = bigmkl.SingleClassifier, 2e-2, chunking.Tuning{WorkingSet: 128}
			if o.Gating[:5] == "fixed" {
				m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
				bigmkltest.MustVerifyGated(t, m, rows, o.Gating[len("fixed:"):])
				one, plain := o, o
				one.Gating, plain.Gating, plain.GateTol = "fixed:"+bigmkltest.WriteArray(t, ones), "", 0
				a, _ := bigmkltest.Converge(t, datasettest.Stream(rows), one)
				b, _ := bigmkltest.Converge(t, datasettest.Stream(rows), plain)
				if x, y := a.Certificate.Dual, b.Certificate.Dual; math.Abs(x-y) > 1.1e-3*y {
					t.Errorf("a dual value of %.9g with gates of 1, and %.9g without", x, y)
				}
				return
			}
			m, _ := bigmkltest.InRegimes(t, rows, o, bigmkltest.Tight)
			bigmkltest.MustVerifyGated(t, m, rows, "")
			if g := m.Family.Gates(); g.Learned() && (g.Steps < 1 || g.Sets() != 1 || !(g.Stationarity > 0)) {
				t.Errorf("%d steps of %d sets, stationary to %g", g.Steps, g.Sets(), g.Stationarity)
			}
		})
	}
}

// TestResumeOfSingleWithGates: a descent of one classifier for all classes that was interrupted anywhere goes on to the same
// bytes.
func TestResumeOfSingleWithGates(t *testing.T) {
	rng := datasettest.Random(t, 284033)
	rows := datasettest.Clusters(rng, 250, 4, 3, false)
	o := bigmkl.Options{Multiclass: bigmkl.SingleClassifier, Kernels: "gauss:auto,linear copies=2", Gating: "softmax", GateTol: 2e-2, GateFloor: 1e-2, Starts: 2,
		Cache: cache.Never, Tuning: chunking.Tuning{WorkingSet: 64}}
	m, whole := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	want, total := bigmkltest.Encoded(t, m), whole.Iterations
	for at := 1; at < total; at += max(1, total/testlevel.Repeats(6, 40)) {
		r := bigmkltest.Resumable(t, o)
		bigmkltest.InterruptedAfter(t, rows, r, at)
		r.Resume = true
		r.Threads, r.Cache = 1+rng.IntN(3), bigmkltest.Pick(rng, cache.Auto, cache.Always, cache.Never)
		m, result := bigmkltest.Converge(t, datasettest.Stream(rows), r)
		if !bytes.Equal(bigmkltest.Encoded(t, m), want) || result.Iterations != total {
			t.Errorf("another model after an interrupt at iteration %d of %d: %d iterations", at, total, result.Iterations)
		}
	}
}

// TestSlopesOfSingle: the slope by the parameters of gates is the sum of the slopes of all columns: the central differences of the
// optimum, where each value is a training.
func TestSlopesOfSingle(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 284034)
	const n, d, classes = 60, 2, 3
	rows := datasettest.Clusters(rng, n, d, classes, false)
	x, own := make([][]float64, n), []func(x, z []float64) float64{bigmkltest.LinearValue, bigmkltest.Gaussian(0.5)}
	for i, r := range rows {
		x[i] = make([]float64, d)
		for e, j := range r.Index {
			x[i][j] = r.Value[e]
		}
	}
	for _, form := range []string{"softmax", "sigmoid", "gauss"} {
		t.Run(form, func(t *testing.T) {
			f, err := gating.ParseForm(form)
			if err != nil {
				t.Fatal(err)
			}
			l := &gating.Learned{Form: f, Features: d, Parameters: make([]float64, len(own)*(d+1))}
			for k := range l.Parameters {
				l.Parameters[k] = 0.7 * rng.NormFloat64()
			}
			eta := make([][]float64, n)
			train := func() (*bigmkl.Model, float64) {
				for i := range eta {
					eta[i] = make([]float64, len(own))
					l.Values(x[i], eta[i])
				}
				o := bigmkl.Options{Multiclass: bigmkl.SingleClassifier, Kernels: "linear,gauss:0.5", Normalize: "none", Norm: 4.0 / 3, C: 2, Gap: 1e-9, Precision: "64",
					Gating: "fixed:" + bigmkltest.WriteArray(t, eta)}
				m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
				return m, (m.Certificate.Primal + m.Certificate.Dual) / 2
			}
			m, value := train()
			bigmkltest.MustVerifyGated(t, m, rows, bigmkltest.WriteArray(t, eta))
			slope, byGate := make([]float64, len(l.Parameters)), make([]float64, len(own))
			alpha := make([][]float64, classes)
			for c, a := range m.Classifiers {
				alpha[c] = make([]float64, n)
				for s, at := range a.Support {
					alpha[c][m.Support[at]] = a.Alpha[s]
				}
			}
			for i := range x {
				for k := range own {
					byGate[k] = 0
					for c := range alpha {
						u := 0.0
						for j := range x {
							u += alpha[c][j] * eta[j][k] * own[k](x[i], x[j])
						}
						byGate[k] -= m.Shared()[k] * alpha[c][i] * eta[i][k] * u
					}
				}
				l.AddSlope(x[i], eta[i], byGate, slope)
			}
			size := math.Abs(slices.MaxFunc(slope, func(a, b float64) int { return int(math.Copysign(1, math.Abs(a)-math.Abs(b))) }))
			start := slices.Clone(l.Parameters)
			for k, along := range bigmkltest.Directions(rng, len(start)) {
				const h = 1e-4
				at := func(step float64) float64 {
					for j := range start {
						l.Parameters[j] = start[j] + step*along[j]
					}
					_, value := train()
					return value
				}
				want := 0.0
				for j, s := range slope {
					want += s * along[j]
				}
				if difference := (at(h) - at(-h)) / (2 * h); !(math.Abs(difference-want) <= 1e-4*size) {
					t.Errorf("direction %d: the slope is %.9g, the difference %.9g of %.6g", k, want, difference, value)
				}
			}
		})
	}
}
