package train

import (
	"math"
	"testing"
)

// TestCountAlike: constant features do not count, and a set is looked at alone.
func TestCountAlike(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		variance []float64
		set      []int32
		varying  int
		alike    float64
	}{
		{nil, nil, 0, 0}, {[]float64{0, 0}, nil, 0, 0}, {[]float64{4}, nil, 1, 1}, {[]float64{3, 3, 0, 3}, nil, 3, 3}, {[]float64{1, 3}, nil, 2, 1.6},
		{[]float64{1e300, 1e300}, nil, 2, 2}, {[]float64{1e6, 4, 4}, []int32{1, 2}, 2, 2}, {[]float64{1e6, 4, 9}, []int32{0}, 1, 1},
	} {
		if varying, alike := countAlike(c.variance, c.set); varying != c.varying || math.Abs(alike-c.alike) > 1e-12 {
			t.Errorf("%v of %v: %d and %g, want %d and %g", c.set, c.variance, varying, alike, c.varying, c.alike)
		}
	}
}
