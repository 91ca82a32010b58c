package report

import (
	"fmt"

	"bigmkl/internal/selection"
)

// DescribeOptimism returns the sentence that the figure of the best of several combinations is optimistic, or "". The
// figure of one combination is not, and a nested selection measures the choice itself.
func DescribeOptimism(s *selection.Selection) string {
	compared := 0
	for k := range s.Cells {
		if _, defined := s.Cells[k].Figures[s.Measure]; defined {
			compared++
		}
	}
	if s.Best < 0 || s.Compares || s.Nested != nil || compared < 2 {
		return ""
	}
	instead := "--nested measures the selection itself, on rows that it did not use."
	if s.Tuning != nil || s.Choose == selection.ChooseSimplest { // Neither can be nested.
		instead = "Rows that had no part in the selection measure it without this optimism."
	}
	return fmt.Sprintf("This %s is the best of %d combinations on the same rows, so it is optimistic. %s", s.Measure, compared, instead)
}
