package library

import (
	"bytes"
	"cmp"
	"errors"
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

// newTrainer returns a trainer with scratch files in a folder that is empty after Close.
func newTrainer(t testing.TB, o bigmkl.Options) *bigmkl.Trainer {
	t.Helper()
	o.Scratch = t.TempDir()
	tr, err := bigmkl.NewTrainer(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// addAndFit adds rows to a trainer and trains on them. It returns the snapshot and what it took.
func addAndFit(t testing.TB, tr *bigmkl.Trainer, rows []dataset.Row) (*bigmkl.Model, *bigmkl.Result) {
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

// falling puts so many points to sleep that some are asleep at the end of most fits.
var falling = chunking.Tuning{WorkingSet: 32, Shrink: 0.8}

// streamProblems are problems of all tasks and some norms, with rows in which both classes occur
// early.
func streamProblems(rng *rand.Rand, n int) map[string]struct {
	rows []dataset.Row
	o    bigmkl.Options
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
		o    bigmkl.Options
	}
	return map[string]p{
		"class":     {rows, bigmkl.Options{}},
		"p=1":       {rows, bigmkl.Options{Norm: 1, C: 3, ClassWeight: map[string]float64{"1": 2}}},
		"p=3":       {weighted, bigmkl.Options{Norm: 3}},
		"sparse":    {rows, bigmkl.Options{Store: dataset.LayoutSparse}},
		"svr":       {rows, bigmkl.Options{Task: bigmkl.TaskSVR}},
		"quantile":  {rows, bigmkl.Options{Task: bigmkl.TaskQuantile, Tau: 0.8}},
		"survival":  {rows, bigmkl.Options{Task: bigmkl.TaskSurvival}},
		"intervals": {bigmkltest.Bounded(rows), bigmkl.Options{Task: bigmkl.TaskSurvival}},
		"expectile": {rows, bigmkl.Options{Task: bigmkl.TaskExpectile, Tau: 0.8}},
		"logistic":  {rows, bigmkl.Options{Task: bigmkl.TaskLogistic}},
		"huber":     {rows, bigmkl.Options{Task: bigmkl.TaskHuber, Delta: 0.5}},
		"square":    {rows, bigmkl.Options{Task: bigmkl.TaskSquare, C: 10, Norm: 2}},
		"linear":    {rows, bigmkl.Options{Task: bigmkl.TaskSquare, Solver: bigmkl.SolverChunking, Kernels: "linear@each-feature"}},
		"oneclass":  {rows, bigmkl.Options{Task: bigmkl.TaskOneClass, Nu: 0.2}},
		"family":    {rows, bigmkl.Options{Kernels: "gauss:2^-12..2^12"}},
		"double":    {rows, bigmkl.Options{Precision: "64"}},
	}
}

// TestTrainer adds rows in batches. Every snapshot verifies on the rows so far, and the last one is
// as good as the model of a training in one go. The model of the first batch alone equals the model of Train,
// byte for byte.
func TestTrainer(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 91)
	for name, p := range streamProblems(rng, 280) {
		t.Run(name, func(t *testing.T) {
			testlevel.Sample(t, 3, 1)
			o := p.o
			o.Gap, o.Threads, o.Scale, o.Tuning = 1e-4, 2, "standard", falling
			if o.Kernels == "" {
				o.Kernels = "gauss:auto/3,linear"
			}
			first, _ := bigmkltest.Converge(t, datasettest.Stream(p.rows[:120]), o)
			tr := newTrainer(t, o)
			m, _ := addAndFit(t, tr, p.rows[:120])
			if !bytes.Equal(bigmkltest.Encoded(t, m), bigmkltest.Encoded(t, first)) {
				t.Error("the model of the first batch is not that of Train")
			}
			// Nothing here depends on the first rows alone, so the problems agree.
			o.Normalize, o.Scale, o.C, o.Epsilon, o.Tau = "none", "none", cmp.Or(o.C, 1), cmp.Or(o.Epsilon, 0.1), cmp.Or(o.Tau, 0.5)
			o.Kernels = strings.ReplaceAll(o.Kernels, "auto/3", "0.1..1/3")
			tr = newTrainer(t, o)
			for _, r := range [][2]int{{0, 120}, {120, 121}, {121, 180}, {180, 180}, {180, 280}} {
				if r[0] < r[1] {
					m, _ = addAndFit(t, tr, p.rows[r[0]:r[1]])
				} else if _, err := tr.Fit(t.Context()); err != nil {
					t.Fatal(err)
				}
				verifytest.MustVerify(t, &m.Model, datasettest.Stream(p.rows[:r[1]]))
			}
			want, _ := bigmkltest.Converge(t, datasettest.Stream(p.rows), o)
			a, b := m.Certificate.Primal, want.Certificate.Primal
			if math.Abs(a-b) > 1e-4*max(math.Abs(a), math.Abs(b)) {
				t.Errorf("primal value %.8g in batches, %.8g in one go", a, b)
			}
		})
	}
}

// TestTrainerWindow forgets rows: the model is about the rows of the window.
func TestTrainerWindow(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 92)
	for name, p := range streamProblems(rng, 360) {
		t.Run(name, func(t *testing.T) {
			testlevel.Sample(t, 3, 1)
			o := p.o
			o.Gap, o.Threads, o.Tuning = 1e-4, 2, falling
			if o.Kernels == "" {
				o.Kernels = "gauss:0.1..1/3,linear"
			}
			tr := newTrainer(t, o)
			if err := tr.Window(160); err != nil {
				t.Fatal(err)
			}
			for _, r := range [][2]int{{0, 120}, {120, 180}, {180, 208}, {208, 360}} {
				m, _ := addAndFit(t, tr, p.rows[r[0]:r[1]])
				rows := p.rows[max(0, r[1]-160):r[1]]
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
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 93), 360, 5)
	var want []byte
	for _, o := range []bigmkl.Options{{Threads: 1}, {Threads: 3}, {Threads: 2, Memory: 40 << 20, Disk: 256 << 20},
		{Threads: 2, Cache: cache.Always}} {
		o.Kernels, o.Tuning = "gauss:auto/12,linear", falling
		tr := newTrainer(t, o)
		tr.Window(200)
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

// TestTrainerRefresh: the rows in hand decide about widths and normalisation once that is asked for.
func TestTrainerRefresh(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 96), 600, 3)
	for i := range rows[300:] {
		for j := range rows[300+i].Value {
			rows[300+i].Value[j] *= 10
		}
	}
	o := bigmkl.Options{Kernels: "gauss:auto/4", Gap: 1e-5}
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
	// Rows that have come decide as well.
	other := newTrainer(t, o)
	if err := other.RefreshEvery(500); err != nil {
		t.Fatal(err)
	}
	addAndFit(t, other, rows[:300])
	again, _ := addAndFit(t, other, rows[300:])
	verifytest.MustVerify(t, &again.Model, datasettest.Stream(rows))
	if again.Stream != nil || !slices.Equal(again.Medians, m.Medians) {
		t.Errorf("medians %v after 600 rows, %v", again.Medians, again.Stream)
	}
	if err := other.RefreshEvery(-1); !errors.Is(err, bigmkl.ErrUsage) {
		t.Errorf("every -1 rows: %v", err)
	}
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	want, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	a, b := m.Certificate.Primal, want.Certificate.Primal
	if m.Stream != nil || !slices.Equal(m.Medians, want.Medians) || math.Abs(a-b) > 1e-5*b {
		t.Errorf("primal value %.8g, of Train %.8g, %+v", a, b, m.Stream)
	}
}

// TestSavedTau: a trainer of times keeps the quantile of its first rows, and so does one that continues from its state.
func TestSavedTau(t *testing.T) {
	t.Parallel()
	rows := streamProblems(datasettest.Random(t, 93), 200)["survival"].rows
	for i := range rows {
		if rows[i].Target = math.Abs(rows[i].Target) + 0.1; i < 160 && i%4 > 0 {
			rows[i].Target = -rows[i].Target
		}
	}
	o := bigmkl.Options{Task: bigmkl.TaskSurvival, Kernels: "gauss:0.3,linear"}
	tr, folder := newTrainer(t, o), t.TempDir()
	if m, _ := addAndFit(t, tr, rows[:160]); m.Tau != 0.25 {
		t.Errorf("a quarter of the rows has an event, and the quantile is %g", m.Tau)
	}
	if err := tr.Save(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	o.Scratch = t.TempDir()
	later, err := bigmkl.ResumeTrainer(t.Context(), folder, o)
	if err != nil {
		t.Fatal(err)
	}
	defer later.Close()
	for name, of := range map[string]*bigmkl.Trainer{"the trainer": tr, "its state": later} {
		if m, _ := addAndFit(t, of, rows[160:]); m.Tau != 0.25 {
			t.Errorf("%s has the quantile %g", name, m.Tau)
		}
	}
}
