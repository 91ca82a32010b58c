package bigmkl

import (
	"slices"

	"bigmkl/budget"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/model"
)

// How several machines decide; see Options.Multiclass.
const (
	OneVsRest  = model.OneVsRest
	OneVsOne   = model.OneVsOne
	MultiLabel = model.MultiLabel
)

// mostMachines bounds the machines of one model.
const mostMachines = 1 << 20

// contest is the classes of several machines, and which of them each tells apart.
type contest struct {
	kind    string
	classes []string
	of      [][]int32 // of each class of the data, the classes that its points have: itself, or the labels of a set
	pairs   [][2]int32
	rows    [][]int32 // of each class of the data, ascending, where machines are for pairs; nil otherwise
}

// contest is nil if there are two classes and one machine.
func (t *training) contest() (*contest, error) {
	if t.o.Multiclass == "" {
		return nil, nil
	}
	names := t.store.Classes()
	c := &contest{kind: t.o.Multiclass}
	switch {
	case c.kind == MultiLabel:
		c.classes, c.of = dataset.LabelSets(names)
		if len(c.classes) == 0 {
			return nil, fail.New(fail.Input, "no row has a label")
		}
	case len(names) == 2:
		t.warn("there are two classes, which one machine tells apart: several machines (%s) are not needed", c.kind)
		fallthrough
	case len(names) < 2:
		return nil, nil
	default:
		c.classes = names
		for k := range names {
			c.of = append(c.of, []int32{int32(k)})
		}
	}
	for label := range t.o.ClassWeight {
		if l, err := dataset.CanonicalLabel(label); err != nil || !slices.Contains(c.classes, l) {
			return nil, fail.New(fail.Usage, "class weight for %s, which is none of the %d classes", fail.Quote(label), len(c.classes))
		}
	}
	if n := len(c.classes); n > dataset.MaxClasses {
		return nil, fail.New(fail.Input, "%d labels, at most %d", n, dataset.MaxClasses)
	} else if c.kind == OneVsOne && n*(n-1)/2 > mostMachines {
		return nil, fail.New(fail.Input, "%d classes have %d pairs with a machine each, at most %d", n, n*(n-1)/2, mostMachines).WithHint("--multiclass ovr has a machine for each class")
	}
	c.pairs = model.Pairs(c.kind, len(c.classes))
	if c.kind == OneVsOne {
		c.rows = make([][]int32, len(names))
		for i, class := range t.store.Labels() {
			c.rows[class] = append(c.rows[class], int32(i))
		}
	}
	t.several = c.effort(t.store)
	return c, nil
}

// effort is what the machines take together.
func (c *contest) effort(store *dataset.Store) budget.Effort {
	var points []int
	for _, s := range c.sides(store) {
		points = append(points, s[0]+s[1])
	}
	return budget.NewEffort(points, store.Len())
}

// sides counts the points of each machine: of its class, and those against it.
func (c *contest) sides(store *dataset.Store) [][2]int {
	count := make([]int, len(c.of)) // points of each class of the data
	for _, class := range store.Labels() {
		count[class]++
	}
	r := make([][2]int, len(c.pairs))
	for k := range c.pairs {
		for class, points := range count {
			if s := c.sign(k, int32(class)); s != 0 {
				r[k][(1-s)/2] += points
			}
		}
	}
	return r
}

// sign is +1, -1 or 0 for a point of a class of the data: its part in machine k.
func (c *contest) sign(k int, class int32) int8 {
	switch p := c.pairs[k]; {
	case slices.Contains(c.of[class], p[0]):
		return 1
	case p[1] == model.Rest || slices.Contains(c.of[class], p[1]):
		return -1
	}
	return 0
}

// points gives the points that machine k is over, ascending, with their part in it.
func (c *contest) points(k int, labels []int32) (index []int32, y []int8) {
	if c.rows == nil {
		for i, class := range labels {
			if s := c.sign(k, class); s != 0 {
				index, y = append(index, int32(i)), append(y, s)
			}
		}
		return index, y
	}
	positive, negative := c.rows[c.pairs[k][0]], c.rows[c.pairs[k][1]]
	for len(positive) > 0 || len(negative) > 0 {
		if len(negative) == 0 || len(positive) > 0 && positive[0] < negative[0] {
			index, y, positive = append(index, positive[0]), append(y, 1), positive[1:]
		} else {
			index, y, negative = append(index, negative[0]), append(y, -1), negative[1:]
		}
	}
	return index, y
}

// name says in messages what machine k tells apart.
func (c *contest) name(k int) string {
	m := model.Model{Classes: c.classes, Machines: []model.Machine{{Positive: c.pairs[k][0], Negative: c.pairs[k][1]}}}
	return m.ShortName(0)
}
