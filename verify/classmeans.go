package verify

import "bigmkl/internal/model"

// classMeans sums the scores of all classes over the rows of each class, and what is conceded to
// them.
type classMeans struct {
	scores []neumaier // [class of the row][class of the score]
	rough  []float64
	rows   []int // of each class
}

// newClassMeans returns sums of no rows.
func newClassMeans(m *model.Model) *classMeans {
	k := len(m.Classes)
	return &classMeans{make([]neumaier, k*k), make([]float64, k*k), make([]int, k)}
}

// add takes the score of a class on a row of class own, off by rough at most.
func (c *classMeans) add(own, class int32, score, rough float64) {
	at := int(own)*len(c.rows) + int(class)
	c.scores[at].add(score)
	c.rough[at] += rough
	if own == class {
		c.rows[own]++
	}
}

// addSums adds the sums of another batch of rows.
func (c *classMeans) addSums(another wingSums) {
	o := another.(*classMeans)
	for at := range c.scores {
		c.scores[at].addSum(o.scores[at])
		c.rough[at] += o.rough[at]
	}
	for own, rows := range o.rows {
		c.rows[own] += rows
	}
}

// mean returns the mean score of a class over the rows of class own.
func (c *classMeans) mean(own, class int) float64 {
	return c.scores[own*len(c.rows)+class].value() / float64(c.rows[own])
}

func (c *classMeans) visit(v visitor) {
	v.sums(c.scores)
	v.reals(c.rough)
	for k := range c.rows {
		v.count(&c.rows[k])
	}
}
