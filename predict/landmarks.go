package predict

import (
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// Gates that look at kernel values with landmarks see a row as these values, which are computed for a panel
// of rows at a time, or read from the matrix of test rows against training points.

// newLandmarks makes the arithmetic of the landmarks of a kernel of features. Their form is the form of
// the support vectors.
func newLandmarks(m *Model, l *model.Landmarks) (*kernels.Landmarks, error) {
	b, err := m.Expansion().LandmarkKernel(l)
	if err != nil {
		return nil, err
	}
	set := &kernels.Set{IDs: make([]int32, len(l.Rows)), Dim: m.Features, Sparse: points{&m.Model}.sparse()}
	if !set.Sparse {
		set.Dense = make([]float32, len(l.Rows)*m.Features)
	}
	for k := range l.Rows {
		set.IDs[k] = int32(k)
		if !set.Sparse {
			l.Row(k, set.Dense[k*m.Features:(k+1)*m.Features])
			continue
		}
		index, value := l.Sparse.Row(k)
		set.Index, set.Value = append(set.Index, index), append(set.Value, value)
	}
	return kernels.NewLandmarks(b, set)
}

// fromMatrix reports whether gates look at entries of a matrix.
func (g *modelGates) fromMatrix() bool { return g.landmarks != nil && g.landmarks.Matrix() >= 0 }

// seeSupport returns a function that gives what gates see of a support vector, until its next call.
// Support vectors are asked for in their order.
func (g *modelGates) seeSupport(m *Model) func(s int) []float32 {
	switch {
	case g.fromMatrix():
		x, count := make([]float32, len(g.landmarks.Rows)), len(g.landmarks.Rows)
		return func(s int) []float32 {
			for k, v := range g.landmarks.Support[s*count : (s+1)*count] {
				x[k] = float32(v)
			}
			return x
		}
	case g.kernel == nil:
		x := make([]float32, m.Features)
		return func(s int) []float32 {
			m.Row(s, x)
			return x
		}
	}
	values, count := g.kernel.Values(), g.kernel.Len()
	rows, table := make([][]float32, simd.Width), make([]float32, simd.Width*count)
	for i := range rows {
		rows[i] = make([]float32, m.Features)
	}
	return func(s int) []float32 {
		if s%simd.Width == 0 {
			n := min(simd.Width, len(m.Support)-s)
			for i := range n {
				m.Row(s+i, rows[i])
			}
			values.OfRows(rows[:n], table)
		}
		return table[s%simd.Width*count:][:count]
	}
}

// addLandmarks finds the gates of the n rows of a batch where they look at kernel values. The first
// row is row number first of the matrices.
func (g *rowGates) addLandmarks(batch rows, grams *testMatrices, first, n int) error {
	if g == nil || g.landmarks == nil {
		return nil
	}
	if at := g.landmarks.Matrix(); at >= 0 {
		return g.addEntries(grams, at, first, n)
	}
	count := g.kernel.Len()
	table := make([]float32, simd.Width*count)
	for from := 0; from < n; from += simd.Width {
		rows := min(simd.Width, n-from)
		panel := batch.panel(from, rows)
		g.kernelValues.Of(&panel, table)
		for i := range rows {
			g.setRow(from+i, table[i*count:(i+1)*count])
		}
	}
	return nil
}

// addEntries is addLandmarks for entries of a matrix of test rows.
func (g *rowGates) addEntries(grams *testMatrices, at, first, n int) error {
	matrix := grams.matrices[at]
	if first+n > matrix.Rows {
		return fail.New(fail.Input, "the matrix has %d rows, the data more", matrix.Rows).At(grams.files[at], 0, 0)
	}
	row, x := make([]float64, matrix.Cols), make([]float32, len(g.landmarks.Rows))
	for i := range n {
		matrix.Row64(first+i, 0, row)
		if err := grams.checkRow(at, first+i, row); err != nil {
			return err
		}
		for k, j := range g.landmarks.Rows {
			x[k] = float32(row[j])
		}
		g.setRow(i, x)
	}
	return nil
}
