package command

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"bigmkl/internal/selection"
)

// comparison is one of two cells: by how much the best is better, the p-value and the verdict.
func comparison(cell int, difference, p float64, verdict selection.Verdict) *selection.Comparison {
	q := &selection.Practical{Rope: 0.01, Verdict: verdict, Better: 0.5, Worse: 0.97}
	return &selection.Comparison{Cell: cell, Difference: selection.Figure{Mean: difference}, P: &p, Practical: q}
}

// TestChoiceSentences: the sentences about the best and the simplest combination agree with the comparisons,
// whichever of two is better. A combination that is shown to be worse is never described otherwise.
func TestChoiceSentences(t *testing.T) {
	t.Parallel()
	name := func(k int) string { return fmt.Sprintf("cell %d", k) }
	for _, c := range []struct {
		rival, simpler *selection.Comparison
		tuned          bool
		want           string
	}{
		{comparison(1, 0.02, 0.01, selection.Better), nil, false,
			"The best combination, cell 0, is chosen; against cell 1, the best of another kind, the data show that it is better (+0.0200, p-value 0.01).\n" +
				"It is the simplest combination that is not shown to be worse than the best."},
		{comparison(1, 0.02, 0.01, selection.Undecided), nil, false, "that it is better (+0.0200, p-value 0.01), and not whether by more than 0.01.\nIt is"},
		{comparison(1, 0.002, 0.01, selection.Equivalent), nil, false, "that it is better (+0.0020, p-value 0.01), which is of no importance (within 0.01).\n"},
		{comparison(1, 0.02, 0.3, selection.Undecided), nil, false, "the data show no difference (p-value 0.3).\n"},
		{comparison(1, 0.001, 0.3, selection.Equivalent), nil, false, "no difference (p-value 0.3), and that they are equivalent within 0.01.\n"},
		{comparison(1, 0.03, 0.07, selection.Better), nil, false, "no difference at 5 % (p-value 0.07), though it is better with a probability of 0.97.\n"},
		{comparison(1, 0.03, 0.01, selection.Better), comparison(2, 0.01, 0.2, selection.Undecided), false,
			"\nThe simplest combination that is not shown to be worse, cell 2, is not chosen; against the best the data show no difference (p-value 0.2)."},
		{comparison(1, 0.03, 0.01, selection.Better), comparison(2, 0.03, 0.07, selection.Better), false,
			"against the best the data show no difference at 5 % (p-value 0.07), though it is worse with a probability of 0.97."},
		{comparison(1, 0.03, 0.01, selection.Better), comparison(2, -0.0001, 0.01, selection.Equivalent), false,
			"against the best the data show that it is better (+0.0001, p-value 0.01), which is of no importance (within 0.01)."},
		{comparison(1, -0.15, 0.0349, selection.Worse), nil, true,
			"The best combination that can be tuned, cell 0, is chosen; before the tuning, against cell 1, the best of another kind, the data show that it is worse (-0.1500, p-value 0.0349).\n" +
				"A tuning takes all kernels of a list. cell 1 was better before it: train that, or compare both on rows that had no part in this."},
		{comparison(1, 0.15, 0.0349, selection.Better), nil, true,
			"The best combination that can be tuned, cell 0, is chosen; before the tuning, against cell 1, the best of another kind, the data show that it is better (+0.1500, p-value 0.0349)."},
		{comparison(1, -0.15, 0.3, selection.Undecided), nil, true, "the data show no difference (p-value 0.3)."},
		{nil, nil, false, "there is none of another kind to compare it with.\nIt is the simplest"},
	} {
		s := &selection.Selection{Measure: "accuracy", Cells: make([]selection.Cell, 3)}
		if c.rival != nil {
			s.Baselines = []selection.Comparison{*c.rival}
		}
		if s.Simpler = c.simpler; c.simpler != nil {
			s.Simplest = c.simpler.Cell
		}
		if c.tuned {
			s.Tuning = &selection.Tuning{}
		}
		got := describeChoice(s, name)
		if !strings.Contains(got+"\n", c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
		if strings.Contains(got, "it is worse (") && strings.Contains(got, "not shown to be worse") {
			t.Errorf("a contradiction: %q", got)
		}
	}
}

// TestMarksHaveLines: the best combination and the simplest have a line in the table, also where they are
// a kernel by itself that does not have the best mean of its kind.
func TestMarksHaveLines(t *testing.T) {
	t.Parallel()
	s := &selection.Selection{Measure: "accuracy", Folds: make([]string, 2), Best: 0}
	add := func(kind selection.Kind, kernels string, mean float64) {
		s.Arms = append(s.Arms, selection.Arm{Kind: kind, Kernels: kernels, View: kernels, Norm: 4. / 3})
		s.Cells = append(s.Cells, selection.Cell{Arm: len(s.Arms) - 1, Cost: 1, Figures: map[string]selection.Figure{"accuracy": {Mean: mean, Folds: 2}}})
	}
	add(selection.Grid, "all", 0.9)
	for k := range mostViews + 2 {
		add(selection.View, fmt.Sprintf("view%d", k), 0.7+0.001*float64(k))
	}
	for k := range 3 {
		add(selection.Single, fmt.Sprintf("linear@%d", k+1), 0.8+0.01*float64(k))
	}
	for _, simplest := range []int{0, 3, len(s.Cells) - 3, len(s.Cells) - 1} {
		for _, best := range []int{0, 2, len(s.Cells) - 2} {
			var out bytes.Buffer
			c := &selectReport{partReport: partReport{console: &console{stdout: &out}}}
			s.Simplest, s.Best = simplest, best
			if err := c.printCells(s); err != nil {
				t.Fatal(err)
			}
			text := out.String()
			if strings.Count(text, " *") != 1 || best != simplest && strings.Count(text, " ~") != 1 || strings.Count(text, "the best of") != 2 {
				t.Errorf("best %d, simplest %d:\n%s", best, simplest, text)
			}
		}
	}
}
