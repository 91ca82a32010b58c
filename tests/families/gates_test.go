package families

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/testlevel"
	trainpkg "bigmkl/internal/train"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestLargestDecay: the largest decay that is legal gives a model that makes sense, with weights that are next to nothing.
func TestLargestDecay(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 12), 60, 4)
	for _, kind := range []string{"softmax", "sigmoid", "gauss"} {
		for _, kernels := range []string{"gauss:auto/2,linear", "proj(gauss:0.4,2),linear"} {
			o := bigmkl.Options{Kernels: kernels, Gating: kind, GateDecay: 1e50, Gap: 1e-3, Norm: 2}
			m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
			bigmkltest.Encoded(t, m)
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		}
	}
}

// TestGatesKnownAnswers: kernels with gates equal other kernels, whose matrices are known.
func TestGatesKnownAnswers(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 5)
	const n = 60
	x, rows := make([][]float64, n), make([]dataset.Row, n)
	for i := range x {
		x[i] = []float64{math.Round(64*rng.NormFloat64()) / 64, math.Round(64*rng.NormFloat64())/64 + 2, math.Round(64*rng.NormFloat64()) / 64}
		rows[i] = dataset.Row{Index: []int32{0, 1, 2}, Value: x[i]}
	}
	own := []func(x, z []float64) float64{bigmkltest.LinearValue, bigmkltest.Gaussian(0.5), bigmkltest.Gaussian(0.1)}
	ones, random, closed := make([][]float64, n), make([][]float64, n), make([][]float64, n)
	for i := range x {
		ones[i] = []float64{1, 1, 1}
		random[i] = []float64{rng.Float64(), 2 * rng.Float64(), rng.Float64()}
		closed[i] = []float64{0, 0, 0}
		closed[i][rng.IntN(3)] = 1
	}
	number := 0
	for _, task := range []string{bigmkl.TaskClass, bigmkl.TaskSVR, bigmkl.TaskSquare, bigmkl.TaskOneClass} {
		for i := range rows {
			y := x[i][0]*x[i][2] + 0.5*rng.NormFloat64()
			rows[i].Target, rows[i].Label = y, "1"
			if y < 0 {
				rows[i].Label = "-1"
			}
		}
		for _, p := range []float64{2, 4.0 / 3} {
			o := bigmkl.Options{Task: task, Kernels: "linear,gauss:0.5,gauss:0.1", Normalize: "none", Norm: p, C: 2, Gap: 1e-7, Precision: "64", Threads: 2, Solver: bigmkl.SolverChunking}
			for at, gates := range [][][]float64{ones, random, closed} {
				name := []string{"ones", "random", "closed"}[at]
				number++
				t.Run(fmt.Sprintf("%s/%g/%s", task, p, name), func(t *testing.T) {
					bigmkltest.InTurn(t, number, 3)
					file := bigmkltest.WriteArray(t, gates)
					gated := o
					gated.Gating = "fixed:" + file
					m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), gated)
					bigmkltest.MustVerifyGated(t, m, rows, file)
					var files []string
					specs := ""
					for k := range own {
						gram := make([][]float64, n)
						for i := range gram {
							gram[i] = make([]float64, n)
							for j := range gram[i] {
								gram[i][j] = gates[i][k] * own[k](x[i], x[j]) * gates[j][k]
							}
						}
						files = append(files, bigmkltest.WriteArray(t, gram))
						specs += ",precomputed:" + files[k]
					}
					other := o
					other.Kernels = specs[1:]
					want, _ := bigmkltest.Converge(t, datasettest.Stream(rows), other)
					bigmkltest.MustVerifyGated(t, want, rows, "", files...)
					bigmkltest.SameObjective(t, m, want)
					if name == "ones" {
						plain, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
						bigmkltest.SameObjective(t, m, plain)
						one := o
						one.Gating = "regions:1"
						r, _ := bigmkltest.Converge(t, datasettest.Stream(rows), one)
						bigmkltest.MustVerifyGated(t, r, rows, "")
						bigmkltest.SameObjective(t, r, plain)
					}
				})
			}
			number++
			t.Run(fmt.Sprintf("%s/%g/regions", task, p), func(t *testing.T) {
				bigmkltest.InTurn(t, number, 3)
				// Regions are fixed gates of their values, which predictions tell.
				r := o
				r.Gating, r.GateOn = "regions:3", map[bool]string{true: "1+3", false: "pca:2"}[p == 2]
				m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), r)
				bigmkltest.MustVerifyGated(t, m, rows, "")
				var gates [][]float64
				var decisions []float64
				emit := func(q bigmkl.Prediction) error {
					var all []float64
					for _, eta := range q.Gates {
						all = append(all, eta, eta, eta)
					}
					gates, decisions = append(gates, all), append(decisions, q.Decision)
					return nil
				}
				if err := m.Predict(context.Background(), datasettest.Stream(rows), bigmkl.PredictOptions{}, emit); err != nil {
					t.Fatal(err)
				}
				f := o
				f.Kernels = o.Kernels + "," + o.Kernels + "," + o.Kernels
				file := bigmkltest.WriteArray(t, gates)
				f.Gating = "fixed:" + file
				same, _ := bigmkltest.Converge(t, datasettest.Stream(rows), f)
				bigmkltest.MustVerifyGated(t, same, rows, file)
				bigmkltest.SameObjective(t, m, same)
				at := 0
				err := same.Predict(context.Background(), datasettest.Stream(rows), bigmkl.PredictOptions{Gates: file}, func(q bigmkl.Prediction) error {
					if !(math.Abs(q.Decision-decisions[at]) <= 1e-3*(1+math.Abs(q.Decision))) {
						t.Errorf("row %d: %v with regions, %v with their gates", at, decisions[at], q.Decision)
					}
					at++
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// TestGatesOnAPath: every model of a path has the gates of its training.
func TestGatesOnAPath(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 8)
	const n = 60
	rows, gates := make([]dataset.Row, n), make([][]float64, n)
	for i := range rows {
		x := []float64{math.Round(64*rng.NormFloat64()) / 64, math.Round(64*rng.NormFloat64()) / 64}
		rows[i] = dataset.Row{Index: []int32{0, 1}, Value: x, Label: map[bool]string{true: "1", false: "-1"}[x[0]*x[1]+0.3*rng.NormFloat64() > 0]}
		gates[i] = []float64{rng.Float64(), 1}
	}
	file := bigmkltest.WriteArray(t, gates)
	o := bigmkl.Options{Kernels: "linear,gauss:0.5", Gating: "fixed:" + file, Threads: 2}
	models := 0
	err := bigmkl.Path(t.Context(), datasettest.Stream(rows), o, bigmkl.Grid([]float64{2, 4.0 / 3}, []float64{0.1, 10}), func(_ bigmkl.PathPoint, m *bigmkl.Model, _ *bigmkl.Result) error {
		models++
		bigmkltest.MustVerifyGated(t, m, rows, file)
		return nil
	})
	if err != nil || models != 4 {
		t.Errorf("%d models, %v", models, err)
	}
}

// TestClosedGatesAreNamed: a kernel whose gate is closed for every row is not said to be constant on the data, which another is.
func TestClosedGatesAreNamed(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 10)
	const n = 60
	rows, gates := make([]dataset.Row, n), make([][]float64, n)
	for i := range rows {
		x := []float64{math.Round(64*rng.NormFloat64()) / 64, math.Round(64*rng.NormFloat64()) / 64, 0}
		rows[i] = dataset.Row{Index: []int32{0, 1, 2}, Value: x, Label: strconv.Itoa(i % 3)}
		gates[i] = []float64{0, 1, 1 + rng.Float64()}
	}
	const closed, constant = "is closed for every row", "adds nothing to the function"
	for _, multiclass := range []string{"ovr", "ovo"} {
		m, r := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "gauss:0.5,linear@3,linear", Gating: "fixed:" + bigmkltest.WriteArray(t, gates),
			Multiclass: multiclass, Normalize: "none"})
		for _, c := range []struct {
			kernel int
			want   string
		}{{0, closed}, {1, constant}} {
			named := slices.ContainsFunc(r.Warnings, func(w string) bool {
				return strings.Contains(w, c.want) && strings.Contains(w, m.Kernels[c.kernel])
			})
			if !named {
				t.Errorf("%s: kernel %s is not said to be %q: %q", multiclass, m.Kernels[c.kernel], c.want, r.Warnings)
			}
		}
		for _, w := range r.Warnings {
			if strings.Contains(w, constant) && strings.Contains(w, m.Kernels[0]) {
				t.Errorf("%s: %q of a kernel whose gate is closed", multiclass, w)
			}
		}
	}
}

