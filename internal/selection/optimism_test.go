package selection

import (
	"strings"
	"testing"
)

// TestOptimism: the best of several combinations is called optimistic, with their number. One combination alone, and a
// selection that was measured itself, are not.
func TestOptimism(t *testing.T) {
	some := func(defined, undefined int) *Selection {
		s := &Selection{Measure: "auc", Cells: make([]Cell, defined+undefined)}
		for k := range defined {
			s.Cells[k].Figures = map[string]Figure{"auc": {Mean: 0.7}}
		}
		return s
	}
	best := some(5, 2)
	if text := best.Optimism(); !strings.Contains(text, "This auc is the best of 5 combinations") || !strings.Contains(text, "--nested measures") {
		t.Error(text)
	}
	simplest, tuned := some(5, 0), some(5, 0)
	simplest.Choose, tuned.Tuning = ChooseSimplest, new(Tuning)
	for _, s := range []*Selection{simplest, tuned} {
		if text := s.Optimism(); !strings.Contains(text, "is optimistic") || strings.Contains(text, "--nested") {
			t.Errorf("no nested selection is possible: %q", text)
		}
	}
	none, compared, nested := some(5, 0), some(5, 0), some(5, 0)
	none.Best, compared.Compares, nested.Nested = -1, true, new(Figure)
	for _, s := range []*Selection{some(1, 3), none, compared, nested} {
		if text := s.Optimism(); text != "" {
			t.Errorf("%+v: %s", s, text)
		}
	}
}
