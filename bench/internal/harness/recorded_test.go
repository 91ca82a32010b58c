package harness

import (
	"testing"
)

func TestRecordedFiguresAreComparable(t *testing.T) {
	for i, a := range SHOGUN {
		if _, err := ParseNorm(a.Norm); err != nil || a.Seconds <= 0 || a.Gap <= 0 || a.Gap > 5e-3 || a.Dual <= 0 {
			t.Errorf("row %d: %+v", i, a)
		}
	}
	if Ratio(1, 0) != 0 || Ratio(6, 3) != 2 || Difference(1, 1.1) > 0.1 {
		t.Error("ratios")
	}
}
