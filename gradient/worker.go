package gradient

import (
	"slices"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// worker is the scratch memory of one goroutine.
type worker[T simd.Real] struct {
	number int
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
	sum    []float64
	square *kernels.Rows[T] // the rows of the working set against itself
	mix    []columnSum[T]   // column blocks of a share
	moved  []int            // places in a working set
	bare   bool             // panels of a field are numbers without features

	factors pointFactors[T]

	coefs   [][]T       // of several columns: the coefficients of the rows in hand
	targets [][]float64 // of several columns: the gradients of a group on a panel
}

// load takes the features of the panels from..to-1 of a field.
//
// Panels of dense points are views into the points; those of sparse points are laid out in the
// worker's buffers.
func (w *worker[T]) load(f *field, from, to int) {
	w.panels = w.panels[:0]
	for at := from; at < to; at++ {
		if w.bare {
			w.panels = append(w.panels, f.numbered(at))
			continue
		}
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
// The set of those points is made again for each group, and shares their features.
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
	w.factors.takeRows(w.eval, g, &w.rows)
	q := len(rows.IDs)
	w.base = grow(w.base, g.TileSize(q))
	for p := range panels {
		w.eval.PackColumns(&w.cols, g, panel(p), n)
		// Where gates close all kernels of the group there is nothing to use.
		if g.Gated() && w.haveFactors(g) && w.closed(g) {
			continue
		}
		w.eval.Base(w.base, g, &w.rows, 0, q, &w.cols, nil)
		use(p, w.base[:g.Used(q)])
	}
}

// haveFactors reports whether a kernel of the group has a factor other than 1 for one of the packed
// points, and takes the gates of the packed panel.
func (w *worker[T]) haveFactors(g *kernels.Group) bool {
	return w.factors.takeColumns(w.eval, g, &w.cols)
}

// closed reports whether gates close every kernel of the group on the packed points, of which
// haveFactors has taken the gates.
func (w *worker[T]) closed(g *kernels.Group) bool {
	return g.Gated() && !slices.Contains(w.factors.open, true)
}

// addFactored adds sum_r coef_r k(x_r, .) of every kernel of the group to its 32 numbers of sum,
// with the factors of the points. rows are the packed points of coef.
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
		left, right, _ := f.of(w.eval, g, i, rows, &w.cols)
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
