package families

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
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
)

// TestTasksHaveTheSameBits: threads, memory, cache and interruptions change no bit of any task's model, which verify confirms.
func TestTasksHaveTheSameBits(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.EveryKind) // The table of tests/bits has its kind.
	rng := datasettest.Random(t, 6)
	rows := bigmkltest.Curve(rng, 1500, 5)
	for _, task := range []string{bigmkl.TaskSVR, bigmkl.TaskSquare, bigmkl.TaskOneClass} {
		for _, p := range []float64{1, 4.0 / 3, 4} {
			t.Run(fmt.Sprintf("%s/p=%.4g", task, p), func(t *testing.T) {
				testlevel.Sample(t, 3, 1)
				o := bigmkl.Options{Task: task, Kernels: bigmkltest.SeveralGroups, Norm: p, C: 1, Epsilon: 0.2, Nu: 0.3, Gap: 1e-3,
					Tuning: chunking.Tuning{WorkingSet: 128, Shrink: 0.8}}
				m, whole := bigmkltest.Converge(t, datasettest.Stream(rows), o)
				want := bigmkltest.Encoded(t, m)
				verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
				r := bigmkltest.Resumable(t, o)
				r.Threads = 2
				bigmkltest.Interrupted(t, rows, r, max(1, whole.Iterations/2))
				r.Threads, r.Cache, r.Memory, r.Resume, r.Shards = 3, cache.Always, bigmkltest.Least(t, rows, o), true, 2
				m, _ = bigmkltest.Converge(t, datasettest.Stream(rows), r)
				if !bytes.Equal(bigmkltest.Encoded(t, m), want) {
					t.Error("another model after an interruption, with other threads and less memory")
				}
				t.Logf("%d iterations, %d of %d are support vectors", whole.Iterations, len(m.Support), len(rows))
			})
		}
	}
}

// TestRegressionPredicts: the regression is near the truth on new rows, and a warm start continues from a model.
func TestRegressionPredicts(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 7)
	train, test := bigmkltest.Curve(rng, 500, 3), bigmkltest.Curve(rng, 300, 3)
	for _, task := range []string{bigmkl.TaskSVR, bigmkl.TaskSquare} {
		o := bigmkl.Options{Task: task, Kernels: "gauss:auto/5,linear", C: 10, Gap: 1e-4}
		m, r := bigmkltest.Converge(t, datasettest.Stream(train), o)
		squares, spread, n := 0.0, 0.0, 0
		err := m.Predict(context.Background(), datasettest.Stream(test), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
			if p.Label != "" || p.Target != test[n].Target {
				t.Fatalf("%+v for target %g", p, test[n].Target)
			}
			squares += (p.Decision - p.Target) * (p.Decision - p.Target)
			spread += p.Target * p.Target
			n++
			return nil
		})
		if err != nil || n != len(test) {
			t.Fatal(n, err)
		}
		if squares > 0.2*spread {
			t.Errorf("%s: the mean squared error is %.3g, that of 0 is %.3g", task, squares/float64(n), spread/float64(n))
		}
		o.Init = m
		_, again := bigmkltest.Converge(t, datasettest.Stream(train), o)
		if again.Iterations > r.Iterations {
			t.Errorf("%s: %d iterations from the model itself, %d from nothing", task, again.Iterations, r.Iterations)
		}
	}
}

