package gradient

import (
	"context"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// The quadratic model needs the kernels of the working set against itself. The base of a group on column block j against
// the rows above it, 0..32j+31, serves all its kernels. Few groups are shared out by column blocks, and their bases are
// kept for the search; many by ranges of groups, each with all column blocks.

const (
	manyGroups  = 64
	groupRanges = 16
	keptBytes   = 16 << 20
)

// share is the part of the blocks that one goroutine does at a time.
type share struct {
	number          int
	groups, columns [2]int
}

// blockWork is what is done with blocks. Its methods are called from several goroutines, for different shares.
type blockWork[T simd.Real] interface {
	wanted(g *kernels.Group) bool
	// block takes the base of the rows 0..len(base)/32-1 on column block j.
	block(w *worker[T], t *share, g *kernels.Group, j int, base []T)
	// end follows the last block of the share.
	end(w *worker[T], t *share)
}

// shares cuts the blocks of a working set. It depends on the set and the bank alone.
func shares(groups, columns int) []share {
	var r []share
	if groups >= manyGroups {
		for i, g := range cut(groups, (groups+groupRanges-1)/groupRanges) {
			r = append(r, share{i, g, [2]int{0, columns}})
		}
		return r
	}
	for j := columns - 1; j >= 0; j-- { // the long ones first
		r = append(r, share{j, [2]int{0, groups}, [2]int{j, j + 1}})
	}
	return r
}

// bases are those of the last working set on its column blocks, [group][block], if they are few.
type bases[T simd.Real] struct {
	set *workingSet
	at  [][][]T
}

// keep makes room for the bases of a set, if it is not too much.
func (b *bases[T]) keep(s *workingSet, groups int) bool {
	if b.set == s {
		return true
	}
	b.set = nil
	if groups >= manyGroups || int64(groups)*int64(columnStart(s.panels()))*elementSize[T]() > keptBytes {
		return false
	}
	b.set, b.at = s, make([][][]T, groups)
	for g := range b.at {
		b.at[g] = make([][]T, s.panels())
	}
	return true
}

// blocks does the work on all blocks of the working set.
func (m *machine[T]) blocks(ctx context.Context, s *workingSet, work blockWork[T]) error {
	groups := m.bank.Groups
	keep := m.kept.keep(s, len(groups))
	all := shares(len(groups), s.panels())
	var panels []kernels.Panel
	if len(groups) >= manyGroups { // every share takes all panels, and packs the rows of its groups
		for j := range s.panels() {
			panels = append(panels, s.points.Panel(j*simd.Width, &kernels.PanelBuffer{}))
		}
	} else { // every share takes one panel, and the rows of all groups
		err := each(ctx, len(m.workers), len(groups), func(at, k int) error {
			if work.wanted(&groups[k]) {
				m.workers[at].eval.PackRows(&m.packs[k], &groups[k], s.points)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return each(ctx, len(m.workers), len(all), func(at, item int) error {
		w, t := &m.workers[at], &all[item]
		panels := panels
		if panels == nil {
			panels = make([]kernels.Panel, s.panels())
		}
		for k := t.groups[0]; k < t.groups[1]; k++ {
			g := &groups[k]
			if !work.wanted(g) {
				continue
			}
			w.square = &m.packs[k]
			if len(groups) >= manyGroups {
				w.square = &w.rows
				w.eval.PackRows(w.square, g, s.points)
			}
			for j := t.columns[0]; j < t.columns[1]; j++ {
				base := &w.base
				if keep {
					base = &m.kept.at[k][j]
				}
				w.column(m, g, s, j, &panels[j], base, keep)
				work.block(w, t, g, j, *base)
			}
		}
		work.end(w, t)
		return nil
	})
}

// column makes the base of the rows of w.square on column block j, unless it was kept. The panel is filled when it is needed.
func (w *worker[T]) column(m *machine[T], g *kernels.Group, s *workingSet, j int, panel *kernels.Panel, base *[]T, keep bool) {
	done := keep && len(*base) > 0
	if done && !m.normed(g) {
		return
	}
	if panel.Len == 0 {
		*panel = s.points.Panel(j*simd.Width, w.buffer(0))
	}
	w.eval.PackColumns(&w.cols, g, panel, len(s.index))
	if done {
		return
	}
	count := min((j+1)*simd.Width, len(s.index))
	*base = grow(*base, kernels.BaseSize(count))
	w.eval.Base(*base, g, w.square, 0, count, &w.cols, nil)
	*base = (*base)[:count*simd.Width]
}

// norms gives the factors of the rows and columns of a block under the spherical normalisation.
func (w *worker[T]) norms(k *kernels.Member) (left, right []T) {
	w.left = w.eval.RowFactors(w.left, w.square, k)
	w.right = w.eval.ColumnFactors(w.right, &w.cols, k)
	return w.left, w.right
}

// mixing sums theta_m K_m[B,B] over the kernels.
type mixing[T simd.Real] struct {
	m      *machine[T]
	set    *workingSet
	weight []float64 // in storage order, with the normaliser
	parts  []*square // one a share of many groups
}

// mixed is the number of kernels, by their place in storage order, that are summed in T before they join the float64 model:
// what shares a group with what must not matter.
const mixed = 64

// hessian gives sum_m theta_m K_m[B,B] in h.
func (m *machine[T]) hessian(ctx context.Context, s *workingSet, theta []float64, h *square) error {
	work := &mixing[T]{m: m, set: s, weight: make([]float64, len(theta)), parts: []*square{h}}
	for id, at := range m.bank.Places() {
		work.weight[at] = theta[id] * m.factor[at]
	}
	if groups := len(m.bank.Groups); groups >= manyGroups {
		for range len(shares(groups, s.panels())) - 1 {
			work.parts = append(work.parts, newSquare(len(s.index)))
		}
	}
	err := m.blocks(ctx, s, work)
	for _, p := range work.parts[1:] {
		for i, x := range p.at {
			h.at[i] += x
		}
	}
	return err
}

func (x *mixing[T]) of(g *kernels.Group) []float64 {
	return x.weight[g.First : g.First+len(g.Members)]
}

func (x *mixing[T]) wanted(g *kernels.Group) bool {
	for _, w := range x.of(g) {
		if w != 0 {
			return true
		}
	}
	return false
}

// part is where a share's kernels are summed.
func (x *mixing[T]) part(t *share) *square { return x.parts[min(t.number, len(x.parts)-1)] }

func (x *mixing[T]) block(w *worker[T], t *share, g *kernels.Group, j int, base []T) {
	if x.m.normed(g) {
		x.divided(w, t, g, j, base)
		return
	}
	if columns := t.columns[1] - t.columns[0]; len(w.mix) != columns {
		w.mix = make([]mix[T], columns)
	}
	to := &w.mix[j-t.columns[0]]
	for from := 0; from < len(g.Members); {
		batch := (g.First + from) / mixed
		if batch != to.batch {
			to.join(x.part(t).column(j))
			to.batch = batch
		}
		end := min(len(g.Members), (batch+1)*mixed-g.First)
		to.sum = grow(to.sum, len(base))
		if !to.used {
			clear(to.sum)
			to.used = true
		}
		w.eval.Mix(to.sum, base, g, from, end, x.of(g))
		from = end
	}
}

// mix is a column block of a sum of kernels.
type mix[T simd.Real] struct {
	sum   []T
	batch int
	used  bool
}

func (m *mix[T]) join(to []float64) {
	if m.used {
		simd.AddTo(to[:len(m.sum)], m.sum, 1)
		m.used = false
	}
}

// divided adds a block of kernels that are divided by the norms of their points.
func (x *mixing[T]) divided(w *worker[T], t *share, g *kernels.Group, j int, base []T) {
	to := x.part(t).column(j)
	w.fresh = grow(w.fresh, len(base))
	for i, weight := range x.of(g) {
		if weight == 0 {
			continue
		}
		k := &g.Members[i]
		w.eval.Transform(w.fresh, base, k)
		left, right := w.norms(k)
		for r := range len(base) / simd.Width {
			row, a := w.fresh[r*simd.Width:(r+1)*simd.Width], left[r]
			for c, b := range right {
				row[c] *= a * b
			}
		}
		simd.AddTo(to[:len(base)], w.fresh, weight)
	}
}

func (x *mixing[T]) end(w *worker[T], t *share) {
	for i := range w.mix {
		w.mix[i].join(x.part(t).column(t.columns[0] + i))
	}
}

// curving gives c_m = d'K_m[B,B]d: each column block with the rows above it counts twice, its own triangle aside.
type curving[T simd.Real] struct {
	m     *machine[T]
	d     []float64
	coef  []T         // of the rows above a block: twice d
	parts [][]float64 // one a share, or one for all where shares have groups of their own
}

func (m *machine[T]) directions(ctx context.Context, s *workingSet, d, c []float64) error {
	work := &curving[T]{m: m, d: d}
	count := len(shares(len(m.bank.Groups), s.panels()))
	if len(m.bank.Groups) >= manyGroups {
		count = 1
	}
	for range count {
		work.parts = append(work.parts, make([]float64, len(c)))
	}
	err := m.blocks(ctx, s, work)
	for id, at := range m.bank.Places() {
		c[id] = 0
		for _, p := range work.parts {
			c[id] += p[at]
		}
	}
	return err
}

func (x *curving[T]) wanted(g *kernels.Group) bool { return g.Base != kernels.CentredProduct }

func (x *curving[T]) block(w *worker[T], t *share, g *kernels.Group, j int, base []T) {
	first, rows := j*simd.Width, len(base)/simd.Width
	w.delta = convert(w.delta, x.d[:rows])
	for i := range w.delta[:first] {
		w.delta[i] *= 2
	}
	w.sum = grow(w.sum, len(g.Members)*simd.Width)
	clear(w.sum)
	if x.m.normed(g) {
		w.addNormed(&x.m.scaled, g, w.square, base, w.delta, w.sum)
	} else {
		w.eval.Sum(w.sum, base, w.delta, g, x.m.of(g))
	}
	to := x.parts[min(t.number, len(x.parts)-1)][g.First:]
	for i := range g.Members {
		for r, d := range x.d[first:rows] {
			to[i] += d * w.sum[i*simd.Width+r]
		}
	}
}

func (x *curving[T]) end(*worker[T], *share) {}
