package families

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestStringsHaveTheSameBits: no bit of a model of sequences depends on threads, cache and budgets,
// however the points are stored and normalised.
func TestStringsHaveTheSameBits(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.ManyTimes) // The table of tests/bits has its kind.
	rows := bigmkltest.Sites(datasettest.Random(t, 41), 260)
	for name, o := range map[string]bigmkl.Options{
		"p=1":       {Norm: 1},
		"p=4/3":     {Precision: "32"},
		"p=2":       {Norm: 2},
		"spherical": {Normalize: "spherical"},
		"sparse":    {Store: dataset.LayoutSparse, Normalize: "none"},
		"double":    {Gap: 5e-5},
		"svr":       {Task: bigmkl.TaskSVR},
		"square":    {Task: bigmkl.TaskSquare, Norm: 1},
		"one class": {Task: bigmkl.TaskOneClass, Nu: 0.3},
	} {
		t.Run(name, func(t *testing.T) {
			testlevel.Sample(t, 2, 1)
			o.Sequences, o.Kernels, o.C, o.Tuning = dataset.DNA, bigmkltest.StringKernels, 0.3, chunking.Tuning{WorkingSet: 128}
			o.Memory, o.Threads = 1<<40, 3
			least := bigmkltest.Budgets(t, rows, o, false).Memory.Least
			var want []byte
			for i, g := range []bigmkl.Options{{Threads: 1, Cache: cache.Never}, {Threads: 2, Cache: cache.Always, Memory: 1 << 28}, {Threads: 3, Cache: cache.Always, Memory: least}} {
				o.Threads, o.Cache, o.Memory = g.Threads, g.Cache, g.Memory
				m, r := bigmkltest.Converge(t, datasettest.Stream(rows), o)
				if i == 0 {
					want = bigmkltest.Encoded(t, m)
					verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
				}
				if !bytes.Equal(bigmkltest.Encoded(t, m), want) {
					t.Errorf("another model with %d threads, cache %s and %d bytes of memory", g.Threads, g.Cache, g.Memory)
				}
				if (r.Gradient.Cache.Hits == 0) == (g.Cache == cache.Always) {
					t.Errorf("%d rows came from the cache, which is on: %s", r.Gradient.Cache.Hits, g.Cache)
				}
			}
		})
	}
}

func TestStringsResume(t *testing.T) {
	rows := bigmkltest.Sites(datasettest.Random(t, 42), 400)
	o := bigmkl.Options{Sequences: dataset.DNA, Kernels: bigmkltest.StringKernels, C: 0.3, Tuning: chunking.Tuning{WorkingSet: 64}}
	m, whole := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	r := bigmkltest.Resumable(t, o)
	bigmkltest.Interrupted(t, rows, r, whole.Iterations/2)
	r.Resume, r.Cache = true, cache.Always
	again, result := bigmkltest.Converge(t, datasettest.Stream(rows), r)
	if !bytes.Equal(bigmkltest.Encoded(t, again), bigmkltest.Encoded(t, m)) || result.Resumed == 0 {
		t.Errorf("another model when resumed at iteration %d", result.Resumed)
	}
}

