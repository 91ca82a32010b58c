package kernels

import (
	"math/rand/v2"
	"slices"

	"bigmkl/mmap"
)

// evenlySpread returns up to most numbers below n, ascending and evenly spread.
func evenlySpread(n, most int) []int32 {
	q := min(n, most)
	ids := make([]int32, q)
	for i := range ids {
		ids[i] = int32(i * n / q)
	}
	return ids
}

// draw returns k distinct numbers below n, ascending, by Floyd's method. They are a function of n,
// k and the seed, and other figures depend on them: neither the method nor the generator may
// change.
func draw(n, k int, seed uint64) []int32 {
	rng := rand.New(rand.NewPCG(seed, 0x6e6f726d616c)) // "normal"
	taken := make(map[int32]bool, k)
	r := make([]int32, 0, k)
	for i := n - k; i < n; i++ {
		v := int32(rng.Uint64() % uint64(i+1))
		// Floyd's step: if v was drawn before, i is taken, which cannot have been.
		if taken[v] {
			v = int32(i)
		}
		taken[v] = true
		r = append(r, v)
	}
	slices.Sort(r)
	return r
}

// gatherSample returns a set of some points. Dense features lie in a file in scratch until free is
// called; non-zeros are views into the points' own memory.
//
// The file spares memory: the kernel of the system may write its pages back and drop them.
func gatherSample(points Points, sample []int32, scratch string) (
	s *Set, free func() error, err error) {
	s, free = &Set{Dim: points.Dim()}, func() error { return nil }
	if !IsSparse(points) {
		file, err := mmap.Array(scratch, "sample-*", int64(len(sample))*int64(points.Dim())*4)
		if err != nil {
			return nil, nil, err
		}
		// Gather finds memory that is large enough, and fills it.
		free, s.Dense = file.Close, mmap.View[float32](file) // Gather fills it
	}
	s.Gather(points, sample)
	return s, free, nil
}
