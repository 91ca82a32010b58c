package library

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// severalRows returns rows of four classes in three dimensions, with targets.
func severalRows(rng *rand.Rand, n int) []dataset.Row {
	rows := make([]dataset.Row, n)
	for i := range rows {
		class := rng.IntN(4)
		x := []float64{2*float64(class%2) + rng.NormFloat64(), 2*float64(class/2) + rng.NormFloat64(), rng.NormFloat64()}
		rows[i] = dataset.Row{Label: fmt.Sprint("c", class), Target: math.Sin(x[0]) + rng.NormFloat64()/4,
			Index: []int32{0, 1, 2}, Value: x}
	}
	return rows
}

// labelled returns the rows with sets of labels: one for each of two dimensions in which a row lies on the far side.
func labelled(rows []dataset.Row) []dataset.Row {
	rows = slices.Clone(rows)
	for i := range rows {
		var set []string
		for j, x := range rows[i].Value[:2] {
			if x > 1 {
				set = append(set, fmt.Sprint("far", j))
			}
		}
		rows[i].Label = strings.Join(set, ",")
		if set == nil {
			rows[i].Label = "-"
		}
	}
	return rows
}

// severalProblems are problems of several classifiers or regressors on the same rows.
func severalProblems(rng *rand.Rand, n int) map[string]struct {
	rows []dataset.Row
	o    bigmkl.Options
} {
	rows := severalRows(rng, n)
	weighted := slices.Clone(rows)
	for i := range weighted {
		weighted[i].Weight = 0.5 + rng.Float64()
	}
	type p = struct {
		rows []dataset.Row
		o    bigmkl.Options
	}
	return map[string]p{
		"ovr":       {rows, bigmkl.Options{Multiclass: bigmkl.OneVsRest}},
		"weights":   {weighted, bigmkl.Options{Multiclass: bigmkl.OneVsRest, Norm: 1, ClassWeight: map[string]float64{"c1": 2}}},
		"logistic":  {rows, bigmkl.Options{Multiclass: bigmkl.OneVsRest, Task: bigmkl.TaskLogistic}},
		"labels":    {labelled(rows), bigmkl.Options{Multiclass: bigmkl.MultiLabel}},
		"quantiles": {rows, bigmkl.Options{Task: bigmkl.TaskQuantile, Taus: []float64{0.1, 0.5, 0.9}}},
		"sparse":    {rows, bigmkl.Options{Multiclass: bigmkl.OneVsRest, Store: dataset.LayoutSparse}},
		"family":    {rows, bigmkl.Options{Multiclass: bigmkl.OneVsRest, Kernels: "gauss:2^-12..2^12"}},
		"double":    {rows, bigmkl.Options{Multiclass: bigmkl.OneVsRest, Precision: "64"}},
		"linear":    {rows, bigmkl.Options{Multiclass: bigmkl.OneVsRest, Kernels: "linear@each-feature"}},
	}
}

// TestTrainerSeveral adds rows in batches to trainers of several classifiers. Train
// makes the model of the first batch, byte for byte, every snapshot verifies, and the last one is as good as the model of a training in one go.
func TestTrainerSeveral(t *testing.T) {
	t.Parallel()
	for name, p := range severalProblems(datasettest.Random(t, 201), 280) {
		t.Run(name, func(t *testing.T) {
			testlevel.Sample(t, 3, 1)
			o := p.o
			o.Gap, o.Threads, o.Tuning, o.Normalize, o.Scale, o.C = 1e-4, 2, falling, "none", "none", 1
			if o.Kernels == "" {
				o.Kernels = "gauss:0.1..1/3,linear"
			}
			first, _ := bigmkltest.Converge(t, datasettest.Stream(p.rows[:120]), o)
			tr := newTrainer(t, o)
			m, _ := addAndFit(t, tr, p.rows[:120])
			if !bytes.Equal(bigmkltest.Encoded(t, m), bigmkltest.Encoded(t, first)) {
				t.Error("the model of the first batch is not that of Train")
			}
			for _, r := range [][2]int{{120, 121}, {121, 180}, {180, 180}, {180, 280}} {
				if r[0] < r[1] {
					m, _ = addAndFit(t, tr, p.rows[r[0]:r[1]])
				} else if _, err := tr.Fit(t.Context()); err != nil {
					t.Fatal(err)
				}
				verifytest.MustVerify(t, &m.Model, datasettest.Stream(p.rows[:r[1]]))
			}
			want, _ := bigmkltest.Converge(t, datasettest.Stream(p.rows), o)
			for k := range want.Classifiers {
				a, b := m.Classifiers[k].Certificate.Primal, want.Classifiers[k].Certificate.Primal
				if math.Abs(a-b) > 1e-4*max(math.Abs(a), math.Abs(b)) {
					t.Errorf("classifier %d: primal value %.8g in batches, %.8g in one go", k, a, b)
				}
			}
		})
	}
}

