package gradient

import (
	"bigmkl/internal/invariant"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// worker is the scratch memory of one goroutine.
type worker[T simd.Real] struct {
	eval   *kernels.Evaluator[T]
	rows   kernels.Rows[T] // the points to compute
	whole  kernels.Rows[T] // the whole working set, where the spherical factors need it
	cols   kernels.Columns[T]
	panels []kernels.Panel
	bufs   []*kernels.PanelBuffer
	base   []T
	fresh  []T // bases computed beside cached ones
	some   []T // bases of some of the rows
	delta  []T // coefficients of the packed rows
	coef   []T
	left   []T // factors of the rows
	right  []T // factors of the columns
	sum    []float64
	square *kernels.Rows[T] // the working set against itself: its rows
	mix    []mix[T]         // column blocks of a share
}

// update goes over some panels of a unit at a time, and over all groups of a block before the next ones. part and sum
// collect the combined gradient and alpha'g_m.
func (w *worker[T]) update(m *machine[T], f *field, unit, block [2]int, step int, u *update, plans []plan[T], part, sum []float64) {
	w.delta = convert(w.delta, u.set.delta)
	groups, q := m.bank.Groups, len(u.set.index)
	for from := unit[0]; from < unit[1]; from += step {
		to := min(from+step, unit[1])
		if q > 0 {
			w.load(f, from, to)
		}
		for k := block[0]; k < block[1]; k++ {
			g := &groups[k]
			var p *plan[T]
			if q > 0 && g.Base != kernels.CentredProduct {
				p = &plans[k]
				w.pack(m, g, u.set, p)
			}
			for at := from; at < to; at++ {
				place := (at*m.bank.Len() + g.First) * simd.Width
				gm := f.g[place : place+len(g.Members)*simd.Width]
				if q > 0 {
					w.add(m, f, g, u, p, at, at-from, gm)
				}
				if u.along != nil {
					simd.AddTo(gm, u.along[place:place+len(gm)], u.length)
				}
				if u.theta != nil {
					lanes, members := at*simd.Width, g.First+len(g.Members)
					simd.Combine(gm, u.alpha[lanes:lanes+simd.Width], part[lanes:lanes+simd.Width], u.theta[g.First:members], sum[g.First:members])
				}
			}
		}
	}
}

// load gets the features of some panels.
func (w *worker[T]) load(f *field, from, to int) {
	w.panels = w.panels[:0]
	for at := from; at < to; at++ {
		w.panels = append(w.panels, f.panel(at, w.buffer(at-from)))
	}
}

// buffer is memory for a panel, the nth of those that are in use.
func (w *worker[T]) buffer(nth int) *kernels.PanelBuffer {
	for len(w.bufs) <= nth {
		w.bufs = append(w.bufs, &kernels.PanelBuffer{})
	}
	return w.bufs[nth]
}

// pack packs the rows of a group that were not packed for the whole pass.
func (w *worker[T]) pack(m *machine[T], g *kernels.Group, s *workingSet, p *plan[T]) {
	if p.packed == nil {
		packRows(w.eval, &w.rows, g, s, p.compute)
	}
	if g.Spherical && p.whole == nil {
		w.eval.PackRows(&w.whole, g, s.points)
	}
}

// packRows packs some points of a working set.
func packRows[T simd.Real](e *kernels.Evaluator[T], r *kernels.Rows[T], g *kernels.Group, s *workingSet, compute []int) {
	points := s.points
	if len(compute) < len(s.index) {
		points = &kernels.Set{}
		points.Select(s.points, compute)
	}
	e.PackRows(r, g, points)
}

// add adds the change of the working set to the gradients gm of a group on panel at, the nth that is loaded.
func (w *worker[T]) add(m *machine[T], f *field, g *kernels.Group, u *update, p *plan[T], at, nth int, gm []float64) {
	panel := &w.panels[nth]
	if g.Base == kernels.CentredProduct {
		var change [simd.Width]float64
		project(g, u, panel, &change)
		for i, k := range m.of(g) {
			simd.AddTo(gm[i*simd.Width:(i+1)*simd.Width], change[:], k)
		}
		return
	}
	packed, whole := p.packed, p.whole
	if packed == nil {
		packed = &w.rows
	}
	if whole == nil {
		whole = &w.whole
	}
	normed := g.Spherical
	if len(p.compute) > 0 || normed {
		w.eval.PackColumns(&w.cols, g, panel, f.n)
	}
	var ahead []T
	if nth+1 < len(w.panels) {
		ahead, _ = any(w.panels[nth+1].Dense).([]T)
	}
	q := len(u.set.index)
	if p.rows == nil && !normed && g.Dim <= fewFeatures && !g.Strings() {
		w.addFew(m, g, packed, gm)
		return
	}
	w.fill(g, packed, p, at, q, ahead)
	if invariant.Enabled {
		w.assertHit(m, f, g, u, p, at, nth)
	}
	if normed {
		w.addNormed(&m.scaled, g, whole, w.base[:g.Used(q)], w.delta, gm)
		return
	}
	w.eval.Sum(gm, w.base[:g.Used(q)], w.delta, g, m.of(g))
}

const (
	fewFeatures = 192 // up to so many, a panel stays in the first-level cache whatever the order of the rows
	fewRows     = 128 // and so do the bases of as many rows
)

// addFew makes the bases of some rows at a time and uses them at once.
func (w *worker[T]) addFew(m *machine[T], g *kernels.Group, packed *kernels.Rows[T], gm []float64) {
	w.base = grow(w.base, fewRows*simd.Width)
	for from := 0; from < packed.Len; from += fewRows {
		n := min(fewRows, packed.Len-from)
		w.eval.Base(w.base[:kernels.BaseSize(n)], g, packed, from, n, &w.cols, nil)
		w.eval.Sum(gm, w.base[:n*simd.Width], w.delta[from:from+n], g, m.of(g))
	}
}

// fill makes the bases of every working point on panel at, cached or computed, and hands new rows to the cache.
func (w *worker[T]) fill(g *kernels.Group, packed *kernels.Rows[T], p *plan[T], at, q int, ahead []T) {
	w.base = grow(w.base, g.TileSize(q))
	count := len(p.compute)
	if count == q {
		w.eval.Base(w.base, g, packed, 0, q, &w.cols, ahead)
	} else if count > 0 {
		w.fresh = grow(w.fresh, g.TileSize(count))
		w.eval.Base(w.fresh, g, packed, 0, count, &w.cols, ahead)
		for layer := range g.Layers {
			for i, to := range p.compute {
				to += layer * q
				copy(w.base[to*simd.Width:(to+1)*simd.Width], w.fresh[(layer*count+i)*simd.Width:])
			}
		}
	}
	lanes := at * simd.Width
	for i, row := range p.rows {
		switch base := w.base[i*simd.Width : (i+1)*simd.Width]; {
		case row == nil:
		case p.hit[i%q]:
			simd.CopyAhead(base, row[lanes:lanes+simd.Width])
		default:
			copy(row[lanes:lanes+simd.Width], base)
		}
	}
}

// addNormed adds, under the spherical normalisation, sum_r coef_r k(x_r, .) of every kernel of the group to its 32 numbers of
// sum. rows: the packed points of coef, for their norms.
func (w *worker[T]) addNormed(s *scaled, g *kernels.Group, rows *kernels.Rows[T], base, coef []T, sum []float64) {
	for i := range g.Members {
		k := &g.Members[i]
		w.coef = append(w.coef[:0], coef...)
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

// convert gives numbers in T.
func convert[T simd.Real](dst []T, src []float64) []T {
	dst = grow(dst, len(src))
	for i, x := range src {
		dst[i] = T(x)
	}
	return dst
}

// grow returns a slice of n elements, reusing s where it is large enough; the contents are not kept.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
