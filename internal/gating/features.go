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
	// Loadings has the directions of principal components, Components rows of all features. If it is
	// nil, the features are taken as they are, and Components is 0.
	Loadings   []float64
	Components int
	// Mean and Deviation have a number for each of them. The deviation of a feature that does not
	// vary is 1.
	Mean, Deviation []float64
}

// Len returns the number of gating features.
func (f *Features) Len() int { return len(f.Mean) }

// raw writes the gating features of a point to z before they are standardised.
func (f *Features) raw(x []float32, z []float64) {
	if f.Components > 0 {
		f.project(x, z)
		return
	}
	for k := range z {
		if f.Index != nil {
			z[k] = float64(x[f.Index[k]])
		} else {
			z[k] = float64(x[k])
		}
	}
}

// project writes the principal components of a point to z. Features that are 0 add nothing, and most
// may be. Every sum is taken in the order of the features, all sums at a time, so none waits for the
// term before.
func (f *Features) project(x []float32, z []float64) {
	clear(z)
	for j, v := range x {
		if v == 0 {
			continue
		}
		for k := range z {
			z[k] += f.Loadings[k*len(x)+j] * float64(v)
		}
	}
}

// Standardise writes the gating features of a point to z, whose length is Len. x has all features.
func (f *Features) Standardise(x []float32, z []float64) {
	f.raw(x, z)
	for k := range z {
		z[k] = (z[k] - f.Mean[k]) / f.Deviation[k]
	}
}

// Measure sets the mean and the deviation of the features, in two passes over the points. An error
// is the context's.
func (f *Features) Measure(ctx context.Context, rows Rows) error {
	d := rows.Dim()
	switch {
	case f.Components > 0:
		d = f.Components
	case f.Index != nil:
		d = len(f.Index)
	}
	f.Mean, f.Deviation = make([]float64, d), make([]float64, d)
	n, x, z := float64(rows.Len()), make([]float32, rows.Dim()), make([]float64, d)
	for i := range rows.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows.Row(i, x)
		f.raw(x, z)
		for j, v := range z {
			f.Mean[j] += v / n
		}
	}
	for i := range rows.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows.Row(i, x)
		f.raw(x, z)
		for j, v := range z {
			f.Deviation[j] += (v - f.Mean[j]) * (v - f.Mean[j]) / n
		}
	}
	for j, v := range f.Deviation {
		// The rounding of a constant is not a deviation, and would be magnified to one.
		if f.Deviation[j] = math.Sqrt(v); f.Deviation[j] <= 1e-12*math.Abs(f.Mean[j]) {
			f.Deviation[j] = 1
		}
	}
	return nil
}
