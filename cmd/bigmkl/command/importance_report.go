package command

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"bigmkl/internal/fail"
	"bigmkl/internal/selection"
)

// importanceReport reports an importance.
type importanceReport struct {
	partReport
	// json asks for one object in place of texts.
	json bool
	// settings marks norm and C if they were given. A reader must not take a given value for a
	// finding.
	settings givenSettings
	// alone returns the command that selects with a source alone, or "".
	alone func(source, measure string) string
}

// givenSettings marks the settings that the command line gave. The folds choose all others, each
// for itself.
type givenSettings struct{ norm, cost bool }

// importanceJSON is the object of importance --json. Warnings is an empty array if there are none.
type importanceJSON struct {
	*selection.Importance
	Warnings []string `json:"warnings"`
}

// show prints an importance: a line for each source, the redundant pairs, the summary, and a
// sentence for each source. The order goes from figures to their meaning, because the sentences
// refer to columns of the table.
// A file with the figures is already written, so a closed pipe loses no result.
func (s *importanceReport) show(found *selection.Importance) error {
	if s.json {
		return s.printJSON("importance", importanceJSON{Importance: found, Warnings: append([]string{}, found.Warnings...)})
	}
	if err := s.printSources(found); err != nil {
		return err
	}
	if err := s.printPairs(found); err != nil {
		return err
	}
	if err := s.print("%s\n\n", found.Summary()); err != nil {
		return err
	}
	// A single source that beats all others follows the summary, since it changes what to train.
	if err := s.printBestAlone(found); err != nil {
		return err
	}
	// Sources are ordered by the loss without them, the largest first.
	for _, k := range found.ByLoss() {
		if err := s.print("%s\n", found.Describe(k)); err != nil {
			return err
		}
	}
	if text := found.ExplainNoSign(); text != "" {
		if err := s.print("\n%s\n", text); err != nil {
			return err
		}
	}
	if found.Unconverged > 0 {
		return s.print("\n%d of %d trainings ended above the gap\n", found.Unconverged, found.Trainings)
	}
	return nil
}

// showMissing reports that other parts are missing. A part has no table, because figures of some of the
// folds could be taken for the result.
func (s *importanceReport) showMissing(found *selection.Importance) error {
	var document func() error
	if s.json {
		document = func() error {
			return s.printJSON("importance", importanceJSON{Importance: found, Warnings: []string{}})
		}
	}
	return s.showPart("steps", found.Missing, found.Steps, document)
}

// printSources prints a line for each source. The columns go from the plain question (what does it
// achieve alone) to the subtle one (what would noise achieve). The columns of noise are a scale for the
// others: they show the share and the gain of a source without information.
func (s *importanceReport) printSources(found *selection.Importance) error {
	// The direction of the measure is named once, so the signs of the table can be read.
	better := ""
	if found.Smaller {
		better = ", of which less is better"
	}
	fmt.Fprintf(s.stdout, "%s%s on the rows left out, mean and standard error over %d folds; %d rows\n", found.Measure, better, len(found.Folds), found.Rows)
	if found.Preparation == selection.PreparedShared {
		fmt.Fprintf(s.stdout, "shared preparation: %s; no source can be permuted\n", found.SharedBecause)
	}
	fmt.Fprintf(s.stdout, "all sources %s, a constant prediction %s\n", meanAndError(found.Whole), meanAndError(found.Nothing))
	fmt.Fprintf(s.stdout, "norm and C of the folds: %s\n", s.settings.describe(found))
	fmt.Fprintf(s.stdout, "%s of all sources is how well they predict new rows. The table shows what each source contributes to that.\n\n", found.Measure)
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "source\tfinding\talone\tloss without it\tloss if permuted\tgain of noise\tshare of ||w||\tshare of noise\tactive at p = 1")
	for _, k := range found.ByLoss() {
		x := &found.Sources[k]
		fmt.Fprintf(w, "%s\t%s\t%s\t%s", fail.Name(x.Name), x.Word(), meanAndError(x.Alone), difference(&x.LeftOut))
		// Null is nil with shared preparation, where rows of a source cannot be shuffled.
		if x.Null != nil {
			fmt.Fprintf(w, "\t%s\t%s\t%.1f %%\t%.1f %%", difference(x.Permuted), difference(x.Null), 100*x.Share.Mean, 100*x.NullShare.Mean)
		} else {
			fmt.Fprintf(w, "\t-\t-\t%.1f %%\t-", 100*x.Share.Mean)
		}
		// The column needs samples, and a run may have none.
		active := "-"
		if found.Samples > 0 {
			active = fmt.Sprintf("%.0f %%", 100*x.Active)
		}
		fmt.Fprintf(w, "\t%s\n", active)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if found.Preparation == selection.PreparedShared {
		return s.print("\n")
	}
	return s.print("\ngain of noise and share of noise: the source with its rows in random order is added. permuted: its rows are exchanged at prediction.\n\n")
}

// printBestAlone prints which source alone is better than all sources, and the command that trains on
// it. One source better than all of them together is a finding that a user has to act on, so the next
// command follows.
func (s *importanceReport) printBestAlone(found *selection.Importance) error {
	text := found.DescribeBestAlone()
	if text == "" {
		return nil
	}
	if command := s.alone(found.Sources[found.BestAlone()].Name, found.Measure); command != "" {
		text += " Next:\n\n  " + command
	} else {
		text += " Next: select with the kernels of this source alone."
	}
	return s.print("%s\n\n", text)
}

// describe lists the block norms and costs of the trainings on all sources, each once. A fold chooses its own unless
// they are given. Some tasks have no cost.
func (g givenSettings) describe(found *selection.Importance) string {
	var norms, costs []string
	// Different folds may have chosen different values.
	for _, p := range found.Norms {
		norms = append(norms, formatNorm(float64(p)))
	}
	for _, c := range found.Costs {
		costs = append(costs, fmt.Sprintf("%g", c))
	}
	// Both values can have this remark, each for itself.
	const given = " (as given, not chosen)"
	text := "p = " + strings.Join(norms, ", ")
	if g.norm {
		text += given
	}
	if len(costs) > 0 {
		text += "; C = " + strings.Join(costs, ", ")
		if g.cost {
			text += given
		}
	}
	return text
}

// meanAndError writes a figure. Folds that are all equal, or one alone, do not show its error.
func meanAndError(f selection.Figure) string {
	if f.Error == 0 {
		return fmt.Sprintf("%.4f", f.Mean)
	}
	return fmt.Sprintf("%.4f ±%.4f", f.Mean, f.Error)
}

// difference writes a difference with its sign and standard error.
func difference(w *selection.Worth) string { return fmt.Sprintf("%+.4f ±%.4f", w.Mean, w.Error) }

// printPairs prints the pairs of which one source replaces the other. Each of two sources may look
// redundant while one of them is needed. Only the training without both shows this.
func (s *importanceReport) printPairs(found *selection.Importance) error {
	var lines []string
	for _, p := range found.Substitutes() {
		lines = append(lines, fmt.Sprintf("%s and %s: without both %s, which is %s more than the two losses of one source alone", fail.Name(found.Sources[p.First].Name),
			fail.Name(found.Sources[p.Second].Name), difference(&p.LeftOut), difference(&p.Redundancy)))
	}
	// Without such pairs the section is left out.
	if lines == nil {
		return nil
	}
	return s.print("%s\n\n", strings.Join(lines, "\n"))
}
