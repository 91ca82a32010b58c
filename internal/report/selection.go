package report

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"bigmkl/internal/fail"
	"bigmkl/internal/selection"
)

// The section of a selection answers three questions in this order: what was chosen, what it may achieve on new rows,
// and how sure the choice is. The best of many figures is optimistic, so the section also has their
// errors, the simplest combination that is not shown to be worse, and tests against the baselines.

// AddSelection adds the cells of a selection, what the best one is compared with, and what the
// selection itself achieves. names holds the name of each arm. A selection whose numbers do not fit
// each other, because its file was changed, is of class fail.Corrupt.
func (p *Page) AddSelection(s *selection.Selection, names []string) error {
	if !sound(s) || len(names) != len(s.Arms) {
		return fail.New(fail.Corrupt, "the table of the selection is damaged: its cells are not those of its arms")
	}
	p.add("selection", "How it was chosen", selectionBlocks(s, names)...)
	return nil
}

// sound reports whether a selection has the cells of its arms in order, and names cells that exist.
func sound(s *selection.Selection) bool {
	// A selection that was interrupted has no cells yet.
	if len(s.Cells) == 0 {
		return s.Best < 0 || s.Missing > 0
	}
	// Every index that a function below follows is checked here. A changed file would otherwise
	// make the page panic.
	if len(s.Arms) == 0 || len(s.Cells)%len(s.Arms) != 0 || s.Best >= len(s.Cells) {
		return false
	}
	costs := len(s.Cells) / len(s.Arms)
	for k, c := range s.Cells {
		// Cells lie arm by arm, each with the same costs in the same order. Tables and charts rely on
		// these places.
		if c.Arm != k/costs || c.Cost != s.Cells[k%costs].Cost || !(c.Cost > 0) {
			return false
		}
	}
	for _, a := range s.Arms {
		if a.Kind == selection.Grid && !(a.Norm >= 1) {
			return false
		}
	}
	if t := s.Tuning; t != nil && (s.Best < 0 || !t.Sound()) {
		return false
	}
	for _, p := range s.Pairs {
		if p.First < 0 || p.Second < 0 || p.First >= len(s.Cells) || p.Second >= len(s.Cells) {
			return false
		}
	}
	for _, p := range s.Problems {
		if len(p.Cells) != len(s.Cells) {
			return false
		}
	}
	if s.Simplest >= len(s.Cells) || s.Chosen >= len(s.Cells) || s.Simpler != nil && (s.Simpler.Cell < 0 || s.Simpler.Cell >= len(s.Cells)) {
		return false
	}
	return !slices.ContainsFunc(s.Baselines, func(b selection.Comparison) bool { return b.Cell < 0 || b.Cell >= len(s.Cells) })
}

// selectionBlocks describes a selection.
func selectionBlocks(s *selection.Selection, names []string) []block {
	if len(s.Cells) == 0 {
		return []block{paragraph("The selection is not complete: %d of %d chains of trainings are missing.", s.Missing, s.Chains)}
	}
	better := "more is better"
	if s.Smaller {
		better = "less is better"
	}
	var blocks []block
	if s.Compares {
		blocks = append(blocks, block{Lead: true, Text: fmt.Sprintf("%d combinations were compared on %d trials, each with rows of its own. None was chosen.",
			len(s.Arms), len(s.Folds))})
	} else if s.Best < 0 {
		blocks = append(blocks, block{Lead: true, Text: "No combination has a defined " + s.Measure + " in every fold."})
	} else {
		c := &s.Cells[s.Best]
		f := c.Figures[s.Measure]
		of := ""
		if s.Tuning != nil {
			of = " that can be tuned"
		}
		blocks = append(blocks, block{Lead: true, Text: fmt.Sprintf("The best combination%s is %s with C = %s: %s %s ± %s on rows that were left out.",
			of, names[c.Arm], number(c.Cost), s.Measure, number(f.Mean), number(f.Error))})
		// A simpler combination that is not shown to be worse is often the better choice.
		if q := s.Simpler; q != nil {
			o := &s.Cells[q.Cell]
			text := "The simplest that is not shown to be worse is %s with C = %s: %s %s ± %s."
			if s.Chosen == s.Simplest {
				text += " It is the one that was trained on all rows."
			}
			blocks = append(blocks, paragraph(text, names[o.Arm], number(o.Cost), s.Measure, number(o.Figures[s.Measure].Mean), number(o.Figures[s.Measure].Error)))
		}
		if text := DescribeOptimism(s); text != "" {
			blocks = append(blocks, paragraph("%s", text))
		}
	}
	for _, text := range s.Ends {
		blocks = append(blocks, paragraph("Note that %s.", text))
	}
	rows := fmt.Sprintf("%d rows", s.Rows)
	if s.Compares {
		rows = fmt.Sprintf("rows of its trial, of %d in all", s.Rows)
	}
	blocks = append(blocks, paragraph("Every combination was trained %d times, each time without some of the %s, and measured on those. "+
		"The figures are means of %s (%s) with standard errors, corrected for the rows that the trainings share.",
		len(s.Folds), rows, s.Measure, better))
	if s.CostUnit > 0 {
		blocks = append(blocks, paragraph("The costs C count the deviation of the targets, %s: they are 0.1, 1, 10, .. times that.", number(s.CostUnit)))
	}
	if s.Preparation == selection.PreparedShared {
		blocks = append(blocks, paragraph("Preparation was shared: scaling, widths and normalisation are those of all rows, also of those that were left out, so that the figures may be a little too good."))
	}
	if n := s.Nested; n != nil {
		blocks = append(blocks, paragraph("The best of many figures is optimistic. The selection, repeated without each fold and measured on it, achieves %s ± %s: "+
			"this is what to expect of new rows.", number(n.Mean), number(n.Error)))
	}
	blocks = append(blocks, block{Figures: selectionCharts(s, names)}, block{Table: cellTable(s, names)})
	// The tables go from the decision to its details. A reader may stop after any of them.
	if t := comparisonTable(s, names); t != nil {
		blocks = append(blocks, block{Table: t})
	}
	if t := problemTable(s, names); t != nil {
		blocks = append(blocks, block{Table: t})
	}
	if t := pairTable(s, names); t != nil {
		blocks = append(blocks, block{Table: t})
	}
	if s.Best >= 0 {
		blocks = append(blocks, block{Table: figureTable(s)})
	}
	if s.Tuning != nil {
		blocks = append(blocks, tuningBlocks(s)...)
	}
	return blocks
}

