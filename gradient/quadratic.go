package gradient

import (
	"context"
	"slices"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// mixing sums theta_m K_m[B,B] over the kernels.
type mixing[T simd.Real] struct {
	m      *machine[T]
	weight []float64 // in storage order, with the normaliser
	parts  []*square // one a share of many groups
}

// mixed is the number of kernels, by their place in storage order, that are summed in T before they join the float64 model:
// what shares a group with what must not matter.
const mixed = 64

// hessian gives sum_m theta_m K_m[B,B] in h.
func (m *machine[T]) hessian(ctx context.Context, s *workingSet, theta []float64, h *square) error {
	work := &mixing[T]{m: m, weight: make([]float64, len(theta)), parts: []*square{h}}
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

func (x *mixing[T]) wanted(g *kernels.Group) bool { return anyWeight(x.of(g)) }

// anyWeight tells whether a kernel of a group counts.
func anyWeight(weight []float64) bool {
	return slices.ContainsFunc(weight, func(x float64) bool { return x != 0 })
}

// part is where a share's kernels are summed.
func (x *mixing[T]) part(t *share) *square { return x.parts[min(t.number, len(x.parts)-1)] }

func (x *mixing[T]) block(w *worker[T], t *share, g *kernels.Group, j int, base []T) {
	if g.Spherical {
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
			if to.used {
				to.join(x.part(t).column(j))
			}
			to.batch = batch
		}
		end := min(len(g.Members), (batch+1)*mixed-g.First)
		to.sum = grow(to.sum, len(base)/g.Layers)
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
	simd.AddTo(to[:len(m.sum)], m.sum, 1)
	m.used = false
}

// divided adds a block of kernels that are divided by the norms of their points.
func (x *mixing[T]) divided(w *worker[T], t *share, g *kernels.Group, j int, base []T) {
	to := x.part(t).column(j)
	w.fresh = grow(w.fresh, len(base)/g.Layers)
	for i, weight := range x.of(g) {
		if weight == 0 {
			continue
		}
		k := &g.Members[i]
		w.eval.Transform(w.fresh, base, k)
		left, right := w.norms(k)
		for r := range len(w.fresh) / simd.Width {
			row, a := w.fresh[r*simd.Width:(r+1)*simd.Width], left[r]
			for c, b := range right {
				row[c] *= a * b
			}
		}
		simd.AddTo(to[:len(w.fresh)], w.fresh, weight)
	}
}

// end joins what is left. Where the share had no kernel that counts, the columns are those of an earlier, larger set.
func (x *mixing[T]) end(w *worker[T], t *share) {
	for i := range w.mix {
		if w.mix[i].used {
			w.mix[i].join(x.part(t).column(t.columns[0] + i))
		}
	}
}

// curving gives c_m = d'K_m[B,B]d: each column block with the rows above it counts twice, its own triangle aside.
type curving[T simd.Real] struct {
	m     *machine[T]
	d     []float64
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
	first, rows := j*simd.Width, len(base)/g.Layers/simd.Width
	w.delta = convert(w.delta, x.d[:rows])
	for i := range w.delta[:first] {
		w.delta[i] *= 2
	}
	w.sum = grow(w.sum, len(g.Members)*simd.Width)
	clear(w.sum)
	if g.Spherical {
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
