package kernels_test

import (
	"context"
	"slices"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/kernelspec"
	. "bigmkl/kernels"
)

// TestScales: lists of kernels of the same points share factors, to the bit, for groups that have been seen. A
// group with another kernel is none of them, and neither is one in another precision.
func TestScales(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 81), 60, 6)
	views := []dataset.View{{Name: "a", First: 1, Last: 3}, {Name: "b", First: 4, Last: 6}}
	store, err := dataset.Build(t.Context(), datasettest.Stream(rows), dataset.StoreOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	memory := new(Scales)
	find := func(ctx context.Context, memory *Scales, double bool, specs ...string) (*Normalization, error) {
		p, err := Prepare(t.Context(), store, specs, PrepareOptions{
			Views: views, Normalizer: kernelspec.Multiplicative, Memory: 1 << 24, Threads: 1, Scratch: t.TempDir(), Scales: memory,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		err = p.FindScales(ctx, store, double, t.Logf)
		return &p.Normalization, err
	}
	cut, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := find(t.Context(), memory, false, "gauss:1@a", "gauss:2@a", "gauss:0.5@b", "poly:2@b norm=none"); err != nil {
		t.Fatal(err)
	}
	// A context that has ended lets no factor be computed.
	for _, specs := range [][]string{{"gauss:1@a", "gauss:2@a"}, {"gauss:0.5@b"}, {"poly:2@b norm=none", "gauss:1@a", "gauss:2@a"}} {
		got, err := find(cut, memory, false, specs...)
		if err != nil {
			t.Errorf("%v: %v", specs, err)
			continue
		}
		want, err := find(t.Context(), nil, false, specs...)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Scale, want.Scale) || got.SampleSize != want.SampleSize || !slices.Equal(got.StandardError, want.StandardError) {
			t.Errorf("%v: kept factors %v, computed ones %v", specs, got, want)
		}
	}
	for _, specs := range [][]string{{"gauss:1@a"}, {"gauss:3@b"}} {
		if _, err := find(cut, memory, false, specs...); err == nil {
			t.Errorf("%v: factors of another group", specs)
		}
	}
	if _, err := find(cut, memory, true, "gauss:0.5@b"); err == nil {
		t.Error("factors of single precision for double precision")
	}
	taken := new(Scales)
	taken.Take(memory)
	if _, err := find(cut, taken, false, "gauss:0.5@b"); err != nil {
		t.Errorf("factors that were taken: %v", err)
	}
}
