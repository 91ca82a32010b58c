package resume

import (
	"bytes"
	"errors"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset/datasettest"
	"bigmkl/internal/checkpoint"
	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/bigmkltest"
	trainpkg "bigmkl/train"
)

// Several machines that are interrupted anywhere, between two of them and within, go on to the same bits.
func TestResumeOfSeveralMachines(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.ManyTimes) // The table of tests/bits has its kind.
	rng := datasettest.Random(t, 1)
	for name, o := range map[string]bigmkl.Options{
		"ovr":           {Multiclass: bigmkl.OneVsRest, C: 0.3},
		"ovo":           {Multiclass: bigmkl.OneVsOne, C: 0.3},
		"labels, small": {Multiclass: bigmkl.MultiLabel, Gap: 3e-5},
	} {
		t.Run(name, func(t *testing.T) {
			testlevel.Sample(t, 2)
			rows := datasettest.Clusters(rng, 2600, 8, 3, o.Multiclass == bigmkl.MultiLabel)
			o.Kernels, o.Tuning = "gauss:auto/4,poly:2,linear", chunking.Tuning{WorkingSet: 128, Shrink: 0.8}
			o.Cache = cache.Never
			m, whole := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
			want, total := bigmkltest.Encoded(t, m), whole.Iterations
			pieces := max(3, testlevel.Repeats(3, 25))
			for at := 1; at < total; at += max(1, total/pieces) {
				r := bigmkltest.Resumable(t, o)
				if first := bigmkltest.InterruptedAfter(t, rows, r, at); first.Status != chunking.Interrupted {
					t.Fatalf("%s after %d of %d iterations", first.Status, at, total)
				}
				r.Resume = true
				if again := 1 + rng.IntN(5); rng.IntN(2) == 0 && at+again < total {
					r.Threads = 1
					bigmkltest.InterruptedAfter(t, rows, r, again)
				}
				r.Threads, r.Cache = 1+rng.IntN(3), bigmkltest.Pick(rng, cache.Auto, cache.Always, cache.Never)
				m, result := bigmkltest.TrainModel(t, datasettest.Stream(rows), r)
				if !bytes.Equal(bigmkltest.Encoded(t, m), want) || result.Iterations != total || result.Status != chunking.Converged {
					t.Errorf("another model after an interrupt at iteration %d of %d: %s, %d iterations", at, total, result.Status, result.Iterations)
				}
				m, result = bigmkltest.TrainModel(t, datasettest.Stream(rows), r)
				if !bytes.Equal(bigmkltest.Encoded(t, m), want) || result.Gradient.Passes != 0 {
					t.Errorf("another model of a run that is over, or %d passes to make it", result.Gradient.Passes)
				}
			}
		})
	}
}

// Machines that learn gates of their own, interrupted within a descent and between two machines, go on to the same bits.
func TestResumeOfGatesOfMachines(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.ManyTimes) // The table of tests/bits has its kind.
	rng := datasettest.Random(t, 3)
	for name, o := range map[string]bigmkl.Options{
		"ovr":    {Multiclass: bigmkl.OneVsRest, Gating: "softmax", GateFloor: 1e-2},
		"ovo":    {Multiclass: bigmkl.OneVsOne, Gating: "gauss", Starts: 2},
		"labels": {Multiclass: bigmkl.MultiLabel, Gating: "sigmoid", GateDecay: 1e-3, GateSteps: 3},
	} {
		t.Run(name, func(t *testing.T) {
			rows := datasettest.Clusters(rng, 150, 4, 3, o.Multiclass == bigmkl.MultiLabel)
			o.Kernels, o.GateTol, o.Cache = "gauss:auto/2,linear copies=2", 1e-2, cache.Never
			train := func(o bigmkl.Options) (*bigmkl.Model, *bigmkl.Result) {
				t.Helper()
				m, r, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o)
				if err != nil || r.Status != chunking.Converged && r.Status != trainpkg.StepLimit {
					t.Fatal(r, err)
				}
				return m, r
			}
			m, whole := train(o)
			want, total := bigmkltest.Encoded(t, m), whole.Iterations
			if len(m.Gates().Machines) != len(m.Machines) {
				t.Fatalf("gates of %d machines", len(m.Gates().Machines))
			}
			for at := 1; at < total; at += max(1, total/testlevel.Repeats(8, 25)) {
				r := bigmkltest.Resumable(t, o)
				bigmkltest.InterruptedAfter(t, rows, r, at)
				r.Resume = true
				if again := 1 + rng.IntN(5); rng.IntN(2) == 0 && at+again < total {
					r.Threads = 1
					bigmkltest.InterruptedAfter(t, rows, r, again)
				}
				r.Threads, r.Cache = 1+rng.IntN(3), bigmkltest.Pick(rng, cache.Auto, cache.Always, cache.Never)
				m, result := train(r)
				if !bytes.Equal(bigmkltest.Encoded(t, m), want) || result.Iterations != total || result.Status != whole.Status {
					t.Errorf("another model after an interrupt at iteration %d of %d: %s, %d iterations", at, total, result.Status, result.Iterations)
				}
			}
		})
	}
}

// A folder of several machines whose last is not done is not thrown away, and damage of what says of the machines is found.
func TestCheckpointsOfSeveralMachines(t *testing.T) {
	rows := datasettest.Clusters(datasettest.Random(t, 2), 300, 5, 3, false)
	o := bigmkltest.Resumable(t, bigmkl.Options{Kernels: "gauss:auto/2", Multiclass: bigmkl.OneVsRest})
	one := 0
	counting := o
	counting.Checkpoint, counting.CheckpointEvery = "", 0
	counting.Recorder = bigmkltest.Recorder(func(e bigmkl.Event) error {
		if e.Machine == 0 {
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
