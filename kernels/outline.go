package kernels

import (
	"maps"
	"slices"
)

// Outline stands for points that are not there, so that what they would take can be counted.
type Outline struct {
	N, D    int
	Lengths map[int]int // number of points by how many non-zeros they have, if they are sparse
}

// Len is the number of points.
func (o *Outline) Len() int { return o.N }

// Dim is the number of features.
func (o *Outline) Dim() int { return o.D }

// Sparse tells whether they are by their non-zeros.
func (o *Outline) Sparse() bool { return o.Lengths != nil }

// Panel is for points that are there.
func (o *Outline) Panel(int) []float32 { panic("kernels: a panel of an outline") }

// Row is for points that are there.
func (o *Outline) Row(int, []float32) { panic("kernels: a row of an outline") }

// Nonzeros is for points that are there.
func (o *Outline) Nonzeros(int) ([]int32, []float32) { panic("kernels: non-zeros of an outline") }

// widest is the number of non-zeros of the k points that have most.
func (o *Outline) widest(k int) (sum int64) {
	lengths := slices.Sorted(maps.Keys(o.Lengths))
	for _, l := range slices.Backward(lengths) {
		n := min(k, o.Lengths[l])
		sum, k = sum+int64(n)*int64(l), k-n
	}
	return sum
}
