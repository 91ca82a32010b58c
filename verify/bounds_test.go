package verify

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestDocumentedBounds: the table of bounds in docs/MODEL.md has the numbers of rounding.go.
func TestDocumentedBounds(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/MODEL.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "\n## Bounds on rounding\n")
	table, _, _ = strings.Cut(table, "\n## ")
	if !found {
		t.Fatal("no table of bounds")
	}
	for _, cell := range []string{
		fmt.Sprintf("| %g u sum abs(t_i)", doubleTerm/inDouble), fmt.Sprintf("One class in single precision: %g u", oneSigned/inSingle),
		fmt.Sprintf("| %g u sum abs(t_i)", earlyTerm/inDouble), fmt.Sprintf("| %d times the bound", ofNorms),
		fmt.Sprintf("below %g of its terms", cancelled), fmt.Sprintf("| %g times the gap", tolerance),
		fmt.Sprintf(" %d times the error", estimates), fmt.Sprintf("| %d u times the kernel's", ofFactors), fmt.Sprintf("| %g u sum abs(alpha_i)", roundedBalance/inDouble),
		fmt.Sprintf("| %g of the bound", boxSlack), fmt.Sprintf("| %g: both follow", exact), fmt.Sprintf(" %g of the largest", conceded),
		fmt.Sprintf("| %g |", sharedNormSlack), fmt.Sprintf(" %d standard errors", deviations), fmt.Sprintf("; %d rows", rareRows),
	} {
		if cell = strings.ReplaceAll(cell, "e-0", "e-"); !strings.Contains(table, cell) {
			t.Errorf("no cell has %q", cell)
		}
	}
	for name, is := range map[string][2]float64{"a term in single precision": {singleTerm, doubleTerm / inDouble * inSingle}, "the gap in single precision": {ofGap, .25},
		"the gap in double precision": {ofGapWide, 1}, "the least gap": {leastGap, 1e-4}, "the least gap in single precision": {leastGapWide * leastGap, 1e-3}} {
		if is[0] != is[1] {
			t.Errorf("%s: %g, the table has %g", name, is[0], is[1])
		}
	}
}
