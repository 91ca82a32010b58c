package bigmkl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/dataset/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/host"
	"bigmkl/internal/testlevel"
	"bigmkl/verify/verifytest"
)

// newTrainer returns a trainer with scratch files in a folder that is empty after Close.
func newTrainer(t testing.TB, o Options) *Trainer {
	t.Helper()
	o.Scratch = t.TempDir()
	tr, err := NewTrainer(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// addAndFit adds rows to a trainer and trains on them. It returns the snapshot and what it took.
func addAndFit(t testing.TB, tr *Trainer, rows []dataset.Row) (*Model, *Result) {
	t.Helper()
	if err := tr.Add(t.Context(), datasettest.Stream(rows)); err != nil {
		t.Fatal(err)
	}
	r, err := tr.Fit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m, err := tr.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return m, r
}

// streamProblems are problems of all tasks and some norms, with rows in which both classes occur
// early.
func streamProblems(rng *rand.Rand, n int) map[string]struct {
	rows []dataset.Row
	o    Options
} {
	rows := datasettest.Clouds(rng, n, 4)
	for i := range rows {
		rows[i].Target = math.Sin(float64(i))
		for _, x := range rows[i].Value {
			rows[i].Target += x
		}
	}
	weighted := slices.Clone(rows)
	for i := range weighted {
		weighted[i].Weight = 0.5 + rng.Float64()
	}
	type p = struct {
		rows []dataset.Row
		o    Options
	}
	return map[string]p{
		"class":    {rows, Options{}},
		"p=1":      {rows, Options{Norm: 1, C: 3, ClassWeight: map[string]float64{"1": 2}}},
		"p=3":      {weighted, Options{Norm: 3}},
		"sparse":   {rows, Options{Store: dataset.LayoutSparse}},
		"svr":      {rows, Options{Task: TaskSVR}},
		"square":   {rows, Options{Task: TaskSquare, C: 10, Norm: 2}},
		"linear":   {rows, Options{Task: TaskSquare, Solver: SolverChunking, Kernels: "linear@each-feature"}},
		"oneclass": {rows, Options{Task: TaskOneClass, Nu: 0.2}},
		"family":   {rows, Options{Kernels: "gauss:2^-12..2^12"}},
		"double":   {rows, Options{Precision: "64"}},
	}
}

// TestTrainer adds rows in batches. Every snapshot verifies on the rows so far, and the last one is
// as good as the model of a training in one go. The model of the first batch alone is that of Train,
// byte for byte.
func TestTrainer(t *testing.T) {
	rng := datasettest.Random(t, 91)
	for name, p := range streamProblems(rng, 700) {
		t.Run(name, func(t *testing.T) {
			o := p.o
			o.Gap, o.Threads, o.Scale = 1e-4, 2, "standard"
			if o.Kernels == "" {
				o.Kernels = "gauss:auto/3,linear"
			}
			first, _ := converge(t, datasettest.Stream(p.rows[:300]), o)
			tr := newTrainer(t, o)
			m, _ := addAndFit(t, tr, p.rows[:300])
			if !bytes.Equal(encoded(t, m), encoded(t, first)) {
				t.Error("the model of the first batch is not that of Train")
			}
			// What the first rows decide is taken from nobody here, so that the problems agree.
			o.Normalize, o.Scale = "none", "none"
			o.Kernels = strings.ReplaceAll(o.Kernels, "auto/3", "0.1..1/3")
			tr = newTrainer(t, o)
			for _, r := range [][2]int{{0, 300}, {300, 301}, {301, 450}, {450, 450}, {450, 700}} {
				if r[0] < r[1] {
					m, _ = addAndFit(t, tr, p.rows[r[0]:r[1]])
				} else if _, err := tr.Fit(t.Context()); err != nil {
					t.Fatal(err)
				}
				verifytest.MustVerify(t, &m.Model, datasettest.Stream(p.rows[:r[1]]))
			}
			want, _ := converge(t, datasettest.Stream(p.rows), o)
			a, b := m.Certificate.Primal, want.Certificate.Primal
			if math.Abs(a-b) > 1e-4*max(math.Abs(a), math.Abs(b)) {
				t.Errorf("primal value %.8g in batches, %.8g in one go", a, b)
			}
		})
	}
}

// TestTrainerWindow forgets rows: those of the window are what the model is about.
func TestTrainerWindow(t *testing.T) {
	rng := datasettest.Random(t, 92)
	for name, p := range streamProblems(rng, 900) {
		t.Run(name, func(t *testing.T) {
			o := p.o
			o.Gap, o.Threads = 1e-4, 2
			if o.Kernels == "" {
				o.Kernels = "gauss:0.1..1/3,linear"
			}
			tr := newTrainer(t, o)
			if err := tr.Window(400); err != nil {
				t.Fatal(err)
			}
			for _, r := range [][2]int{{0, 300}, {300, 450}, {450, 520}, {520, 900}} {
				m, _ := addAndFit(t, tr, p.rows[r[0]:r[1]])
				rows := p.rows[max(0, r[1]-400):r[1]]
				if m.Points != len(rows) {
					t.Errorf("%d rows, want %d", m.Points, len(rows))
				}
				verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
				if m.Certificate.RelativeGap > o.Gap {
					t.Errorf("gap %g", m.Certificate.RelativeGap)
				}
			}
		})
	}
}

// TestTrainerBits: threads, memory and the row cache change no bit of a snapshot.
func TestTrainerBits(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 93), 900, 5)
	var want []byte
	for _, o := range []Options{{Threads: 1}, {Threads: 3}, {Threads: 2, Memory: 40 << 20, Disk: 256 << 20},
		{Threads: 2, Cache: cache.Always}} {
		o.Kernels = "gauss:auto/12,linear"
		tr := newTrainer(t, o)
		tr.Window(500)
		var m *Model
		for i := 0; i < len(rows); i += 150 {
			m, _ = addAndFit(t, tr, rows[i:i+150])
		}
		if got := encoded(t, m); want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Errorf("%+v: another model", o)
		}
	}
}

