package gradient

import (
	"context"

	"bigmkl/cache"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// machine is the pass in element type T: float32 for speed, float64 where a small gap must be certified.
type machine[T simd.Real] struct {
	scaled
	gr      *Gradient
	workers []worker[T]
	rows    *cache.Cache
	caching bool
	field   *field            // whose rows the cache holds
	cost    map[shape]float64 // nanoseconds to compute one base row on one panel
	packs   []kernels.Rows[T]
	wholes  []kernels.Rows[T]
	kept    bases[T]
}

// scaled is a bank with a factor for each kernel, in storage order.
type scaled struct {
	bank   *kernels.Bank
	factor []float64
}

// of gives the factors of a group.
func (s *scaled) of(g *kernels.Group) []float64 { return s.factor[g.First : g.First+len(g.Members)] }

func newMachine[T simd.Real](gr *Gradient) (*machine[T], error) {
	m := &machine[T]{scaled: scaled{bank: gr.bank, factor: make([]float64, gr.bank.Len())}, gr: gr, field: gr.now, workers: make([]worker[T], max(gr.opt.Threads, 1))}
	for i := range m.workers {
		m.workers[i] = worker[T]{eval: kernels.NewEvaluator[T](gr.bank)}
	}
	o := gr.opt.Cache
	o.RowBytes, o.Threads = m.rowBytes(gr.now), len(m.workers)
	if elementSize[T]() == 8 {
		o.Memory = gr.opt.DoubleRows
	}
	m.caching = o.Mode != cache.Never && o.Memory > 0
	var err error
	m.rows, err = cache.Open(o)
	if err != nil {
		return nil, err
	}
	groups := len(gr.bank.Groups)
	m.cost, m.packs, m.wholes = make(map[shape]float64), make([]kernels.Rows[T], groups), make([]kernels.Rows[T], groups)
	for id, at := range gr.bank.Places() {
		m.factor[at] = gr.bank.Factor(id)
	}
	return m, nil
}

func elementSize[T simd.Real]() int64 {
	var v T
	if _, wide := any(v).(float64); wide {
		return 8
	}
	return 4
}

func (m *machine[T]) close() (cache.Stats, error) {
	s := m.rows.Stats()
	return s, m.rows.Close()
}

func (m *machine[T]) cacheStats() cache.Stats { return m.rows.Stats() }

// update is what one pass does. theta nil: the gradients are not combined. Vectors over kernels are in storage order,
// vectors over points padded to whole panels.
type update struct {
	set                       *workingSet
	vector, origin            []float64 // of the linear kernels
	alpha, theta, combined, v []float64
	along                     []float64 // as many gradients, of which length times is added; nil: none
	length                    float64
	pending                   *Pending // of a pass that combines: what of it is done, before and, if it is cut, after it
}

// plan says for each group where the base rows of the working set come from.
type plan[T simd.Real] struct {
	rows    [][]T            // per base and working point: the cached row, nil if there is none; nil if there are none
	hit     []bool           // per working point: all its rows are there
	compute []int            // working points to compute, ascending
	packed  *kernels.Rows[T] // these, if they are packed for the whole pass
	whole   *kernels.Rows[T] // all of them, where their norms are needed
}

// pass streams over the units; see Gradient.Pass. Once ctx is done, units that are in hand are
// finished and no other is begun.
func (m *machine[T]) pass(ctx context.Context, f *field, u *update) error {
	l := &f.layout
	// The rest of a pass passes over a part of the points: it can fill no rows for later ones.
	caching := u.pending == nil && m.caches(f)
	plans, err := m.acquire(ctx, caching, u.set)
	if err != nil {
		return err
	}
	m.count(f, u.set, plans)
	step, err := m.prepack(ctx, u.set, plans)
	if err != nil {
		return err
	}
	u.origin = origins(m.bank, u.vector)
	var t *tally
	if u.theta != nil {
		t = newTally(l, m.bank.Len(), u.combined, u.pending)
	}
	shards := l.shards(m.gr.opt.Shards)
	err = each(ctx, len(m.workers), len(shards)*len(l.blocks), func(w, item int) error {
		shard, block := shards[item/len(l.blocks)], item%len(l.blocks)
		for unit := shard[0]; unit < shard[1]; unit++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			var part, sum []float64
			at := unit*len(l.blocks) + block
			if t != nil {
				if t.done[at] != 0 {
					continue
				}
				part, sum = t.parts[block], t.unit(unit)
			}
			m.workers[w].update(m, f, l.units[unit], l.blocks[block], step, u, plans, part, sum)
			if t != nil {
				t.done[at] = 1
			}
		}
		return nil
	})
	if e := m.release(err == nil, caching, u.set); err == nil {
		err = e
	}
	if t == nil {
		return err
	}
	if err != nil {
		u.pending = t.pending()
		return err
	}
	u.pending = nil
	t.join(u.v)
	return nil
}

// count says what the pass is about to do.
func (m *machine[T]) count(f *field, s *workingSet, plans []plan[T]) {
	stats, n := &m.gr.stats, int64(f.n)
	stats.Passes++
	stats.Rows += int64(len(s.index))
	for k := range plans {
		g := &m.bank.Groups[k]
		if g.Base == kernels.CentredProduct {
			continue
		}
		stats.Entries += n * int64(len(s.index)*len(g.Members))
		g.Parts(func(part *kernels.Group) {
			terms := len(plans[k].compute) * part.Dim
			if m.workers[0].eval.Sparse(part) {
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
	filled    = 1 << 20  // bytes of panels of sparse points that stay in the second-level cache meanwhile
)

// prepack packs the rows of all groups once, if that is not too much, and says how many panels to take at a time. No
// result depends on it.
func (m *machine[T]) prepack(ctx context.Context, s *workingSet, plans []plan[T]) (step int, err error) {
	step = unitPanels
	if plans == nil {
		return step, nil
	}
	size := int64(0)
	for k := range plans {
		g := &m.bank.Groups[k]
		size += m.workers[0].eval.RowsBytes(g, s.points, len(plans[k].compute))
		if g.Spherical {
			size += m.workers[0].eval.RowsBytes(g, s.points, len(s.index))
		}
	}
	if size <= prepacked || len(plans) == 1 {
		step = stride
		err = each(ctx, len(m.workers), len(plans), func(w, k int) error {
			g, p := &m.bank.Groups[k], &plans[k]
			if g.Base == kernels.CentredProduct {
				return nil
			}
			packRows(m.workers[w].eval, &m.packs[k], g, s, p.compute)
			p.packed = &m.packs[k]
			if g.Spherical {
				m.workers[w].eval.PackRows(&m.wholes[k], g, s.points)
				p.whole = &m.wholes[k]
			}
			return nil
		})
	}
	if q := int64(len(s.index)); s.points.Sparse {
		panel := kernels.PanelBytes(s.points.Dim, int64(s.points.Nonzeros())*simd.Width/q)
		limit := filled / (panel + 1)
		if size > prepacked {
			limit = prepacked / (panel + 1)
		}
		step = int(max(1, min(int64(step), limit)))
	}
	return step, err
}