// TestTrainerSeveralSaved keeps the newest rows, and saves a second trainer after every batch, half of the times before
// the batch was trained on: its models have the bytes of the models of the first, and verify.
func TestTrainerSeveralSaved(t *testing.T) {
	t.Parallel()
	for name, p := range severalProblems(datasettest.Random(t, 202), 360) {
		t.Run(name, func(t *testing.T) {
			testlevel.Sample(t, 3, 1)
			o := p.o
			o.Threads, o.Scale, o.Tuning = 2, "minmax", falling
			if o.Kernels == "" {
				o.Kernels = "gauss:auto/3,linear"
			}
			o.Scratch = t.TempDir()
			folder, whole := t.TempDir(), newTrainer(t, o)
			parts, err := bigmkl.NewTrainer(o)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if parts != nil {
					parts.Close()
				}
			}()
			whole.Window(160)
			parts.Window(160)
			again := func() {
				t.Helper()
				if err := parts.Save(t.Context(), folder); err != nil {
					t.Fatal(err)
				}
				if err := parts.Close(); err != nil {
					t.Fatal(err)
				}
				if parts, err = bigmkl.ResumeTrainer(t.Context(), folder, o); err != nil {
					t.Fatal(err)
				}
			}
			for k, r := range [][2]int{{0, 120}, {120, 180}, {180, 208}, {208, 360}} {
				want, _ := addAndFit(t, whole, p.rows[r[0]:r[1]])
				if err := parts.Add(t.Context(), datasettest.Stream(p.rows[r[0]:r[1]])); err != nil {
					t.Fatal(err)
				}
				if k%2 == 0 {
					again()
				}
				if _, err := parts.Fit(t.Context()); err != nil {
					t.Fatal(err)
				}
				m, err := parts.Snapshot()
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(bigmkltest.Encoded(t, m), bigmkltest.Encoded(t, want)) {
					t.Errorf("after batch %d: another model", k+1)
				}
				verifytest.MustVerify(t, &m.Model, datasettest.Stream(p.rows[max(0, r[1]-160):r[1]]))
				if k%2 == 1 {
					again()
				}
			}
		})
	}
}

// TestTrainerSeveralBits: threads, memory and the row cache change no bit of a snapshot of several classifiers.
func TestTrainerSeveralBits(t *testing.T) {
	t.Parallel()
	rows := severalRows(datasettest.Random(t, 204), 420)
	var want []byte
	for _, o := range []bigmkl.Options{{Threads: 1}, {Threads: 3}, {Threads: 2, Memory: 40 << 20, Disk: 256 << 20},
		{Threads: 2, Cache: cache.Always}} {
		o.Kernels, o.Tuning, o.Multiclass = "gauss:auto/12,linear", falling, bigmkl.OneVsRest
		tr := newTrainer(t, o)
		tr.Window(200)
		tr.RefreshEvery(150)
		var m *bigmkl.Model
		for i := 0; i < len(rows); i += 60 {
			m, _ = addAndFit(t, tr, rows[i:i+60])
		}
		if got := bigmkltest.Encoded(t, m); want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Errorf("%+v: another model", o)
		}
	}
}

