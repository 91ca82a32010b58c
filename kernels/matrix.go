package kernels

import (
	"bigmkl/dataset/npy"
	"bigmkl/internal/simd"
)

// tabulated is the values of a kernel of which nothing but values is known.
type tabulated struct {
	Matrix  *npy.Matrix
	numbers []int32 // rows of the points in the matrix; nil: their own numbers
}

// number is the row and column of point i in the group's matrix.
func (g *tabulated) number(i int) int {
	if g.numbers == nil {
		return i
	}
	return int(g.numbers[i])
}

// matrixRow writes the entries of a point's row for len(dst) points, from one on. Behind the last
// point it writes 0.
func matrixRow[T simd.Real](g *tabulated, row, from int, dst []T) {
	row = g.number(row)
	// The points are some points of the matrix, and their entries do not lie side by side.
	if g.numbers != nil {
		clear(dst)
		for j := range min(len(dst), len(g.numbers)-from) {
			matrixEntries(g, row, g.number(from+j), dst[j:j+1])
		}
		return
	}
	n := min(len(dst), g.Matrix.Cols-from)
	// Behind the last point the matrix has no entries.
	clear(dst[max(n, 0):])
	matrixEntries(g, row, from, dst[:n])
}

// matrixEntries reads len(dst) entries of a row of the matrix, in the type of dst.
func matrixEntries[T simd.Real](g *tabulated, row, from int, dst []T) {
	switch d := any(dst).(type) {
	case []float32:
		g.Matrix.Row32(row, from, d)
	case []float64:
		g.Matrix.Row64(row, from, d)
	}
}

// matrixAt returns the entry of two points.
func matrixAt[T simd.Real](g *tabulated, row, col int) T {
	var v [1]T
	matrixRow(g, row, col, v[:])
	return v[0]
}

// matrixBase writes the entries of the points ids against the panel that the columns were packed
// from.
func matrixBase[T simd.Real](dst []T, g *Group, ids []int32, c *Columns[T]) {
	clear(dst)
	for i, at := range ids {
		row, id := dst[i*simd.Width:(i+1)*simd.Width], int(at)
		// The points of the panel lie side by side, and so do their entries.
		if c.ids == nil {
			matrixRow(&g.tabulated, id, c.first, row)
		}
		for j, col := range c.ids {
			row[j] = matrixAt[T](&g.tabulated, id, int(col))
		}
	}
}

// packMatrixPanel looks up the diagonal entries of the points of a panel; n is the number of
// points.
func packMatrixPanel[T simd.Real](c *Columns[T], g *Group, p *Panel, n int) {
	clear(c.self)
	for j := range min(p.Len, n) {
		id := p.id(j)
		c.self[j] = matrixAt[T](&g.tabulated, id, id)
	}
}
