package resume

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify"
)

// similarity is a Gaussian of the row numbers. So rows differ, and the matrix has full rank.
func similarity(i, j int) float64 {
	d := float64(i - j)
	return math.Exp(-d * d / 50)
}

// TestMatrixChanges cuts a matrix short, or writes to it, while it is mapped: wherever that happens the run ends with the file's
// name, not by a signal, and not with a model.
func TestMatrixChanges(t *testing.T) {
	t.Parallel()
	const n = 400 // 1.3 MB of float64
	rows := datasettest.Clouds(datasettest.Random(t, 31), n, 4)
	for name, change := range map[string]func(path string) error{
		"cut to nothing":  func(path string) error { return os.Truncate(path, 0) },
		"cut in the half": func(path string) error { return os.Truncate(path, 8*n*n/2) },
		"written to": func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte("numbers of another matrix"), 8*n*n/2)
			// Clocks of file systems are too coarse for a test.
			return errors.Join(err, f.Close(), os.Chtimes(path, time.Time{}, time.Now().Add(time.Second)))
		},
	} {
		for _, o := range []bigmkl.Options{
			{Precision: "32", Normalize: "none", Cache: cache.Never, Tuning: chunking.Tuning{WorkingSet: 20}},
			{Precision: "64", Normalize: "none", Gap: 1e-5, Tuning: chunking.Tuning{WorkingSet: 20}},
			{Precision: "auto", Normalize: "multiplicative", Norm: 3, Cache: cache.Always, Tuning: chunking.Tuning{WorkingSet: 20}},
		} {
			path := bigmkltest.MatrixFile(t, n, n, similarity)
			o.Kernels, o.Scratch = "precomputed:"+path+",gauss:0.5", t.TempDir()
			events := 0
			o.Recorder = bigmkltest.Recorder(func(bigmkl.Event) error {
				if events++; events > 1 {
					return nil
				}
				return change(path)
			})
			m, _, err := bigmkl.Train(context.Background(), datasettest.Stream(rows), o)
			bigmkltest.Rejected(t, name, err, fail.Input)
			if m != nil || err == nil || !strings.HasPrefix(err.Error(), path+": the file changed") {
				t.Errorf("%s, precision %s: %v after %d iterations", name, o.Precision, err, events)
			}
		}
	}
}

// TestMatrixCutShortLater: predict and verify read matrices as well.
func TestMatrixCutShortLater(t *testing.T) {
	t.Parallel()
	const n = 150
	rows := datasettest.Clouds(datasettest.Random(t, 32), n, 3)
	path := bigmkltest.MatrixFile(t, n, n, similarity)
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "precomputed:" + path})
	short := func() dataset.Source {
		return &hooked{datasettest.Stream(rows), n / 2, func() {
			if err := os.Truncate(path, 4096); err != nil {
				t.Fatal(err)
			}
		}}
	}
	_, err := verify.Run(context.Background(), &m.Model, short(), verify.Options{Gram: []string{path}})
	bigmkltest.Rejected(t, "verify", err, fail.Input)
	if err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("verify: %v", err)
	}
	path = bigmkltest.MatrixFile(t, n, n, similarity)
	err = m.Predict(context.Background(), short(), bigmkl.PredictOptions{Gram: []string{path}}, func(bigmkl.Prediction) error { return nil })
	bigmkltest.Rejected(t, "predict", err, fail.Input)
	if err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("predict: %v", err)
	}
}

// hooked calls a function before one of its rows.
type hooked struct {
	dataset.Source
	at   int
	hook func()
}

func (h *hooked) Next() (dataset.Row, error) {
	if h.at--; h.at == 0 {
		h.hook()
	}
	return h.Source.Next()
}
