package report

import (
	"strings"
	"testing"

	"bigmkl/internal/selection"
)

// TestOptimism: the best of several combinations is called optimistic, with their number. One combination alone, and a
// selection that was measured itself, are not.
func TestOptimism(t *testing.T) {
	some := func(defined, undefined int) *selection.Selection {
		s := &selection.Selection{Measure: "auc", Cells: make([]selection.Cell, defined+undefined)}
		for k := range defined {
			s.Cells[k].Figures = map[string]selection.Figure{"auc": {Mean: 0.7}}
		}
		return s
	}
	best := some(5, 2)
	if text := DescribeOptimism(best); !strings.Contains(text, "This auc is the best of 5 combinations") || !strings.Contains(text, "--nested measures") {
		t.Error(text)
	}
	simplest, tuned := some(5, 0), some(5, 0)
	simplest.Choose, tuned.Tuning = selection.ChooseSimplest, new(selection.Tuning)
	for _, s := range []*selection.Selection{simplest, tuned} {
		if text := DescribeOptimism(s); !strings.Contains(text, "is optimistic") || strings.Contains(text, "--nested") {
			t.Errorf("no nested selection is possible: %q", text)
		}
	}
	none, compared, nested := some(5, 0), some(5, 0), some(5, 0)
	none.Best, compared.Compares, nested.Nested = -1, true, new(selection.Figure)
	for _, s := range []*selection.Selection{some(1, 3), none, compared, nested} {
		if text := DescribeOptimism(s); text != "" {
			t.Errorf("%+v: %s", s, text)
		}
	}
}
