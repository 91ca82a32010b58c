package resume

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/bigmkltest"
)

func TestResumeWithLimits(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 1), 160, 4)
	t.Run("learned", func(t *testing.T) {
		resumeWithLimits(t, rows, bigmkl.Options{Kernels: "gauss:0.05..0.4/3,linear", C: 1})
	})
	// The trainings by which a rule finds weights have no limit: the weights would be others.
	t.Run("by a rule", func(t *testing.T) {
		resumeWithLimits(t, rows, bigmkl.Options{Kernels: "gauss:0.05..0.4/3,linear", C: 1, Gap: 1e-4,
			Regularizer: bigmkl.Regularizer{Rule: "accuracy:0.5"}})
	})
	t.Run("a cost that is found, targets of 0", func(t *testing.T) {
		rows := bigmkltest.Curve(datasettest.Random(t, 2), 150, 4)
		for i := range rows {
			if i%7 == 0 {
				rows[i].Target = 0
			}
		}
		resumeWithLimits(t, rows, bigmkl.Options{Task: bigmkl.TaskSquare, Kernels: "gauss:0.05..0.4/3,linear", JointCost: true, Norm: 1, Gap: 1e-6, Tuning: chunking.Tuning{WorkingSet: 32}})
	})
}

func resumeWithLimits(t *testing.T, rows []dataset.Row, o bigmkl.Options) {
	t.Helper()
	m, whole := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	want := bigmkltest.Encoded(t, m)
	o = bigmkltest.Resumable(t, o)
	o.Resume = true
	for at := 1; ; at++ { // one iteration a time
		o.MaxIterations = at
		m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
		if r.Status == chunking.Converged {
			if !bytes.Equal(bigmkltest.Encoded(t, m), want) || r.Iterations != whole.Iterations {
				t.Errorf("another model after %d pieces", at)
			}
			return
		}
		if at > 1 && r.Resumed != at-1 {
			t.Fatalf("piece %d began at iteration %d", at, r.Resumed)
		}
	}
}

func TestCheckpointOfAnotherRun(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 1), 200, 4)
	o := bigmkltest.Resumable(t, bigmkl.Options{Kernels: "gauss:0.05..0.4/3,linear", C: 1, Gap: 1e-4})
	bigmkltest.Interrupted(t, rows, o, 2)
	attempt := func(rows []dataset.Row, change func(o *bigmkl.Options)) error {
		r := o
		r.Scratch, r.Resume = t.TempDir(), true
		change(&r)
		_, _, err := bigmkl.Train(context.Background(), datasettest.Stream(rows), r)
		return err
	}
	init, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "linear"})
	for want, change := range map[string]func(o *bigmkl.Options){
		`C is "1" there and "2" here`:                         func(o *bigmkl.Options) { o.C = 2 },
		`norm is "1.3333333333333333" there and "1" here`:     func(o *bigmkl.Options) { o.Norm = 1 },
		`kernels is "gauss:0.05..0.4/3,linear" there and "li`: func(o *bigmkl.Options) { o.Kernels = "linear" },
		`gap is`:           func(o *bigmkl.Options) { o.Gap = 1e-3 },
		`precision is`:     func(o *bigmkl.Options) { o.Precision = "64" },
		`normalize is`:     func(o *bigmkl.Options) { o.Normalize = "none" },
		`scale is`:         func(o *bigmkl.Options) { o.Scale = "minmax" },
		`store is`:         func(o *bigmkl.Options) { o.Store = dataset.LayoutSparse },
		`class weights is`: func(o *bigmkl.Options) { o.ClassWeight = map[string]float64{"1": 2} },
		`seed is`:          func(o *bigmkl.Options) { o.Seed = 1 },
		`tuning is`:        func(o *bigmkl.Options) { o.Tuning.WorkingSet = 64 },
		`init is`:          func(o *bigmkl.Options) { o.Init = init },
		`rows is`:          func(o *bigmkl.Options) { o.Limit = 199 },
	} {
		err := attempt(rows, change)
		if !errors.Is(err, fail.Version) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	other := datasettest.Clouds(datasettest.Random(t, 2), 200, 4)
	if err := attempt(other, func(*bigmkl.Options) {}); !errors.Is(err, fail.Version) || !strings.Contains(err.Error(), "data is") || strings.Contains(err.Error(), "C is") {
		t.Errorf("other data: %v", err)
	}
	if err := attempt(rows, func(o *bigmkl.Options) { o.Resume = false }); !errors.Is(err, fail.Usage) {
		t.Errorf("a run that has not ended was to be thrown away: %v", err)
	}
	if err := attempt(rows, func(*bigmkl.Options) {}); err != nil {
		t.Errorf("the same run: %v", err)
	}
	if err := attempt(rows, func(o *bigmkl.Options) { o.C, o.Resume = 2, false }); err != nil {
		t.Errorf("another run after the end of the first: %v", err)
	}
}

