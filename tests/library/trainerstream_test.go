package library

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/host"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

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
	o := bigmkl.Options{Kernels: "gauss:0.3,linear", C: 10}
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
			for i, f := range bigmkltest.Decisions(t, m, rows, bigmkl.PredictOptions{}) {
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

// TestTrainerIjcnn1 feeds 8,000 rows in ten batches, from ManyTimes on 49,990. The last snapshot is as good as the model of a
// training in one go, and all of them together take less than twice its kernel values.
func TestTrainerIjcnn1(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.EveryKind)
	src, err := readRows(bigmkltest.Open(t, bigmkltest.DataSet(t, "ijcnn1")))
	if err != nil {
		t.Fatal(err)
	}
	orders := []bool{false, true}
	if !testlevel.Reached(testlevel.ManyTimes) {
		src, orders = src[:8000], orders[:1]
	}
	for _, shuffled := range orders {
		rows := slices.Clone(src)
		if shuffled {
			datasettest.Random(t, 5).Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
		}
		o := bigmkl.Options{Kernels: "gauss:0.1..10/5", Normalize: "none", Scale: "none"}
		want, one := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		tr := newTrainer(t, o)
		entries := int64(0)
		var m *bigmkl.Model
		for k := range 10 {
			end := (k + 1) * len(rows) / 10
			var r *bigmkl.Result
			m, r = addAndFit(t, tr, rows[k*len(rows)/10:end])
			bigmkltest.Figures(t, m, r)
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
