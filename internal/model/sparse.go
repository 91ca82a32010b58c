package model

import (
	"slices"
)

// Sparse holds support vectors by their features that are not zero, ascending. Those of vector s
// are at Start[s] to Start[s+1]-1.
type Sparse struct {
	// Start has one element more than there are vectors. It rises from 0 to the number of values.
	Start []int64
	Index []int32
	Value []float32

	// places lists the vectors of one classifier among the vectors of the model whose arrays it
	// shares. It is nil for all vectors.
	places []int32
}

// Row returns the features of vector s that are not zero, and their values.
func (v *Sparse) Row(s int) ([]int32, []float32) {
	if v.places != nil {
		s = int(v.places[s])
	}
	from, to := v.Start[s], v.Start[s+1]
	return v.Index[from:to:to], v.Value[from:to:to]
}

// Nonzeros returns the number of values of vectors from to to-1.
func (v *Sparse) Nonzeros(from, to int) (n int64) {
	if v.places == nil {
		return v.Start[to] - v.Start[from]
	}
	for s := from; s < to; s++ {
		index, _ := v.Row(s)
		n += int64(len(index))
	}
	return n
}

// alone returns the vectors in arrays that no other classifier shares.
func (v *Sparse) alone() *Sparse {
	if v.places == nil {
		return v
	}
	r := &Sparse{Start: make([]int64, 1, len(v.places)+1), Index: []int32{}, Value: []float32{}}
	for s := range v.places {
		index, value := v.Row(s)
		r.Index, r.Value = append(r.Index, index...), append(r.Value, value...)
		r.Start = append(r.Start, int64(len(r.Index)))
	}
	return r
}

// bounds checks the conditions that Row relies on.
func (v *Sparse) bounds(support int) bool {
	n := len(v.Start)
	return n == support+1 && len(v.Index) == len(v.Value) && v.Start[0] == 0 &&
		v.Start[n-1] == int64(len(v.Index)) && slices.IsSorted(v.Start)
}

// Sound reports whether the arrays fit each other and hold as many vectors and features as given.
func (v *Sparse) Sound(support, features int) bool {
	if v = v.alone(); !v.bounds(support) {
		return false
	}
	for s := range support {
		if index, _ := v.Row(s); !Ascending(index, features) {
			return false
		}
	}
	return true
}
