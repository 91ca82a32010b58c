package families

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/projection"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify"
)

// mustVerifyProjected fails unless verify finds the model to be what it claims.
func mustVerifyProjected(t testing.TB, m *bigmkl.Model, rows []dataset.Row) {
	t.Helper()
	r, err := verify.Run(context.Background(), &m.Model, datasettest.Stream(rows), verify.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Faults) > 0 {
		t.Fatalf("%s", strings.Join(r.Faults, "; "))
	}
}

// TestSlopesOfProjections: the derivative of the optimum along a random direction is its central
// difference, where each value is a training on a matrix of values in double precision.
func TestSlopesOfProjections(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 285001)
	const n, d = 50, 5
	number := 0
	x, rows := make([][]float64, n), make([]dataset.Row, n)
	index := []int32{0, 1, 2, 3, 4}
	for i := range rows {
		x[i] = make([]float64, d)
		for j := range x[i] {
			x[i][j] = rng.NormFloat64()
		}
		y := x[i][0]*x[i][1] + x[i][2] + 0.3*rng.NormFloat64()
		rows[i] = dataset.Row{Index: index, Value: x[i], Label: map[bool]string{true: "1", false: "-1"}[y > 0], Target: y}
	}
	for _, kernel := range []struct {
		text  string
		value func(x, z []float64) float64
	}{
		{"proj(gauss:0.3,2)", bigmkltest.Gaussian(0.3)}, {"proj(gauss:0.2,diag)", bigmkltest.Gaussian(0.2)},
		{"proj(poly:2,2)", func(x, z []float64) float64 { return math.Pow(bigmkltest.LinearValue(x, z)+1, 2) }},
		{"proj(poly:3,1)", func(x, z []float64) float64 { return math.Pow(bigmkltest.LinearValue(x, z)+1, 3) }},
	} {
		for _, task := range []string{bigmkl.TaskClass, bigmkl.TaskSVR, bigmkl.TaskSquare, bigmkl.TaskOneClass} {
			for _, p := range []float64{2, 4.0 / 3} {
				number++
				t.Run(fmt.Sprintf("%s/%s/%g", strings.ReplaceAll(kernel.text, ",", " "), task, p), func(t *testing.T) {
					bigmkltest.InTurn(t, number, 3)
					f, err := projection.Parse(kernel.text)
					if err != nil {
						t.Fatal(err)
					}
					a := f.Start(d, 7, 0)
					along := make([]float64, len(a))
					for k := range along {
						along[k] = rng.NormFloat64()
					}
					at := func(step float64) (*projection.Matrix, *bigmkl.Model, float64) {
						moved := make([]float64, len(a))
						for k := range a {
							moved[k] = a[k] + step*along[k]
						}
						w, ok := f.Make(moved)
						if !ok {
							t.Fatal("no matrix")
						}
						of := &model.Projection{Features: d, Columns: f.Columns, W: w.W}
						z, values := make([][]float64, n), make([][]float64, n)
						for i := range z {
							z[i] = make([]float64, f.Width(d))
							of.Project(index, x[i], z[i])
						}
						for i := range values {
							values[i] = make([]float64, n)
							for k := range z {
								values[i][k] = kernel.value(z[i], z[k])
							}
						}
						o := bigmkl.Options{Task: task, Kernels: "precomputed:" + bigmkltest.WriteArray(t, values), Normalize: "none", Norm: p, C: 2,
							Gap: 1e-12, Precision: "64", Threads: 2, Solver: bigmkl.SolverChunking}
						m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
						if m.Certificate.RelativeGap > 1e-7 {
							t.Fatalf("a gap of %.3g", m.Certificate.RelativeGap)
						}
						return w, m, (m.Certificate.Primal + m.Certificate.Dual) / 2
					}
					w, m, j := at(0)
					of := &model.Projection{Features: d, Columns: f.Columns, W: w.W}
					width := f.Width(d)
					var sx, sz []float64
					for _, i := range m.Support {
						z := make([]float64, width)
						of.Project(index, x[i], z)
						sx, sz = append(sx, x[i]...), append(sz, z...)
					}
					g, err := f.Slope(context.Background(), d, sx, sz, m.Alpha, m.Theta[0])
					if err != nil {
						t.Fatal(err)
					}
					w.Tangent(g)
					w.Back(g)
					slope, size := 0.0, 0.0
					for k, s := range g {
						slope += s * along[k]
						size += s * s
					}
					const step = 2e-5
					_, _, above := at(step)
					_, _, below := at(-step)
					central := (above - below) / (2 * step)
					if scale := math.Sqrt(size) + 1e-3*math.Abs(j); !(math.Abs(central-slope) <= 1e-4*scale) {
						t.Errorf("the slope is %.9g, the central difference %.9g, of length %.3g, at %.9g, gap %.3g", slope, central, scale, j, m.Certificate.RelativeGap)
					}
				})
			}
		}
	}
}

