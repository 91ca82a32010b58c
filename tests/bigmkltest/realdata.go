package bigmkltest

import (
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
)

// DataSet returns the name of the file of a real data set.
func DataSet(t testing.TB, name string) string { return DataFile(t, name, name+".libsvm.gz") }

// Figures logs what a run took.
func Figures(t testing.TB, m *bigmkl.Model, r *bigmkl.Result) {
	t.Helper()
	t.Logf("n=%d p=%.4g C=%g: %s, %d iterations, %d passes, %d rows, %d support vectors, gap %.3g, %v", m.Points, m.Norm, m.C, r.Status,
		r.Iterations, r.Gradient.Passes, r.Gradient.Rows, len(m.Support), m.Certificate.RelativeGap, r.Train.Round(time.Millisecond))
}

func LibsvmObjective(t testing.TB, program string, args []string) float64 {
	t.Helper()
	return LibsvmObjectives(t, program, args)[0]
}

// LibsvmObjectives returns the objectives of all classifiers that LIBSVM trains.
func LibsvmObjectives(t testing.TB, program string, args []string) (list []float64) {
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

// DataFile finds a file of the real data sets, or skips the test.
func DataFile(t testing.TB, parts ...string) string {
	t.Helper()
	return filepath.Join(append([]string{testlevel.NeedRealData(t)}, parts...)...)
}

func Open(t testing.TB, path string) *dataset.Reader {
	t.Helper()
	return OpenFor(t, bigmkl.TaskClass, path)
}

// OpenFor opens a file whose labels fit a task.
func OpenFor(t testing.TB, task, path string) *dataset.Reader {
	t.Helper()
	r, err := dataset.Open([]string{path}, dataset.ReadOptions{Labels: model.Labeling(task)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// FourFifths are the first rows of a set, at most so many, without every fifth.
func FourFifths(t testing.TB, set string, most int) (rows []dataset.Row) {
	t.Helper()
	src := Open(t, DataSet(t, set))
	for i := 1; i <= most; i++ {
		r, err := src.Next()
		if err == io.EOF {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		if i%5 != 0 {
			rows = append(rows, r.Clone())
		}
	}
	return rows
}
