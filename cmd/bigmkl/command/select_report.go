package command

import (
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"

	"bigmkl"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/report"
	"bigmkl/internal/selection"
)

// selectReport reports a selection.
// Its methods print to standard output. Warnings go to standard error, so a script can separate both.
type selectReport struct {
	partReport
	json bool
	// banks is the number of lists of kernels that it chose from.
	banks int
}

// selectJSON is the object of select --json: all figures of the selection, and what this run adds to
// them.
type selectJSON struct {
	*selection.Selection
	// Model is the file of the model of the best cell, and RelativeGap its gap. They are missing
	// where no cell is best or chains are missing.
	Model       string  `json:"model,omitempty"`
	RelativeGap *number `json:"relative_gap,omitempty"`
	// HeldOut is there if the model was trained now, with probabilities.
	HeldOut *heldOutProbabilitiesJSON `json:"held_out_probabilities,omitempty"`
	// Optimism is the sentence that the figure of the best cell is optimistic, if it is.
	Optimism string   `json:"optimism,omitempty"`
	Warnings []string `json:"warnings"`
}

// showFigures shows the means of all cells, without a best one.
// An experiment has only these means. So does a selection whose folder could not be written.
func (s *selectReport) showFigures(found *selection.Selection) error {
	// The object has all figures at once. With it nothing else is printed to standard output.
	if s.json {
		return s.printJSON("select", selectJSON{Selection: found, Warnings: append([]string{}, found.Warnings...)})
	}
	return s.printCells(found)
}

// show prints a selection: the means of all cells, the best one, and its comparisons. best
// is nil if no cell is best, and result is nil if the folder had the model of the best one.
func (s *selectReport) show(found *selection.Selection, best *bigmkl.Model, result *bigmkl.Result) error {
	out := selectJSON{Selection: found, Optimism: report.DescribeOptimism(found), Warnings: append([]string{}, found.Warnings...)}
	s.warn(found.Warnings...)
	// b has the names of views and groups, for the summary of the weights.
	var b *kernelspec.Bank
	if best != nil {
		var err error
		if b, err = best.Bank(); err != nil {
			return err
		}
		// A model of several classifiers has as many gaps. The worst one is reported.
		worst, _ := best.Convergence().Worst()
		gap := number(worst.RelativeGap)
		out.Model, out.RelativeGap = filepath.Join(s.folder, contract.BestFile), &gap
	}
	if result != nil {
		// The model was trained in this run. Its warnings are the warnings of train.
		of := trainReport{console: s.console}
		// It has no test and no file of data, so both arguments are empty.
		a, err := of.account(trained{best, result, nil}, "")
		if err != nil {
			return err
		}
		out.Warnings = append(out.Warnings, a.warnings...)
		out.HeldOut = newHeldOutProbabilitiesJSON(result)
	}
	var err error
	if s.json {
		err = s.printJSON("select", out)
	} else {
		err = s.printCells(found)
	}
	// The table or the object was written, so a script sees the figures and the code of failure
	// together.
	if err == nil && best == nil {
		err = &exitError{contract.ExitStopped, "no combination has a defined " + found.Measure + " in every fold"}
	}
	if err != nil || s.json {
		return err
	}
	if err := s.printBest(found); err != nil {
		return err
	}
	if err := s.print("%s: trained on all rows, relative gap %.3g (asked %.3g), %s\n", out.Model,
		float64(*out.RelativeGap), best.Gap, count(len(best.Support), "support vector")); err != nil {
		return err
	}
	if result != nil {
		if err := s.print("%s", describeHeldOutProbabilities(result)); err != nil {
			return err
		}
	}
	// Weights of several classifiers differ, and inspect --class shows each.
	if !best.Several() {
		by, list := summarizeWeights(&best.Model, b)
		if err := printWeights(s.stdout, by, list); err != nil {
			return err
		}
	}
	return s.printChoice(found)
}

// showMissing reports that other parts are missing.
func (s *selectReport) showMissing(found *selection.Selection) error {
	// showPart prints the document if there is one, else a sentence.
	var document func() error
	if s.json {
		document = func() error { return s.printJSON("select", selectJSON{Selection: found, Warnings: []string{}}) }
	}
	return s.showPart("chains of trainings", found.Missing, found.Chains, document)
}

