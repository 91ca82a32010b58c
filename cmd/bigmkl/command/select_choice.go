package command

import (
	"fmt"

	"bigmkl/internal/selection"
)

// printChoice names the best combination and the simplest that is not shown to be worse, one sentence
// each.
func (s *selectReport) printChoice(found *selection.Selection) error {
	return s.print("\n%s\n", describeChoice(found, func(number int) string {
		c := &found.Cells[number]
		return fmt.Sprintf("%s, C = %.6g", nameArm(&found.Arms[c.Arm], s.banks), c.Cost)
	}))
}

// describeChoice names the best and the simplest combination, with what the data show of them. name names a cell.
// The tuned combination is the best of the lists and norms of the options. It may be worse than a kernel or a view
// by itself, which have nothing to tune. The choice needs words, since the best mean of a table is
// often not better than others beyond its error.
func describeChoice(found *selection.Selection, name func(number int) string) string {
	// Both sentences need the same words.
	chosen := map[bool]string{true: "is chosen", false: "is not chosen"}
	best := "The best combination"
	if found.Tuning != nil {
		best = "The best combination that can be tuned"
	}
	text := fmt.Sprintf("%s, %s, %s; ", best, name(found.Best), chosen[found.Best == found.Chosen])
	// The rival is the best combination of another kind, such as the plain sum or a view alone.
	rival := found.Rival()
	switch {
	case rival == nil:
		text += "there is none of another kind to compare it with."
	case found.Tuning != nil:
		text += fmt.Sprintf("before the tuning, against %s, the best of another kind, the data show %s.", name(rival.Cell), showing(rival, 1))
	default:
		text += fmt.Sprintf("against %s, the best of another kind, the data show %s.", name(rival.Cell), showing(rival, 1))
	}
	switch {
	// There is no simplest one if no cell has a defined figure.
	case found.Simplest < 0:
	case found.Simpler != nil:
		text += fmt.Sprintf("\nThe simplest combination that is not shown to be worse, %s, %s; against the best the data show %s.",
			name(found.Simplest), chosen[found.Simplest == found.Chosen], showing(found.Simpler, -1))
	case found.Tuning == nil:
		text += "\nIt is the simplest combination that is not shown to be worse than the best."
	case rival != nil && rival.ShowsDifference() && rival.Difference.Mean < 0:
		text += fmt.Sprintf("\nA tuning takes all kernels of a list. %s was better before it: train that, or compare both on rows that had no part in this.",
			name(rival.Cell))
	}
	return text
}

// showing describes what the data show of a comparison: of the best combination, or with a sign of -1 of the other
// one. The p-value is two-sided and has no region of equivalence. It may show a difference where the verdict shows
// none, and the reverse: the text then has both. The p-value answers whether there is a difference, and
// the verdict whether it matters (a region of equivalence, rope).
func showing(c *selection.Comparison, sign float64) string {
	if c.P == nil {
		return "nothing, as there are too few folds for a test"
	}
	// An absent verdict has no word, so the text has only the p-value.
	q := c.Practical
	if q == nil {
		q = &selection.Practical{}
	}
	difference, word := sign*c.Difference.Mean, "worse"
	if difference > 0 {
		word = "better"
	}
	// The level is 5 %, two-sided.
	if !c.ShowsDifference() {
		switch q.Verdict {
		case selection.Better, selection.Worse:
			return fmt.Sprintf("no difference at 5 %% (p-value %.3g), though it is %s with a probability of %.2f", *c.P, word, max(q.Better, q.Worse))
		case selection.Equivalent:
			return fmt.Sprintf("no difference (p-value %.3g), and that they are equivalent within %.3g", *c.P, q.Rope)
		}
		return fmt.Sprintf("no difference (p-value %.3g)", *c.P)
	}
	text := fmt.Sprintf("that it is %s (%+.4f, p-value %.3g)", word, difference, *c.P)
	switch q.Verdict {
	case selection.Equivalent:
		text += fmt.Sprintf(", which is of no importance (within %.3g)", q.Rope)
	case selection.Undecided:
		text += fmt.Sprintf(", and not whether by more than %.3g", q.Rope)
	}
	return text
}
