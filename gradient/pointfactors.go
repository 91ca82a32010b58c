package gradient

import (
	"slices"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// A kernel may have a factor for each point: under the spherical normalisation (Kloft 2011, eq.
// 3.7), under gates (Gönen 2010, eq. 3.9), or under both. With the factors a of a kernel
//
//	sum_r coef_r a(x_r) k(x_r, z) a(z)
//
// is made by multiplying the coefficients of the rows before the sum and the sum of each column
// after it. Kernels of a group have factors of their own, so neither can be shared between them:
// that is why kernels without factors are added up in another way.

// pointFactors is the factors of the points in hand under gates, for all kernels of a group. The
// factors of the rows are kept from panel to panel. The spherical normalisation alone keeps none.
type pointFactors[T simd.Real] struct {
	rows     []T       // of the packed rows, [member][row]
	rowOpen  []bool    // whether a member is not 0 on all of the rows
	rowOnes  bool      // all of them are 1
	columns  []T       // of the packed columns, [member][32]
	open     []bool    // whether a member is 0 neither on all of the rows nor on all of the columns
	sum      []float64 // sums over the rows, [member][32]
	division struct {  // of one kernel under the spherical normalisation
		left, right, coef []T
	}
}

// takeRows computes the gates of packed rows, before takeColumns is called for panels.
func (f *pointFactors[T]) takeRows(e *kernels.Evaluator[T], g *kernels.Group,
	rows *kernels.Rows[T]) {
	if !g.Gated() {
		return
	}
	n := rows.Len
	f.rows, f.rowOnes = grow(f.rows, n*len(g.Members)), true
	f.rowOpen = f.rowOpen[:0]
	for i := range g.Members {
		own := e.RowFactors(f.rows[i*n:(i+1)*n:(i+1)*n], rows, &g.Members[i])
		f.rowOpen = append(f.rowOpen, anyOther(own, 0))
		f.rowOnes = f.rowOnes && !anyOther(own, 1)
	}
}

// takeColumns computes the gates of a packed panel, and reports whether a kernel of the group has a
// factor other than 1 for one of the points in hand. Where all gates are 1 a group is added up as
// without gates, and has the same bits.
func (f *pointFactors[T]) takeColumns(e *kernels.Evaluator[T], g *kernels.Group,
	cols *kernels.Columns[T]) bool {
	if !g.Gated() {
		return g.PointFactors()
	}
	ones := true
	f.columns = grow(f.columns, simd.Width*len(g.Members))
	f.open = f.open[:0]
	for i := range g.Members {
		at := f.columns[i*simd.Width : (i+1)*simd.Width : (i+1)*simd.Width]
		own := e.ColumnFactors(at, cols, &g.Members[i])
		f.open = append(f.open, f.rowOpen[i] && anyOther(own, 0))
		ones = ones && !anyOther(own, 1)
	}
	return !ones || !f.rowOnes
}

// of returns the factors of the rows and columns in hand for member i of a group. open is false if
// gates close it on all of the rows or on all of the columns, so its values need not be made.
func (f *pointFactors[T]) of(e *kernels.Evaluator[T], g *kernels.Group, i int,
	rows *kernels.Rows[T], cols *kernels.Columns[T]) (left, right []T, open bool) {
	if g.Gated() {
		return f.rows[i*rows.Len : (i+1)*rows.Len], f.columns[i*simd.Width : (i+1)*simd.Width],
			f.open[i]
	}
	d, k := &f.division, &g.Members[i]
	d.left = e.RowFactors(d.left, rows, k)
	d.right = e.ColumnFactors(d.right, cols, k)
	return d.left, d.right, true
}

// anyOther reports whether a number is another one than x.
func anyOther[T simd.Real](numbers []T, x T) bool {
	return slices.ContainsFunc(numbers, func(y T) bool { return y != x })
}
