package gradient

import (
	"bigmkl/internal/invariant"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// updating is what a worker does of one pass over a field: it makes the bases of the working set on some panels at a
// time and adds the change of every kernel to the gradients.
type updating[T simd.Real] struct {
	*worker[T]
	scaled *scaled // the kernels, with their normalisers
	field  *field
	update *update
}

const (
	// A panel of fewFeatures features stays in the first-level cache in any order of the rows, and
	// the bases of fewRows rows stay there, too.
	fewFeatures = 192
	fewRows     = 128
)

// pack packs the rows of a group that have not been packed for the whole pass, and computes their
// gates.
func (w *updating[T]) pack(g *kernels.Group, p *plan[T]) {
	if p.packed == nil {
		packRows(w.eval, &w.rows, g, w.update.set, p.compute)
	}
	if !g.PointFactors() {
		return
	}
	if p.whole == nil {
		w.eval.PackRowFactors(&w.whole, g, w.update.set.points)
	}
	w.factors.takeRows(w.eval, g, w.wholeOf(p))
}

// wholeOf is the packed working set of a plan, for the factors of its points.
func (w *updating[T]) wholeOf(p *plan[T]) *kernels.Rows[T] {
	if p.whole == nil {
		return &w.whole
	}
	return p.whole
}

// packed is the rows of a plan that are packed.
func (w *updating[T]) packed(p *plan[T]) *kernels.Rows[T] {
	if p.packed == nil {
		return &w.rows
	}
	return p.packed
}

// packColumns packs the nth panel that is loaded, or what is needed of it, for tile.
func (w *updating[T]) packColumns(g *kernels.Group, p *plan[T], nth int) {
	if len(p.compute) > 0 {
		w.eval.PackColumns(&w.cols, g, &w.panels[nth], w.field.n)
	} else if g.PointFactors() {
		w.eval.PackColumnFactors(&w.cols, g, &w.panels[nth], w.field.n)
	}
}

// tile makes the bases of the working set on panel at, which is the nth panel that is loaded and
// whose columns are packed.
func (w *updating[T]) tile(g *kernels.Group, p *plan[T], at, nth int) []T {
	// The assembly prefetches the next panel while it multiplies this one. Only float32 panels are
	// memory that will be read as it is.
	var ahead []T
	if nth+1 < len(w.panels) {
		ahead, _ = any(w.panels[nth+1].Dense).([]T)
	}
	q := len(w.update.set.index)
	w.fill(g, p, at-p.first, ahead)
	if invariant.Enabled {
		w.assertHit(g, p, at, nth)
	}
	return w.base[:g.Used(q)]
}

// fill makes the bases of every working point on panel at of those that cached rows have, from the cache or
// computed, and writes the rows that the cache wants.
func (w *updating[T]) fill(g *kernels.Group, p *plan[T], at int, ahead []T) {
	q, packed := len(w.update.set.index), w.packed(p)
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
