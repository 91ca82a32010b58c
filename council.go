package bigmkl

import (
	"slices"
	"strings"

	"bigmkl/dataset"
)

// council decides by several machines.
type council struct {
	model *Model
	heard []int // machines with a part in decisions
	votes []int
	sums  []float64
	order []int // of labels that are said, in a set
	set   []string
}

func newCouncil(m *Model) *council {
	c := &council{model: m, votes: make([]int, len(m.Classes)), sums: make([]float64, len(m.Classes))}
	for k := range m.Machines {
		if m.Trained(k) {
			c.heard = append(c.heard, k)
		}
	}
	if m.Multiclass == MultiLabel {
		c.order = slices.Clone(c.heard)
		slices.SortFunc(c.order, func(a, b int) int { return dataset.CompareLabels(m.Classes[a], m.Classes[b]) })
	}
	return c
}

// decide gives the class of a row, or its labels, and what decided: the largest decision value, or the sum of those of the class
// that has won in the votes; of labels the largest, whatever its sign.
//
// A machine that was never trained has no part in it: its value is a constant, which would win or lose against the others by what they
// happen to say. Its class is then never the largest, its pair has no vote and its label is not said. Where none was trained, the
// first class is predicted.
func (c *council) decide(decisions []float64) (string, float64) {
	switch c.model.Multiclass {
	case OneVsOne:
		return c.vote(decisions)
	case MultiLabel:
		return c.labels(decisions)
	}
	best := c.largest(decisions)
	return c.model.Classes[best], decisions[best]
}

// largest is the machine of the largest decision value.
func (c *council) largest(decisions []float64) int {
	if len(c.heard) == 0 {
		return 0
	}
	best := c.heard[0]
	for _, k := range c.heard {
		if decisions[k] > decisions[best] {
			best = k
		}
	}
	return best
}

// labels gives the set of labels of a row.
func (c *council) labels(decisions []float64) (string, float64) {
	best := c.largest(decisions)
	c.set = c.set[:0]
	for _, k := range c.order {
		if decisions[k] > 0 {
			c.set = append(c.set, c.model.Classes[k])
		}
	}
	if len(c.set) == 0 {
		return dataset.EmptySet, decisions[best]
	}
	return strings.Join(c.set, ","), decisions[best]
}

// vote gives the class that wins most pairs.
func (c *council) vote(decisions []float64) (string, float64) {
	clear(c.votes)
	clear(c.sums)
	for _, k := range c.heard {
		f, a := decisions[k], &c.model.Machines[k]
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
	return c.model.Classes[best], c.sums[best]
}
