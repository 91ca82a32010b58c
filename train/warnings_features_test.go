package train

import (
	"math"
	"testing"
)

// TestDeviations: constant features have no part in the median, and a set is looked at alone.
func TestDeviations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		variance        []float64
		set             []int32
		largest, median float64
	}{
		{nil, nil, 0, 0}, {[]float64{0, 0}, nil, 0, 0}, {[]float64{4}, nil, 2, 2}, {[]float64{1e6, 4}, nil, 1e3, 2}, {[]float64{0, 9, 0, 1e6, 4}, nil, 1e3, 3},
		{[]float64{1e6, 4, 9}, []int32{1, 2}, 3, 2}, {[]float64{1e6, 4, 9}, []int32{0}, 1e3, 1e3},
	} {
		if largest, median := deviations(c.variance, c.set); math.Abs(largest-c.largest) > 1e-9 || median != c.median {
			t.Errorf("%v of %v: %g and %g, want %g and %g", c.set, c.variance, largest, median, c.largest, c.median)
		}
	}
}
