package evaluate

import (
	"math"
	"testing"
)

// TestWilcoxon compares with scipy.stats.wilcoxon 1.10.1: mode exact where there are neither ties nor
// zeros, and approx without a correction where there are.
func TestWilcoxon(t *testing.T) {
	sixty := make([]float64, 60)
	for i := range sixty {
		sixty[i] = 0.01 * float64(i+1)
		if i%3 == 0 {
			sixty[i] = -sixty[i]
		}
	}
	for _, c := range []struct {
		differences []float64
		want        float64
	}{
		{[]float64{0.1, -0.2, 0.35, 0.4, 0.55, 0.62, -0.05, 0.8}, 0.0546875},
		{[]float64{1, 2, 3, -4, 5, 6, -7.5, 8, 9, 10, 11, 12}, 0.02685546875},
		{[]float64{0.01, -0.02, 0.03, 0.04, 0.05, -0.06}, 0.6875},
		{[]float64{1, 1, 2, -2, 3, 0, 4, -1, 0, 5}, 0.1051719513086604},
		{[]float64{0, 0, 0.5, 0.5, 0.5, -0.5, 1.5, 2.5, 3.5, 4.5}, 0.027982492535170326},
		{sixty, 0.016733071607703435},
		{[]float64{3}, 1},
	} {
		if got := Wilcoxon(c.differences); !(math.Abs(got-c.want) <= 1e-9) {
			t.Errorf("%v: %v, want %v", c.differences, got, c.want)
		}
	}
	if p := Wilcoxon([]float64{0, 0}); !math.IsNaN(p) {
		t.Errorf("without differences: %v", p)
	}
}

// TestFiveByTwo compares with the formula in numpy and scipy.stats.f.sf.
func TestFiveByTwo(t *testing.T) {
	got := FiveByTwo([10]float64{0.02, 0.01, 0.03, 0.015, -0.01, 0.02, 0.025, 0.02, 0.01, 0.04})
	if want := 0.19109444214370316; !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%v, want %v", got, want)
	}
	if p := FiveByTwo([10]float64{1, 1, 2, 2, 3, 3, 4, 4, 5, 5}); !math.IsNaN(p) {
		t.Errorf("without any variance: %v", p)
	}
}
