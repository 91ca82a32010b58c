package kernels

import "bigmkl/internal/simd"

// SetCentres gives centred kernels what a training has found: the sample as a set, and M of each
// kernel by number. Row points are from here on the set points, in their places, and column points
// any that are not known. It is called before anything is packed; nil has no effect.
//
// The points of the sample must have numbers of their own among those that the bank was made for.
func (b *Bank) SetCentres(sample *Set, means []float64, points *Set) {
	if sample == nil {
		return
	}
	for i := range b.Groups {
		g := &b.Groups[i]
		if g.centre == nil {
			continue
		}
		c := &centring{mean: means[g.Members[0].ID], sample: sample}
		g.centre, c.rows = c, make([]float64, len(points.IDs))
		e := NewEvaluator[float64](b)
		inner := g.Factors[0].Group
		var cols Columns[float64]
		var buffer PanelBuffer
		for from := 0; from < len(points.IDs); from += simd.Width {
			panel := points.Panel(from, &buffer)
			e.PackColumns(&cols, inner, &panel, len(points.IDs))
			m := sampleMeans(&cols, e, g)
			copy(c.rows[from:], m[:panel.Len])
		}
	}
}

// sampleMeans returns m of the points of a panel that is packed for the factor of a group.
func sampleMeans[T simd.Real](cols *Columns[T], e *Evaluator[T], g *Group) (m [simd.Width]float64) {
	inner, c := g.Factors[0].Group, g.centre
	have, count := g.having(c.sample)
	for i, rows := range packedSample(c, e, inner) {
		e.addValues(&m, inner, &rows, have[i*centreRows:], cols)
	}
	for lane := range m {
		m[lane] /= float64(max(1, count))
	}
	return m
}

// packedSample returns the sample, packed for the factor of its group.
func packedSample[T simd.Real](c *centring, e *Evaluator[T], factor *Group) []Rows[T] {
	var all any = &c.rows64
	if precision[T]() == 0 {
		all = &c.rows32
	}
	list := all.(*[]Rows[T])
	c.once[precision[T]()].Do(func() {
		n := len(c.sample.IDs)
		*list = make([]Rows[T], (n+centreRows-1)/centreRows)
		for i := range *list {
			part := c.sample.Part(i*centreRows, min((i+1)*centreRows, n))
			e.PackRows(&(*list)[i], factor, part)
		}
	})
	return *list
}

// packRowMeans takes m of the points of a set.
func (r *Rows[T]) packRowMeans(g *Group, set *Set) {
	r.means = grow(r.means, len(set.IDs))
	for i, id := range set.IDs {
		r.means[i] = g.centre.rows[id]
	}
}

// packColumnMeans finds m of the points of a panel.
func (c *Columns[T]) packColumnMeans(e *Evaluator[T], g *Group, p *Panel) {
	if g.centre.columns == nil {
		c.means = sampleMeans(&c.factors[0], e, g)
		return
	}
	clear(c.means[:])
	for lane := range p.Len {
		c.means[lane] = g.centre.columns[p.id(lane)]
	}
}
