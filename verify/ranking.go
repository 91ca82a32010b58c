package verify

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sort"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/float"
	"bigmkl/internal/model"
)

// The dual variables of a ranking belong to ordered pairs k of rows (i,j),
//
//	loss of pair k   C max(0, m_k - (f_i - f_j))        linear part  m_k beta_k        0 <= beta_k <= C
//
// and alpha of a row is the sum of beta over the pairs with the row in front, less that over the pairs with the row behind. Task rank
// has all pairs of rows of one group of which the relevance of i is the larger, with m_k = 1. A ranking of times
// compares a row with the last event before it, and with the second, the fourth, the eighth last one and so on; m_k = log t_i - log t_j.
// Events at one time are in the order of their rows. An event at the time of a censored row is before it.

// rankingWing is the wing of models whose dual variables belong to pairs of rows.
type rankingWing struct{ plainWing }

var _ wing = rankingWing{}

func (w rankingWing) traits(m *model.Model) wingTraits {
	t := w.plainWing.traits(m)
	t.whole = true
	return t
}

func (w rankingWing) fits(m *model.Model) bool {
	p := &m.RowPairs
	ok := w.plainWing.fits(m) && !m.Several() && m.CostWeight == nil && len(p.Above) == len(p.Beta) && len(p.Below) == len(p.Beta)
	for k := 0; ok && k < len(p.Beta); k++ {
		i, j := p.Above[k], p.Below[k]
		ok = i >= 0 && int(i) < m.Points && j >= 0 && int(j) < m.Points
	}
	return ok
}

// checkDual checks nothing but that alpha is a number: bounds and linear part belong to pairs.
func (rankingWing) checkDual(_ *classifier, a float64, _ *role, place string, f *faults) float64 {
	if !float.Finite(a) {
		f.add("sign", "%s: alpha is %v", place, a)
	}
	return 0
}

// scores are the decision values of rows, with what rounding may make of them.
type scores struct{ id, f, rough []float64 }

func (rankingWing) newSums(*model.Model) wingSums { return &scores{} }

func (s *scores) addSums(o wingSums) {
	p := o.(*scores)
	s.id, s.f, s.rough = append(s.id, p.id...), append(s.f, p.f...), append(s.rough, p.rough...)
}

func (s *scores) visit(v visitor) {
	n := len(s.id)
	v.count(&n)
	for _, list := range []*[]float64{&s.id, &s.f, &s.rough} {
		// A frame of another rank may state any number, and has as many as a batch at most.
		*list = slices.Grow((*list)[:0], min(n, maxBatch))[:min(n, maxBatch)]
		v.reals(*list)
	}
}

func (rankingWing) sumLosses(w *worker, b *batch) error {
	s := w.own.(*scores)
	for r := range b.rows {
		f, rough := w.decision(&b.rows[r], 0)
		s.id, s.f, s.rough = append(s.id, float64(b.rows[r].id)), append(s.f, f), append(s.rough, rough)
	}
	w.counted += len(b.rows)
	return nil
}

// completer is a wing whose losses take the decision values of all rows.
type completer interface {
	// complete adds to the totals and to the linear parts of what r has read, when all rows have been read.
	complete(m *model.Model, t *totals, r *reader)
}

var _ completer = rankingWing{}

func (rankingWing) complete(m *model.Model, t *totals, r *reader) {
	s, n := t.wing.(*scores), m.Points
	f, rough := make([]float64, n), make([]float64, n)
	for k, id := range s.id {
		if i := int(id); i >= 0 && i < n {
			f[i], rough[i] = s.f[k], s.rough[k]
		}
	}
	l := &t.losses[0]
	add := func(i, j int32, margin float64) {
		off, d := rough[i]+rough[j], margin-(f[i]-f[j])
		x := m.C * max(0, d)
		l.sum.add(x)
		l.costs += m.C * max(1, margin)
		l.slack.add(math.Abs(m.C*max(0, d+off)-x) + math.Abs(m.C*max(0, d-off)-x))
	}
	pairs := &comparable{targets: r.fingerprint.targets, groups: r.fingerprint.labels, timed: model.Labeling(m.Task) == dataset.Times}
	pairs.each(add)
	l.rows = t.rows
	r.support.lin[0].add(pairs.checkDuals(m, &r.support.classifierFaults[0]))
}

// comparable finds the rows that are compared with each other.
type comparable struct {
	targets []float64 // relevances, or times, which are negative of censored rows
	groups  []int32
	timed   bool
	events  []int32 // rows with an event, by time and then by number
}

