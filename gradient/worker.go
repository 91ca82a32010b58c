package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// worker is the scratch memory of one goroutine.
type worker[T simd.Real] struct {
	eval   *kernels.Evaluator[T]
	rows   kernels.Rows[T]    // the points whose bases are computed
	whole  kernels.Rows[T]    // the whole working set, for the factors of its points
	cols   kernels.Columns[T] // the panel in hand
	panels []kernels.Panel
	bufs   []*kernels.PanelBuffer
	base   []T
	fresh  []T // bases that are computed beside cached ones, or kernel values
	some   []T // bases of some of the rows
	delta  []T // coefficients of the packed rows
	coef   []T // the same, times the factors of the rows
	left   []T // factors of the rows
	right  []T // factors of the columns
	sum    []float64
	square *kernels.Rows[T] // the rows of the working set against itself
	mix    []columnSum[T]   // column blocks of a share
}

// load takes the features of the panels from..to-1 of a field.
//
// Panels of dense points are views into the points; those of sparse points are laid out in the
// worker's buffers.
func (w *worker[T]) load(f *field, from, to int) {
	w.panels = w.panels[:0]
	for at := from; at < to; at++ {
		w.panels = append(w.panels, f.panel(at, w.buffer(at-from)))
	}
}

// buffer returns the memory of the nth of the panels that are in use at a time.
func (w *worker[T]) buffer(nth int) *kernels.PanelBuffer {
	for len(w.bufs) <= nth {
		w.bufs = append(w.bufs, &kernels.PanelBuffer{})
	}
	return w.bufs[nth]
}

// packRows packs those points of a working set that compute names.
//
// The set of those points is made anew for each group, and shares their features.
func packRows[T simd.Real](e *kernels.Evaluator[T], r *kernels.Rows[T], g *kernels.Group,
	s *workingSet, compute []int) {
	points := s.points
	// Points whose rows are in the cache need no packing at all.
	if len(compute) < len(s.index) {
		points = &kernels.Set{}
		points.Select(s.points, compute)
	}
	e.PackRows(r, g, points)
}

// makeBases makes the bases of all points of rows on each of some panels, and hands them to use;
// w.rows and w.cols are then the packed rows and the packed panel. n is the number of points that
// the columns have.
func (w *worker[T]) makeBases(g *kernels.Group, rows *kernels.Set, panels, n int,
	panel func(p int) *kernels.Panel, use func(p int, base []T)) {
	w.eval.PackRows(&w.rows, g, rows)
	q := len(rows.IDs)
	w.base = grow(w.base, g.TileSize(q))
	for p := range panels {
		w.eval.PackColumns(&w.cols, g, panel(p), n)
		w.eval.Base(w.base, g, &w.rows, 0, q, &w.cols, nil)
		use(p, w.base[:g.Used(q)])
	}
}

// haveFactors reports whether a kernel of the group has a factor other than 1 for one of the packed
// points. Where all gates are 1 a group has the bits that it has without gates.
func (w *worker[T]) haveFactors(g *kernels.Group, rows *kernels.Rows[T]) bool {
	if g.Spherical || !g.PointFactors() {
		return g.Spherical
	}
	for i := range g.Members {
		k := &g.Members[i]
		w.right = w.eval.ColumnFactors(w.right, &w.cols, k)
		if anyOther(w.right, 1) {
			return true
		}
		w.left = w.eval.RowFactors(w.left, rows, k)
		if anyOther(w.left, 1) {
			return true
		}
	}
	return false
}

// factors returns the factors of the packed rows and columns for a kernel of the group. open is
// false if gates close the kernel on all of the rows or on all of the columns, so that its values
// need not be made.
func (w *worker[T]) factors(g *kernels.Group, k *kernels.Member, rows *kernels.Rows[T]) (left,
	right []T, open bool) {
	w.right = w.eval.ColumnFactors(w.right, &w.cols, k)
	if !g.Spherical && !anyOther(w.right, 0) {
		return nil, nil, false
	}
	w.left = w.eval.RowFactors(w.left, rows, k)
	return w.left, w.right, g.Spherical || anyOther(w.left, 0)
}

// anyOther reports whether a number is another one than x.
func anyOther[T simd.Real](numbers []T, x T) bool {
	for _, y := range numbers {
		if y != x {
			return true
		}
	}
	return false
}

// addFactored adds sum_r coef_r k(x_r, .) of every kernel of the group to its 32 numbers of sum,
// where each kernel has a factor for every point: under the spherical normalisation (Kloft 2011,
// eq. 3.7), under gates, or under both. rows are the packed points of coef.
func (w *worker[T]) addFactored(s *scaled, g *kernels.Group, rows *kernels.Rows[T], base, coef []T,
	sum []float64) {
	for i := range g.Members {
		k := &g.Members[i]
		// Each kernel of the group has factors of its own, so that neither coefficients nor sums
		// can be shared between them: a(x) k(x,z) a(z) is made by multiplying the coefficient of
		// the row before the sum and the sum of the column after it.
		left, right, open := w.factors(g, k, rows)
		if !open {
			continue
		}
		w.coef = append(w.coef[:0], coef...)
		for r := range w.coef {
			w.coef[r] *= left[r]
		}
		if !g.Spherical && !anyOther(w.coef, 0) {
			continue
		}
		var change [simd.Width]float64
		w.eval.SumOne(change[:], base, w.coef, k, s.factor[g.First+i])
		for j, x := range change {
			sum[i*simd.Width+j] += x * float64(right[j])
		}
	}
}
