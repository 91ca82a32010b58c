package command

import (
	"fmt"
	"slices"
	"strconv"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/evaluate/score"
	"bigmkl/internal/model"
)

// cells are the cells of a predicted row, one behind the other with a blank behind each. The blanks
// make them a line of text, and the ends tell cells with blanks apart.
type cells struct {
	text []byte
	ends []int
}

// clear removes all cells, whose memory is used again.
func (c *cells) clear() { c.text, c.ends = c.text[:0], c.ends[:0] }

// end ends a cell.
func (c *cells) end() {
	c.ends = append(c.ends, len(c.text))
	c.text = append(c.text, ' ')
}

// addWord adds a cell with a word.
func (c *cells) addWord(word string) {
	c.text = append(c.text, word...)
	c.end()
}

// addNumber adds a cell with a number of so many significant digits. Nine digits tell all float32
// values apart, and decisions may have been computed in float32. Six are more than the fit of a
// probability determines.
func (c *cells) addNumber(x float64, digits int) {
	c.text = strconv.AppendFloat(c.text, x, 'g', digits, 64)
	c.end()
}

// appendTo appends the cells to a record.
func (c *cells) appendTo(record []string) []string {
	start := 0
	for _, end := range c.ends {
		record = append(record, string(c.text[start:end]))
		start = end + 1
	}
	return record
}

// fill fills the cells with a prediction, in the order of nameColumns: the label, the decision value
// or all of them, probabilities, the region, and the survival curve.
func (p *predictCommand) fill(c *cells, m *model.Model, row *bigmkl.Prediction) {
	c.clear()
	if row.Label != "" {
		c.addWord(row.Label)
	}
	if row.Decisions != nil && p.hasAllDecisions(m) {
		for _, f := range row.Decisions {
			c.addNumber(f, 9)
		}
	} else {
		c.addNumber(row.Decision, 9)
	}
	for _, x := range row.Probabilities {
		c.addNumber(x, 6)
	}
	if p.regions != nil {
		p.regions.add(c, row)
	}
	if p.curves != nil {
		p.curves.add(c, row)
	}
}

// hasAllDecisions reports whether a line has all decision values. Sets of labels and quantiles have
// no single one.
func (p *predictCommand) hasAllDecisions(m *model.Model) bool {
	return m.Several() && (p.allDecisions || slices.Contains([]string{model.MultiLabel, model.Quantiles}, m.Multiclass))
}

// nameColumns returns the names of the cells of a row.
func (p *predictCommand) nameColumns(m *model.Model) []string {
	var names []string
	if m.HasClasses() || model.DescribesSupport(m.Task) {
		names = append(names, "label")
	}
	if p.hasAllDecisions(m) {
		word := "decision "
		if m.Multiclass == model.Quantiles {
			word = "quantile "
		}
		for k := range m.Classifiers {
			names = append(names, word+m.Name(k))
		}
	} else {
		names = append(names, nameOfDecision(m))
	}
	if p.options.Probability {
		for _, class := range score.ClassNames(m) {
			names = append(names, "probability "+class)
		}
	}
	if p.regions != nil {
		names = append(names, p.regions.columns()...)
	}
	if p.curves != nil {
		for _, t := range p.curves.times {
			names = append(names, fmt.Sprintf("survival %g", t))
		}
	}
	return names
}

// nameOfDecision returns the name of the single number of a row.
func nameOfDecision(m *model.Model) string {
	switch {
	case model.GivesHazards(m.Task):
		return "log hazard"
	case model.PredictsLogarithm(m.Task):
		return "time"
	case m.Labeling() == dataset.Times || m.Labeling() == dataset.Relevances:
		return "score"
	case m.Labeling() == dataset.Targets:
		return "prediction"
	}
	return "decision"
}
