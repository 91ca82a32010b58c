package float

import (
	"math"
	"testing"
)

func TestFinite(t *testing.T) {
	for _, x := range []float64{0, 1, -math.MaxFloat64, math.SmallestNonzeroFloat64} {
		if !Finite(x) {
			t.Errorf("%g is not finite", x)
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if Finite(x) || Finite(float32(x)) {
			t.Errorf("%g is finite", x)
		}
	}
	if !Finite(float32(math.MaxFloat32)) {
		t.Error("the largest float32 is not finite")
	}
	// The square is rounded before it is looked at.
	if x := 1.1; !Finite(x * x) {
		t.Error("a product is not finite")
	}
}

func TestSingle(t *testing.T) {
	for x, want := range map[float64]bool{0: true, -1.5: true, math.MaxFloat32: true, 0.1: false, math.MaxFloat64: false, math.Inf(1): false, 1e-300: false} {
		if Single(x) != want {
			t.Errorf("Single(%g) is %v", x, !want)
		}
	}
}
