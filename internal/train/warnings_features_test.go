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

// TestFlagsAreKnown: features of 0 and 1 are flags whatever their share, and one other feature in the set is none.
func TestFlagsAreKnown(t *testing.T) {
	t.Parallel()
	variance, mean := []float64{0.25, 0.0099, 0, 4}, []float32{0.5, 0.01, 7, 2}
	for _, c := range []struct {
		set  []int32
		want bool
	}{
		{[]int32{0, 1, 2}, true}, {nil, false}, {[]int32{1, 3}, false}, {[]int32{2}, true}, {[]int32{3}, false},
	} {
		if got := areFlags(variance, mean, c.set); got != c.want {
			t.Errorf("%v: %v", c.set, got)
		}
	}
	if !areFlags(variance[:3], mean[:3], nil) {
		t.Error("all features are flags")
	}
}