// TestStringModels: a model that was written and read decides as before. Places without letters
// behind a sequence change nothing, and letters behind the longest training sequence count for the
// kernels that look at them.
func TestStringModels(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 43)
	rows := bigmkltest.Sites(rng, 400)
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Sequences: dataset.DNA, Kernels: bigmkltest.StringKernels, C: 1})
	read, err := model.Decode(bytes.NewReader(bigmkltest.Encoded(t, m)), int64(len(bigmkltest.Encoded(t, m))), "m")
	if err != nil {
		t.Fatal(err)
	}
	unseen := bigmkltest.Sites(rng, 100)
	want := bigmkltest.Decisions(t, m, unseen, bigmkl.PredictOptions{})
	if got := bigmkltest.Decisions(t, &bigmkl.Model{Model: *read}, unseen, bigmkl.PredictOptions{Threads: 1}); !slices.Equal(got, want) {
		t.Error("the model decides otherwise once it was written and read")
	}
	longer, more := slices.Clone(unseen), slices.Clone(unseen)
	right := 0
	for i, r := range unseen {
		for len(longer[i].Index) < 75 {
			longer[i].Index, longer[i].Value = append(slices.Clip(longer[i].Index), int32(len(longer[i].Index))), append(slices.Clip(longer[i].Value), 0)
		}
		more[i] = dataset.Row{Index: slices.Clone(longer[i].Index), Value: slices.Clone(longer[i].Value)}
		copy(more[i].Value[62:], []float64{1, 2, 3, 4, 1, 2, 3, 4})
		if (want[i] > 0) == (r.Label == "1") {
			right++
		}
	}
	if right < 80 {
		t.Errorf("%d of 100 sequences are told right", right)
	}
	if got := bigmkltest.Decisions(t, m, longer, bigmkl.PredictOptions{}); !slices.Equal(got, want) {
		t.Error("places without letters change decisions")
	}
	if got := bigmkltest.Decisions(t, m, more, bigmkl.PredictOptions{}); slices.Equal(got, want) {
		t.Error("letters behind the longest training sequence are not seen")
	}
	for _, r := range []dataset.Row{{Index: []int32{0}, Value: []float64{0.5}}, {Index: []int32{dataset.MaxSequence}, Value: []float64{1}}} {
		if err := m.Predict(context.Background(), datasettest.Stream([]dataset.Row{r}), bigmkl.PredictOptions{}, func(bigmkl.Prediction) error { return nil }); !errors.Is(err, fail.Input) {
			t.Errorf("row %v: error %v", r, err)
		}
	}
}

// TestStringWarmStart: a run that starts from a model finds its support vectors again by their
// sequences.
func TestStringWarmStart(t *testing.T) {
	t.Parallel()
	rows := bigmkltest.Sites(datasettest.Random(t, 44), 300)
	o := bigmkl.Options{Sequences: dataset.DNA, Kernels: "wd:8,spectrum:3", C: 1}
	m, cold := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	o.Init = m
	if _, warm := bigmkltest.Converge(t, datasettest.Stream(rows), o); warm.Iterations > cold.Iterations/2 {
		t.Errorf("%d iterations from the solution, %d without", warm.Iterations, cold.Iterations)
	}
}

// TestStringUsage: kernels of sequences are rejected for numbers, and kernels of numbers for
// sequences, in one message each.
func TestStringUsage(t *testing.T) {
	t.Parallel()
	text, numbers := bigmkltest.Sites(datasettest.Random(t, 45), 20), datasettest.Clouds(datasettest.Random(t, 45), 20, 3)
	for _, c := range []struct {
		rows []dataset.Row
		o    bigmkl.Options
		want string
	}{
		{text, bigmkl.Options{Kernels: "wd:3"}, "the data are numbers, and string kernels take sequences"},
		{text, bigmkl.Options{Kernels: "gauss:1", Sequences: dataset.DNA}, "the data are sequences"},
		{numbers, bigmkl.Options{Kernels: "wd:3", Sequences: dataset.DNA}, "stands for no letter of dna"},
		{text, bigmkl.Options{Kernels: "wd:3", Sequences: dataset.DNA, Scale: "minmax"}, "letters are not numbers"},
		{text, bigmkl.Options{Kernels: "wd:3", Sequences: "rna"}, "unknown alphabet"},
		{text, bigmkl.Options{Kernels: "spectrum:33", Sequences: dataset.DNA}, "words of 33 letters, and 32 are the limit for dna"},
		{text, bigmkl.Options{Kernels: "spectrum:3:1", Sequences: dataset.Bytes}, "mismatches are counted of dna alone"},
		{text, bigmkl.Options{Kernels: "spectrum:12:4", Sequences: dataset.DNA}, "stands for 46666 words"},
		{text, bigmkl.Options{Kernels: "spectrum:3:3", Sequences: dataset.DNA}, "is not a number of mismatches below 3"},
		{text, bigmkl.Options{Kernels: "wd:3:shift=x", Sequences: dataset.DNA}, "is no shift"},
		{text, bigmkl.Options{Kernels: "wd", Sequences: dataset.DNA}, "the degree is missing"},
		{text, bigmkl.Options{Kernels: "wd:3@70", Sequences: dataset.DNA}, "not within 1-60"},
	} {
		_, _, err := bigmkl.Train(context.Background(), datasettest.Stream(c.rows), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s on %q: error %v, want %s", c.o.Kernels, c.o.Sequences, err, c.want)
		}
	}
}
