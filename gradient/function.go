package gradient

import (
	"context"
	"slices"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// Function is one or several functions f(x) = sum_m theta_m sum_i alpha_i k_m(x_i, x) of the same
// support vectors. Bases of kernels are made once for all of them.
type Function struct {
	Bank    *kernels.Bank
	Points  *kernels.Set // the support vectors
	Outputs []Output
	Threads int

	// Guard runs read, which reads points that may vanish while they are read, and returns an error
	// if they have. If it is nil, points cannot vanish.
	Guard func(read func() error) error

	// tables has the bases of the points. If it is nil, bases are computed.
	tables *tables

	// profiles is a profiles[T] of the type that was asked for, see PrepareProfiles. It is nil if
	// every kernel is evaluated.
	profiles any
}

// Output is what one function of several has of its own.
type Output struct {
	Theta []float64 // weight of each kernel
	Rows  []int32   // its support vectors by their places in the points, ascending; nil: all
	Alpha []float64 // their dual variables
}

// Columns is the points that a function is evaluated on. All panels have IDs if these are training
// points. If not, kernels from matrices are left out, as the matrix has no entries for other
// points.
type Columns struct {
	Len    int
	Panels []kernels.Panel
}

const (
	decisionRows   = 256 // support vectors that are packed at a time
	decisionPanels = 32  // panels that share a packing at most
)

// Values writes the functions at every column to out, outputs x columns, row-major. If double,
// arithmetic is float64. The result does not depend on the number of threads.
//
// Values reads the bank and the points and writes to nothing but out, so several calls may run at
// once. An error comes from the context or from Guard.
func (f *Function) Values(ctx context.Context, c Columns, double bool, out []float64) error {
	if double {
		return values[float64](ctx, f, c, out)
	}
	return values[float32](ctx, f, c, out)
}

// PrepareProfiles makes profiles of the functions for the arithmetic of Values with the same double,
// which then costs the same for many widths as for one. Values differ from values without profiles
// by rounding. The weights of outputs must not change any more, and neither may the bank. An error
// comes from the context or from Guard.
func (f *Function) PrepareProfiles(ctx context.Context, double bool) error {
	prepare := func() error { return prepareProfiles[float32](ctx, f) }
	if double {
		prepare = func() error { return prepareProfiles[float64](ctx, f) }
	}
	// The support vectors are looked at, which may vanish.
	if f.Guard != nil {
		return f.Guard(prepare)
	}
	return prepare()
}

// prepareProfiles is PrepareProfiles in element type T.
func prepareProfiles[T simd.Real](ctx context.Context, f *Function) error {
	weights := make([]*scaled, len(f.Outputs))
	for i := range f.Outputs {
		if i == 0 || !slices.Equal(f.Outputs[i].Theta, f.Outputs[i-1].Theta) {
			w := f.weights(&f.Outputs[i])
			weights[i] = &w
		}
	}
	p, err := newProfiles[T](ctx, f.Bank, f.Points, weights, f.Threads)
	f.profiles = p
	return err
}

// values is Values in element type T. Every thread gets a share of the panels.
func values[T simd.Real](ctx context.Context, f *Function, c Columns, out []float64) error {
	panels := len(c.Panels)
	// Every thread gets a share of the panels, and no share is larger than what one packing of the
	// support vectors should serve.
	share := max(1, min(decisionPanels, (panels+f.Threads-1)/max(f.Threads, 1)))
	items := cut(panels, share)
	workers := make([]worker[T], max(f.Threads, 1))
	outputs := make([]output[T], len(f.Outputs))
	for i := range outputs {
		outputs[i] = newOutput[T](f, i)
	}
	rows := cut(len(f.Points.IDs), decisionRows)
	parts := make([]*kernels.Set, len(rows))
	for i, r := range rows {
		parts[i] = f.Points.Part(r[0], r[1])
	}
	return each(ctx, len(workers), len(items), func(at, item int) error {
		w := &workers[at]
		if w.eval == nil {
			w.eval = evaluator[T](f.tables, f.Bank)
		}
		// The worker of an item reads panels and support vectors. Both may lie in mapped files.
		e := evaluating[T]{w, f, outputs, parts, c}
		work := func() error { return e.evaluate(ctx, items[item], out) }
		if f.Guard != nil {
			return f.Guard(work)
		}
		return work()
	})
}
