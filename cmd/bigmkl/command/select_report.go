package command

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"

	"bigmkl"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/fail"
	"bigmkl/kernelspec"
	"bigmkl/selection"
)

// selectJSON is what --json prints of a selection.
type selectJSON struct {
	*selection.Selection
	// Model is the file of the model of the best cell, and RelativeGap its gap. They are missing
	// where no cell is best or chains are missing.
	Model       string   `json:"model,omitempty"`
	RelativeGap *number  `json:"relative_gap,omitempty"`
	Warnings    []string `json:"warnings"`
}

// report shows a selection: the means of all cells, the best one, and what it is compared with. best
// is nil if no cell is best, and result is nil if the folder had the model of the best one.
func (s *selectCommand) report(found *selection.Selection, best *bigmkl.Model, result *bigmkl.Result) error {
	out := selectJSON{Selection: found, Warnings: []string{}}
	var b *kernelspec.Bank
	if best != nil {
		var err error
		if b, err = best.Bank(); err != nil {
			return err
		}
		worst, _ := best.Worst()
		gap := number(worst.RelativeGap)
		out.Model, out.RelativeGap = filepath.Join(s.folder, contract.BestFile), &gap
	}
	if result != nil {
		_, out.Warnings = s.warnAbout(best, b, result, nil, "")
	}
	var err error
	if s.json {
		err = s.printJSON("select", out)
	} else {
		err = s.printCells(found)
	}
	if err == nil && best == nil {
		err = &exitError{contract.ExitStopped, "no combination has a defined " + found.Measure + " in every fold"}
	}
	if err != nil || s.json {
		return err
	}
	if err := s.printBest(found); err != nil {
		return err
	}
	if err := s.print("%s: trained on all rows, relative gap %.3g (asked %.3g), %d support vectors\n", out.Model,
		float64(*out.RelativeGap), best.Gap, len(best.Support)); err != nil || best.Several() {
		return err
	}
	by, list := summarizeWeights(&best.Model, b)
	return printWeights(s.stdout, by, list)
}

// printCells prints a line for each arm and a column for each cost. Of the single kernels it prints
// the best one.
func (s *selectCommand) printCells(found *selection.Selection) error {
	if n := len(found.Problems); n > 0 {
		fmt.Fprintf(s.stdout, "%s of %s of two classes on the rows left out, mean and standard error over %d folds\n\n",
			found.Measure, count(n, "problem"), len(found.Folds))
	} else {
		fmt.Fprintf(s.stdout, "%s on the rows left out, mean and standard error over %d folds of %d rows\n\n",
			found.Measure, len(found.Folds), found.Rows)
	}
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	var costs []float64
	for _, c := range found.Cells {
		if c.Arm == 0 {
			costs = append(costs, c.Cost)
		}
	}
	fmt.Fprint(w, "kernels")
	for _, c := range costs {
		fmt.Fprintf(w, "\tC = %.4g", c)
	}
	fmt.Fprintln(w)
	single, singles := -1, 0
	for _, b := range found.Baselines {
		if b.Kind == selection.Single {
			single = found.Cells[b.Cell].Arm
		}
	}
	for _, a := range found.Arms {
		if a.Kind == selection.Single {
			singles++
		}
	}
	unconverged := 0
	for k := range found.Arms {
		a := &found.Arms[k]
		if a.Kind == selection.Single && k != single && !found.Compares {
			continue
		}
		fmt.Fprint(w, nameArm(a, s.banks()))
		if a.Kind == selection.Single && !found.Compares {
			fmt.Fprintf(w, ", the best of %d", singles)
		}
		for j := range costs {
			number := k*len(costs) + j
			c := &found.Cells[number]
			text := "-"
			if f, ok := c.Figures[found.Measure]; ok {
				text = fmt.Sprintf("%.4f ±%.4f", f.Mean, f.Error)
			}
			if number == found.Best {
				text += " *"
			}
			if c.Unconverged > 0 {
				text += " !"
				unconverged += c.Unconverged
			}
			fmt.Fprint(w, "\t"+text)
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if unconverged > 0 {
		return s.print("! %d trainings ended above the gap\n", unconverged)
	}
	return nil
}

// printBest prints the best cell, how it compares with the baselines, and the command that trains it.
func (s *selectCommand) printBest(found *selection.Selection) error {
	cell := &found.Cells[found.Best]
	arm := &found.Arms[cell.Arm]
	f := cell.Figures[found.Measure]
	fmt.Fprintf(s.stdout, "\n* best: %s, C = %.6g: %s %.4f ±%.4f\n", nameArm(arm, s.banks()), cell.Cost, found.Measure,
		f.Mean, f.Error)
	for _, b := range found.Baselines {
		other := &found.Cells[b.Cell]
		text := fmt.Sprintf("  against %s, C = %.6g: %+.4f ±%.4f", nameArm(&found.Arms[other.Arm], s.banks()),
			other.Cost, b.Difference.Mean, b.Difference.Error)
		if b.P != nil {
			text += fmt.Sprintf(", p = %.3g", *b.P)
		}
		if b.FiveByTwo != nil {
			text += fmt.Sprintf(", 5x2cv F test p = %.3g", *b.FiveByTwo)
		}
		if q := b.Practical; q != nil {
			text += fmt.Sprintf(": %s (better %.2f, equivalent within %.3g %.2f, worse %.2f)", q.Verdict, q.Better,
				q.Rope, q.Equivalent, q.Worse)
		}
		fmt.Fprintln(s.stdout, text)
	}
	if n := found.Nested; n != nil {
		fmt.Fprintf(s.stdout, "  the selection itself, on rows that had no part in it: %.4f ±%.4f\n", n.Mean, n.Error)
	}
	if t := found.Tuning; t != nil {
		if err := s.printTuning(found, t); err != nil {
			return err
		}
	}
	return s.print("\n")
}

// banks is the number of lists of kernels, of which those that were named twice count once.
func (s *selectCommand) banks() int {
	names := map[string]bool{}
	for _, specs := range s.selection.Banks {
		names[specs] = true
	}
	return len(names)
}

// longNumber is a number with more digits than people read.
var longNumber = regexp.MustCompile(`[0-9]+\.[0-9]{4,}(e[-+]?[0-9]+)?`)

// shortenNumber writes a number with four digits.
func shortenNumber(text string) string {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// nameArm names an arm for people.
func nameArm(a *selection.Arm, banks int) string {
	var text string
	switch a.Kind {
	case selection.Single:
		text = fail.Cut(longNumber.ReplaceAllStringFunc(a.Kernels, shortenNumber)) + " alone"
	case selection.Sum:
		text = "plain sum, p = 2"
	default:
		text = "p = " + formatNorm(float64(a.Norm))
		if a.CostPower != nil && a.Kind == selection.Grid {
			text += fmt.Sprintf(", cost^%.4g", *a.CostPower)
		}
	}
	if a.Missing > 0 {
		text += fmt.Sprintf(", %.4g missing", a.Missing)
	}
	if banks > 1 && a.Kind != selection.Single {
		list := strings.Join(strings.Fields(a.Kernels), " ")
		text = fail.Cut(list) + ", " + text
	}
	return text
}
