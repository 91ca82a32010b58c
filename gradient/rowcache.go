package gradient

import (
	"context"
	"slices"
	"time"

	"bigmkl/cache"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
	"bigmkl/mmap"
)

// A base row is the bases of one point against all points of a field. Points come back into the
// working set, so rows are worth keeping: in memory, and below that on disk. What a row saves is
// measured once for each kind of group, and nothing but the choice of what to keep depends on the
// clock: cached rows are rounded as computed ones are, and have the same bits.

// rowCache holds base rows of type T on the points of one field.
type rowCache[T simd.Real] struct {
	fields *fields
	cache  *cache.Cache
	usable bool   // there is a budget for rows
	field  *field // the field whose rows the cache holds
	opened *field // the field that the cache was opened for, of which it may hold less by now
	// panels is the range of panels of the field that rows have: those of this rank, except for units at
	// its ends that have points which another rank had when the row was computed.
	panels [2]int
	cost   map[shape]float64 // nanoseconds to compute one base row on one panel
}

// newRowCache opens the cache for rows on the active points.
//
// An error comes from the folder on disk.
func newRowCache[T simd.Real](s *fields, threads int) (rowCache[T], error) {
	c := rowCache[T]{fields: s, cost: make(map[shape]float64)}
	return c, c.open(s.now, threads)
}

// open opens the cache for rows on a field.
func (c *rowCache[T]) open(f *field, threads int) error {
	o := c.fields.opt.Cache
	// A float64 row takes twice the bytes, and the budget for rows is another one then.
	c.field, c.opened, c.panels = f, f, f.mine
	o.RowBytes, o.Threads = max(c.rowBytes(), 1), threads
	if elementSize[T]() == 8 {
		o.Memory = c.fields.opt.DoubleRows
	}
	o.Memory = max(0, o.Memory-c.fields.tables.bytes)
	// A rank that has no panels of the field keeps no rows of it.
	c.usable = o.Mode != cache.Never && o.Memory > 0 && f.mine[0] < f.mine[1]
	var err error
	c.cache, err = cache.Open(o)
	return err
}

// shape is what the time for a base depends on.
type shape struct {
	base   kernels.Base
	dim    int
	sparse bool
	key    int // number of the group's first base, if no other group is like it
}

// copyCost is the number of nanoseconds for each point below which computing a base is as cheap as keeping
// it, by the times of measure, which are about twice the times of a pass. A copy out of RAM takes 0.3, and
// the first copy into fresh memory 2. A row comes back three times where a base serves fifty widths, which
// cost far more than it, and once where each kernel has features of its own. MNIST (20,000 rows), sets of
// d features, times with all rows cached against none: d = 60 1.63, 100 1.36, 150 1.25, 200 1.06, 250
// 0.98; measure gives 1.1, 1.9, 2.6, 3.6 and 4.7. Fifty widths of d = 100 and 200: 1.03 and 0.97.
const copyCost = 3.5

// holds reports whether the cache has rows of a field. Rows on all points serve every field of all
// points.
func (c *rowCache[T]) holds(f *field) bool {
	return c.usable && (f == c.field || f.index == nil && c.field.index == nil)
}

// acquire plans where the base rows of a pass come from: out of the cache, into the cache or, if
// caching is not set, neither. The worker lends its memory for measuring.
func (c *rowCache[T]) acquire(ctx context.Context, w *worker[T], caching bool,
	u *update) ([]plan[T], error) {
	groups, s := c.fields.bank.Groups, u.set
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
		// By default all rows are computed.
		plans[g] = plan[T]{compute: every}
	}
	if !caching {
		return plans, nil
	}
	var want []cache.Request
	var from []int
	for g := range groups {
		group := &groups[g]
		if u.skips(g) {
			continue
		}
		if group.Base == kernels.MatrixRow || group.Base == kernels.CentredProduct || group.Base == kernels.Looked {
			// A matrix is a file in the page cache already, linear kernels need no rows, and values of objects are in memory.
			continue
		}
		if w.eval.Tabulates(group) {
			continue // It is in memory.
		}
		cost := c.rowCost(w, group, s)
		// A cheap base is computed again sooner than it is copied.
		if c.fields.opt.Cache.Mode == cache.Auto && cost < copyCost*float64(c.field.mine[1]-c.field.mine[0])*simd.Width {
			continue
		}
		from = append(from, g)
		for layer := range group.Layers {
			for _, id := range s.points.IDs {
				want = append(want, cache.Request{
					Key:  cache.Key{Group: int32(group.Key + layer), Row: id},
					Cost: cost,
					Once: c.field != c.fields.now, // points that wake want each row once
				})
			}
		}
	}
	got := make([]cache.Row, len(want))
	if err := c.cache.Acquire(ctx, want, got); err != nil {
		return nil, err
	}
	for _, g := range from {
		rows := q * groups[g].Layers
		plans[g], got = planned[T](got[:rows], q), got[rows:]
		plans[g].first = c.panels[0]
	}
	return plans, nil
}

