package chunking_test

import (
	"testing"

	. "bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/loss"
)

// TestResumableRounding: dual variables of a squared loss that consist of rounding errors are a
// state to resume, with any sum; others have to sum to 0.
func TestResumableRounding(t *testing.T) {
	y := []float64{11, 11, 11, 12}
	s := New(len(y), 1, loss.NewLeastSquares(y, 36, nil), norm.NewBlock(2, nil), gradienttest.NewDense(len(y), [][]float64{make([]float64, 16)}), 1e-3, Tuning{})
	for _, c := range []struct {
		alpha []float64
		want  bool
	}{
		{[]float64{0, 0, 0, 0}, true},
		{[]float64{1e-16, 2e-16, 0, 0}, true},
		{[]float64{1e-12, 0, 0, 0}, true},
		{[]float64{1e-5, 0, 0, 0}, false},
		{[]float64{5, -5, 1e-9, 0}, true},
		{[]float64{5, -4.9999, 0, 0}, false},
		{[]float64{5, -5, 0}, false},
	} {
		if got := s.Resumable(c.alpha); got != c.want {
			t.Errorf("%v: %v", c.alpha, got)
		}
	}
}