// printCells prints a line for each arm and a column for each cost. Of the single kernels it prints
// the best one, and those that have a mark. A line is an arm and a column a cost, so norm and cost can
// be compared at a glance. Cells are stored in this order, len(costs) cells for each arm.
func (s *selectReport) printCells(found *selection.Selection) error {
	// Problems have different numbers of rows, so the head has none.
	if n := len(found.Problems); n > 0 {
		fmt.Fprintf(s.stdout, "%s of %s of two classes on the rows left out, mean and standard error over %d folds\n\n",
			found.Measure, count(n, "problem"), len(found.Folds))
	} else {
		fmt.Fprintf(s.stdout, "%s on the rows left out, mean and standard error over %d folds; %d rows\n",
			found.Measure, len(found.Folds), found.Rows)
		if found.Preparation == selection.PreparedShared {
			// A preparation from all rows is named above the table, because the held-out rows took part in
			// it.
			why := ""
			if found.SharedBecause != "" {
				why = ": " + found.SharedBecause
			}
			fmt.Fprintf(s.stdout, "shared preparation, scaling, widths and normalisation are those of all rows, also of those left out%s\n", why)
		}
		printCostUnit(s.stdout, found)
		fmt.Fprintln(s.stdout)
	}
	// Columns are separated by two blanks, and their widths follow the cells.
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	// All arms have the same costs. The cells of the first arm list them.
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
	// single and view are the arms that represent their kinds, and singles and views count the kinds.
	// Both arms are -1 if the selection has none of their kind.
	single, singles := bestOfKind(found, selection.Single)
	view, views := bestOfKind(found, selection.View)
	// It counts trainings and not cells: a cell has one for each fold.
	unconverged := 0
	for k := range found.Arms {
		a := &found.Arms[k]
		switch {
		case found.Compares:
			fmt.Fprint(w, nameArm(a, s.banks))
		// A list of hundreds of kernels has as many single arms. The table shows the best of
		// them, and those that a mark below refers to.
		case a.Kind == selection.Single && k != single, a.Kind == selection.View && k != view && views > mostViews:
			if !marked(found, k) {
				continue
			}
			fmt.Fprint(w, nameArm(a, s.banks))
		case a.Kind == selection.Single:
			fmt.Fprintf(w, "%s, the best of %d", nameArm(a, s.banks), singles)
		case a.Kind == selection.View && views > mostViews:
			fmt.Fprintf(w, "%s, the best of %d", nameArm(a, s.banks), views)
		default:
			fmt.Fprint(w, nameArm(a, s.banks))
		}
		for j := range costs {
			// Cells lie arm by arm, with one cell for each cost.
			number := k*len(costs) + j
			c := &found.Cells[number]
			// A cell without a defined figure has a dash.
			text := "-"
			if f, ok := c.Figures[found.Measure]; ok {
				text = meanAndError(f)
			}
			// * marks the best cell, ~ the simplest one that is not worse, and ! cells with unfinished
			// trainings.
			if number == found.Best {
				text += " *"
			}
			if number == found.Simplest && found.Simplest != found.Best {
				text += " ~"
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
	if found.Simplest >= 0 && found.Simplest != found.Best {
		fmt.Fprintln(s.stdout, "~ the simplest combination that is not shown to be worse than the best")
	}
	if unconverged > 0 {
		return s.print("! %s ended above the gap\n", count(unconverged, "training"))
	}
	return nil
}

// mostViews is the number of views of which each has a line.
const mostViews = 12

// printCostUnit prints the unit of the default costs of task svr. Tasks quantile and survival have this
// unit, too. A user needs it to give the same C to train.
func printCostUnit(w io.Writer, found *selection.Selection) {
	if found.CostUnit > 0 {
		fmt.Fprintf(w, "the deviation of the targets is %.4g: C below is 0.1, 1, 10, .. times that\n", found.CostUnit)
	}
}

// marked reports whether an arm has the best cell, or the simplest cell that is not shown to be
// worse than it. Lines of these arms have a mark, so they are shown.
func marked(found *selection.Selection, arm int) bool {
	return found.Best >= 0 && found.Cells[found.Best].Arm == arm || found.Simplest >= 0 && found.Cells[found.Simplest].Arm == arm
}

// bestOfKind returns the arm of a kind that has the best mean, or -1, and the number of arms of
// the kind. If the best cell is of the kind, its arm is returned: it may share the mean of
// others in the digits that are shown.
// Only arms with a defined figure count.
func bestOfKind(found *selection.Selection, kind selection.Kind) (best, count int) {
	// Only the second arm and later ones are compared with it.
	top := 0.0
	best = -1
	for _, k := range numbered(found) {
		if found.Arms[found.Cells[k].Arm].Kind != kind {
			continue
		}
		count++
		arm := found.Cells[k].Arm
		if mean := found.Cells[k].Figures[found.Measure].Mean; best < 0 || mean != top && mean < top == found.Smaller {
			best, top = arm, mean
		}
	}
	if found.Best >= 0 && found.Arms[found.Cells[found.Best].Arm].Kind == kind {
		best = found.Cells[found.Best].Arm
	}
	return best, count
}

// printBest prints the best cell, how it compares with the baselines, and the command that trains it.
// The sentence about optimism follows at once, since a reader may copy these lines alone.
func (s *selectReport) printBest(found *selection.Selection) error {
	cell := &found.Cells[found.Best]
	arm := &found.Arms[cell.Arm]
	f := cell.Figures[found.Measure]
	// Not all arms can be tuned, so with --tune the line names the kind of its best cell.
	of := ""
	if found.Tuning != nil {
		of = " that can be tuned"
	}
	fmt.Fprintf(s.stdout, "\n* best%s: %s, C = %.6g: %s %s\n", of, nameArm(arm, s.banks), cell.Cost, found.Measure,
		meanAndError(f))
	// Difference is by how much the best cell is better, in the direction of the measure, with its
	// corrected standard error.
	for _, b := range found.Baselines {
		other := &found.Cells[b.Cell]
		text := fmt.Sprintf("  against %s, C = %.6g: %+.4f ±%.4f", nameArm(&found.Arms[other.Arm], s.banks),
			other.Cost, b.Difference.Mean, b.Difference.Error)
		// A test needs at least two folds, so the p-value can be absent.
		if b.P != nil {
			text += fmt.Sprintf(", p-value %.3g", *b.P)
		}
		// The 5x2cv F test (Alpaydin 1999) needs five repetitions of two folds.
		if b.FiveByTwo != nil {
			text += fmt.Sprintf(", 5x2cv F test p-value %.3g", *b.FiveByTwo)
		}
		// The three probabilities sum to 1. Equivalent means a difference of at most --rope.
		if q := b.Practical; q != nil {
			text += fmt.Sprintf(": %s (probabilities: better %.2f, equivalent within %.3g: %.2f, worse %.2f)", q.Verdict, q.Better,
				q.Rope, q.Equivalent, q.Worse)
		}
		fmt.Fprintln(s.stdout, text)
	}
	if text := report.DescribeOptimism(found); text != "" {
		fmt.Fprintf(s.stdout, "  %s\n", text)
	}
	if n := found.Nested; n != nil {
		fmt.Fprintf(s.stdout, "  the selection itself, on rows that had no part in it: %s\n", meanAndError(*n))
	}
	if t := found.Tuning; t != nil {
		if err := s.printTuning(found, t); err != nil {
			return err
		}
	}
	// Ends warns of a best cell at the end of a grid, beyond which a better one may lie.
	for _, text := range found.Ends {
		fmt.Fprintf(s.stdout, "  %s\n", text)
	}
	return s.print("\n")
}

// longNumber matches a decimal number with four digits or more behind the point, such as a width
// that was computed from distances of rows. Sixteen digits of a width would make all columns of the
// table wide. Four identify a kernel of a list.
var longNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]+\.[0-9]{4,}(e[-+]?[0-9]+)?`) })

// shortenNumber writes a number with four digits.
func shortenNumber(text string) string {
	// The pattern matches only numbers, but one beyond the range of float64 stays as it is.
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// nameArm names an arm for people.
// banks is the number of lists of kernels. With several, the name begins with the list.
func nameArm(a *selection.Arm, banks int) string {
	var text string
	switch a.Kind {
	case selection.Single:
		text = fail.Cut(longNumber().ReplaceAllStringFunc(a.Kernels, shortenNumber)) + " alone"
	case selection.View:
		text = fail.Cut(a.View) + " alone, plain sum"
	case selection.Sum:
		text = "plain sum, p = 2"
	default:
		// At p = 2 the weights are equal, so the combination is the plain sum of the kernels.
		if text = "p = " + formatNorm(float64(a.Norm)); a.Norm == 2 && a.CostPower == nil {
			text = "plain sum, " + text
		}
		if a.CostPower != nil && a.Kind == selection.Grid {
			text += fmt.Sprintf(", cost^%.4g", *a.CostPower)
		}
	}
	if a.Missing > 0 {
		text += fmt.Sprintf(", %.4g missing", a.Missing)
	}
	if banks > 1 && a.Kind != selection.Single && a.Kind != selection.View {
		// Any white space becomes one blank, so a name stays in its line.
		list := strings.Join(strings.Fields(a.Kernels), " ")
		text = fail.Cut(list) + ", " + text
	}
	return text
}
