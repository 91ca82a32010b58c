package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// worker is the scratch memory of one goroutine.
type worker[T simd.Real] struct {
	eval   *kernels.Evaluator[T]
	rows   kernels.Rows[T]    // the points whose bases are computed
	whole  kernels.Rows[T]    // the whole working set, for the spherical normalisation
	cols   kernels.Columns[T] // the panel in hand
	panels []kernels.Panel
	bufs   []*kernels.PanelBuffer
	base   []T
	fresh  []T // bases that are computed beside cached ones, or kernel values
	some   []T // bases of some of the rows
	delta  []T // coefficients of the packed rows
	coef   []T // the same, divided by the norms of the rows
	left   []T // spherical factors of the rows
	right  []T // spherical factors of the columns
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

// addNormed adds, under the spherical normalisation (Kloft 2011, eq. 3.7), sum_r coef_r k(x_r, .)
// of every kernel of the group to its 32 numbers of sum. rows are the packed points of coef, which
// have their norms.
func (w *worker[T]) addNormed(s *scaled, g *kernels.Group, rows *kernels.Rows[T], base, coef []T,
	sum []float64) {
	for i := range g.Members {
		k := &g.Members[i]
		w.coef = append(w.coef[:0], coef...)
		// Each kernel of the group has norms of its own, so that neither coefficients nor sums can
		// be shared between them: k(x,z)/sqrt(k(x,x) k(z,z)) is made by dividing the coefficient of
		// the row before the sum and the sum of the column after it.
		w.left = w.eval.RowFactors(w.left, rows, k)
		for r := range w.coef {
			w.coef[r] *= w.left[r]
		}
		w.right = w.eval.ColumnFactors(w.right, &w.cols, k)
		var change [simd.Width]float64
		w.eval.SumOne(change[:], base, w.coef, k, s.factor[g.First+i])
		for j, x := range change {
			sum[i*simd.Width+j] += x * float64(w.right[j])
		}
	}
}