// TestTrainerFaultyBatch: a batch that does not fit is one clear error, and leaves the trainer as it
// was.
func TestTrainerFaultyBatch(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 94), 300, 3)
	o := Options{Kernels: "gauss:auto/3"}
	faulty := func(change func(r *dataset.Row)) []dataset.Row {
		list := slices.Clone(rows[200:])
		r := &list[70]
		r.Index, r.Value = slices.Clone(r.Index), slices.Clone(r.Value)
		r.File, r.Line = "batch", 71
		change(r)
		return list
	}
	tr, other := newTrainer(t, o), newTrainer(t, o)
	one := slices.Clone(rows[:100])
	for i := range one {
		one[i].Label = "1"
	}
	if err := tr.Add(t.Context(), datasettest.Stream(one)); !errors.Is(err, ErrInput) {
		t.Errorf("a first batch of one class: %v", err)
	}
	if _, err := tr.Snapshot(); !errors.Is(err, ErrUsage) {
		t.Errorf("a snapshot before the first training: %v", err)
	}
	addAndFit(t, tr, rows[:200])
	addAndFit(t, other, rows[:200])
	for want, change := range map[string]func(r *dataset.Row){
		"batch:71: feature 9, but the rows before have only 3 features": func(r *dataset.Row) { r.Index, r.Value = []int32{0, 8}, []float64{1, 2} },
		"batch:71: feature 1 is NaN":                                    func(r *dataset.Row) { r.Index, r.Value = []int32{0}, []float64{math.NaN()} },
		`batch:71: class "7", but the rows before have only -1, 1`:      func(r *dataset.Row) { r.Label = "7" },
		"batch:71: the row has no label":                                func(r *dataset.Row) { r.Label = "" },
		"batch:71: weight -1":                                           func(r *dataset.Row) { r.Weight = -1 },
	} {
		err := tr.Add(t.Context(), datasettest.Stream(faulty(change)))
		if !errors.Is(err, fail.Input) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if kept, waiting := tr.Rows(); kept != 200 || waiting != 0 {
		t.Errorf("%d rows and %d that wait after faulty batches", kept, waiting)
	}
	a, _ := addAndFit(t, tr, rows[200:])
	b, _ := addAndFit(t, other, rows[200:])
	if !bytes.Equal(encoded(t, a), encoded(t, b)) {
		t.Error("a faulty batch changed the trainer")
	}
}

