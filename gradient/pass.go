package gradient

import (
	"context"
	"slices"

	"bigmkl/cache"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// A pass streams over the points once: it adds the change of the dual variables to all gradients,
// g_m += K_m delta, combines them under the new weights and sums alpha'g_m. It is the only work
// whose cost grows with the number of points, so everything in it is laid out for the memory: a
// panel is read once for all groups, and no kernel value is stored.

var (
	_ arithmetic = (*pass[float32])(nil)
	_ arithmetic = (*pass[float64])(nil)
)

// arithmetic is a pass in one precision, with the quadratic model in the same.
type arithmetic interface {
	stream(ctx context.Context, f *field, u *update) error
	hessian(ctx context.Context, s *workingSet, theta []float64, h *square) error
	hessianRows(s *workingSet, theta []float64, term *rankRows, diagonal []float64) func(k int, row []float64)
	directions(ctx context.Context, s *workingSet, d []float64, c []float64) error
	profile(ctx context.Context, l *look, support *kernels.Set) (ok bool, err error)
	narrow(f *field, places []int32) error
	widen() error
	close() (cache.Stats, error)
	cacheStats() cache.Stats
}

// pass makes the passes in element type T: float32 for speed, float64 where a small gap must be
// certified. Gradients are float64 in either case.
type pass[T simd.Real] struct {
	scaled
	fields  *fields
	stats   *Stats
	workers []worker[T]
	rows    rowCache[T]
	packs   []kernels.Rows[T] // packed rows of each group, if they are kept for a pass
	bare    []kernels.Rows[T] // the same of all rows, for panels that cached rows do not have
	wholes  []kernels.Rows[T] // packed rows of all working points, for their factors
	kept    *bases[T]
	sums    *kernels.ObjectSums[T]  // of kernels of objects, once there are any
	square  kernels.ObjectSquare[T] // their values within a working set
	model   kernels.ObjectModel[T]  // their sum within a large one
}

// newPass returns the passes over the fields, and counts them in stats.
//
// A worker belongs to one thread at a time; its memory is used again from pass to pass.
func newPass[T simd.Real](s *fields, stats *Stats) (*pass[T], error) {
	ps := &pass[T]{scaled: normalizers(s.bank), fields: s, stats: stats, kept: basesOf[T](s.opt.Workspace)}
	ps.workers = make([]worker[T], max(s.opt.Threads, 1))
	for i := range ps.workers {
		ps.workers[i] = worker[T]{number: i, eval: evaluator[T](s.tables, s.bank), bare: s.tables.bare}
	}
	groups := len(s.bank.Groups)
	ps.packs, ps.wholes = make([]kernels.Rows[T], groups), make([]kernels.Rows[T], groups)
	ps.bare = make([]kernels.Rows[T], groups)
	var err error
	if ps.rows, err = newRowCache[T](s, len(ps.workers)); err != nil {
		return nil, err
	}
	return ps, nil
}

func (ps *pass[T]) narrow(f *field, places []int32) error {
	// Where many points change their ranks the cached rows of a part no longer match its points: the
	// cache begins again.
	panels := ps.rows.known(f, places)
	if 2*(panels[1]-panels[0]) < f.mine[1]-f.mine[0] || panels[0] == panels[1] {
		return ps.reopen(f)
	}
	return ps.rows.narrow(f, places, panels)
}

func (ps *pass[T]) widen() error {
	if ps.rows.opened != ps.fields.all {
		return ps.reopen(ps.fields.all)
	}
	return ps.rows.widen()
}

// reopen makes the cache one of rows on another field, without any.
func (ps *pass[T]) reopen(f *field) error {
	s, err := ps.close()
	ps.stats.Cache = addStats(ps.stats.Cache, s)
	if err != nil {
		return err
	}
	return ps.rows.open(f, len(ps.workers))
}

func (ps *pass[T]) cacheStats() cache.Stats { return ps.rows.cache.Stats() }

// close closes the cache and returns what it has counted.
func (ps *pass[T]) close() (cache.Stats, error) {
	// The points of the set may be gone before the memory of its bases is used again.
	ps.kept.set = nil
	s := ps.rows.cache.Stats()
	return s, ps.rows.cache.Close()
}

// stream makes one pass over a field; see Gradient.Pass. Once ctx is done, units in hand are
// finished and no other is begun. A pass that combines can continue from there, because u.pending
// states what is done.
func (ps *pass[T]) stream(ctx context.Context, f *field, u *update) error {
	l := &f.layout
	ps.fields.changes++
	if err := ps.fields.resident.evict(ps.fields.now, len(u.set.index)); err != nil {
		return err
	}
	// The rest of a pass passes over a part of the points: it can fill no rows for later ones.
	caching := u.pending == nil && ps.rows.holds(f)
	// Rows are asked for before the threads start, because the cache decides about all of them at
	// once.
	plans, err := ps.rows.acquire(ctx, &ps.workers[0], caching, u)
	if err != nil {
		return err
	}
	// What a pass does is known before it begins: the counts do not depend on where it is cut.
	ps.count(f, u, plans)
	u.number = ps.stats.Passes
	if err := (objectWork[T]{ps}).sumObjects(ctx, u, plans); err != nil {
		return err
	}
	step, err := ps.prepack(ctx, u, plans, ps.packs)
	if err != nil {
		return err
	}
	// Panels that cached rows do not have are computed as without a cache.
	var bare []plan[T]
	bareStep := 0
	if ps.rows.panels != f.mine && slices.ContainsFunc(plans, func(p plan[T]) bool { return p.rows != nil }) {
		if bare, err = ps.rows.acquire(ctx, nil, false, u); err != nil {
			return err
		}
		for k := range bare {
			bare[k].sum = plans[k].sum
		}
		if bareStep, err = ps.prepack(ctx, u, bare, ps.bare); err != nil {
			return err
		}
	}
	u.origin = origins(ps.bank, u.vector, max(1, u.columns))
	var t *tally
	if u.theta != nil {
		t = newTally(l, ps.bank.Len()*ps.fields.opt.columns(), u.combined, u.pending)
	}
	// An item is one shard and one block of groups. Units within the shard come in their order.
	shards := l.shards(f.own, ps.fields.opt.Shards)
	err = each(ctx, len(ps.workers), len(shards)*len(l.blocks), func(w, item int) error {
		shard, block := shards[item/len(l.blocks)], item%len(l.blocks)
		for unit := shard[0]; unit < shard[1]; unit++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			var part, sum []float64
			at := unit*len(l.blocks) + block
			if t != nil {
				// This part was done before the pass was cut. To do it again would add the change
				// twice.
				if t.done[at] != 0 {
					continue
				}
				part, sum = t.parts[block], t.unit(unit)
			}
			// Units change disjoint parts of the gradients and blocks disjoint kernels, so no lock
			// is needed.
			plans, step := plans, step
			if panels := l.units[unit]; bare != nil && (panels[0] < ps.rows.panels[0] || panels[1] > ps.rows.panels[1]) {
				plans, step = bare, bareStep
			}
			work := updating[T]{&ps.workers[w], &ps.scaled, f, u}
			work.updateUnit(l.units[unit], l.blocks[block], step, plans, part, sum)
			if t != nil {
				t.done[at] = 1
			}
		}
		return nil
	})
	// Rows of a pass that failed are incomplete, and must not be found by a later one.
	if e := ps.rows.release(err == nil, caching, u.set); err == nil {
		err = e
	}
	if t == nil {
		return err
	}
	if err != nil {
		u.pending = t.pending()
		return err
	}
	if err := t.collect(&ps.fields.exchange, f); err != nil {
		return err
	}
	u.pending = nil
	t.join(u.v)
	return nil
}

