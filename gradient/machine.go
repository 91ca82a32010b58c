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
	field   *field            // whose rows the cache holds
	cost    map[shape]float64 // nanoseconds to compute one base row
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

// normed tells whether the spherical normalisation divides the kernels of a group.
func (s *scaled) normed(g *kernels.Group) bool { return s.bank.Spherical && !g.UnitDiagonal() }

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
	delta  []T // coefficients of the packed rows
	coef   []T
	left   []T // factors of the rows
	right  []T // factors of the columns
	sum    []float64
	square *kernels.Rows[T] // the working set against itself: its rows
	mix    []mix[T]         // column blocks of a share
}

func newMachine[T simd.Real](gr *Gradient) (*machine[T], error) {
	m := &machine[T]{scaled: scaled{bank: gr.bank, factor: make([]float64, gr.bank.Len())}, gr: gr, field: gr.now, workers: make([]worker[T], max(gr.opt.Threads, 1))}
	for i := range m.workers {
		m.workers[i] = worker[T]{eval: kernels.NewEvaluator[T](gr.bank)}
	}
	o := gr.opt.Cache
	o.RowBytes = int64(gr.now.panels) * simd.Width * elementSize[T]()
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
}

// plan says for each group where the base rows of the working set come from.
type plan[T simd.Real] struct {
	rows    [][]T // per working point: the cached row, nil if there is none; nil if there are none
	hit     []bool
	compute []int            // working points to compute, ascending
	packed  *kernels.Rows[T] // these, if they are packed for the whole pass
	whole   *kernels.Rows[T] // all of them, where their norms are needed
}

// pass streams over the shards; see Gradient.Pass.
func (m *machine[T]) pass(ctx context.Context, f *field, u *update) error {
	l := &f.layout
	plans, err := m.acquire(ctx, f, u.set)
	if err != nil {
		return err
	}
	m.count(f, u.set, plans)
	step, err := m.prepack(ctx, u.set, plans)
	if err != nil {
		return err
	}
	u.origin = origins(m.bank, u.vector)
	kernels := m.bank.Len()
	var sums []float64
	parts := [][]float64{u.combined}
	if u.theta != nil {
		sums = make([]float64, len(l.shards)*kernels)
		for range len(l.blocks) - 1 {
			parts = append(parts, make([]float64, len(u.combined)))
		}
		clear(u.combined)
	}
	err = each(ctx, len(m.workers), len(l.shards)*len(l.blocks), func(w, item int) error {
		shard, block := item/len(l.blocks), item%len(l.blocks)
		var part, sum []float64
		if u.theta != nil {
			part = parts[block]
			sum = sums[shard*kernels : (shard+1)*kernels]
		}
		m.workers[w].update(m, f, l.shards[shard], l.blocks[block], step, u, plans, part, sum)
		return nil
	})
	if e := m.release(err == nil, f, u.set); err == nil {
		err = e
	}
	if err != nil || u.theta == nil {
		return err
	}
	for _, part := range parts[1:] {
		for i, x := range part {
			u.combined[i] += x
		}
	}
	clear(u.v)
	for s := range l.shards {
		for k, x := range sums[s*kernels : (s+1)*kernels] {
			u.v[k] += x
		}
	}
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
		terms := len(plans[k].compute) * g.Dim
		if m.workers[0].eval.Sparse(g) {
			terms = 0
			for _, i := range plans[k].compute {
				terms += g.Nonzeros(s.points.Index[i])
			}
		}
		stats.Products += n * int64(terms)
	}
}

// update goes over some panels of a shard at a time, and over all groups of a block before the next ones. part and sum
// collect the combined gradient and alpha'g_m.
func (w *worker[T]) update(m *machine[T], f *field, shard, block [2]int, step int, u *update, plans []plan[T], part, sum []float64) {
	w.delta = convert(w.delta, u.set.delta)
	groups, q := m.bank.Groups, len(u.set.index)
	for from := shard[0]; from < shard[1]; from += step {
		to := min(from+step, shard[1])
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
	if m.normed(g) && p.whole == nil {
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

const (
	prepacked = 32 << 20 // bytes of packed rows that are kept for a whole pass
	stride    = 8        // panels that all groups pass before the next ones come
	filled    = 1 << 20  // bytes of panels of sparse points that stay in the second-level cache meanwhile
)

// prepack packs the rows of all groups once, if that is not too much, and says how many panels to take at a time. No
// result depends on it.
func (m *machine[T]) prepack(ctx context.Context, s *workingSet, plans []plan[T]) (step int, err error) {
	step = shardPanels
	if plans == nil {
		return step, nil
	}
	size := int64(0)
	for k := range plans {
		size += m.workers[0].eval.RowsBytes(&m.bank.Groups[k], s.points, len(plans[k].compute))
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
			if m.normed(g) {
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
	normed := m.normed(g)
	if len(p.compute) > 0 || normed {
		w.eval.PackColumns(&w.cols, g, panel, f.n)
	}
	var ahead []T
	if nth+1 < len(w.panels) {
		ahead, _ = any(w.panels[nth+1].Dense).([]T)
	}
	q := len(u.set.index)
	if p.rows == nil && !normed && g.Dim <= fewFeatures {
		w.addFew(m, g, packed, gm)
		return
	}
	w.fill(g, packed, p, at, q, ahead)
	if normed {
		w.addNormed(&m.scaled, g, whole, w.base[:q*simd.Width], w.delta, gm)
		return
	}
	w.eval.Sum(gm, w.base[:q*simd.Width], w.delta, g, m.of(g))
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

// fill makes the base of every working point on panel at, cached or computed, and hands new rows to the cache.
func (w *worker[T]) fill(g *kernels.Group, packed *kernels.Rows[T], p *plan[T], at, q int, ahead []T) {
	w.base = grow(w.base, kernels.BaseSize(q))
	count := len(p.compute)
	if count == q {
		w.eval.Base(w.base, g, packed, 0, q, &w.cols, ahead)
	} else if count > 0 {
		w.fresh = grow(w.fresh, kernels.BaseSize(count))
		w.eval.Base(w.fresh, g, packed, 0, count, &w.cols, ahead)
		for i, to := range p.compute {
			copy(w.base[to*simd.Width:(to+1)*simd.Width], w.fresh[i*simd.Width:])
		}
	}
	lanes := at * simd.Width
	for i, row := range p.rows {
		switch base := w.base[i*simd.Width : (i+1)*simd.Width]; {
		case row == nil:
		case p.hit[i]:
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