// selectionCharts draws the measure against C, a line for each norm, and the best of each norm
// against p: for each list of kernels a chart. Charts that would have one point are left out. A flat
// curve against C means that the choice hardly matters. A curve that still rises at an end means that
// the grid is too short.
func selectionCharts(s *selection.Selection, names []string) (charts []figure) {
	// A page with more charts would not be read. The table has the cells of all lists.
	const mostBanks = 6
	costs := len(s.Cells) / len(s.Arms)
	for bank := 0; bank < mostBanks; bank++ {
		// Lines of one chart have the same kernels, so they differ by p and C alone.
		var lines []Line
		best := Line{Name: "best C"}
		var norms []float64
		for k, a := range s.Arms {
			if a.Kind != selection.Grid || a.Bank != bank {
				continue
			}
			l := Line{Name: "p = " + nameNorm(float64(a.Norm)), Marks: true}
			top := selection.Figure{Mean: math.NaN()}
			for _, c := range s.Cells[k*costs : (k+1)*costs] {
				f, ok := c.Figures[s.Measure]
				if !ok {
					f.Mean = math.NaN()
				}
				// A comparison with NaN is false, so a cell without the measure never replaces
				// another.
				if math.IsNaN(top.Mean) || f.Mean > top.Mean && !s.Smaller || f.Mean < top.Mean && s.Smaller {
					top = f
				}
				l.X, l.Y, l.Errors = append(l.X, c.Cost), append(l.Y, f.Mean), append(l.Errors, f.Error)
			}
			lines, norms = append(lines, l), append(norms, float64(a.Norm))
			// The axis of p has the places -1/p: p = inf then has a place, and the change from 1 to 2, which matters
			// most, has as much room as that from 2 to infinity.
			best.X, best.Y, best.Errors = append(best.X, -1/float64(a.Norm)), append(best.Y, top.Mean), append(best.Errors, top.Error)
		}
		of := ""
		if bank > 0 || slices.ContainsFunc(s.Arms, func(a selection.Arm) bool { return a.Bank > 0 }) {
			of = fmt.Sprintf(" List %d of kernels.", bank+1)
		}
		// A chart of one point shows nothing that the table does not have.
		if costs > 1 && len(lines) > 0 {
			c := LineChart{Label: s.Measure + " against C", X: Axis{Name: "cost C", Log: true}, Y: Axis{Name: s.Measure}, Lines: lines}
			charts = append(charts, figure{Chart: c.draw(), Caption: "The measure against C for each p. Bars are standard errors; where they overlap, the choice hardly matters." + of})
		}
		if len(norms) > 1 {
			best.Marks = true
			c := LineChart{Label: s.Measure + " against the block norm p", X: normAxis(norms), Y: Axis{Name: s.Measure}, Lines: []Line{best}}
			charts = append(charts, figure{Chart: c.draw(), Caption: "The measure against p, each with its best C. A small p selects few kernels." + of})
		}
	}
	return charts
}