// TestTrainerSeveralCut: a training of several classifiers that ends in their midst leaves no model and a trainer that
// goes on. A cut in the first classifier, and one in the last, which then has a model.
func TestTrainerSeveralCut(t *testing.T) {
	t.Parallel()
	rows := severalRows(datasettest.Random(t, 205), 400)
	o := bigmkl.Options{Kernels: "gauss:auto/3,linear", Gap: 1e-4, Threads: 2, Tuning: falling, Multiclass: bigmkl.OneVsRest}
	stop, at := func() {}, 0
	o.Recorder = recorderFunc(func(e bigmkl.Event) error {
		if e.Classifier == at {
			stop()
		}
		return nil
	})
	tr := newTrainer(t, o)
	tr.Window(250)
	for k, end := range []int{100, 200, 300, 400} {
		if err := tr.Add(t.Context(), datasettest.Stream(rows[end-100:end])); err != nil {
			t.Fatal(err)
		}
		before, _ := tr.Snapshot()
		var ctx context.Context
		ctx, stop = context.WithCancel(t.Context())
		at = 3 * (k % 2)
		_, err := tr.Fit(ctx)
		stop()
		var cut *bigmkl.Unfinished
		after, _ := tr.Snapshot()
		if midst := at < 3; errors.As(err, &cut) != midst || (after == before) != midst {
			t.Errorf("stopped in classifier %d: %v", at, err)
		}
		at = -1
		if r, err := tr.Fit(t.Context()); err != nil || r.Status != chunking.Converged {
			t.Fatalf("%v, %+v", err, r)
		}
		m, _ := tr.Snapshot()
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows[max(0, end-250):end]))
	}
}

// TestTrainerClasses: classes come late, leave the window and come back. A snapshot has the classes of its rows.
func TestTrainerClasses(t *testing.T) {
	t.Parallel()
	all := severalRows(datasettest.Random(t, 203), 1600)
	of := func(from, n int, classes ...string) (rows []dataset.Row) {
		for _, r := range all[from:] {
			if len(rows) < n && slices.Contains(classes, r.Label) {
				rows = append(rows, r)
			}
		}
		return rows
	}
	o := bigmkl.Options{Multiclass: bigmkl.OneVsRest, Kernels: "gauss:0.1..1/3,linear", Gap: 1e-4, Threads: 2, Tuning: falling}
	tr := newTrainer(t, o)
	tr.Window(150)
	var window []dataset.Row
	for k, step := range []struct {
		rows []dataset.Row
		want string
	}{
		{of(0, 60, "c1", "c2"), "[c1 c2]"}, // one classifier
		{of(100, 60, "c1", "c2", "c3"), "[c1 c2 c3]"},
		{of(200, 60, "c0", "c3"), "[c0 c1 c2 c3]"},
		{of(300, 100, "c0", "c3"), "[c0 c3]"},
		{of(500, 40, "c0", "c1", "c2", "c3"), "[c0 c1 c2 c3]"},
	} {
		m, _ := addAndFit(t, tr, step.rows)
		window = append(window, step.rows...)
		window = window[max(0, len(window)-150):]
		classes := m.Classes
		if classes == nil {
			classes = []string{m.Negative, m.Positive}
		}
		if fmt.Sprint(classes) != step.want {
			t.Errorf("batch %d: classes %v, want %s", k+1, classes, step.want)
		}
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(window))
	}
	if err := tr.Add(t.Context(), datasettest.Stream(of(600, 150, "c2"))); err != nil {
		t.Fatal(err)
	}
	want := `only one class: all rows in the window are "c2"`
	if _, err := tr.Fit(t.Context()); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestTrainerPendigits feeds the ten digits in ten batches. All batches together take 2.2 times the kernel values of a
// training in one go: each certificate needs the gradients of all points so far. Every snapshot verifies.
func TestTrainerPendigits(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.EveryKind)
	rows, err := readRows(bigmkltest.Open(t, bigmkltest.DataSet(t, "pendigits")))
	if err != nil {
		t.Fatal(err)
	}
	o := bigmkl.Options{Multiclass: bigmkl.OneVsRest, Kernels: "gauss:auto/5"}
	want, one := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	tr := newTrainer(t, o)
	entries := int64(0)
	var m *bigmkl.Model
	for k := range 10 {
		end := (k + 1) * len(rows) / 10
		var r *bigmkl.Result
		m, r = addAndFit(t, tr, rows[k*len(rows)/10:end])
		entries += r.Gradient.Entries
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows[:end]))
	}
	cost := float64(entries) / float64(one.Gradient.Entries)
	t.Logf("%d support vectors, in one go %d, %.3f times the kernel values", len(m.Support), len(want.Support), cost)
	if cost > 2.4 {
		t.Errorf("%.3f times the kernel values", cost)
	}
}
