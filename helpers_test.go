package bigmkl

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/model"
	"bigmkl/train"
)

// What models, warnings and checkpoints say, which the library does not name.
const (
	provenGap  = train.ProvenGap
	stationary = train.Stationary
	namedCases = 3 // warnings of a kind that are told as the run goes on
)

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

// trainModel runs Train with scratch files in a folder that must be empty again at the end.
func trainModel(t testing.TB, src dataset.Source, o Options) (*Model, *Result) {
	t.Helper()
	o.Scratch = t.TempDir()
	m, r, err := Train(context.Background(), src, o)
	if err != nil {
		t.Fatalf("%s p=%g C=%g: %v", o.Kernels, o.Norm, o.C, err)
	}
	left, err := os.ReadDir(o.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range left {
		t.Errorf("%s is left in the scratch folder", f.Name())
	}
	return m, r
}

// converge is trainModel that has to reach its gap.
func converge(t testing.TB, src dataset.Source, o Options) (*Model, *Result) {
	t.Helper()
	m, r := trainModel(t, src, o)
	if r.Status != chunking.Converged {
		t.Errorf("%s p=%g C=%g: %s after %d iterations, gap %.3g", o.Kernels, m.Norm, m.C, r.Status, r.Iterations, m.Certificate.RelativeGap)
	}
	return m, r
}

// encoded is the model file.
func encoded(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := model.Encode(context.Background(), &b, &m.Model); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The levels of BIGMKL_LONG. A plain go test ./... is below both of them.
const (
	everyKind = 1 // .ci/run: tests that take long by their nature run, and few repetitions do
	manyTimes = 2 // .ci/long: what draws or repeats does so many times
)

// longLevel reads BIGMKL_LONG. It is 0 if the variable is not set.
func longLevel() int {
	level, _ := strconv.Atoi(os.Getenv("BIGMKL_LONG"))
	return level
}

// long skips a test that takes long by its nature unless such tests are wanted.
func long(t testing.TB) {
	t.Helper()
	if longLevel() < everyKind {
		t.Skipf("BIGMKL_LONG is below %d", everyKind)
	}
}

// repeats is how often a test draws or repeats what it does.
func repeats(few, many int) int {
	if longLevel() >= manyTimes {
		return many
	}
	return few
}