// mostArms is the number of rows of the table of cells.
const mostArms = 100

// cellTable lists the measure of all cells: a row for each arm, a column for each cost. The columns are
// costs in the order of the grid, so an optimum at the end of the grid is seen at once.
func cellTable(s *selection.Selection, names []string) *table {
	costs := len(s.Cells) / len(s.Arms)
	t := &table{Caption: s.Measure + ", mean ± standard error", Head: []string{"kernels and norm"}}
	for _, c := range s.Cells[:costs] {
		t.Head = append(t.Head, "C = "+number(c.Cost))
	}
	unconverged := 0
	for k := range s.Arms {
		if k >= mostArms {
			t.More = fmt.Sprintf("and %d more rows, which table.json has. ", len(s.Arms)-k)
			break
		}
		row := []cell{{Text: names[k]}}
		for j, c := range s.Cells[k*costs : (k+1)*costs] {
			x := cell{Text: "–"}
			if f, ok := c.Figures[s.Measure]; ok {
				x.Text = meanText(f)
			}
			if k*costs+j == s.Best {
				x.Text, x.Class = x.Text+" ★", "best"
			}
			// A training that ended early may have a worse figure than its combination deserves, so
			// the reader is told.
			if c.Unconverged > 0 {
				x.Text += " !"
				unconverged += c.Unconverged
			}
			row = append(row, x)
		}
		t.Rows = append(t.Rows, row)
	}
	if s.Best >= 0 {
		t.More += "★ is the best combination."
	}
	if unconverged > 0 {
		t.More += fmt.Sprintf(" ! marks cells of which %d trainings ended above the gap.", unconverged)
	}
	return t
}

// comparisonTable compares the best cell with the baselines. The p-value and the Bayesian probabilities
// answer different questions. A large p-value does not show that two combinations are equal. The
// verdict equivalent does.
func comparisonTable(s *selection.Selection, names []string) *table {
	if len(s.Baselines) == 0 {
		return nil
	}
	t := &table{Caption: "The best combination against the best of other kinds, fold by fold",
		Head: []string{"combination", s.Measure, "the best is better by", "corrected t test, p-value", "better", "equivalent", "worse", "verdict", "5x2cv F test, p-value"},
		More: "A p-value is how often chance alone would show such a difference. Above 0.05 the other one may be as good. " +
			"Probabilities are those of the correlated Bayesian t test, and a verdict has one above 0.95. – stands for a test that needs folds of another kind."}
	value := func(p *float64) cell {
		if p == nil {
			return cell{Text: "–"}
		}
		return cell{Text: fmt.Sprintf("%.3g", *p)}
	}
	for _, b := range s.Baselines {
		c := &s.Cells[b.Cell]
		row := []cell{{Text: names[c.Arm] + ", C = " + number(c.Cost)}, {Text: meanText(c.Figures[s.Measure])},
			{Text: meanText(b.Difference)}, value(b.P)}
		if q := b.Practical; q != nil {
			for _, p := range []float64{q.Better, q.Equivalent, q.Worse} {
				row = append(row, cell{Text: fmt.Sprintf("%.2f", p)})
			}
			row = append(row, cell{Text: string(q.Verdict)})
		} else {
			// Without the Bayesian test its four columns stay, because every row has as many
			// cells as the head.
			row = append(row, value(nil), value(nil), value(nil), value(nil))
		}
		t.Rows = append(t.Rows, append(row, value(b.FiveByTwo)))
	}
	return t
}

// figureTable lists all figures of the best cell. Measures often disagree: a model may have the best
// AUC and poor accuracy. The table shows what the optimised measure costs in others.
func figureTable(s *selection.Selection) *table {
	t := &table{Caption: "All figures of the best combination", Head: []string{"figure", "mean ± standard error", "folds"}}
	figures := s.Cells[s.Best].Figures
	for _, key := range slices.Sorted(maps.Keys(figures)) {
		t.Rows = append(t.Rows, []cell{{Text: key}, {Text: meanText(figures[key])}, {Text: fmt.Sprint(figures[key].Folds)}})
	}
	return t
}

// meanText writes a mean and its error. An error of 0 is left out: it is the result of equal
// figures, or of a single fold, and proves no certainty. Figures are shares or errors with about four
// digits that matter.
func meanText(f selection.Figure) string {
	if f.Error == 0 {
		return fmt.Sprintf("%.4f", f.Mean)
	}
	return fmt.Sprintf("%.4f ± %.4f", f.Mean, f.Error)
}
