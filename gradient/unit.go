package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// The inner loop of a pass: a worker takes some panels of a unit at a time and goes over all
// groups of a block with them, so the panels stay in the cache while the groups change. For each
// group and panel it makes the bases of the working set, applies every kernel of the group to them
// and adds the result to the gradients at once.

// updateUnit updates the gradients of a unit for a block of groups, step panels at a time. The
// combined gradient is added to part and alpha'g_m to sum, if u asks for them.
func (w *updating[T]) updateUnit(unit, block [2]int, step int, plans []plan[T], part, sum []float64) {
	s, f, u := w.scaled, w.field, w.update
	w.delta = convert(w.delta, u.set.delta)
	if u.columns > 1 {
		w.updateColumns(unit, block, step, plans, part, sum)
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
					w.pack(g, p)
				}
			}
			if u.look != nil {
				for at := from; at < to && q > 0; at++ {
					w.see(k, p, at, at-from, part[at*simd.Width:(at+1)*simd.Width])
				}
				continue
			}
			for at := from; at < to; at++ {
				place := f.at(at*simd.Width, s.bank.Len()) + g.First*simd.Width
				gm := f.g[place : place+len(g.Members)*simd.Width]
				if q > 0 {
					w.add(g, p, at, at-from, gm)
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

// add adds the change of the working set to the gradients gm of a group on panel at, which is the
// nth panel that is loaded.
func (w *updating[T]) add(g *kernels.Group, p *plan[T], at, nth int, gm []float64) {
	s, u, panel := w.scaled, w.update, &w.panels[nth]
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
		w.eval.PackColumns(&w.cols, g, panel, w.field.n)
		w.addFew(g, w.packed(p), gm)
		return
	}
	w.packColumns(g, p, nth)
	factors := w.haveFactors(g)
	// Rows that the cache wants are made whatever the gates are, because they are bases.
	if p.rows == nil && w.closed(g) {
		return
	}
	base := w.tile(g, p, at, nth)
	if factors {
		w.addFactored(s, g, w.wholeOf(p), base, w.delta, gm)
		return
	}
	w.eval.Sum(gm, base, w.delta, g, s.of(g))
}

// addFew makes the bases of some rows at a time and uses them while they are in the first-level
// cache.
func (w *updating[T]) addFew(g *kernels.Group, packed *kernels.Rows[T], gm []float64) {
	w.base = grow(w.base, fewRows*simd.Width)
	for from := 0; from < packed.Len; from += fewRows {
		n := min(fewRows, packed.Len-from)
		w.eval.Base(w.base[:kernels.BaseSize(n)], g, packed, from, n, &w.cols, nil)
		w.eval.Sum(gm, w.base[:n*simd.Width], w.delta[from:from+n], g, w.scaled.of(g))
	}
}