// count adds what the pass is about to do to the statistics.
func (ps *pass[T]) count(f *field, u *update, plans []plan[T]) {
	s := u.set
	stats, n := ps.stats, int64(f.n)
	stats.Passes++
	stats.Rows += int64(len(s.index))
	for k := range plans {
		g := &ps.bank.Groups[k]
		if g.Base == kernels.CentredProduct || u.skips(k) || (objectWork[T]{ps}).sumsObjects(g, u) {
			continue
		}
		functions := len(g.Members)
		if u.look != nil {
			functions = u.look.functions[k]
		}
		stats.Entries += n * int64(len(s.index)*functions)
		if ps.workers[0].eval.Tabulates(g) {
			continue
		}
		g.Parts(func(part *kernels.Group) {
			terms := len(plans[k].compute) * part.Dim
			// Sparse products multiply the non-zeros of the row alone.
			if ps.workers[0].eval.Sparse(part) {
				terms = 0
				for _, i := range plans[k].compute {
					terms += part.Nonzeros(s.points.Index[i])
				}
			}
			stats.Products += n * int64(terms)
		})
	}
}

const (
	prepacked = 32 << 20 // bytes of packed rows that are kept for a whole pass
	stride    = 8        // panels that all groups pass before the next ones come

	// summedPanels is stride where groups have sums by objects alone. Their vectors take much more memory than the numbers of the
	// objects of these panels, and are read again by many of the points.
	summedPanels = 256

	// filled bounds the bytes of the panels of sparse points that all groups pass: they have to
	// stay in the second-level cache meanwhile.
	filled = 1 << 20
)

