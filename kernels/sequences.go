package kernels

import (
	"slices"

	"bigmkl/internal/simd"
)

// sequences packs points for string kernels. It owns scratch memory of one goroutine.
type sequences[T simd.Real] struct {
	letters letters
	count   counter
	matcher matcher
}

// packRows packs the points of a set.
func (s *sequences[T]) packRows(r *Rows[T], g *Group, set *Set) {
	t := g.text
	t.set(&s.letters, set)
	r.self = grow(r.self, len(t.layers)*r.Len)
	if g.Base == letterMatches {
		r.bits.packRows(t, &s.letters, r.Len)
		// The norms need the diagonal of the rows. It cannot wait, because packed rows are shared
		// between goroutines.
		if g.Spherical {
			s.matcher.rowSelves(t, &r.bits, r.Len, func(at int, v float64) { r.self[at] = T(v) })
		}
		return
	}
	r.words = slices.Grow(r.words[:0], len(t.layers))[:len(t.layers)]
	for l := range t.layers {
		r.words[l].make(t, l, &s.letters, &s.count, r.self[l*r.Len:(l+1)*r.Len])
	}
}

// packPanel packs the points of a panel. The diagonal of weighted degree kernels is left for later.
func (s *sequences[T]) packPanel(c *Columns[T], g *Group, p *Panel) {
	t := g.text
	t.panel(&s.letters, p)
	c.self = grow(c.self, len(t.layers)*simd.Width)
	clear(c.self)
	if g.Base == letterMatches {
		c.bits.packPanel(t, &s.letters, p.Len)
		c.lazy = g
		return
	}
	c.lexica = slices.Grow(c.lexica[:0], len(t.layers))[:len(t.layers)]
	for l := range t.layers {
		c.lexica[l].make(t, l, &s.letters, p.Len, c.self[l*simd.Width:(l+1)*simd.Width])
	}
}

// base writes the kernels of rows from..from+count-1 with the points of a panel,
// [layer][count][32].
func (s *sequences[T]) base(dst []T, g *Group, r *Rows[T], from, count int, c *Columns[T]) {
	if g.Base == letterMatches {
		matchProducts(dst, &s.matcher, g.text, &r.bits, &c.bits, from, count)
		return
	}
	for l := range g.text.layers {
		to := dst[l*count*simd.Width:]
		if g.text.short(l) {
			shortProducts(to, &r.words[l], &c.lexica[l], from, count)
		} else {
			wordProducts(to, &r.words[l], &c.lexica[l], from, count)
		}
	}
}

// selves computes what packPanel has left out.
func (s *sequences[T]) selves(c *Columns[T], g *Group) {
	s.matcher.laneSelves(g.text, &c.bits, func(at int, v float64) { c.self[at] = T(v) })
}