// ring draws rows whose class follows from their length in two of d directions, which it returns.
func ring(t testing.TB, seed uint64, n, d int) ([]dataset.Row, []float64) {
	rng := datasettest.Random(t, seed)
	f := &projection.Form{Columns: 2}
	q, ok := f.Make(f.Start(d, seed, 0))
	if !ok {
		t.Fatal("no directions")
	}
	of := &model.Projection{Features: d, Columns: 2, W: q.W}
	rows, z := make([]dataset.Row, n), make([]float64, 2)
	for i := range rows {
		r := dataset.Row{Label: "-1"}
		for j := range d {
			r.Index, r.Value = append(r.Index, int32(j)), append(r.Value, math.Round(rng.NormFloat64()*1e5)/1e5)
		}
		of.Project(r.Index, r.Value, z)
		if z[0]*z[0]+z[1]*z[1] > 1.386 {
			r.Label = "1"
		}
		rows[i] = r
	}
	return rows, q.W
}

// TestProjectionOfARing: the directions of a ring are found, and the model is the same for any number
// of threads and in its file.
func TestProjectionOfARing(t *testing.T) {
	t.Parallel()
	testlevel.Sample(t, 4, 2)
	rows, _ := ring(t, 285002, 500, 6)
	o := bigmkl.Options{Kernels: "proj(gauss:0.5,2)", Starts: 3, GateTol: 1e-3, Threads: 1}
	m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows[:300]), o)
	mustVerifyProjected(t, m, rows[:300])
	o.Threads, o.Memory = 2, 1<<30
	again, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows[:300]), o)
	if a, b := bigmkltest.Encoded(t, m), bigmkltest.Encoded(t, again); string(a) != string(b) {
		t.Error("threads or memory changed the model")
	}
	path := filepath.Join(t.TempDir(), "m")
	if err := m.Save(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	opened, err := bigmkl.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	right := 0
	err = opened.Predict(context.Background(), datasettest.Stream(rows[300:]), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
		if (p.Decision > 0) == (p.Label == m.Positive) {
			right++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if right < 185 {
		t.Errorf("%d of 200 rows are right after %d iterations, stationary to %.3g", right, r.Iterations, m.Family.Projection().Stationarity)
	}
}

// TestProjectedBank: several kernels on projected features and others beside them, and several
// classifiers with one projection, agree with verify. Scaled features equal the features of rows
// that were scaled beforehand.
func TestProjectedBank(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 285004)
	two, _ := ring(t, 285005, 70, 5)
	var three []dataset.Row
	for range 70 {
		r := dataset.Row{Label: fmt.Sprint(rng.IntN(3)), Index: []int32{0, 1, 2, 3}}
		for range r.Index {
			r.Value = append(r.Value, 3*rng.NormFloat64()+5)
		}
		r.Value[rng.IntN(2)] += float64(2 * (r.Label[0] - '0'))
		three = append(three, r)
	}
	for _, c := range []struct {
		name string
		rows []dataset.Row
		o    bigmkl.Options
	}{
		{"two", two, bigmkl.Options{Kernels: "proj(gauss:0.4,2),proj(gauss:0.1,1)", Norm: 1}},
		{"equal", two, bigmkl.Options{Kernels: "proj(gauss:0.4,1),proj(gauss:0.4,1)", Norm: 2}},
		{"others", two, bigmkl.Options{Kernels: "linear@1-3,proj(poly:2,2),gauss:auto,proj(gauss:0.2,diag)", Norm: 4. / 3, C: 3}},
		{"spherical", two, bigmkl.Options{Kernels: "proj(gauss:0.4,2),poly:2", Normalize: "spherical", Norm: 2}},
		{"scaled", three, bigmkl.Options{Kernels: "proj(gauss:0.4,2)", Scale: "standard", Positive: []string{"1"}}},
		{"minmax", three, bigmkl.Options{Kernels: "proj(poly:2,2),linear", Scale: "minmax", Positive: []string{"1"}}},
		{"global", three, bigmkl.Options{Kernels: "proj(poly:2,2)", Scale: "global", Positive: []string{"1"}}},
		{"ovr", three, bigmkl.Options{Kernels: "proj(gauss:0.4,2),linear", Scale: "standard", Multiclass: "ovr", OneGate: true}},
		{"ovo", three, bigmkl.Options{Kernels: "proj(gauss:0.4,2)", Scale: "standard", Multiclass: "ovo", OneGate: true}},
		{"softmax", two, bigmkl.Options{Kernels: "proj(gauss:0.4,2),proj(poly:2,1)", Gating: "softmax"}},
		{"sigmoid", two, bigmkl.Options{Kernels: "proj(gauss:0.4,2),linear copies=2,gauss:auto", Gating: "sigmoid", Scale: "standard", Norm: 4. / 3, GateDecay: 1e-2, Positive: []string{"1"}}},
		{"gauss", two, bigmkl.Options{Kernels: "proj(gauss:0.4,2),proj(gauss:0.2,diag)", Gating: "gauss", GateOn: "1-3", GateFloor: 0.05, Starts: 2}},
		{"linear gates", two, bigmkl.Options{Kernels: "proj(linear,2)", Gating: "sigmoid"}},
		{"gates of ovr", three, bigmkl.Options{Kernels: "proj(gauss:0.4,2),linear", Gating: "softmax", Multiclass: "ovr", OneGate: true}},
		{"shared gates", three, bigmkl.Options{Kernels: "gauss:auto,linear copies=2", Gating: "softmax", Multiclass: "ovr", OneGate: true, Scale: "standard"}},
		{"shared gates of pairs", three, bigmkl.Options{Kernels: "gauss:0.1,linear", Gating: "sigmoid", Multiclass: "ovo", OneGate: true, GateOn: "pca:2", GateFloor: 0.1}},
		{"linear", three, bigmkl.Options{Kernels: "proj(linear,2)", Scale: "standard", Multiclass: "ovr", OneGate: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			testlevel.Sample(t, 6, 2)
			c.o.GateTol, c.o.Threads = 0.1, 2
			m, r := bigmkltest.TrainModel(t, datasettest.Stream(c.rows), c.o)
			mustVerifyProjected(t, m, c.rows)
			mustBeAtMargin(t, m, c.rows, cmp.Or(c.o.C, 1))
			if r.Iterations < 1 {
				t.Errorf("%d iterations", r.Iterations)
			}
			if p := m.Family.Projection(); p != nil && p.Steps < 1 {
				t.Errorf("%d steps of a projection", p.Steps)
			}
			if g := m.Family.Gates(); (g != nil) != (c.o.Gating != "") || g != nil && g.Steps < 1 {
				t.Errorf("gates %+v", g)
			}
			if c.o.Scale == "" || c.o.Gating != "" {
				return
			}
			s, d := *m.Input().Scaling(), m.Input().Features()
			var scaled []dataset.Row
			for _, row := range c.rows {
				dense := make([]float32, d)
				if err := s.Dense(row, dense); err != nil {
					t.Fatal(err)
				}
				row.Value = nil
				for _, x := range dense {
					row.Value = append(row.Value, float64(x))
				}
				scaled = append(scaled, row)
			}
			c.o.Scale = ""
			plain, _ := bigmkltest.TrainModel(t, datasettest.Stream(scaled), c.o)
			if !slices.Equal(plain.Family.Projection().W, m.Family.Projection().W) || !slices.Equal(plain.Alpha, m.Alpha) ||
				plain.Fingerprint != m.Fingerprint {
				t.Error("scaled features gave another model than rows that were scaled")
			}
		})
	}
}

// mustBeAtMargin fails unless the decision values of the model, from its file, are near 1 and -1 at support
// vectors of two classes whose dual variables lie between their bounds.
func mustBeAtMargin(t *testing.T, m *bigmkl.Model, rows []dataset.Row, cost float64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m")
	if err := m.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	opened, err := bigmkl.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if m.Several() {
		return
	}
	f := bigmkltest.Decisions(t, opened, rows, bigmkl.PredictOptions{})
	free := 0
	for s, i := range m.Support {
		a := math.Abs(m.Alpha[s])
		if a < 0.05*cost || a > 0.95*cost {
			continue
		}
		free++
		if margin := f[i] * math.Copysign(1, m.Alpha[s]); math.Abs(margin-1) > 0.1 {
			t.Errorf("row %d has a margin of %.3g at alpha = %.3g", i+1, margin, m.Alpha[s])
		}
	}
	if free == 0 {
		t.Error("no dual variable between its bounds")
	}
}

// TestDirections: the function of a model of linear kernels with gates is the sum of what its kernels see of a row
// along their directions, times gates and lengths of w.
func TestDirections(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 285009), 150, 5)
	o := bigmkl.Options{Kernels: "linear copies=2,linear@1-3", Gating: "softmax", Norm: 2, Normalize: "none", Scale: "standard", GateTol: 1e-2}
	m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
	list, err := m.Directions(1 << 30)
	if err != nil || len(list) != 3 {
		t.Fatalf("%d directions, %v", len(list), err)
	}
	x, at := make([]float32, m.Features), 0
	err = m.Predict(t.Context(), datasettest.Stream(rows), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
		if err := m.Scaling.Dense(rows[at], x); err != nil {
			return err
		}
		sum := m.Bias
		for k, d := range list {
			sum += m.WNorms[k] * p.Gates[d.Gate] * d.Of(x)
		}
		if math.Abs(sum-p.Decision) > 1e-4*(1+math.Abs(sum)) {
			t.Errorf("row %d: %.9g along the directions, %.9g by the model", at+1, sum, p.Decision)
		}
		at++
		return nil
	})
	if err != nil || at != len(rows) {
		t.Fatalf("%d rows, %v", at, err)
	}
	plain, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "linear"})
	if _, err := plain.Directions(1 << 30); !errors.Is(err, fail.Usage) {
		t.Errorf("directions of a model without gates: %v", err)
	}
}