// TestTrainerAtOnce adds rows and takes snapshots while fits run. Every snapshot is whole: it verifies
// on the rows that it says it has seen.
func TestTrainerAtOnce(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 95), 1500, 3)
	tr := newTrainer(t, Options{Kernels: "gauss:0.3,linear", Threads: 2})
	addAndFit(t, tr, rows[:100])
	var wait sync.WaitGroup
	wait.Go(func() {
		for i := 100; i < len(rows); i += 100 {
			if err := tr.Add(t.Context(), datasettest.Stream(rows[i:i+100])); err != nil {
				t.Error(err)
			}
		}
	})
	for range 5 {
		wait.Go(func() {
			if _, err := tr.Fit(t.Context()); err != nil {
				t.Error(err)
			}
			m, err := tr.Snapshot()
			if err != nil {
				t.Error(err)
				return
			}
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows[:m.Points]))
		})
	}
	wait.Wait()
	if _, err := tr.Fit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m, _ := tr.Snapshot(); m.Points != len(rows) {
		t.Errorf("%d rows in the end, want %d", m.Points, len(rows))
	}
}

// TestTrainerRefresh: the rows in hand decide about widths and normalisation once that is asked for.
func TestTrainerRefresh(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 96), 600, 3)
	for i := range rows[300:] {
		for j := range rows[300+i].Value {
			rows[300+i].Value[j] *= 10
		}
	}
	o := Options{Kernels: "gauss:auto/4", Gap: 1e-5}
	tr := newTrainer(t, o)
	early, _ := addAndFit(t, tr, rows[:300])
	late, _ := addAndFit(t, tr, rows[300:])
	if !slices.Equal(early.Medians, late.Medians) || late.Stream == nil || late.Stream.Prepared != 300 {
		t.Errorf("medians %v and then %v, %+v", early.Medians, late.Medians, late.Stream)
	}
	tr.Refresh()
	if _, err := tr.Fit(t.Context()); err != nil {
		t.Fatal(err)
	}
	m, _ := tr.Snapshot()
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	want, _ := converge(t, datasettest.Stream(rows), o)
	a, b := m.Certificate.Primal, want.Certificate.Primal
	if m.Stream != nil || !slices.Equal(m.Medians, want.Medians) || math.Abs(a-b) > 1e-5*b {
		t.Errorf("primal value %.8g, of Train %.8g, %+v", a, b, m.Stream)
	}
}

