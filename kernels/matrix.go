package kernels

import (
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/simd"
)

// maxMatrixRows is the largest number of rows that are read at once.
const maxMatrixRows = 64

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

// matrixEntries writes the entries of rows and columns of a matrix to dst, width elements apart for
// each row. rows and cols count in the matrix, not among the points.
func matrixEntries[T simd.Real](g *tabulated, dst []T, width int, rows, cols []int32) {
	switch d := any(dst).(type) {
	case []float32:
		g.Matrix.Gather32(d, width, rows, cols)
	case []float64:
		g.Matrix.Gather64(d, width, rows, cols)
	}
}

// matrixAt returns the entry of two points.
func matrixAt[T simd.Real](g *tabulated, row, col int) T {
	var v [1]T
	matrixEntries(g, v[:], 1, []int32{int32(g.number(row))}, []int32{int32(g.number(col))})
	return v[0]
}

// matrixBase writes the entries of the points ids against the panel that the columns were packed
// from. Behind the last point of the panel it writes 0.
func matrixBase[T simd.Real](dst []T, g *Group, ids []int32, c *Columns[T]) {
	clear(dst)
	var places [simd.Width]int32
	cols := places[:0]
	if c.ids == nil {
		// A panel ends behind the last point.
		last := g.Matrix.Cols
		if g.numbers != nil {
			last = len(g.numbers)
		}
		for j := c.first; j < min(c.first+simd.Width, last); j++ {
			cols = append(cols, int32(g.number(j)))
		}
	}
	for _, j := range c.ids {
		cols = append(cols, int32(g.number(int(j))))
	}
	var numbers [maxMatrixRows]int32
	for len(ids) > 0 {
		some := min(len(ids), maxMatrixRows)
		for i, id := range ids[:some] {
			numbers[i] = int32(g.number(int(id)))
		}
		matrixEntries(&g.tabulated, dst[:some*simd.Width], simd.Width, numbers[:some], cols)
		ids, dst = ids[some:], dst[some*simd.Width:]
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