// TestLearnedGates: gates that are learned lower the objective of gates that are all alike, starts lower it further, another
// training begins where one has ended, and every model is verified.
func TestLearnedGates(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 9)
	const n = 100
	rows := make([]dataset.Row, n)
	for i := range rows {
		x := []float64{math.Round(64*rng.NormFloat64()) / 64, math.Round(64*rng.NormFloat64()) / 64}
		y := math.Abs(x[0]) - 0.7 + x[1]/2 + 0.1*rng.NormFloat64()
		rows[i] = dataset.Row{Index: []int32{0, 1}, Value: x, Target: y, Label: map[bool]string{true: "1", false: "-1"}[y > 0]}
	}
	train := func(o bigmkl.Options) *bigmkl.Model {
		t.Helper()
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		bigmkltest.MustVerifyGated(t, m, rows, "")
		return m
	}
	for a, task := range []string{bigmkl.TaskClass, bigmkl.TaskSVR, bigmkl.TaskSquare, bigmkl.TaskOneClass} {
		for b, form := range []string{"softmax", "sigmoid", "gauss"} {
			t.Run(task+"/"+form, func(t *testing.T) {
				bigmkltest.InTurn(t, a*3+b, 12)
				o := bigmkl.Options{Task: task, Kernels: "linear copies=2,gauss:1 gate=a,poly:2 gate=a", Normalize: "none", Gating: form, Threads: 2}
				m := train(o)
				g := m.Family.Gates()
				if g.Number != 3 || g.Trials < g.Steps || g.Steps < 1 {
					t.Errorf("%d gates after %d steps and %d trials", g.Number, g.Steps, g.Trials)
				}
				// One step lowers the objective, and what follows lowers it further.
				o.GateSteps = 1
				short, r, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o)
				if err != nil || g.Steps > 1 && r.Status != trainpkg.StepLimit {
					t.Fatalf("%v %v", r, err)
				}
				bigmkltest.MustVerifyGated(t, short, rows, "")
				slack := 2e-3 * math.Abs(m.Certificate.Primal)
				if m.Certificate.Dual > short.Certificate.Primal+slack {
					t.Errorf("%g after %d steps, %g after one", m.Certificate.Dual, g.Steps, short.Certificate.Primal)
				}
				// Another start can only lower what stays.
				o.GateSteps, o.Starts = 0, 3
				if best := train(o); best.Certificate.Dual > m.Certificate.Primal+slack {
					t.Errorf("%g from three starts, %g from the first", best.Certificate.Dual, m.Certificate.Primal)
				}
				// From the gates of the model the objective does not rise.
				o.Starts, o.Init = 0, m
				again := train(o)
				if again.Certificate.Dual > m.Certificate.Primal+slack {
					t.Errorf("%d steps to %g from %g", again.Family.Gates().Steps, again.Certificate.Dual, m.Certificate.Primal)
				}
				// The floor closes gates, and the decay keeps weights small.
				o.Init, o.GateFloor, o.GateDecay = nil, 0.2, 0.1
				train(o)
			})
		}
	}
}

