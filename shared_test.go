package bigmkl

import (
	"bigmkl/dataset"
	"bigmkl/dataset/datasettest"
	"bigmkl/model"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

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

// dataSet returns the name of the file of a real data set.
func dataSet(t testing.TB, name string) string { return dataFile(t, name, name+".libsvm.gz") }

// figures logs what a run took.
func figures(t testing.TB, m *Model, r *Result) {
	t.Helper()
	t.Logf("n=%d p=%.4g C=%g: %s, %d iterations, %d passes, %d rows, %d support vectors, gap %.3g, %v", m.Points, m.Norm, m.C, r.Status,
		r.Iterations, r.Gradient.Passes, r.Gradient.Rows, len(m.Support), m.Certificate.RelativeGap, r.Train.Round(time.Millisecond))
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