// TestOneClass: of the training rows at most a share nu lies outside, and most of what is far away.
func TestOneClass(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 8)
	rows := datasettest.Clouds(rng, 600, 3)
	for i := range rows {
		rows[i].Label = "" // none is needed
	}
	const nu = 0.15
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Task: bigmkl.TaskOneClass, Kernels: "gauss:auto/4,linear", Nu: nu, Gap: 1e-5})
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	outside := func(rows []dataset.Row) float64 {
		n := 0
		err := m.Predict(context.Background(), datasettest.Stream(rows), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
			if (p.Label == "1") != (p.Decision >= 0) {
				t.Fatalf("%+v", p)
			}
			if p.Decision < -1e-6 {
				n++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return float64(n) / float64(len(rows))
	}
	if share := outside(rows); share > nu+0.01 {
		t.Errorf("%.3g of the rows are outside", share)
	}
	if len(m.Support) < int(nu*float64(len(rows))) {
		t.Errorf("%d support vectors are less than a share of %g", len(m.Support), nu)
	}
	far := datasettest.Clouds(rng, 200, 3)
	for i := range far {
		for k := range far[i].Value {
			far[i].Value[k] = -8 - far[i].Value[k]
		}
	}
	if share := outside(far); share < 0.8 {
		t.Errorf("only %.3g of what is far away is outside", share)
	}
}

// TestOneClassOfWeights: a row of weight k counts as k rows, at their bounds with nu = 1, and weights of another mean
// than 1 are rejected.
func TestOneClassOfWeights(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 12)
	rows := datasettest.Clouds(rng, 90, 3)
	var repeated []dataset.Row
	for i := range rows {
		rows[i].Label = ""
		for range i%3 + 1 {
			repeated = append(repeated, rows[i])
		}
	}
	for i := range rows {
		rows[i].Weight = float64(i%3+1) * float64(len(rows)) / float64(len(repeated))
	}
	for _, o := range []bigmkl.Options{{Kernels: "gauss:0.5,linear"}, {Kernels: "gauss:0.5,poly:2", Norm: 1}, {Kernels: "gauss:0.5,linear", Solver: bigmkl.SolverWrapper}, {Kernels: "gauss:0.5"}} {
		o.Task, o.Gap, o.Normalize, o.Scale = bigmkl.TaskOneClass, 1e-7, "none", "none"
		for _, o.Nu = range []float64{0.07, 0.4, 1} {
			m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			want, _ := bigmkltest.Converge(t, datasettest.Stream(repeated), o)
			if got, want := m.Certificate.Dual, want.Certificate.Dual; math.Abs(got-want) > 1e-6*math.Abs(want) {
				t.Errorf("%s, nu = %g: a dual value of %v, that of repeated rows is %v", o.Kernels, o.Nu, got, want)
			}
			for s, a := range m.Alpha {
				most := rows[m.Support[s]].Weight / (o.Nu * float64(len(rows)))
				if a > most*(1+1e-9) || o.Nu == 1 && a < most*(1-1e-9) {
					t.Errorf("%s, nu = %g: alpha %v of a row whose bound is %v", o.Kernels, o.Nu, a, most)
				}
			}
			o.Init = m
			again, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			verifytest.MustVerify(t, &again.Model, datasettest.Stream(rows))
			o.Init = nil
		}
	}
	for i := range rows {
		rows[i].Weight /= 3
	}
	_, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), bigmkl.Options{Task: bigmkl.TaskOneClass, Nu: 0.4})
	if !errors.Is(err, fail.Usage) || !strings.Contains(err.Error(), "whose mean is 0.3333333333,") {
		t.Errorf("weights of another mean: %v", err)
	}
}

// TestOneClassOfAllRows: with nu = 1 each dual variable is at its bound 1/n, however that rounds, and the certificate holds.
func TestOneClassOfAllRows(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 3, 10, 49, 98, 161, 600} {
		rows := datasettest.Clouds(datasettest.Random(t, 11), n, 3)
		for i := range rows {
			rows[i].Label = ""
		}
		for _, o := range []bigmkl.Options{{Kernels: "gauss:auto/4,linear"}, {Kernels: "gauss:0.5"}, {Kernels: "linear,poly:2", Norm: 1, Scale: "none"}, {Kernels: "gauss:0.5,linear", Solver: bigmkl.SolverWrapper}} {
			if n == 1 {
				o.Kernels = "gauss:0.5,linear" // One row has no distances.
			}
			o.Task, o.Nu, o.Gap = bigmkl.TaskOneClass, 1, 1e-6
			m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			if len(m.Support) != n {
				t.Fatalf("%d rows, %s: %d support vectors", n, o.Kernels, len(m.Support))
			}
			for i, a := range m.Alpha {
				if math.Abs(a*float64(n)-1) > 1e-9 {
					t.Fatalf("%d rows, %s: alpha[%d] is %v", n, o.Kernels, i, a)
				}
			}
		}
	}
}

