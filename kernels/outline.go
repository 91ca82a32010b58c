package kernels

import (
	"maps"
	"slices"
)

var (
	_ Points   = (*Outline)(nil)
	_ Nonzeros = (*Outline)(nil)
)

// Outline represents points that have not been read. A plan counts with it what a training would
// take, from the number of points and of their non-zeros alone. Its features do not exist: methods
// that would return them panic, as only a mistake in the program can call them.
type Outline struct {
	N, D    int
	Lengths map[int]int // how many points have a number of non-zeros; nil if the points are dense
}

// Len is the number of points.
func (o *Outline) Len() int { return o.N }

// Dim is the number of features.
func (o *Outline) Dim() int { return o.D }

// Sparse reports whether the points will be stored by their non-zeros.
func (o *Outline) Sparse() bool { return o.Lengths != nil }

// Panel panics: an outline has no features.
func (o *Outline) Panel(int) []float32 { panic("kernels: a panel of an outline") }

// Row panics: an outline has no features.
func (o *Outline) Row(int, []float32) { panic("kernels: a row of an outline") }

// Nonzeros panics: an outline has no features.
func (o *Outline) Nonzeros(int) ([]int32, []float32) { panic("kernels: non-zeros of an outline") }

// Widest is the number of non-zeros that k of the sparse points have together at most: that of the
// k points that have most. It bounds the memory of any k points.
func Widest(points Points, k int) int64 {
	// An outline knows how many points have how many non-zeros, and no more.
	if o, ok := points.(*Outline); ok {
		return o.widest(k)
	}
	z, _ := nonzeros(points)
	count := make([]int, points.Len())
	for i := range count {
		index, _ := z.Nonzeros(i)
		count[i] = len(index)
	}
	slices.Sort(count)
	sum := int64(0)
	for _, c := range count[max(0, len(count)-k):] {
		sum += int64(c)
	}
	return sum
}

// widest is Widest for points of which only the numbers of non-zeros are known.
func (o *Outline) widest(k int) (sum int64) {
	lengths := slices.Sorted(maps.Keys(o.Lengths))
	// The longest points come first.
	for _, l := range slices.Backward(lengths) {
		n := min(k, o.Lengths[l])
		sum, k = sum+int64(n)*int64(l), k-n
	}
	return sum
}