// prepack packs the rows of all groups once, if that takes not too much memory, and returns how
// many panels to take at a time. Rows that are not packed here are packed again for each step,
// which is then a whole unit. No result depends on it.
func (ps *pass[T]) prepack(ctx context.Context, u *update, plans []plan[T],
	packs []kernels.Rows[T]) (step int, err error) {
	s := u.set
	step = unitPanels
	if plans == nil {
		return step, nil
	}
	size, summed := int64(0), true
	for k := range plans {
		g := &ps.bank.Groups[k]
		if u.skips(k) || plans[k].sum != nil {
			continue
		}
		summed = false
		size += ps.workers[0].eval.RowsBytes(g, s.points, len(plans[k].compute))
		if g.Spherical {
			size += ps.workers[0].eval.RowsBytes(g, s.points, len(s.index))
		}
	}
	// Packed rows are read by all threads and written by none.
	if size <= prepacked || len(plans) == 1 {
		step = stride
		err = each(ctx, len(ps.workers), len(plans), func(w, k int) error {
			g, p := &ps.bank.Groups[k], &plans[k]
			if g.Base == kernels.CentredProduct || u.skips(k) || p.sum != nil {
				return nil
			}
			packRows(ps.workers[w].eval, &packs[k], g, s, p.compute)
			p.packed = &packs[k]
			if g.PointFactors() {
				ps.workers[w].eval.PackRowFactors(&ps.wholes[k], g, s.points)
				p.whole = &ps.wholes[k]
			}
			return nil
		})
	}
	if summed && !s.points.Sparse {
		step = summedPanels
	}
	if q := int64(len(s.index)); s.points.Sparse {
		// Panels of sparse points are laid out when they are loaded. So many are taken at a time as
		// the second-level cache holds, or, where rows are packed for each step, as memory allows.
		panel := kernels.PanelBytes(s.points.Dim, int64(s.points.Nonzeros())*simd.Width/q)
		limit := filled / (panel + 1)
		if size > prepacked {
			limit = prepacked / (panel + 1)
		}
		step = int(max(1, min(int64(step), limit)))
	}
	// The panels of a look lie in the buffers of the workers, where there is room for one.
	if u.look != nil && !s.points.Sparse {
		step = 1
	}
	return step, err
}
