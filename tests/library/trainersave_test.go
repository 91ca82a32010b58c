package library

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"bigmkl"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestTrainerSave saves a trainer after every batch, half of the times before the batch was trained
// on, and continues from the saved state: every model has the bytes that it has without that.
func TestTrainerSave(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 98)
	for name, p := range streamProblems(rng, 360) {
		t.Run(name, func(t *testing.T) {
			testlevel.Sample(t, 4, 1)
			o := p.o
			o.Threads, o.Scale, o.Tuning = 2, "minmax", falling
			if o.Kernels == "" {
				o.Kernels = "gauss:auto/3,linear"
			}
			folder := t.TempDir()
			whole, parts := newTrainer(t, o), newTrainer(t, o)
			whole.Window(200)
			parts.Window(200)
			again := func() {
				t.Helper()
				if err := parts.Save(t.Context(), folder); err != nil {
					t.Fatal(err)
				}
				if err := parts.Close(); err != nil {
					t.Fatal(err)
				}
				o.Scratch = t.TempDir()
				var err error
				if parts, err = bigmkl.ResumeTrainer(t.Context(), folder, o); err != nil {
					t.Fatal(err)
				}
			}
			defer func() { parts.Close() }()
			for k, r := range [][2]int{{0, 120}, {120, 180}, {180, 240}, {240, 360}} {
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
				verifytest.MustVerify(t, &m.Model, datasettest.Stream(p.rows[max(0, r[1]-200):r[1]]))
				if k%2 == 1 {
					again()
				}
			}
		})
	}
}

// TestTrainerFolder: the content of a folder decides whether a trainer continues from it.
func TestTrainerFolder(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 99), 200, 3)
	o := bigmkl.Options{Kernels: "gauss:1,linear"}
	folder := t.TempDir()
	fresh, err := bigmkl.ResumeTrainer(t.Context(), folder, o)
	if err != nil {
		t.Fatalf("an empty folder: %v", err)
	}
	fresh.Close()
	tr := newTrainer(t, o)
	addAndFit(t, tr, rows)
	if err := tr.Save(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	other := o
	other.C = 2
	if _, err := bigmkl.ResumeTrainer(t.Context(), folder, other); !errors.Is(err, bigmkl.ErrVersion) {
		t.Errorf("with another C: %v", err)
	}
	run := o
	run.Checkpoint = folder
	if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), run); !errors.Is(err, bigmkl.ErrUsage) {
		t.Errorf("a run in the folder of a trainer: %v", err)
	}
	run.Checkpoint = t.TempDir()
	bigmkltest.TrainModel(t, datasettest.Stream(rows), run)
	if err := tr.Save(t.Context(), run.Checkpoint); !errors.Is(err, bigmkl.ErrUsage) {
		t.Errorf("a trainer in the folder of a run: %v", err)
	}
	if _, err := bigmkl.ResumeTrainer(t.Context(), run.Checkpoint, o); !errors.Is(err, bigmkl.ErrUsage) {
		t.Errorf("a trainer from the folder of a run: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if info, err := os.Stat(name); err != nil || info.Size() < 100 {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		b[len(b)/2] ^= 1
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := bigmkl.ResumeTrainer(t.Context(), folder, o); !errors.Is(err, bigmkl.ErrCorrupt) {
		t.Errorf("a damaged folder: %v", err)
	}
}