// TestDamagedCheckpoint damages the last checkpoint: the one before serves. With both damaged the run is rejected.
func TestDamagedCheckpoint(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 1), 200, 4)
	o := bigmkl.Options{Kernels: "gauss:0.05..0.4/3,linear", C: 1, Gap: 1e-4}
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	want := bigmkltest.Encoded(t, m)
	o = bigmkltest.Resumable(t, o)
	o.CheckpointEvery = 1
	bigmkltest.Interrupted(t, rows, o, 4)
	o.CheckpointEvery, o.Resume = time.Hour, true
	files, _ := filepath.Glob(filepath.Join(o.Checkpoint, "checkpoint-*"))
	if len(files) != 2 {
		t.Fatalf("%d checkpoints are kept", len(files))
	}
	damage := func(file string) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b[len(b)/2] ^= 1
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	damage(files[1])
	at := o
	at.MaxIterations = 1 // no iteration more, and so no new checkpoint but that of the end
	_, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), at)
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "the checkpoint before it is used") {
		t.Errorf("warnings %q", r.Warnings)
	}
	m, _ = bigmkltest.Converge(t, datasettest.Stream(rows), o)
	if !bytes.Equal(bigmkltest.Encoded(t, m), want) {
		t.Error("another model")
	}
	files, _ = filepath.Glob(filepath.Join(o.Checkpoint, "checkpoint-*"))
	for _, f := range files {
		damage(f)
	}
	o.Scratch = t.TempDir()
	if _, _, err := bigmkl.Train(context.Background(), datasettest.Stream(rows), o); !errors.Is(err, fail.Corrupt) {
		t.Errorf("two damaged checkpoints: %v", err)
	}
}

func TestCheckpointsAreLocked(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 1), 100, 4)
	o := bigmkltest.Resumable(t, bigmkl.Options{Kernels: "linear", C: 1})
	o.Resume, o.Scratch = true, t.TempDir()
	other := o
	other.Recorder = bigmkltest.Recorder(func(bigmkl.Event) error {
		if _, _, err := bigmkl.Train(context.Background(), datasettest.Stream(rows), o); !errors.Is(err, fail.Budget) {
			t.Errorf("two runs share a folder: %v", err)
		}
		return nil
	})
	if _, _, err := bigmkl.Train(context.Background(), datasettest.Stream(rows), other); err != nil {
		t.Fatal(err)
	}
}

// TestResumeAtTheLimit: a run of trials that ended at the limit of iterations ends with the same model if it is resumed with
// the same limit.
func TestResumeAtTheLimit(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 7), 100, 4, 3, false)
	for name, o := range map[string]bigmkl.Options{
		"shared gates": {Multiclass: bigmkl.OneVsRest, OneGate: true, Gating: "softmax", Kernels: "gauss:auto,linear copies=2"},
		"projections":  {Multiclass: bigmkl.OneVsRest, OneGate: true, Kernels: "proj(gauss:0.4,2),linear"},
		"gates":        {Positive: []string{"1"}, Gating: "sigmoid", Kernels: "gauss:auto,linear copies=2"},
	} {
		t.Run(name, func(t *testing.T) {
			o.GateTol, o.Starts = 0.1, 2
			limits := []int{2, 13, 1000}
			if testlevel.Reached(testlevel.EveryKind) {
				limits = append(limits, 1, 5, 30)
			}
			for _, limit := range limits {
				o.MaxIterations = limit
				m, whole := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
				r := bigmkltest.Resumable(t, o)
				r.Resume = true
				for _, what := range []string{"with checkpoints", "resumed at its end", "resumed twice"} {
					again, result := bigmkltest.TrainModel(t, datasettest.Stream(rows), r)
					if !bytes.Equal(bigmkltest.Encoded(t, again), bigmkltest.Encoded(t, m)) || result.Iterations != whole.Iterations || result.Status != whole.Status {
						t.Errorf("limit %d, %s: another model, %s after %d iterations; %s after %d", limit, what, result.Status, result.Iterations,
							whole.Status, whole.Iterations)
					}
				}
			}
		})
	}
}
