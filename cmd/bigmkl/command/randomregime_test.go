package command

import (
	"slices"
	"testing"

	"bigmkl/internal/budget"
	"bigmkl/tests/commandtest"
)

// TestEnoughBudget: both wordings of a rejection are understood, and no other hint is taken for one.
func TestEnoughBudget(t *testing.T) {
	for _, what := range []string{"memory", "disk"} {
		for _, outlined := range []string{"", "5 points of 3 features"} {
			s := budget.Share{Budget: 1 << 20, Least: 45 << 20, Outlined: outlined}
			text := explainError(s.Reject(what))
			if found := commandtest.EnoughBudget.FindStringSubmatch(text); !slices.Equal(found[min(1, len(found)):], []string{what, "45MiB"}) {
				t.Errorf("%q in %s", found, text)
			}
		}
	}
	if found := commandtest.EnoughBudget.FindString("a file (at least --disk 3MiB)"); found != "" {
		t.Error(found)
	}
}