// TestTrainerRefusals: what a trainer does not do is said at once.
func TestTrainerRefusals(t *testing.T) {
	for _, o := range []Options{{Multiclass: OneVsRest}, {Folds: 3}, {Checkpoint: t.TempDir()},
		{Solver: SolverWrapper}, {Init: &Model{}}, {Limit: 5}, {C: -1}} {
		if _, err := NewTrainer(o); !errors.Is(err, ErrUsage) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	tr := newTrainer(t, Options{})
	if _, err := tr.Fit(t.Context()); !errors.Is(err, ErrUsage) {
		t.Errorf("without rows: %v", err)
	}
	if err := tr.Window(-1); !errors.Is(err, ErrUsage) {
		t.Errorf("a negative window: %v", err)
	}
	if err := tr.Close(); err != nil {
		t.Error(err)
	}
	if err := tr.Add(t.Context(), datasettest.Stream(nil)); !errors.Is(err, ErrUsage) {
		t.Errorf("after Close: %v", err)
	}
}

// drifting yields rows of a boundary that turns by one degree every so many rows.
func drifting(rng *rand.Rand, from, n int) []dataset.Row {
	const slow = 100
	rows := make([]dataset.Row, n)
	for i := range rows {
		x, y := rng.NormFloat64(), rng.NormFloat64()
		angle := float64((from+i)/slow) * math.Pi / 180
		rows[i] = dataset.Row{Label: "-1", Index: []int32{0, 1}, Value: []float64{x, y}}
		if x*math.Cos(angle)+y*math.Sin(angle) > 0 {
			rows[i].Label = "1"
		}
	}
	return rows
}

// TestTrainerDrift goes round the circle once: a window follows, memory and disk stay what they are.
func TestTrainerDrift(t *testing.T) {
	rng := datasettest.Random(t, 97)
	const batch = 500
	fits := testlevel.Repeats(36, 720)
	o := Options{Kernels: "gauss:0.3,linear", C: 10}
	tr := newTrainer(t, o)
	tr.Window(3 * batch)
	worst, total := 1.0, 0.0
	var held int64
	for k := range fits {
		rows := drifting(rng, k*batch, batch)
		if k > 3 {
			m, err := tr.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			right := 0
			for i, f := range decisions(t, m, rows, PredictOptions{}) {
				if (f > 0) == (rows[i].Label == "1") {
					right++
				}
			}
			accuracy := float64(right) / batch
			worst, total = min(worst, accuracy), total+accuracy
		}
		m, _ := addAndFit(t, tr, rows)
		if m.Points > 3*batch {
			t.Fatalf("%d rows", m.Points)
		}
		// The collector gives back what is held no longer. Ten rounds in, everything has been held.
		if k == 10 || k == fits-1 {
			runtime.GC()
			debug.FreeOSMemory()
			if now := host.RSSAnon(); k == 10 {
				held = now
			} else if now > held+32<<20 {
				t.Errorf("%d bytes of memory after %d rounds, %d after 10", now, fits, held)
			}
		}
	}
	mean := total / float64(fits-4)
	t.Logf("accuracy %.4f on the rows to come, at least %.4f", mean, worst)
	if mean < 0.93 || worst < 0.88 {
		t.Errorf("the window does not follow: accuracy %.4f, at least %.4f", mean, worst)
	}
}

// TestTrainerIjcnn1 feeds 49,990 rows in ten batches. The last snapshot is as good as the model of a
// training in one go, and all of them together take less than twice its kernel values.
func TestTrainerIjcnn1(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.EveryKind)
	src, err := readRows(open(t, dataSet(t, "ijcnn1")))
	if err != nil {
		t.Fatal(err)
	}
	for _, shuffled := range []bool{false, true} {
		rows := slices.Clone(src)
		if shuffled {
			datasettest.Random(t, 5).Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
		}
		o := Options{Kernels: "gauss:0.1..10/5", Normalize: "none"}
		want, one := converge(t, datasettest.Stream(rows), o)
		tr := newTrainer(t, o)
		entries := int64(0)
		var m *Model
		for k := range 10 {
			end := (k + 1) * len(rows) / 10
			var r *Result
			m, r = addAndFit(t, tr, rows[k*len(rows)/10:end])
			figures(t, m, r)
			entries += r.Gradient.Entries
			if !shuffled || k == 9 {
				verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows[:end]))
			}
		}
		cost := float64(entries) / float64(one.Gradient.Entries)
		a, b := m.Certificate.Primal, want.Certificate.Primal
		t.Logf("shuffled %v: primal value %.8g, in one go %.8g, %.3f times the kernel values", shuffled, a, b, cost)
		if math.Abs(a-b) > 1e-3*b || cost >= 2 {
			t.Errorf("primal value %.8g, in one go %.8g, %.3f times the kernel values", a, b, cost)
		}
	}
}

// readRows reads a source to its end.
func readRows(src dataset.Source) (rows []dataset.Row, err error) {
	for {
		r, err := src.Next()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", len(rows)+1, err)
		}
		r.Index, r.Value = slices.Clone(r.Index), slices.Clone(r.Value)
		rows = append(rows, r)
	}
}

// TestTrainerCut: a training that is cut, or ends at a limit, leaves a trainer that goes on. What was
// done on rows so far is not lost, and nothing is claimed that is not so.
func TestTrainerCut(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 100), 900, 4)
	for _, kernels := range []string{"gauss:auto/3,linear", "gauss:auto/20"} {
		o := Options{Kernels: kernels, Gap: 1e-4, Threads: 2}
		count := 0
		stop := func() {}
		o.Recorder = recorderFunc(func(Event) error {
			if count++; count == 3 {
				stop()
			}
			return nil
		})
		tr := newTrainer(t, o)
		tr.Window(700)
		done := 0
		for _, end := range []int{300, 500, 600, 900} {
			if err := tr.Add(t.Context(), datasettest.Stream(rows[done:end])); err != nil {
				t.Fatal(err)
			}
			done = end
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			var cut *Unfinished
			if _, err := tr.Fit(ctx); !errors.As(err, &cut) {
				t.Errorf("a context that is done: %v", err)
			}
			ctx, stop = context.WithCancel(t.Context())
			count = 0
			r, err := tr.Fit(ctx)
			stop()
			if err != nil {
				t.Fatal(err)
			}
			m, err := tr.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			kept := rows[max(0, done-700):done]
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(kept))
			if r, err = tr.Fit(t.Context()); err != nil || r.Status != chunking.Converged {
				t.Fatalf("%v, %+v", err, r)
			}
			m, _ = tr.Snapshot()
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(kept))
		}
	}
}

// recorderFunc is a function that is a Recorder.
type recorderFunc func(Event) error

func (f recorderFunc) Record(e Event) error { return f(e) }
