package command

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"bigmkl/internal/fail"
	"bigmkl/internal/selection"
)

// Tables of more lines or columns cannot be read on a terminal. table.json has all figures.
const (
	mostProblems = 40 // problems of which a line is printed
	mostPaired   = 12 // arms of which all pairs are printed
)

// showTrials prints a selection that compares combinations and chooses none: the means over all
// problems, the means of each problem, and the p-values of all pairs. Each problem of an experiment has
// other rows, so its means cannot be ranked by one number alone.
func (s *selectReport) showTrials(found *selection.Selection) error {
	// With --json the warnings are part of the object and also lines of standard error.
	s.warn(found.Warnings...)
	if err := s.showFigures(found); err != nil || s.json {
		return err
	}
	if err := s.printProblems(found); err != nil {
		return err
	}
	return s.printPairs(found)
}

// numbered lists the best cell of each arm, in the order of the arms. Tables number arms by
// their place in this list, since names of arms are too long for heads of columns. An arm
// without a defined figure is left out.
func numbered(found *selection.Selection) (cells []int) {
	if len(found.Arms) == 0 {
		return nil
	}
	// Cells are stored arm by arm, with one cell for each cost.
	// The cell of arm k and cost j is number k costs + j.
	costs := len(found.Cells) / len(found.Arms)
	for k := range found.Arms {
		best := -1
		for at := k * costs; at < (k+1)*costs; at++ {
			f, ok := found.Cells[at].Figures[found.Measure]
			if !ok {
				continue
			}
			if best < 0 || f.Mean != found.Cells[best].Figures[found.Measure].Mean &&
				// A cell is better if it is smaller exactly where smaller is better. Equal cells leave
				// the first one.
				f.Mean < found.Cells[best].Figures[found.Measure].Mean == found.Smaller {
				best = at
			}
		}
		if best >= 0 {
			cells = append(cells, best)
		}
	}
	return cells
}

// printProblems prints a line for each problem, with the best cell of each arm.
// A name of a class can be long, so arms have numbers in the head and their names above the table.
func (s *selectReport) printProblems(found *selection.Selection) error {
	cells := numbered(found)
	if len(found.Problems) == 0 || len(cells) == 0 {
		return nil
	}
	fmt.Fprintln(s.stdout, "\nby problem, each combination at its best C:")
	for n, at := range cells {
		c := &found.Cells[at]
		fmt.Fprintf(s.stdout, "  (%d) %s, C = %.4g\n", n+1, s.nameFully(&found.Arms[c.Arm]), c.Cost)
	}
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	// Rows are means over repetitions, because each repetition draws its own rows. They are printed as
	// integers.
	fmt.Fprint(w, "class\trows\tpositive rows")
	for n := range cells {
		fmt.Fprintf(w, "\t(%d)", n+1)
	}
	fmt.Fprintln(w)
	for k, p := range found.Problems {
		if k == mostProblems {
			fmt.Fprintf(w, "and %d more, which table.json has\n", len(found.Problems)-k)
			break
		}
		fmt.Fprintf(w, "%s\t%.0f\t%.0f", fail.Label(p.Name), p.Rows, p.Positive)
		for _, at := range cells {
			text := "-"
			// The measure can be undefined in every fold of a problem, such as the AUC of folds with one
			// class.
			if f := p.Cells[at]; f.Folds > 0 {
				text = fmt.Sprintf("%.4f", f.Mean)
			}
			fmt.Fprint(w, "\t"+text)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// printPairs prints the one-sided p-values of the first few arms. A line and a column without a test,
// such as the diagonal, have a dash.
func (s *selectReport) printPairs(found *selection.Selection) error {
	cells := numbered(found)
	if len(found.Pairs) == 0 {
		return nil
	}
	// The number of pairs grows with the square of the arms.
	shown := cells[:min(len(cells), mostPaired)]
	fmt.Fprintln(s.stdout, "\none-sided p-values (corrected resampled t test) that the combination of the line is better than that of the column:")
	if len(found.Problems) == 0 {
		for n, at := range shown {
			c := &found.Cells[at]
			fmt.Fprintf(s.stdout, "  (%d) %s, C = %.4g\n", n+1, s.nameFully(&found.Arms[c.Arm]), c.Cost)
		}
	}
	// Pairs refer to cells by their numbers. The first cell of a pair is the one that the test takes as
	// better.
	p := map[[2]int]float64{}
	for _, x := range found.Pairs {
		p[[2]int{x.First, x.Second}] = x.P
	}
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	for n := range shown {
		fmt.Fprintf(w, "\t(%d)", n+1)
	}
	fmt.Fprintln(w)
	for n, a := range shown {
		fmt.Fprintf(w, "(%d)", n+1)
		for _, b := range shown {
			text := "-"
			if x, ok := p[[2]int{a, b}]; ok {
				text = fmt.Sprintf("%.3g", x)
			}
			fmt.Fprint(w, "\t"+text)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// nameFully names an arm with more of its kernels than a table has room for.
func (s *selectReport) nameFully(a *selection.Arm) string {
	// With one list of kernels, its name would be the same in all lines.
	if s.banks < 2 || a.Kind == selection.Single {
		return nameArm(a, 1)
	}
	return shorten(strings.Join(strings.Fields(a.Kernels), " "), 120) + ", " + nameArm(a, 1)
}
