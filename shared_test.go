package bigmkl

import (
	"bigmkl/cache"
	"bigmkl/dataset"
	"bigmkl/dataset/datasettest"
	"bigmkl/model"
	"bigmkl/train"
	"bigmkl/verify"
	"bigmkl/verify/verifytest"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// recorder is a function as a Recorder.
type recorder func(Event) error

func (r recorder) Record(e Event) error { return r(e) }

// interruptedAfter trains until so many iterations of all machines have been seen, and is then interrupted.
func interruptedAfter(t testing.TB, rows []dataset.Row, o Options, events int) *Result {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	seen := 0
	o.Scratch, o.Recorder = t.TempDir(), recorder(func(Event) error {
		if seen++; seen == events {
			cancel()
		}
		return nil
	})
	m, r, err := Train(ctx, datasettest.Stream(rows), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Machines) == 0 {
		t.Fatal("no machines")
	}
	return r
}

// interrupted trains until the given iteration and is then interrupted.
func interrupted(t testing.TB, rows []dataset.Row, o Options, at int) *Result {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o.Scratch, o.Recorder = t.TempDir(), &stopAt{iteration: at, stop: cancel}
	_, r, err := Train(ctx, datasettest.Stream(rows), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// resumable adds a folder of checkpoints to options. Only what is written when a run ends is left there.
func resumable(t testing.TB, o Options) Options {
	o.Checkpoint, o.CheckpointEvery = filepath.Join(t.TempDir(), "checkpoints"), time.Hour
	return o
}

// severalGroups has distances, products, single features and random features.
const severalGroups = "gauss:0.05..0.4/3,laplace:0.2,linear,poly:2@1-3,gauss:0.5@4+5,gauss:auto/2@random:2*2"

// These are memory budgets in bytes at which cached rows spill to disk, and at which they do not.
const (
	tight = 36 << 20
	ample = 1 << 30
)

// budgets returns the plan that a run, or a path, would make of its budgets.
func budgets(t testing.TB, rows []dataset.Row, o Options, path bool) *Plan {
	t.Helper()
	ctx := context.Background()
	o.Scratch = t.TempDir()
	cut, err := o.Parts()
	if err != nil {
		t.Fatal(err)
	}
	w, err := train.Open(cut)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.Path = path
	if err := w.Read(ctx, datasettest.Stream(rows)); err != nil {
		t.Fatal(err)
	}
	p, err := w.Plan(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// least returns the smallest memory budget that is enough for three threads and a few rows in the
// cache, and leaves the gradients out of core.
func least(t testing.TB, rows []dataset.Row, o Options) int64 {
	t.Helper()
	return leastOf(t, rows, o, false)
}

// leastOf is least for a run or, if path is set, for a path.
func leastOf(t testing.TB, rows []dataset.Row, o Options, path bool) int64 {
	t.Helper()
	o.Memory, o.Threads, o.Cache = 1<<40, 3, cache.Auto
	all := budgets(t, rows, o, path)
	o.Memory = all.Memory.Least + min(200<<10, all.Memory.Gradients)
	if p := budgets(t, rows, o, path); p.Memory.Gradients != 0 || p.Memory.Rows <= 0 {
		t.Fatalf("gradients of %d bytes are in memory, %d are left for rows", p.Memory.Gradients, p.Memory.Rows)
	}
	return o.Memory
}

// sameBits trains in several regimes and compares the model files. memory is the budget of the
// regime that caches all rows. It returns the result of that regime.
func sameBits(t *testing.T, rows []dataset.Row, o Options, memory int64) *Result {
	t.Helper()
	regimes := []Options{
		{Threads: 1, Cache: cache.Never},
		{Threads: 2, Cache: cache.Always, Memory: memory},
		{Threads: 3, Cache: cache.Auto, Memory: least(t, rows, o)},
	}
	var want []byte
	var seen *Result
	for i, g := range regimes {
		one := o
		one.Threads, one.Cache, one.Memory = g.Threads, g.Cache, g.Memory
		m, r := converge(t, datasettest.Stream(rows), one)
		got := encoded(t, m)
		if i == 0 {
			want = got
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			t.Logf("p=%.4g: %d iterations, %d passes, %d support vectors", m.Norm, r.Iterations, r.Gradient.Passes, len(m.Support))
		}
		if !bytes.Equal(got, want) {
			t.Errorf("p=%.4g: another model with %d threads, cache %s and %d bytes of memory", m.Norm, g.Threads, g.Cache, g.Memory)
		}
		if g.Cache == cache.Always {
			seen = r
		}
	}
	return seen
}

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

// mustComplain alters a model and verifies that it is found out.
func mustComplain(t *testing.T, m *Model, rows []dataset.Row, want string, alter func(m *Model)) {
	t.Helper()
	wrong := &Model{Model: m.Model}
	wrong.Machines = slices.Clone(m.Machines)
	alter(wrong)
	r, err := verify.Run(t.Context(), &wrong.Model, datasettest.Stream(rows), verify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(r.Faults, func(f string) bool { return strings.Contains(f, want) }) {
		t.Errorf("no complaint of %q among %q", want, r.Faults)
	}
}

// stopAt ends a run from within, as a person or a signal does, after some iterations.
type stopAt struct {
	iteration int
	stop      func()
	seen      []Event
}

func (s *stopAt) Record(e Event) error {
	if s.seen = append(s.seen, e); e.Iteration == s.iteration {
		s.stop()
	}
	return nil
}

// planned returns the plan of a run.
func planned(t testing.TB, rows []dataset.Row, o Options) *Plan {
	t.Helper()
	p, err := NewPlan(t.Context(), datasettest.Stream(rows), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// grams writes the matrices of the kernels and returns the specification that reads them.
func grams(t testing.TB, rows []dataset.Row, o Options, double bool) (files []string, specs string) {
	t.Helper()
	folder := t.TempDir()
	o.Scratch = t.TempDir()
	err := Gram(context.Background(), datasettest.Stream(rows), o, double, func(kernel, _ int) (string, error) {
		files = append(files, filepath.Join(folder, fmt.Sprintf("%d.npy", kernel)))
		return files[kernel], nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		specs += ",precomputed:" + f
	}
	return files, specs[1:]
}

func predictFails(m *Model, rows []dataset.Row, gram []string) error {
	return m.Predict(context.Background(), datasettest.Stream(rows), PredictOptions{Gram: gram}, func(Prediction) error { return nil })
}

// refused wants an error of the class.
func refused(t testing.TB, name string, err, class error) {
	t.Helper()
	if !errors.Is(err, class) {
		t.Errorf("%s: error %v, want one of class %v", name, err, class)
	}
}

var twoViews = []dataset.View{{Name: "left", First: 1, Last: 2}, {Name: "right", First: 3, Last: 5}}

// dataSet returns the name of the file of a real data set.
func dataSet(t testing.TB, name string) string { return dataFile(t, name, name+".libsvm.gz") }

// figures logs what a run took.
func figures(t testing.TB, m *Model, r *Result) {
	t.Helper()
	t.Logf("n=%d p=%.4g C=%g: %s, %d iterations, %d passes, %d rows, %d support vectors, gap %.3g, %v", m.Points, m.Norm, m.C, r.Status,
		r.Iterations, r.Gradient.Passes, r.Gradient.Rows, len(m.Support), m.Certificate.RelativeGap, r.Train.Round(time.Millisecond))
}

func libsvmObjective(t testing.TB, program string, args []string) float64 {
	t.Helper()
	return libsvmObjectives(t, program, args)[0]
}

// libsvmObjectives returns the objectives of all machines that LIBSVM trains.
func libsvmObjectives(t testing.TB, program string, args []string) (list []float64) {
	t.Helper()
	text, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, rest := range strings.Split(string(text), "obj = ")[1:] {
		number, _, _ := strings.Cut(rest, ",")
		v, err := strconv.ParseFloat(number, 64)
		if err != nil {
			t.Fatalf("no objective in %q", text)
		}
		list = append(list, -v)
	}
	if list == nil {
		t.Fatalf("no objective in %q", text)
	}
	return list
}

// dataFile finds a file of the real data sets, or skips the test.
func dataFile(t testing.TB, parts ...string) string {
	root := os.Getenv("BIGMKL_DATA")
	if root == "" {
		t.Skip("BIGMKL_DATA is not set: no real data")
	}
	return filepath.Join(append([]string{root}, parts...)...)
}

func open(t testing.TB, path string) *dataset.Reader {
	t.Helper()
	return openFor(t, TaskClass, path)
}

// openFor opens a file whose labels are those of a task.
func openFor(t testing.TB, task, path string) *dataset.Reader {
	t.Helper()
	r, err := dataset.Open([]string{path}, dataset.ReadOptions{Labels: model.Labeling(task)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func withScratch(t testing.TB, o Options) Options {
	o.Scratch = t.TempDir()
	return o
}

// words draws n points with about so many of d features, as texts have words. Some features are
// likelier in the points of one class.
func words(t testing.TB, seed uint64, n, d, entries int) []dataset.Row {
	t.Helper()
	rng := datasettest.Random(t, seed)
	rows := make([]dataset.Row, n)
	for i := range rows {
		y := 1 - 2*(i%2)
		rows[i].Label = strconv.Itoa(y)
		for range entries {
			j := int32(rng.IntN(d / 2))
			if rng.IntN(3) == 0 {
				j = int32(d/2 + (1+y)*d/8 + rng.IntN(d/4))
			}
			rows[i].Index = append(rows[i].Index, j)
		}
		slices.Sort(rows[i].Index)
		rows[i].Index = slices.Compact(rows[i].Index)
		for range rows[i].Index {
			rows[i].Value = append(rows[i].Value, 0.5+rng.Float64())
		}
	}
	return rows
}
