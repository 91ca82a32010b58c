package optima

import (
	"math"
	"testing"

	"bigmkl"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestWideKernels: kernels that are 1 - 1e-8 and the like on all points are trained to any gap,
// alone and beside others, and their models claim and predict what they are by definition.
func TestWideKernels(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 71), 200, 4)
	for i := range rows {
		rows[i].Target = math.Sin(float64(i)) + float64(i%3)
	}
	for _, c := range []struct {
		kernels, task string
		norm, gap     float64
	}{
		{"gauss:1e-9", bigmkl.TaskSquare, math.Inf(1), 1e-3},
		{"gauss:1e-9", bigmkl.TaskClass, 2, 1e-6},
		{"gauss:1e-9,gauss:auto/3", bigmkl.TaskSVR, 8, 1e-4},
		{"laplace:1e-8,gauss:1e-3", bigmkl.TaskClass, 4.0 / 3, 1e-3},
		{"gauss:1e-7..10/40", bigmkl.TaskClass, 1.0667, 1e-3},
		{"gauss:2^-20..1", bigmkl.TaskClass, 2, 1e-5},
		{"gauss:1e-11,gauss:1e-6", bigmkl.TaskSVR, 2, 1e-3},
		{"gauss:1e-9@each-feature", bigmkl.TaskClass, 8, 1e-3},
		{"gauss:1e-12,gauss:1", bigmkl.TaskSVR, 2, 1e-6},
	} {
		o := bigmkl.Options{Kernels: c.kernels, Task: c.task, Norm: c.norm, Gap: c.gap, C: 100}
		m, r := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		report := verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		t.Logf("%s, p = %g: %d iterations, gap %.3g, verify %.3g", c.kernels, c.norm, r.Iterations,
			m.Certificate.RelativeGap, report.RelativeGap)
		if c.task != bigmkl.TaskClass || c.kernels != "gauss:1e-9" {
			continue
		}
		largest, got := 0.0, bigmkltest.Decisions(t, m, rows, bigmkl.PredictOptions{})
		want := make([]float64, len(rows))
		for i := range rows {
			want[i] = m.Bias
			for s, a := range m.Alpha {
				square := 0.0
				x, z := make([]float64, 4), make([]float64, 4)
				for k, j := range rows[i].Index {
					x[j] = float64(float32(rows[i].Value[k]))
				}
				m.Each(s, func(j int, v float32) { z[j] = float64(v) })
				for j := range x {
					square += (x[j] - z[j]) * (x[j] - z[j])
				}
				want[i] += a * m.Theta[0] * m.Normalization.Scale[0] * math.Expm1(-1e-9*square)
			}
			largest = max(largest, math.Abs(want[i]))
		}
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= 1e-5*largest) {
				t.Fatalf("row %d: decision %v, want %v of %v", i+1, got[i], want[i], largest)
			}
		}
	}
}

// TestWideSphericalKernels: the spherical normalisation leaves exponentials as they are, and wide kernels separate
// points as exactly as without it, for any weights.
func TestWideSphericalKernels(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 72), 120, 6)
	for _, kernels := range []string{"gauss:mean/120", "laplace:mean/60,poly:2", "linear,gauss:2^-60..2^-50"} {
		o := bigmkl.Options{Kernels: kernels, Norm: math.Inf(1), Normalize: "spherical", Gap: 1e-6, C: 50}
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	}
}
