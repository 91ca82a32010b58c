package resume

import (
	"bytes"
	"errors"
	"testing"

	"bigmkl"
	"bigmkl/internal/checkpoint"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/tests/bigmkltest"
)

// A folder of several classifiers whose last is not done is not discarded, and damage of the sections of classifiers is
// found.
func TestCheckpointsOfSeveralClassifiers(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 2), 120, 5, 3, false)
	o := bigmkltest.Resumable(t, bigmkl.Options{Kernels: "gauss:auto/2", Multiclass: bigmkl.OneVsRest})
	one := 0
	counting := o
	counting.Checkpoint, counting.CheckpointEvery = "", 0
	counting.Recorder = bigmkltest.Recorder(func(e bigmkl.Event) error {
		if e.Classifier == 0 {
			one++
		}
		return nil
	})
	bigmkltest.TrainModel(t, datasettest.Stream(rows), counting)
	bigmkltest.InterruptedAfter(t, rows, o, one+1) // the first is done by then
	if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o); !errors.Is(err, fail.Usage) {
		t.Errorf("a run over the checkpoints of another: %v", err)
	}
	o.Resume = true
	other := o
	other.Multiclass = bigmkl.OneVsOne
	if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), other); !errors.Is(err, fail.Version) {
		t.Errorf("a run of pairs from the checkpoint of classes: %v", err)
	}
	folder, err := checkpoint.Open(o.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	last, _, err := folder.Last()
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string][]byte{}
	for _, name := range []string{
		"run", "state", "alpha", "combined", "theta", "energies", "set", "sum", "gradients",
		"machine_numbers", "machine_counts", "machine_theta", "machine_norms", "machine_alpha", "machine_support",
	} {
		if _, ok := last.Length(name); !ok {
			continue
		}
		if sections[name], err = last.Read(name); err != nil {
			t.Fatal(err)
		}
	}
	last.Close()
	for _, name := range []string{"machine_numbers", "machine_counts", "machine_theta", "machine_norms", "machine_alpha", "machine_support"} {
		for what, b := range map[string][]byte{"cut": sections[name][:len(sections[name])/8*4], "none": nil, "longer": append(bytes.Clone(sections[name]), make([]byte, 8)...)} {
			var list []checkpoint.Section
			for n, data := range sections {
				if n == name {
					data = b
				}
				list = append(list, checkpoint.Section{Name: n, Data: data})
			}
			if err := folder.Write(list); err != nil {
				t.Fatal(err)
			}
			folder.Close()
			if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o); !errors.Is(err, fail.Corrupt) {
				t.Errorf("%s of %s: %v", what, name, err)
			}
			if folder, err = checkpoint.Open(o.Checkpoint); err != nil {
				t.Fatal(err)
			}
		}
	}
	folder.Close()
}