// TestGatesOfClassifiers: a classifier of one-vs-rest or of labels is the classifier alone, with its gates, and decides as it
// does; all are verified.
func TestGatesOfClassifiers(t *testing.T) {
	t.Parallel()
	for i, kind := range []string{bigmkl.OneVsRest, bigmkl.OneVsOne, bigmkl.MultiLabel} {
		for j, form := range []string{"softmax", "sigmoid", "gauss"} {
			if !testlevel.Diagonal(t, 3*i, j, 9, 3) {
				continue
			}
			t.Run(kind+"/"+form, func(t *testing.T) {
				rows := datasettest.Clusters(datasettest.Random(t, 5), 160, 4, 3, kind == bigmkl.MultiLabel)
				o := bigmkl.Options{Kernels: "gauss:auto/2,linear copies=2", Gating: form, GateTol: 0.1, GateFloor: 1e-3, Multiclass: kind, Threads: 2}
				if kind == bigmkl.OneVsRest {
					o.Folds = 3
				}
				m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
				bigmkltest.MustVerifyGated(t, m, rows, "")
				var decisions [][]float64
				predicted(t, m, rows, func(p bigmkl.Prediction) { decisions = append(decisions, slices.Clone(p.Decisions)) })
				for k := range m.Classifiers {
					one := &bigmkl.Model{Model: *m.Classifier(k)}
					vectors := make([]float32, len(one.Support)*one.Features)
					for s := range one.Support {
						one.Row(s, vectors[s*one.Features:(s+1)*one.Features])
					}
					one.Vectors, one.Rows = vectors, nil
					i := 0
					predicted(t, one, rows, func(p bigmkl.Prediction) {
						if math.Abs(p.Decision-decisions[i][k]) > 1e-5*(1+math.Abs(p.Decision)) {
							t.Errorf("classifier %d decides %g at row %d, and %g alone", k, decisions[i][k], i, p.Decision)
						}
						i++
					})
					if kind != bigmkl.OneVsRest {
						continue
					}
					alone := o
					alone.Multiclass, alone.Folds, alone.Positive = "", 0, []string{m.Classes[k]}
					a, _ := bigmkltest.Converge(t, datasettest.Stream(rows), alone)
					g, own := a.Family.Gates(), one.Family.Gates()
					if !slices.Equal(a.Alpha, one.Alpha) || !slices.Equal(a.Theta, one.Theta) || !slices.Equal(g.Parameters, own.Parameters) ||
						g.Stationarity != own.Stationarity || g.Trials != own.Trials {
						t.Errorf("classifier %d is not the classifier alone", k)
					}
				}
			})
		}
	}
}

// predicted predicts rows.
func predicted(t *testing.T, m *bigmkl.Model, rows []dataset.Row, see func(bigmkl.Prediction)) {
	t.Helper()
	err := m.Predict(t.Context(), datasettest.Stream(rows), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
		see(p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
