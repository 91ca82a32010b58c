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
// after it. Kernels of a group have factors of their own, so that neither can be shared between
// them: that is why kernels without factors are added up in another way.

// pointFactors is the factors of the points in hand under gates, for all kernels of a group. Those
// of the rows are kept from panel to panel. The spherical normalisation alone keeps none.
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

// takeRowFactors computes the factors of packed rows, before any of takeColumnFactors.
func (w *worker[T]) takeRowFactors(g *kernels.Group, rows *kernels.Rows[T]) {
	if !g.Gated() {
		return
	}
	f, n := &w.factors, rows.Len
	f.rows, f.rowOnes = grow(f.rows, n*len(g.Members)), true
	f.rowOpen = f.rowOpen[:0]
	for i := range g.Members {
		own := w.eval.RowFactors(f.rows[i*n:(i+1)*n:(i+1)*n], rows, &g.Members[i])
		f.rowOpen = append(f.rowOpen, anyOther(own, 0))
		f.rowOnes = f.rowOnes && !anyOther(own, 1)
	}
}

// takeColumnFactors computes the factors of the packed panel, and reports whether a kernel of the
// group has a factor other than 1 for one of the points in hand. Where all gates are 1 a group is
// added up as without gates, and has the same bits.
func (w *worker[T]) takeColumnFactors(g *kernels.Group) bool {
	if !g.Gated() {
		return g.PointFactors()
	}
	f, ones := &w.factors, true
	f.columns = grow(f.columns, simd.Width*len(g.Members))
	f.open = f.open[:0]
	for i := range g.Members {
		at := f.columns[i*simd.Width : (i+1)*simd.Width : (i+1)*simd.Width]
		own := w.eval.ColumnFactors(at, &w.cols, &g.Members[i])
		f.open = append(f.open, f.rowOpen[i] && anyOther(own, 0))
		ones = ones && !anyOther(own, 1)
	}
	return !ones || !f.rowOnes
}

// factorsOf returns the factors of the rows and columns in hand for member i of a group. open is
// false if gates close it on all of the rows or on all of the columns, so that its values need not
// be made.
func (w *worker[T]) factorsOf(g *kernels.Group, i int, rows *kernels.Rows[T]) (left, right []T,
	open bool) {
	f := &w.factors
	if g.Gated() {
		return f.rows[i*rows.Len : (i+1)*rows.Len], f.columns[i*simd.Width : (i+1)*simd.Width],
			f.open[i]
	}
	d, k := &f.division, &g.Members[i]
	d.left = w.eval.RowFactors(d.left, rows, k)
	d.right = w.eval.ColumnFactors(d.right, &w.cols, k)
	return d.left, d.right, true
}

// addFactored adds sum_r coef_r k(x_r, .) of every kernel of the group to its 32 numbers of sum.
// rows are the packed points of coef.
func (w *worker[T]) addFactored(s *scaled, g *kernels.Group, rows *kernels.Rows[T], base, coef []T,
	sum []float64) {
	f := &w.factors
	if g.Gated() {
		f.sum = grow(f.sum, len(sum))
		clear(f.sum)
		w.eval.SumFactored(f.sum, base, coef, f.rows, f.open, g, s.of(g))
		for i, x := range f.sum {
			sum[i] += x * float64(f.columns[i])
		}
		return
	}
	d := &f.division
	for i := range g.Members {
		left, right, _ := w.factorsOf(g, i, rows)
		d.coef = append(d.coef[:0], coef...)
		for r := range d.coef {
			d.coef[r] *= left[r]
		}
		var change [simd.Width]float64
		w.eval.SumOne(change[:], base, d.coef, &g.Members[i], s.factor[g.First+i])
		for j, x := range change {
			sum[i*simd.Width+j] += x * float64(right[j])
		}
	}
}

// anyOther reports whether a number is another one than x.
func anyOther[T simd.Real](numbers []T, x T) bool {
	return slices.ContainsFunc(numbers, func(y T) bool { return y != x })
}
