package gradient

import (
	"context"

	"bigmkl/cache"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// machine is the pass in element type T: float32 for speed, float64 where a small gap must be certified.
type machine[T simd.Real] struct {
	gr      *Gradient
	workers []worker[T]
	rows    *cache.Cache
	field   *field    // whose rows the cache holds
	cost    []float64 // nanoseconds to compute one base row of each group
}

// worker is the scratch memory of one goroutine.
type worker[T simd.Real] struct {
	eval   *kernels.Evaluator[T]
	rows   kernels.Rows[T] // the points to compute
	whole  kernels.Rows[T] // the whole working set, where the spherical factors need it
	cols   kernels.Columns[T]
	base   []T
	delta  []T // coefficients of the packed rows
	coef   []T
	factor []T
	acc    []T
	points []float32
	panel  []float32 // of sparse points; see kernels.PanelBuffer
	ids    []int32
	side   []T // factors of the columns
	ones   []T
}

func newMachine[T simd.Real](gr *Gradient) (*machine[T], error) {
	m := &machine[T]{gr: gr, field: gr.now, workers: make([]worker[T], max(gr.opt.Threads, 1))}
	for i := range m.workers {
		m.workers[i] = worker[T]{eval: kernels.NewEvaluator[T](gr.bank), acc: make([]T, simd.Width), panel: kernels.PanelBuffer(gr.points)}
	}
	o := gr.opt.Cache
	o.RowBytes = int64(gr.now.panels) * simd.Width * elementSize[T]()
	var err error
	m.rows, err = cache.Open(o)
	if err != nil {
		return nil, err
	}
	m.cost = make([]float64, len(gr.bank.Groups))
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

// update is what one pass does. theta nil: the gradients are not combined.
type update struct {
	set          *workingSet
	alpha, theta []float64
	combined, v  []float64
}

// plan says for each group where the base rows of the working set come from.
type plan[T simd.Real] struct {
	rows    [][]T // per working point: the cached row, nil if there is none
	hit     []bool
	compute []int // working points to compute, ascending
}

// pass streams over the shards; see Gradient.Pass.
func (m *machine[T]) pass(ctx context.Context, f *field, u *update) error {
	l, bank := &f.layout, m.gr.bank
	plans, err := m.acquire(ctx, f, u.set)
	if err != nil {
		return err
	}
	items := len(l.shards) * len(l.blocks)
	var sums []float64
	parts := [][]float64{u.combined}
	if u.theta != nil {
		sums = make([]float64, len(l.shards)*bank.Len())
		for range len(l.blocks) - 1 {
			parts = append(parts, make([]float64, l.n))
		}
		clear(u.combined)
	}
	err = each(ctx, len(m.workers), items, func(w, item int) error {
		shard, block := item/len(l.blocks), item%len(l.blocks)
		var part, sum []float64
		if u.theta != nil {
			part = parts[block]
			sum = sums[shard*bank.Len() : (shard+1)*bank.Len()]
		}
		for g := l.blocks[block][0]; g < l.blocks[block][1]; g++ {
			var p *plan[T]
			if len(u.set.ids) > 0 {
				p = &plans[g]
			}
			m.workers[w].updateGroup(m.gr, f, &bank.Groups[g], l.shards[shard], u, p, part, sum)
		}
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
		for k, x := range sums[s*bank.Len() : (s+1)*bank.Len()] {
			u.v[k] += x
		}
	}
	return nil
}

// sumRows is the number of rows that are summed in T before they join the float64 gradient.
const sumRows = 64

// updateGroup does one group on the panels of one shard. part and sum collect the combined gradient and alpha'g_m.
func (w *worker[T]) updateGroup(gr *Gradient, f *field, g *kernels.Group, shard [2]int, u *update, p *plan[T], part, sum []float64) {
	q, norms := len(u.set.ids), &w.rows
	if gr.bank.Spherical && !g.UnitDiagonal() {
		norms = &w.whole
	}
	if q > 0 {
		w.pack(gr, g, u.set, p)
		w.base = grow(w.base, (q+simd.Rows-1)/simd.Rows*simd.Rows*simd.Width)
		w.load(u.set.delta)
	}
	for at := shard[0]; at < shard[1]; at++ {
		if q > 0 {
			w.fill(gr, f, g, at, p)
		}
		for i := range g.Members {
			k := &g.Members[i]
			place := (at*gr.bank.Len() + g.First + i) * simd.Width
			gm := f.g[place : place+simd.Width]
			if q > 0 {
				w.add(gr.bank, norms, gm, k, 1)
			}
			if u.theta != nil {
				from := at * simd.Width
				to := from + f.count(at)
				sum[k.ID] += combine(gm[:to-from], u.alpha[from:to], part[from:to], u.theta[k.ID])
			}
		}
	}
}

// pack packs the rows that have to be computed, and the whole set where its norms are needed.
func (w *worker[T]) pack(gr *Gradient, g *kernels.Group, s *workingSet, p *plan[T]) {
	d := gr.points.Dim()
	if gr.bank.Spherical && !g.UnitDiagonal() {
		w.eval.PackRows(&w.whole, g, s.points, d, s.ids)
	}
	if len(p.compute) == len(s.ids) {
		w.eval.PackRows(&w.rows, g, s.points, d, s.ids)
		return
	}
	w.points, w.ids = w.points[:0], w.ids[:0]
	for _, i := range p.compute {
		w.points = append(w.points, s.points[i*d:(i+1)*d]...)
		w.ids = append(w.ids, s.ids[i])
	}
	w.eval.PackRows(&w.rows, g, w.points, d, w.ids)
}

// fill makes the base of every working point on panel at, cached or computed, and hands new rows to the cache.
func (w *worker[T]) fill(gr *Gradient, f *field, g *kernels.Group, at int, p *plan[T]) {
	if len(p.compute) > 0 || gr.bank.Spherical && !g.UnitDiagonal() {
		w.columns(f, g, at)
	}
	const tile = simd.Rows * simd.Width
	if len(p.compute) == len(p.rows) {
		for b := 0; b*simd.Rows < w.rows.Len; b++ {
			w.eval.Base(w.base[b*tile:(b+1)*tile], g, &w.rows, b, &w.cols)
		}
	} else {
		w.factor = grow(w.factor, tile)
		for b := 0; b*simd.Rows < len(p.compute); b++ {
			w.eval.Base(w.factor, g, &w.rows, b, &w.cols)
			for i := b * simd.Rows; i < min((b+1)*simd.Rows, len(p.compute)); i++ {
				row := p.compute[i] * simd.Width
				copy(w.base[row:row+simd.Width], w.factor[(i-b*simd.Rows)*simd.Width:])
			}
		}
	}
	lanes := at * simd.Width
	for i, row := range p.rows {
		switch base := w.base[i*simd.Width : (i+1)*simd.Width]; {
		case row == nil:
		case p.hit[i]:
			copy(base, row[lanes:lanes+simd.Width])
		default:
			copy(row[lanes:lanes+simd.Width], base)
		}
	}
}

// load takes the coefficients of the packed rows for the calls of add that follow.
func (w *worker[T]) load(delta []float64) {
	w.delta = grow(w.delta, len(delta))
	for i, x := range delta {
		w.delta[i] = T(x)
	}
}

// add adds weight sum_r delta_r k(x_r, .) to dst on one panel. rows: the packed points of delta, for their norms.
func (w *worker[T]) add(bank *kernels.Bank, rows *kernels.Rows[T], dst []float64, k *kernels.Member, weight float64) {
	delta := w.delta
	var columns []T
	if bank.Spherical {
		w.coef = append(w.coef[:0], delta...)
		delta = w.coef
		columns = w.divide(rows, delta, k)
	}
	for from := 0; from < len(delta); from += sumRows {
		to := min(from+sumRows, len(delta))
		clear(w.acc)
		w.eval.Sum(w.acc, w.base[from*simd.Width:to*simd.Width], delta[from:to], k)
		for j, f := range columns {
			w.acc[j] *= f
		}
		simd.AddTo(dst, w.acc, weight*bank.Factor(int(k.ID)))
	}
}

// divide applies the spherical normalisation: it divides the coefficients of the row points by their norms and returns the
// factors of the columns, nil where there is nothing to do.
func (w *worker[T]) divide(rows *kernels.Rows[T], coef []T, k *kernels.Member) []T {
	f := w.eval.RowFactors(w.factor, rows, k)
	if f == nil {
		return nil
	}
	w.factor = f
	for i := range coef {
		coef[i] *= f[i]
	}
	w.side = w.eval.ColumnFactors(w.side, &w.cols, k)
	return w.side
}

// combine adds theta g to part and returns alpha'g.
func combine(g, alpha, part []float64, theta float64) float64 {
	s := 0.0
	part, alpha = part[:len(g)], alpha[:len(g)]
	for j, x := range g {
		s += alpha[j] * x
		part[j] += theta * x
	}
	return s
}

// grow returns a slice of n elements, reusing s where it is large enough; the contents are not kept.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
