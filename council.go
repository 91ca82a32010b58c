package bigmkl

import (
	"slices"
	"strings"

	"bigmkl/dataset"
)

// council decides by several machines.
type council struct {
	model *Model
	votes []int
	sums  []float64
	order []int // of labels in a set
	set   []string
}

func newCouncil(m *Model) *council {
	c := &council{model: m, votes: make([]int, len(m.Classes)), sums: make([]float64, len(m.Classes))}
	for k := range m.Classes {
		c.order = append(c.order, k)
	}
	slices.SortFunc(c.order, func(a, b int) int { return dataset.CompareLabels(m.Classes[a], m.Classes[b]) })
	return c
}

// decide gives the class of a row, or its labels, and what decided: the largest decision value, or the sum of those of the class
// that has won in the votes; of labels the largest, whatever its sign.
func (c *council) decide(decisions []float64) (string, float64) {
	classes := c.model.Classes
	if c.model.Multiclass != OneVsOne {
		best := 0
		c.set = c.set[:0]
		for k, f := range decisions {
			if f > decisions[best] {
				best = k
			}
		}
		if c.model.Multiclass == MultiLabel {
			for _, k := range c.order {
				if decisions[k] > 0 {
					c.set = append(c.set, classes[k])
				}
			}
			if len(c.set) == 0 {
				return dataset.EmptySet, decisions[best]
			}
			return strings.Join(c.set, ","), decisions[best]
		}
		return classes[best], decisions[best]
	}
	clear(c.votes)
	clear(c.sums)
	for k, f := range decisions {
		a := &c.model.Machines[k]
		winner := a.Negative
		if f > 0 {
			winner = a.Positive
		}
		c.votes[winner]++
		c.sums[a.Positive] += f
		c.sums[a.Negative] -= f
	}
	best := 0
	for k, v := range c.votes {
		if v > c.votes[best] || v == c.votes[best] && c.sums[k] > c.sums[best] {
			best = k
		}
	}
	return classes[best], c.sums[best]
}