// each calls do for every pair of rows, with its margin.
func (c *comparable) each(do func(i, j int32, margin float64)) {
	if c.timed {
		for i := range c.targets {
			for before, lag := c.before(int32(i)), 1; lag <= before; lag *= 2 {
				j := c.events[before-lag]
				do(int32(i), j, c.margin(int32(i), j))
			}
		}
		return
	}
	rows := map[int32][]int32{}
	for i, g := range c.groups {
		rows[g] = append(rows[g], int32(i))
	}
	for _, g := range slices.Sorted(maps.Keys(rows)) {
		for _, i := range rows[g] {
			for _, j := range rows[g] {
				if c.targets[i] > c.targets[j] {
					do(i, j, 1)
				}
			}
		}
	}
}

// before returns the number of events before the time of row i. They come first in c.events, which it lists.
func (c *comparable) before(i int32) int {
	if c.events == nil {
		for k, t := range c.targets {
			if t > 0 {
				c.events = append(c.events, int32(k))
			}
		}
		slices.SortStableFunc(c.events, func(a, b int32) int { return cmp.Compare(c.targets[a], c.targets[b]) })
	}
	t := c.targets[i]
	return sort.Search(len(c.events), func(k int) bool {
		e := c.targets[c.events[k]]
		return e > math.Abs(t) || e == t
	})
}

// margin returns the margin of a pair.
func (c *comparable) margin(i, j int32) float64 {
	if c.timed {
		return math.Log(math.Abs(c.targets[i])) - math.Log(c.targets[j])
	}
	return 1
}

// holds reports whether row i is compared with row j, in front of it.
func (c *comparable) holds(i, j int32) bool {
	if c.timed {
		before := c.before(i)
		place, _ := slices.BinarySearchFunc(c.events[:before], j, func(e, j int32) int {
			return cmp.Or(cmp.Compare(c.targets[e], c.targets[j]), cmp.Compare(e, j))
		})
		lag := before - place
		return place < before && c.events[place] == j && lag&(lag-1) == 0
	}
	return c.groups[i] == c.groups[j] && c.targets[i] > c.targets[j]
}

// checkDuals checks the dual variables of pairs: each is one of a pair of the data, which occurs once, and within its bounds, and their
// sums are the dual variables of the rows. It returns the linear part of the dual value.
func (c *comparable) checkDuals(m *model.Model, f *faults) float64 {
	p, n := &m.RowPairs, m.Points
	sums, sizes, seen := make([]neumaier, n), make([]float64, n), make([]uint64, 0, len(p.Beta))
	var lin neumaier
	for k, b := range p.Beta {
		i, j := p.Above[k], p.Below[k]
		if !c.holds(i, j) {
			f.add("pair", "pair %d is of rows %d and %d, which the data do not compare so", k+1, i+1, j+1)
			continue
		}
		if !(b > 0 && b <= m.C*(1+boxSlack)) {
			f.add("box", "pair %d of rows %d and %d: beta is %.17g, which is not in (0, %.17g]", k+1, i+1, j+1, b, m.C)
		}
		seen = append(seen, uint64(i)<<32|uint64(j))
		lin.add(c.margin(i, j) * b)
		sums[i].add(b)
		sums[j].add(-b)
		sizes[i], sizes[j] = sizes[i]+math.Abs(b), sizes[j]+math.Abs(b)
	}
	slices.Sort(seen)
	for k := 1; k < len(seen); k++ {
		if seen[k] == seen[k-1] {
			f.add("pair", "rows %d and %d have two dual variables", seen[k]>>32+1, seen[k]&math.MaxUint32+1)
		}
	}
	alpha := make([]float64, n)
	for s, i := range m.Support {
		alpha[i] = m.Alpha[s]
	}
	for i, a := range alpha {
		if sum := sums[i].value(); !(math.Abs(sum-a) <= balance*sizes[i]) {
			f.add("pairs", "row %d: alpha is %.17g, and its pairs sum to %.17g", i+1, a, sum)
		}
	}
	return lin.value()
}

// judge checks besides that the function has no bias, which no difference shows.
func (w rankingWing) judge(p *judgement) *finding {
	if p.m.Bias != 0 {
		p.findings[0].faults.add("bias", "the bias is %g, and a ranking has none", p.m.Bias)
	}
	return w.plainWing.judge(p)
}

// groups numbers the groups of rows in the order of their first rows.
type groups struct {
	number map[string]int32
	names  []string
}

// numberOf returns the number of a group.
func (g *groups) numberOf(name string) int32 {
	k, ok := g.number[name]
	if !ok {
		if g.number == nil {
			g.number = map[string]int32{}
		}
		k = int32(len(g.names))
		g.number[name], g.names = k, append(g.names, name)
	}
	return k
}

// ranked returns the names in the order of classes, and the place of each group among them.
func (g *groups) ranked() (names []string, rank []int32) {
	names, rank = slices.Clone(g.names), make([]int32, len(g.names))
	labeltext.Sort(names)
	for k, name := range names {
		rank[g.number[name]] = int32(k)
	}
	return names, rank
}
