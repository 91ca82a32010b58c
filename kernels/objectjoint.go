package kernels

import (
	"slices"

	"bigmkl/internal/simd"
)

// jointPairs has the matrices F of all kernels on the same two columns side by side. A point takes the numbers of
// all of them, and they lie in one or two cache lines.
type jointPairs[T simd.Real] struct {
	columns []int
	sums    []*ObjectSum[T]
	numbers []T // [32 objects of the right column][object of the left][32][sum]
}

// jointFrom is the number of pairs of objects from which matrices are side by side. Smaller ones stay in the
// second-level cache.
const jointFrom = 1 << 16

// join adds a sum to the sums of its columns, or makes it one of its own.
func (s *ObjectSums[T]) join(f *ObjectSum[T]) {
	many := f.group.counts[0]*f.group.counts[1] >= jointFrom
	i := slices.IndexFunc(s.joints, func(j *jointPairs[T]) bool {
		return slices.Equal(j.columns, f.group.columns) && (many || len(j.sums) == 0)
	})
	if i < 0 {
		i, s.joints = len(s.joints), append(s.joints, &jointPairs[T]{columns: f.group.columns})
	}
	s.joints[i].sums = append(s.joints[i].sums, f)
}

// begin takes memory for all sums, and returns the work that fills it.
func (j *jointPairs[T]) begin() (items []func(w *objectScratch[T])) {
	left, right := j.sums[0].group.sides()
	counts := j.sums[0].group.counts
	j.numbers = grow(j.numbers, pairNumbers(counts[left], counts[right])*len(j.sums))
	for slot, f := range j.sums {
		f.pairs, f.stride = j.numbers[slot:], len(j.sums)
	}
	for from := 0; from < counts[right]; from += width {
		items = append(items, func(w *objectScratch[T]) { j.multiply(from, w) })
	}
	return items
}

// multiply sets the values of all objects of the left column with the objects from..from+31 of the right one, for
// all sums.
func (j *jointPairs[T]) multiply(from int, w *objectScratch[T]) {
	size := BaseSize(j.sums[0].left.count)
	w.tile = grow(w.tile, size)
	to := j.numbers[from/width*size*len(j.sums):]
	for slot, f := range j.sums {
		if len(j.sums) == 1 {
			f.multiply(to[:size], from, w)
			return
		}
		f.multiply(w.tile, from, w)
		for i, x := range w.tile {
			to[i*len(j.sums)+slot] = x
		}
	}
}
