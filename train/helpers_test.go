package train

import (
	"context"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/predict"
	"bigmkl/verify"
)

// given are options as users of the library get them by default, changed by the tests.
func given(t testing.TB, change func(o *Options)) Options {
	t.Helper()
	o := Options{
		Data: Data{Scale: dataset.ScaleNone}, Kernels: Kernels{Specs: "gauss:auto/3,linear", Normalize: "multiplicative"},
		Problem: Problem{Task: "class", C: 1, Epsilon: 0.1, Nu: 0.5}, Norm: Norm{P: 4.0 / 3},
		Solver: Solver{Gap: 1e-3, Precision: chunking.Auto}, Budget: budget.Options{Threads: 2, Scratch: t.TempDir()},
	}
	change(&o)
	return o
}

// mustTrain trains a model.
func mustTrain(t testing.TB, rows []dataset.Row, o Options) *predict.Model {
	t.Helper()
	m, _, err := Run(context.Background(), stream(rows), o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// recorder is a function that is told what happens.
type recorder func(Event) error

func (f recorder) Record(e Event) error { return f(e) }

func mustVerify(t testing.TB, m *predict.Model, src dataset.Source, gram ...string) *verify.Report {
	t.Helper()
	r, err := verify.Run(context.Background(), &m.Model, src, verify.Options{Gram: gram})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Faults {
		t.Errorf("verify: %s", f)
	}
	claimed, _ := m.Worst()
	if limit := 1.1 * max(claimed.RelativeGap, m.Gap); !(r.RelativeGap <= limit) {
		t.Errorf("verified gap %.3g, the model claims %.3g (asked %.3g)", r.RelativeGap, claimed.RelativeGap, m.Gap)
	}
	return r
}

// listed is a source of rows in memory.
type listed struct {
	rows []dataset.Row
	next int
}

// stream starts at the first row.
func stream(rows []dataset.Row) *listed { return &listed{rows: rows} }

func (l *listed) Next() (dataset.Row, error) {
	if l.next == len(l.rows) {
		return dataset.Row{}, io.EOF
	}
	l.next++
	return l.rows[l.next-1], nil
}

// random returns a generator whose seed is shown if the test fails.
func random(t testing.TB, seed uint64) *rand.Rand {
	t.Helper()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0x6d6b6c)) // "mkl"
}

// clouds draws n points of two overlapping classes in d dimensions; the first features tell most. Values below 0.3 in
// magnitude are left out of a row, so that zeros occur.
func clouds(rng *rand.Rand, n, d int) []dataset.Row {
	rows := make([]dataset.Row, n)
	for i := range rows {
		y := 1 - 2*rng.IntN(2)
		if i < 2 {
			y = 1 - 2*i // both classes occur
		}
		rows[i].Label = strconv.Itoa(y)
		for j := range d {
			v := rng.NormFloat64() + 1.2*float64(y)/float64(j+1)
			if v > 0.3 || v < -0.3 {
				rows[i].Index, rows[i].Value = append(rows[i].Index, int32(j)), append(rows[i].Value, v)
			}
		}
	}
	// The last feature has to occur for d to be seen.
	if last := &rows[0]; len(last.Index) == 0 || int(last.Index[len(last.Index)-1]) != d-1 {
		last.Index, last.Value = append(last.Index, int32(d-1)), append(last.Value, 0.5)
	}
	return rows
}

// clusters draws n points of some overlapping classes in d dimensions. With labels, a row has a set of them: those of the clusters
// that are near.
func clusters(rng *rand.Rand, n, d, classes int, sets bool) []dataset.Row {
	rows := make([]dataset.Row, n)
	for i := range rows {
		k := i % classes
		var x []float64
		for j := range d {
			v := rng.NormFloat64()
			if j%classes == k {
				v += 2
			}
			rows[i].Index, rows[i].Value, x = append(rows[i].Index, int32(j)), append(rows[i].Value, v), append(x, v)
		}
		rows[i].Label = strconv.Itoa(k)
		if sets {
			var list []string
			for c := range classes {
				if x[c] > 1 || c == k {
					list = append(list, strconv.Itoa(c))
				}
			}
			rng.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
			rows[i].Label = strings.Join(list, ",")
		}
	}
	return rows
}