// TestProjectionResumes: a run that was interrupted anywhere, in any trial of any start, and resumed has
// the bytes of the one that was not, and so has one that continues from its end.
func TestProjectionResumes(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.ManyTimes) // The table of tests/bits has its kind.
	rng := datasettest.Random(t, 285006)
	rows, _ := ring(t, 285007, 150, 5)
	classes := datasettest.Clusters(rng, 90, 4, 3, false)
	for _, c := range []struct {
		rows []dataset.Row
		o    bigmkl.Options
	}{
		{rows, bigmkl.Options{Kernels: "proj(gauss:0.4,2)", Starts: 3, GateTol: 0.1}},
		{rows, bigmkl.Options{Kernels: "proj(gauss:0.4,2),linear,proj(poly:2,1)", Scale: "standard", Norm: 4. / 3, GateTol: 0.1, Gap: 1e-5}},
		{rows, bigmkl.Options{Kernels: "proj(gauss:0.4,2)", GateSteps: 2}},
		{classes, bigmkl.Options{Kernels: "proj(gauss:0.4,2)", Multiclass: "ovr", OneGate: true, GateTol: 0.1}},
		{classes, bigmkl.Options{Kernels: "proj(gauss:0.4,1)", Multiclass: "ovo", OneGate: true, GateTol: 0.1}},
		{rows, bigmkl.Options{Kernels: "proj(gauss:0.4,2),linear copies=2", Gating: "softmax", GateTol: 0.1, GateDecay: 1e-2, GateFloor: 0.01, Starts: 2}},
		{rows, bigmkl.Options{Kernels: "proj(gauss:0.4,2)", Gating: "gauss", GateTol: 0.1}},
		{classes, bigmkl.Options{Kernels: "gauss:0.4,linear", Gating: "sigmoid", Multiclass: "ovo", OneGate: true, GateTol: 0.1}},
	} {
		m, whole := bigmkltest.TrainModel(t, datasettest.Stream(c.rows), c.o)
		want, total := bigmkltest.Encoded(t, m), whole.Iterations
		mustVerifyProjected(t, m, c.rows)
		for at := 1; at < total; at += max(1, total/max(6, testlevel.Repeats(6, 30))) {
			r := bigmkltest.Resumable(t, c.o)
			ctx, cancel := context.WithCancel(t.Context())
			seen := 0
			r.Recorder = bigmkltest.Recorder(func(bigmkl.Event) error {
				if seen++; seen == at {
					cancel()
				}
				return nil
			})
			_, first, err := bigmkl.Train(ctx, datasettest.Stream(c.rows), r)
			if err != nil {
				t.Fatal(err)
			}
			if first.Status != chunking.Interrupted {
				t.Fatalf("%s after %d of %d iterations", first.Status, at, total)
			}
			r.Resume, r.Recorder = true, nil
			other := r
			other.Starts = 7
			if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(c.rows), other); !errors.Is(err, fail.Version) {
				t.Errorf("a run of more starts: %v", err)
			}
			r.Threads, r.Cache = 1+rng.IntN(3), bigmkltest.Pick(rng, cache.Auto, cache.Always, cache.Never)
			for _, what := range []string{"an interrupt", "the end"} {
				m, result := bigmkltest.TrainModel(t, datasettest.Stream(c.rows), r)
				if !bytes.Equal(bigmkltest.Encoded(t, m), want) || result.Iterations != total || result.Status != whole.Status {
					t.Errorf("%s: another model after %s at iteration %d of %d: %s, %d iterations", c.o.Kernels, what, at, total, result.Status, result.Iterations)
				}
			}
		}
	}
}

// TestLinearProjection: the classifier on the best direction is the linear classifier.
func TestLinearProjection(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 285003), 200, 6)
	o := bigmkl.Options{Kernels: "linear norm=none", Gap: 1e-8, Threads: 2}
	plain, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
	o.Kernels = "proj(linear,1)"
	m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
	mustVerifyProjected(t, m, rows)
	if a, b := plain.Certificate.Primal, m.Certificate.Primal; math.Abs(a-b) > 1e-5*math.Abs(a) {
		t.Errorf("the linear classifier has %.12g, its projection %.12g", a, b)
	}
	o.Kernels = "proj(linear,3)"
	idle, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
	if !strings.Contains(strings.Join(r.Warnings, ";"), "one direction alone") || idle.Family.Projection().Columns != 1 {
		t.Errorf("three columns: %d, with the warnings %q", idle.Family.Projection().Columns, r.Warnings)
	}
}
