package gradient

import (
	"bigmkl/internal/invariant"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// assertHits is the number of panels from one look at a cached row to the next.
const assertHits = 32

// assertHit compares a row that came from the cache with the same row computed again, bit for
// bit, on one panel: that is the promise that a cache changes nothing. Panels take turns. It is
// called only behind the build tag invariants.
func (w *updating[T]) assertHit(g *kernels.Group, p *plan[T], at, nth int) {
	u := w.update
	if p.rows == nil || !invariant.Turn(u.number+int64(at), assertHits) {
		return
	}
	var hits []int
	for i, hit := range p.hit {
		if hit {
			hits = append(hits, i)
		}
	}
	if len(hits) == 0 {
		return
	}
	i := hits[int(u.number/assertHits)%len(hits)]
	var point kernels.Set
	// The row is packed alone: a value must not depend on the rows beside it.
	point.Select(u.set.points, []int{i})
	var rows kernels.Rows[T]
	var cols kernels.Columns[T]
	e, panel := kernels.NewEvaluator[T](w.scaled.bank), &w.panels[nth]
	e.PackRows(&rows, g, &point)
	e.PackColumns(&cols, g, panel, w.field.n)
	fresh := make([]T, g.TileSize(1))
	e.Base(fresh, g, &rows, 0, 1, &cols, nil)
	for j := range g.Layers * simd.Width {
		layer, lane := j/simd.Width, j%simd.Width
		// Lanes behind the last point hold anything.
		if lane >= panel.Len {
			continue
		}
		kept := w.base[(layer*len(u.set.index)+i)*simd.Width+lane]
		invariant.Check(kept == fresh[j] || kept != kept && fresh[j] != fresh[j],
			"row %d of group %d at point %d of panel %d is %v in the cache, afresh %v",
			u.set.index[i], g.First, lane, at, kept, fresh[j])
	}
}
