package gating

import (
	"context"
	"math"
)

// Rows are the points of a training. A *dataset.Store is one.
type Rows interface {
	Len() int
	Dim() int
	// Row writes the features of point i to dst, whose length is Dim.
	Row(i int, dst []float32)
}

// Features are those that gates look at, each with mean 0 and deviation 1 over the points of the
// training.
type Features struct {
	// Index lists the features, 0-based and ascending. If it is nil, all are taken.
	Index []int32
	// Mean and Deviation have a number for each of them. The deviation of a feature that does not
	// vary is 1.
	Mean, Deviation []float64
}

// Len returns the number of gating features.
func (f *Features) Len() int { return len(f.Mean) }

// Standardise writes the gating features of a point to z, whose length is Len. x has all features.
func (f *Features) Standardise(x []float32, z []float64) {
	for j := range z {
		at := j
		if f.Index != nil {
			at = int(f.Index[j])
		}
		z[j] = (float64(x[at]) - f.Mean[j]) / f.Deviation[j]
	}
}

// Measure finds the mean and the deviation of the features with the given numbers, nil for all, in
// two passes over the points. An error is that of the context.
func Measure(ctx context.Context, rows Rows, index []int32) (*Features, error) {
	d := rows.Dim()
	if index != nil {
		d = len(index)
	}
	f := &Features{Index: index, Mean: make([]float64, d), Deviation: make([]float64, d)}
	n := float64(rows.Len())
	x, z := make([]float32, rows.Dim()), make([]float64, d)
	// With a mean of 0 and a deviation of 1 the first pass reads the features as they are.
	plain := &Features{Index: index, Mean: make([]float64, d), Deviation: make([]float64, d)}
	for j := range d {
		plain.Deviation[j] = 1
	}
	for i := range rows.Len() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows.Row(i, x)
		plain.Standardise(x, z)
		for j, v := range z {
			f.Mean[j] += v / n
		}
	}
	for i := range rows.Len() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows.Row(i, x)
		plain.Standardise(x, z)
		for j, v := range z {
			f.Deviation[j] += (v - f.Mean[j]) * (v - f.Mean[j]) / n
		}
	}
	for j, v := range f.Deviation {
		// The rounding of a constant is no deviation, and would be magnified to one.
		if f.Deviation[j] = math.Sqrt(v); f.Deviation[j] <= 1e-12*math.Abs(f.Mean[j]) {
			f.Deviation[j] = 1
		}
	}
	return f, nil
}
