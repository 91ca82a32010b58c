package gating

import (
	"context"

	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/float"
)

// Table has the gates of some points: a row for each point, with a number for each gate.
type Table struct {
	gates  int
	each   int     // number of kernels that share a gate, which are consecutive
	of     []int32 // gate of each kernel; nil where each is the number itself
	values []float64
}

// NewTable returns a table of n points for so many kernels. Kernels share gates where there are
// fewer: the first kernels/gates of them have the first gate, and so on.
func NewTable(n, gates, kernels int) *Table {
	return TableOf(gates, kernels, make([]float64, n*gates))
}

// TableOf returns a table of the given gates, row by row.
func TableOf(gates, kernels int, values []float64) *Table {
	return &Table{gates, max(1, kernels/max(gates, 1)), nil, values}
}

// SharedTable returns a table of the given gates, row by row, of which each kernel has the one that
// of names.
func SharedTable(gates int, of []int32, values []float64) *Table {
	return &Table{gates, 1, of, values}
}

// Row returns the gates of a point, which may be changed.
func (t *Table) Row(i int) []float64 { return t.values[i*t.gates : (i+1)*t.gates] }

// Gate puts the gates of the points with the given numbers in eta, for the kernel with the number
// kernel, as kernels.Gates asks for.
func (t *Table) Gate(kernel int32, points []int32, eta []float64) {
	gate := int(kernel) / t.each
	if t.of != nil {
		gate = int(t.of[kernel])
	}
	for k, i := range points {
		eta[k] = t.values[int(i)*t.gates+gate]
	}
}

// Of returns the gates of all rows in their regions, for so many kernels. An error is the
// context's.
func (r *Regions) Of(ctx context.Context, rows Rows, kernels int) (*Table, error) {
	t := NewTable(rows.Len(), r.Len(), kernels)
	x, z := make([]float32, rows.Dim()), make([]float64, r.Features.Len())
	for i := range rows.Len() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows.Row(i, x)
		r.Standardise(x, z)
		r.Values(z, t.Row(i))
	}
	return t, nil
}

// Matrix is a file of given gates, rows x kernels.
type Matrix struct {
	*npy.Matrix
	path string
}

// OpenMatrix opens the gates of so many kernels. A matrix of another width is an error of class
// fail.Input. The caller closes it.
func OpenMatrix(path string, kernels int) (*Matrix, error) {
	m, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	if m.Cols != kernels {
		defer m.Close()
		return nil, fail.New(fail.Input, "gates of %d kernels, and there are %d", m.Cols, kernels).
			At(path, 0, 0)
	}
	return &Matrix{m, path}, nil
}

// Read writes the gates of row i to eta, one for each kernel. A gate that is not a number from 0 on
// is an error of class fail.Input, as a missing row is.
func (m *Matrix) Read(i int, eta []float64) error {
	if i >= m.Rows {
		return fail.New(fail.Input, "the gates have %d rows, the data more", m.Rows).
			At(m.path, 0, 0)
	}
	m.Row64(i, 0, eta)
	for k, x := range eta {
		if !(x >= 0 && float.Finite(x)) {
			// A file that was cut short reads as NaN, and its own error is more precise.
			if err := m.Err(); err != nil {
				return err
			}
			return fail.New(fail.Input, "the gate of row %d and kernel %d is %g, not a number from 0 on",
				i+1, k+1, x).At(m.path, 0, 0)
		}
	}
	return nil
}

// CheckRows returns an error of class fail.Input unless the matrix has so many rows.
func (m *Matrix) CheckRows(n int) error {
	if m.Rows != n {
		return fail.New(fail.Input, "the gates have %d rows, the data %d", m.Rows, n).
			At(m.path, 0, 0)
	}
	return nil
}

// Of returns the gates of n rows. An error is one of Read or that of the context.
func (m *Matrix) Of(ctx context.Context, n int) (*Table, error) {
	if err := m.CheckRows(n); err != nil {
		return nil, err
	}
	t := NewTable(n, m.Cols, m.Cols)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := m.Read(i, t.Row(i)); err != nil {
			return nil, err
		}
	}
	return t, m.Err()
}

// All returns the gates of all points, row by row.
func (t *Table) All() []float64 { return t.values }
