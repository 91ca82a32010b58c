package report

import (
	"fmt"
	"strconv"

	"bigmkl/internal/selection"
)

const (
	mostCompared = 12  // arms that a table has a column for
	mostProblems = 200 // problems that a table has a row for
)

// An experiment with trials compares combinations and chooses none. Each combination is represented by its best C, as
// a user would train it. The tables have one column for each, so they are limited to the first few.

// bestCells lists the cells that pairs compare: the best of each arm, of the first few arms.
func bestCells(s *selection.Selection) (cells []int) {
	// Cells lie arm by arm, with as many costs each.
	costs := len(s.Cells) / len(s.Arms)
	for k := range s.Arms {
		best := -1
		for at := k * costs; at < (k+1)*costs; at++ {
			f, ok := s.Cells[at].Figures[s.Measure]
			if !ok {
				continue
			}
			if best < 0 || f.Mean > s.Cells[best].Figures[s.Measure].Mean && !s.Smaller ||
				f.Mean < s.Cells[best].Figures[s.Measure].Mean && s.Smaller {
				best = at
			}
		}
		// An arm without a defined figure has no column. The next arm takes its place.
		if best >= 0 && len(cells) < mostCompared {
			cells = append(cells, best)
		}
	}
	return cells
}

// problemTable lists the problems of two classes, each with the best cell of each arm. The best C is
// chosen on the mean of all problems, so a column has one combination from top to bottom.
func problemTable(s *selection.Selection, names []string) *table {
	if len(s.Problems) == 0 {
		return nil
	}
	cells := bestCells(s)
	t := &table{Caption: s.Measure + " by problem, each combination at its best C", Head: []string{"class", "rows", "positive rows"}}
	for _, at := range cells {
		t.Head = append(t.Head, names[s.Cells[at].Arm])
	}
	for k, p := range s.Problems {
		if k == mostProblems {
			t.More = fmt.Sprintf("and %d more, which table.json has.", len(s.Problems)-k)
			break
		}
		row := []cell{{Text: p.Name}, {Text: strconv.FormatFloat(p.Rows, 'f', 0, 64)}, {Text: strconv.FormatFloat(p.Positive, 'f', 0, 64)}}
		for _, at := range cells {
			x := cell{Text: "–"}
			if p.Cells[at].Folds > 0 {
				x.Text = meanText(p.Cells[at])
			}
			row = append(row, x)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// pairTable lists the p-values of all pairs of the first few arms. A p-value of row a and column b is
// for the hypothesis that a is not better than b. Values of many pairs are not corrected for their
// number.
func pairTable(s *selection.Selection, names []string) *table {
	if len(s.Pairs) == 0 || !s.Compares {
		return nil
	}
	cells := bestCells(s)
	t := &table{Caption: "p-values that the combination of the row is better than that of the column", Head: []string{""},
		More: "One-sided corrected resampled t test of the differences, fold by fold. Below 0.05 the row is better with little doubt."}
	// Trainings of two folds share most of their rows, so differences by fold are not independent. The corrected
	// variance of Nadeau and Bengio allows for this (package selection).
	found := map[[2]int]float64{}
	for _, p := range s.Pairs {
		found[[2]int{p.First, p.Second}] = p.P
	}
	for _, at := range cells {
		t.Head = append(t.Head, names[s.Cells[at].Arm])
	}
	for _, a := range cells {
		row := []cell{{Text: names[s.Cells[a].Arm]}}
		for _, b := range cells {
			x := cell{Text: "–"}
			// The test is one-sided, so each pair has two numbers: of the row against the column, and
			// the other way round.
			if p, ok := found[[2]int{a, b}]; ok {
				x.Text = fmt.Sprintf("%.3g", p)
			}
			row = append(row, x)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
