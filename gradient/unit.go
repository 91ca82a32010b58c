package gradient

import (
	"bigmkl/internal/invariant"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// The inner loop of a pass: a worker takes some panels of a unit at a time and goes over all
// groups of a block with them, so the panels stay in the cache while the groups change. For each
// group and panel it makes the bases of the working set, applies every kernel of the group to them
// and adds the result to the gradients at once.

// updateUnit updates the gradients of a unit for a block of groups, step panels at a time. The
// combined gradient is added to part and alpha'g_m to sum, if u asks for them.
func (w *worker[T]) updateUnit(s *scaled, f *field, unit, block [2]int, step int,
	u *update, plans []plan[T], part, sum []float64) {
	w.delta = convert(w.delta, u.set.delta)
	if u.columns > 1 {
		w.updateColumns(s, f, unit, block, step, u, plans, part, sum)
		return
	}
	groups, q := s.bank.Groups, len(u.set.index)
	// The features of some panels stay in the cache while the groups change, and the packed rows of
	// a group are read once for all of these panels.
	for from := unit[0]; from < unit[1]; from += step {
		to := min(from+step, unit[1])
		if q > 0 {
			w.load(f, from, to)
		}
		for k := block[0]; k < block[1]; k++ {
			if u.skips(k) {
				continue
			}
			g := &groups[k]
			var p *plan[T]
			if q > 0 && g.Base != kernels.CentredProduct {
				p = &plans[k]
				if p.sum == nil {
					w.pack(g, u.set, p)
				}
			}
			if u.look != nil {
				for at := from; at < to && q > 0; at++ {
					w.see(f, k, u, p, at, at-from, part[at*simd.Width:(at+1)*simd.Width])
				}
				continue
			}
			for at := from; at < to; at++ {
				place := f.at(at*simd.Width, s.bank.Len()) + g.First*simd.Width
				gm := f.g[place : place+len(g.Members)*simd.Width]
				if q > 0 {
					w.add(s, f, g, u, p, at, at-from, gm)
				}
				// A step along a kept direction needs no kernel values: K_m d is added as it is.
				if u.step != nil {
					simd.AddTo(gm, u.step[place:place+len(gm)], u.length)
				}
				// The gradients of the group have just been written and are still in the cache, so
				// combining them costs no further pass over memory.
				if u.theta != nil {
					lanes, members := at*simd.Width, g.First+len(g.Members)
					simd.Combine(gm, u.alpha[lanes:lanes+simd.Width], part[lanes:lanes+simd.Width],
						u.theta[g.First:members], sum[g.First:members])
				}
			}
		}
	}
}

// pack packs the rows of a group that have not been packed for the whole pass, and computes their
// gates.
func (w *worker[T]) pack(g *kernels.Group, s *workingSet, p *plan[T]) {
	if p.packed == nil {
		packRows(w.eval, &w.rows, g, s, p.compute)
	}
	if !g.PointFactors() {
		return
	}
	whole := p.whole
	if whole == nil {
		whole = &w.whole
		w.eval.PackRowFactors(whole, g, s.points)
	}
	w.factors.takeRows(w.eval, g, whole)
}

// add adds the change of the working set to the gradients gm of a group on panel at, which is the
// nth panel that is loaded.
func (w *worker[T]) add(s *scaled, f *field, g *kernels.Group, u *update, p *plan[T], at, nth int,
	gm []float64) {
	panel := &w.panels[nth]
	if g.Base == kernels.CentredProduct {
		// All linear kernels of a group have the same features, and differ in their factor alone.
		var change [simd.Width]float64
		project(g, u.vector, u.origin[g.First], panel, &change)
		for i, k := range s.of(g) {
			simd.AddTo(gm[i*simd.Width:(i+1)*simd.Width], change[:], k)
		}
		return
	}
	if p.sum != nil {
		var change [simd.Width]float64
		p.sum.At(&change, panel)
		simd.AddTo(gm, change[:], s.of(g)[0])
		return
	}
	// Few features and no cached rows: bases need not be kept for all rows.
	if p.rows == nil && !g.PointFactors() && g.Dim <= fewFeatures && !g.Strings() {
		w.eval.PackColumns(&w.cols, g, panel, f.n)
		w.addFew(s, g, w.packed(p), gm)
		return
	}
	w.packColumns(f, g, p, nth)
	factors := w.haveFactors(g)
	// Rows that the cache wants are made whatever the gates are, because they are bases.
	if p.rows == nil && w.closed(g) {
		return
	}
	base := w.tile(f, g, u, p, at, nth)
	if invariant.Enabled {
		w.assertHit(s.bank, f, g, u, p, at, nth)
	}
	if factors {
		whole := p.whole
		if whole == nil {
			whole = &w.whole
		}
		w.addFactored(s, g, whole, base, w.delta, gm)
		return
	}
	w.eval.Sum(gm, base, w.delta, g, s.of(g))
}

// packed is the rows of a plan that are packed.
func (w *worker[T]) packed(p *plan[T]) *kernels.Rows[T] {
	if p.packed == nil {
		return &w.rows
	}
	return p.packed
}

// packColumns packs the nth panel that is loaded, or what is needed of it, for tile.
func (w *worker[T]) packColumns(f *field, g *kernels.Group, p *plan[T], nth int) {
	if len(p.compute) > 0 {
		w.eval.PackColumns(&w.cols, g, &w.panels[nth], f.n)
	} else if g.PointFactors() {
		w.eval.PackColumnFactors(&w.cols, g, &w.panels[nth], f.n)
	}
}

// tile makes the bases of the working set on panel at, which is the nth panel that is loaded and
// whose columns are packed.
func (w *worker[T]) tile(f *field, g *kernels.Group, u *update, p *plan[T], at, nth int) []T {
	// The assembly prefetches the next panel while it multiplies this one. Only float32 panels are
	// memory that will be read as it is.
	var ahead []T
	if nth+1 < len(w.panels) {
		ahead, _ = any(w.panels[nth+1].Dense).([]T)
	}
	q := len(u.set.index)
	w.fill(g, w.packed(p), p, at-p.first, q, ahead)
	return w.base[:g.Used(q)]
}

const (
	// A panel of fewFeatures features stays in the first-level cache in any order of the rows, and
	// the bases of fewRows rows stay there, too.
	fewFeatures = 192
	fewRows     = 128
)

// addFew makes the bases of some rows at a time and uses them while they are in the first-level
// cache.
func (w *worker[T]) addFew(s *scaled, g *kernels.Group, packed *kernels.Rows[T], gm []float64) {
	w.base = grow(w.base, fewRows*simd.Width)
	for from := 0; from < packed.Len; from += fewRows {
		n := min(fewRows, packed.Len-from)
		w.eval.Base(w.base[:kernels.BaseSize(n)], g, packed, from, n, &w.cols, nil)
		w.eval.Sum(gm, w.base[:n*simd.Width], w.delta[from:from+n], g, s.of(g))
	}
}

// fill makes the bases of every working point on panel at of those that cached rows have, from the cache or
// computed, and writes the rows that the cache wants.
func (w *worker[T]) fill(g *kernels.Group, packed *kernels.Rows[T], p *plan[T], at, q int,
	ahead []T) {
	w.base = grow(w.base, g.TileSize(q))
	count := len(p.compute)
	// Either all rows are computed straight to their places, or those that are missing are computed
	// aside and copied to the places between cached ones.
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
	// A cached row is copied to the tile, and a computed one from the tile to the cache's memory.
	for i, row := range p.rows {
		switch base := w.base[i*simd.Width : (i+1)*simd.Width]; {
		case row == nil:
		case p.hit[i%q]:
			// Cached rows lie far apart in memory: the copy prefetches the part of the row for the
			// next panel.
			simd.CopyAhead(base, row[lanes:lanes+simd.Width])
		default:
			copy(row[lanes:lanes+simd.Width], base)
		}
	}
}
