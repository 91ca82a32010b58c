package report

import (
	"fmt"

	"bigmkl/internal/float"
	"bigmkl/internal/model"
)

// Model is what a page shows of a model. The names of its parts are those that inspect shows.
type Model struct {
	Model *model.Model
	// By states what Parts are: group, view, kind or kernel.
	By    string
	Parts []Weight
	// Kernels lists the heaviest kernels, the heaviest first, and More counts those left out.
	Kernels []Weight
	More    int
	// Classifiers holds, for each of several classifiers, the share of each part. It is nil for
	// one.
	Classifiers     []string
	Shares          [][]float64
	MoreClassifiers int
}

// Weight is the weight of a kernel, or of kernels that belong together.
type Weight struct {
	Name string
	// Kernels is how many kernels they are, and Active how many of these count.
	Kernels, Active int
	// Theta is the weight or the sum of the weights, and Share the part of the sum of all ||w_m||.
	// Shares sum to 1 over all kernels of a classifier.
	Theta, Share float64
}

// mostBars is the number of parts that a page lists. Sixty bars fill two screens. Later ones have small
// shares, since lists are sorted.
const mostBars = 60

// AddWeights adds the shares of views and of kernels, and for several classifiers their shares in each
// classifier.
func (p *Page) AddWeights(m *Model) {
	blocks := []block{paragraph("A bar is the share of a part in the sum of all ||w_m||, the lengths of the pieces of the decision function. "+
		"It is not importance: noise has a share, too, and of two redundant sources either may have the whole share. bigmkl importance measures the loss without a source.%s", averaged(m))}
	if m.By != "kernel" {
		blocks = append(blocks, block{Table: weightTable("By "+m.By, m.By, m.Parts, true, 0)})
	}
	blocks = append(blocks, block{Table: weightTable("By kernel, the heaviest first", "kernel", m.Kernels, false, m.More)})
	if len(m.Classifiers) > 0 {
		blocks = append(blocks, heatOfClassifiers(m))
	}
	p.add("weights", "What was learned: shares of ||w||", blocks...)
}

// averaged states whether the weights of several classifiers are means or common to all.
func averaged(m *Model) string {
	switch {
	case !m.Model.Several():
		return ""
	case m.Model.OneTheta:
		return " All " + m.Model.Noun() + "s have the same weights."
	}
	return " The bars are means over the " + m.Model.Noun() + "s."
}

// weightTable lists weights with bars. theta is the weight of a kernel in the sum of kernels. The share
// also contains the dual variables, as ||w_m|| is theta_m sqrt(alpha'K_m alpha) with signed alpha.
func weightTable(caption, by string, list []Weight, counted bool, more int) *table {
	t := &table{Caption: caption, Head: []string{by, "", "share", "theta"}}
	if counted {
		t.Head = append(t.Head, "kernels", "active")
	}
	if len(list) > mostBars {
		more += len(list) - mostBars
		list = list[:mostBars]
	}
	// The longest bar fills its cell: shares of many kernels are all small, and bars of their true
	// size would not be seen.
	longest := 0.0
	for _, w := range list {
		longest = max(longest, w.Share)
	}
	for _, w := range list {
		length := 0.0
		if longest > 0 {
			length = w.Share / longest
		}
		row := []cell{{Text: w.Name}, bar(length), {Text: percent(w.Share)}, {Text: number(w.Theta)}}
		if counted {
			row = append(row, cell{Text: fmt.Sprint(w.Kernels)}, cell{Text: fmt.Sprint(w.Active)})
		}
		t.Rows = append(t.Rows, row)
	}
	if more > 0 {
		t.More = fmt.Sprintf("and %d lighter ones, which bigmkl inspect --all lists", more)
	}
	return t
}

// mostColumns is the number of parts that a heat map has room for.
const mostColumns = 40

// heatOfClassifiers shows the share of each part in each classifier, or in the regressor of each
// quantile. Rows are classifiers and columns parts, so a source that serves one class alone has one
// dark cell.
func heatOfClassifiers(m *Model) block {
	parts, noun := m.Parts[:min(len(m.Parts), mostColumns)], m.Model.Noun()
	h := HeatMap{Label: "share of each " + m.By + " in each " + noun, Rows: m.Classifiers, RowTitle: noun, ColumnTitle: m.By}
	for _, p := range parts {
		h.Columns = append(h.Columns, p.Name)
	}
	// A shade is relative to the largest share of all classifiers.
	largest := 0.0
	for _, row := range m.Shares {
		// All classifiers share the shades, so a row that is pale has small shares and a dark one
		// large ones.
		for _, x := range row[:len(parts)] {
			if float.Finite(x) {
				largest = max(largest, x)
			}
		}
	}
	for _, row := range m.Shares {
		shades, texts := make([]float64, len(parts)), make([]string, len(parts))
		for j, x := range row[:len(parts)] {
			if largest > 0 {
				shades[j] = x / largest
			}
			if float.Finite(x) {
				texts[j] = trim(100*x, 0)
			}
		}
		h.Shades, h.Texts = append(h.Shades, shades), append(h.Texts, texts)
	}
	caption := "The share of each " + m.By + " in each " + noun + ", in per cent. A row that differs from the others is a " + noun + " with other shares."
	if more := len(m.Parts) - len(parts); more > 0 {
		caption += fmt.Sprintf(" %d more columns are left out.", more)
	}
	if m.MoreClassifiers > 0 {
		caption += fmt.Sprintf(" %d more %ss are left out.", m.MoreClassifiers, noun)
	}
	return block{Figures: []figure{{Chart: h.draw(), Caption: caption}}}
}