func TestTaskOptions(t *testing.T) {
	t.Parallel()
	for _, o := range []bigmkl.Options{
		{Task: "ranking"}, {Task: bigmkl.TaskSVR, Epsilon: -1}, {Task: bigmkl.TaskSVR, Epsilon: math.NaN()}, {Task: bigmkl.TaskOneClass, Nu: 1.5}, {Task: bigmkl.TaskOneClass, Nu: -0.1},
		{Task: bigmkl.TaskSVR, Positive: []string{"1"}}, {Task: bigmkl.TaskSquare, ClassWeight: map[string]float64{"1": 2}},
	} {
		if err := o.Validate(); !errors.Is(err, fail.Usage) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	rows := bigmkltest.Curve(datasettest.Random(t, 9), 30, 2)
	rows[3].Target = math.NaN()
	if _, _, err := bigmkl.Train(context.Background(), datasettest.Stream(rows), bigmkltest.WithScratch(t, bigmkl.Options{Task: bigmkl.TaskSVR})); !errors.Is(err, fail.Input) {
		t.Errorf("a row without target: %v", err)
	}
	rows = bigmkltest.Curve(datasettest.Random(t, 9), 30, 2)
	rows[3].Weight = 2
	if _, _, err := bigmkl.Train(context.Background(), datasettest.Stream(rows), bigmkltest.WithScratch(t, bigmkl.Options{Task: bigmkl.TaskOneClass})); !errors.Is(err, fail.Usage) {
		t.Errorf("weights in one class: %v", err)
	}
	m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), bigmkl.Options{Task: bigmkl.TaskSVR, Kernels: "linear"})
	if _, _, err := bigmkl.Train(context.Background(), datasettest.Stream(rows), bigmkltest.WithScratch(t, bigmkl.Options{Task: bigmkl.TaskSquare, Kernels: "linear", Init: m})); !errors.Is(err, fail.Usage) {
		t.Errorf("a start from another task: %v", err)
	}
}

// TestTasksAgainstLIBSVM compares the objective of regression and one class with LIBSVM's for one kernel.
func TestTasksAgainstLIBSVM(t *testing.T) {
	program, err := exec.LookPath("svm-train")
	if err != nil {
		t.Skip("svm-train of libsvm-tools is not installed")
	}
	for _, c := range []struct {
		set, task string
		gamma     float64
		args      []string
		o         bigmkl.Options
	}{
		{"whitewine", bigmkl.TaskSVR, 0.001, []string{"-s", "3", "-p", "0.2", "-c", "4"}, bigmkl.Options{C: 4, Epsilon: 0.2}},
		{"mushrooms", bigmkl.TaskOneClass, 0.05, []string{"-s", "2", "-n", "0.1"}, bigmkl.Options{Nu: 0.1}},
	} {
		t.Run(c.set, func(t *testing.T) {
			path := bigmkltest.DataSet(t, c.set)
			o := c.o
			o.Task, o.Scale, o.Kernels, o.Norm, o.Normalize, o.Gap = c.task, "none", "gauss:"+strconv.FormatFloat(c.gamma, 'g', -1, 64), 2, "none", 1e-4
			m, r := bigmkltest.Converge(t, bigmkltest.OpenFor(t, c.task, path), o)
			bigmkltest.Figures(t, m, r)
			verifytest.MustVerify(t, &m.Model, bigmkltest.OpenFor(t, c.task, path))
			want := recordedBy(t, program, path, c.task, append(c.args, "-t", "2", "-g", strconv.FormatFloat(c.gamma, 'g', -1, 64)))
			got := m.Certificate.Dual
			if c.task == bigmkl.TaskOneClass { // LIBSVM's dual variables sum to nu n
				got *= math.Pow(c.o.Nu*float64(m.Points), 2)
			}
			if e := math.Abs(got/want - 1); !(e <= 1e-3) {
				t.Errorf("dual %.8g, LIBSVM's %.8g: off by %.2g", got, want, e)
			}
		})
	}
}

// recordedBy is the dual value that LIBSVM reaches, with its sign turned.
func recordedBy(t *testing.T, program, path, task string, args []string) float64 {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "data")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	src := bigmkltest.OpenFor(t, task, path)
	for {
		row, err := src.Next()
		if err != nil {
			break
		}
		fmt.Fprint(out, row.Target)
		for k, j := range row.Index {
			fmt.Fprintf(out, " %d:%.9g", j+1, row.Value[k])
		}
		fmt.Fprintln(out)
	}
	return bigmkltest.LibsvmObjective(t, program, append(args, "-e", "1e-5", "-m", "1000", file, filepath.Join(folder, "model")))
}
