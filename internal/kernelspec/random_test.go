package kernelspec

import (
	"hash/fnv"
	"slices"
	"testing"
)

// The sets of a seed are part of the model format: these must never change.
func TestRandomIsFixed(t *testing.T) {
	b, err := Expand([]string{"linear", "gauss:1..2@random:3*4"}, Context{Features: 100, Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	// Computed by an independent implementation of the algorithm documented at sampler.
	want := [][]int32{{13, 45, 51}, {43, 53, 78}, {11, 91, 95}, {15, 16, 64}}
	for i, set := range b.Sets {
		if !slices.Equal(set, want[i]) {
			t.Errorf("set %d is %v, want %v", i, set, want[i])
		}
	}
	if len(b.Sets) != 4 || len(b.Kernels) != 9 || b.Kernels[1].Set != 0 || b.Kernels[2].Set != 0 || b.Kernels[3].Set != 1 {
		t.Errorf("%d sets, kernels %v", len(b.Sets), b.Kernels)
	}
}

func TestRandomSets(t *testing.T) {
	draw := func(seed uint64, specs ...string) *Bank {
		b, err := Expand(specs, Context{Features: 50, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	b := draw(1, "linear@random:7*2000")
	count := make([]int, 50)
	for _, set := range b.Sets {
		if len(set) != 7 || !slices.IsSorted(set) || len(slices.Compact(slices.Clone(set))) != 7 || set[0] < 0 || set[6] >= 50 {
			t.Fatalf("set %v", set)
		}
		for _, f := range set {
			count[f]++
		}
	}
	// 280 of 2000 sets hold a feature, standard deviation 15.5.
	for f, n := range count {
		if n < 280-80 || n > 280+80 {
			t.Errorf("feature %d is in %d sets", f, n)
		}
	}
	if slices.Equal(draw(2, "linear@random:7*1").Sets[0], b.Sets[0]) {
		t.Error("the seed does not matter")
	}
	two := draw(1, "linear@random:7*1", "linear@random:7*1")
	if slices.Equal(two.Sets[0], two.Sets[1]) {
		t.Error("the position does not matter")
	}
	if all := draw(1, "linear@random:50*3"); len(all.Sets) != 0 || len(all.Kernels) != 3 || all.Kernels[2].Set != AllFeatures {
		t.Errorf("sets of all features: %+v", all)
	}
}

// Both ways to remember what was drawn give the same sets.
func TestSamplerMembership(t *testing.T) {
	a, b := newSampler(3, 0, 1000), newSampler(3, 0, 1000)
	b.stamp, b.taken = nil, map[int32]struct{}{}
	x, y := make([]int32, 400), make([]int32, 400)
	for range 20 {
		a.fill(x)
		b.fill(y)
		if !slices.Equal(x, y) {
			t.Fatal("the sets differ")
		}
	}
}

func TestMillion(t *testing.T) {
	b, err := Expand([]string{"gauss:1@random:10*1000000"}, Context{Features: 784, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	h := fnv.New64a()
	for _, set := range b.Sets {
		for _, f := range set {
			h.Write([]byte{byte(f), byte(f >> 8)})
		}
	}
	if got := h.Sum64(); got != 0xaaa57eb2a18f573c || len(b.Kernels) != 1000000 {
		t.Errorf("hash %#x, %d kernels", got, len(b.Kernels))
	}
}