// rowCost is the time in nanoseconds to compute a base row of the group on the field.
func (c *rowCache[T]) rowCost(w *worker[T], g *kernels.Group, s *workingSet) float64 {
	alike := shape{base: g.Base, dim: g.Dim, sparse: g.Sparse}
	if g.Alone() {
		alike.key = g.Key
	}
	if c.cost[alike] == 0 {
		c.cost[alike] = c.measure(w, g, s)
	}
	return c.cost[alike] * float64(c.field.mine[1]-c.field.mine[0]) / float64(g.Layers)
}

// measure times the bases of the group on one panel and returns the nanoseconds for one row. It
// takes the best of three, because other work on the computer can only make it slower.
func (c *rowCache[T]) measure(w *worker[T], g *kernels.Group, s *workingSet) float64 {
	q := min(len(s.index), 8*simd.Rows)
	part := s.points.Part(0, q)
	w.eval.PackRows(&w.rows, g, part)
	w.load(c.field, c.field.mine[0], c.field.mine[0]+1)
	w.eval.PackColumns(&w.cols, g, &w.panels[0], c.field.n)
	w.base = grow(w.base, g.TileSize(q))
	best := time.Duration(1 << 62)
	for range 3 {
		start := time.Now()
		w.eval.Base(w.base, g, &w.rows, 0, q, &w.cols, nil)
		best = min(best, time.Since(start))
	}
	return float64(best.Nanoseconds()) / float64(q)
}

// release ends the use of the rows that acquire has given. If keep is false, rows that were to be
// filled are given up.
func (c *rowCache[T]) release(keep, caching bool, s *workingSet) error {
	if len(s.index) == 0 || !caching {
		return nil
	}
	return c.cache.Release(keep)
}

// rowBytes is the length of a base row.
func (c *rowCache[T]) rowBytes() int64 {
	return int64(c.panels[1]-c.panels[0]) * simd.Width * elementSize[T]()
}

// known returns the panels of the field f of a part of the points that rows in the cache have: the panels of
// units all of whose points they have. places are the places of its points in the present field.
func (c *rowCache[T]) known(f *field, places []int32) [2]int {
	if c.fields.team.alone() {
		return f.mine
	}
	from, to := int32(c.panels[0]*simd.Width), int32(c.panels[1]*simd.Width)
	units := f.own
	for units[0] < units[1] && places[f.units[units[0]][0]*simd.Width] < from {
		units[0]++
	}
	for units[0] < units[1] && places[min(f.units[units[1]-1][1]*simd.Width, f.n)-1] >= to {
		units[1]--
	}
	return f.panelsOf(units)
}

// narrow makes the cache hold rows on the field f of a part of the points; places are the places of
// its points in the present field, and panels the panels that the rows in the cache have. What the
// cache has of these rows is kept.
//
// Rows on disk stay whole, and are cut as they are read.
func (c *rowCache[T]) narrow(f *field, places []int32, panels [2]int) error {
	first := int32(c.panels[0] * simd.Width)
	places = slices.Clone(places[panels[0]*simd.Width : min(panels[1]*simd.Width, f.n)])
	for k := range places {
		places[k] -= first
	}
	c.field, c.panels = f, panels
	return c.cache.Narrow(places, elementSize[T](), c.rowBytes())
}

// widen makes the cache hold rows on all points again.
func (c *rowCache[T]) widen() error {
	c.field, c.panels = c.fields.all, c.fields.all.mine
	return c.cache.Widen()
}

// planned returns the plan of a group for the rows that the cache gave, base by base for q points.
// The bases of a point are made together: where one is missing all are computed, and those that the
// cache has stay as they are.
//
// The cache may give memory for a row that it does not have: the pass then writes the row there.
func planned[T simd.Real](got []cache.Row, q int) plan[T] {
	p := plan[T]{rows: make([][]T, len(got)), hit: make([]bool, q)}
	for i := range q {
		p.hit[i] = true
		for k := i; k < len(got); k += q {
			p.hit[i] = p.hit[i] && got[k].State == cache.Hit
		}
		// Rows of one point lie q apart in got, one for each base.
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
