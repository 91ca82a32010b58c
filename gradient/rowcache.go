package gradient

import (
	"context"
	"time"

	"bigmkl/cache"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
	"bigmkl/mmap"
)

// acquire plans the base rows of a pass: from the cache, into the cache, or neither, as without
// caching.
func (m *machine[T]) acquire(ctx context.Context, caching bool, s *workingSet) ([]plan[T], error) {
	groups := m.gr.bank.Groups
	q := len(s.index)
	if q == 0 {
		return nil, nil
	}
	every := make([]int, q)
	for i := range every {
		every[i] = i
	}
	plans := make([]plan[T], len(groups))
	for g := range plans {
		plans[g] = plan[T]{compute: every}
	}
	if !caching {
		return plans, nil
	}
	var want []cache.Request
	var from []int
	for g := range groups {
		if groups[g].Base == kernels.MatrixRow || groups[g].Base == kernels.CentredProduct {
			continue // the matrix is a file in the page cache already; linear kernels need no rows
		}
		alike := shape{base: groups[g].Base, dim: groups[g].Dim, sparse: groups[g].Sparse}
		if groups[g].Alone() {
			alike.key = groups[g].Key // no two of them are alike
		}
		if m.cost[alike] == 0 {
			m.cost[alike] = m.measure(&groups[g], s)
		}
		layers := groups[g].Layers
		cost := m.cost[alike] * float64(m.field.panels) / float64(layers)
		if m.gr.opt.Cache.Mode == cache.Auto && cost < copyCost*float64(m.field.n) {
			continue
		}
		from = append(from, g)
		for layer := range layers {
			for _, id := range s.points.IDs {
				// Points that wake want each row once.
				want = append(want, cache.Request{Key: cache.Key{Group: int32(groups[g].Key + layer), Row: id}, Cost: cost, Once: m.field != m.gr.now})
			}
		}
	}
	got := make([]cache.Row, len(want))
	if err := m.rows.Acquire(ctx, want, got); err != nil {
		return nil, err
	}
	for _, g := range from {
		rows := q * groups[g].Layers
		plans[g], got = m.planned(got[:rows], q), got[rows:]
	}
	return plans, nil
}

// planned is the plan of a group for the rows that the cache gave, base by base for q points. The bases of a point are made
// together: where one is missing, all are, and those that were there stay as they are.
func (m *machine[T]) planned(got []cache.Row, q int) plan[T] {
	p := plan[T]{rows: make([][]T, len(got)), hit: make([]bool, q)}
	for i := range q {
		p.hit[i] = true
		for k := i; k < len(got); k += q {
			p.hit[i] = p.hit[i] && got[k].State == cache.Hit
		}
		if !p.hit[i] {
			p.compute = append(p.compute, i)
		}
		for k := i; k < len(got); k += q {
			if s := got[k].State; s != cache.Miss && (p.hit[i] || s != cache.Hit) {
				p.rows[k] = mmap.Slice[T](got[k].Data)
			}
		}
	}
	return p
}

// copyCost is the nanoseconds per point below which computing a base is not dearer than keeping it: a copy out of RAM takes 0.3,
// the first copy into fresh memory 2, and a row comes back twice or so.
const copyCost = 1.2

// shape is what the cost of a group's base depends on.
type shape struct {
	base   kernels.Base
	dim    int
	sparse bool
	key    int
}

// caches tells whether rows of the field are cached. Those on all points serve every field of all points.
func (m *machine[T]) caches(f *field) bool {
	return m.caching && (f == m.field || f.index == nil && m.field.index == nil)
}

func (m *machine[T]) release(keep, caching bool, s *workingSet) error {
	if len(s.index) == 0 || !caching {
		return nil
	}
	return m.rows.Release(keep)
}

// rowBytes is the length of a base row on a field.
func (m *machine[T]) rowBytes(f *field) int64 { return int64(f.panels) * simd.Width * elementSize[T]() }

// narrow makes the cache hold rows on a part of the field's points; places are theirs in the field. What there is of their
// rows is kept.
func (m *machine[T]) narrow(f *field, places []int32) error {
	m.field = f
	return m.rows.Narrow(places, elementSize[T](), m.rowBytes(f))
}

// widen makes the cache hold rows on all points again.
func (m *machine[T]) widen() error {
	m.field = m.gr.all
	return m.rows.Widen()
}

// measure times the base of the group on one panel: nanoseconds for one row. Only the choice of what to cache
// depends on it, never a result.
func (m *machine[T]) measure(g *kernels.Group, s *workingSet) float64 {
	w := &m.workers[0]
	q := min(len(s.index), 8*simd.Rows)
	part := s.points.Part(0, q)
	w.eval.PackRows(&w.rows, g, part)
	w.load(m.field, 0, 1)
	w.eval.PackColumns(&w.cols, g, &w.panels[0], m.field.n)
	w.base = grow(w.base, g.TileSize(q))
	best := time.Duration(1 << 62)
	for range 3 {
		start := time.Now()
		w.eval.Base(w.base, g, &w.rows, 0, q, &w.cols, nil)
		best = min(best, time.Since(start))
	}
	return float64(best.Nanoseconds()) / float64(q)
}
