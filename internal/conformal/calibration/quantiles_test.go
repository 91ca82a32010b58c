package calibration

import (
	"math"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/conformal"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
)

// TestIntervalsOfQuantiles: intervals between two quantiles hold the share that was asked for, over the draws of rows and splits. Quantiles too
// near to each other are moved apart, and quantiles too far from each other together. The noise grows with x: where it is small, the
// intervals are shorter than where it is large.
func TestIntervalsOfQuantiles(t *testing.T) {
	t.Parallel()
	const fresh, coverage = 200, 0.9
	rng, repeats := datasettest.Random(t, 17), testlevel.Repeats(40, 200)
	draw := func(n int) []dataset.Row {
		rows := make([]dataset.Row, n)
		for i := range rows {
			x := 3 * rng.Float64()
			rows[i] = dataset.Row{Target: math.Sin(3*x) + (0.1+x)*rng.NormFloat64(), Index: []int32{0}, Value: []float64{x}}
		}
		return rows
	}
	for k, taus := range [][]float64{{0.05, 0.5, 0.95}, {0.3, 0.7}, {0.005, 0.995}} {
		sum, mean, deviation, quiet, loud := 0.0, 0.0, 0.0, 0.0, 0.0
		for range repeats {
			rows := draw(160)
			m, _, err := Train(t.Context(), datasettest.Stream(rows), bigmkl.Options{Task: "quantile", Taus: taus, Kernels: "gauss:0.5,linear", Threads: 1}, Options{Share: 0.4})
			if err != nil {
				t.Fatal(err)
			}
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			r, err := conformal.New(&m.Model, coverage)
			if err != nil || !r.TwoSided() {
				t.Fatal(err, r)
			}
			mean, deviation = conformal.Expected(m.Conformal.Len(), fresh, coverage)
			test, at := draw(fresh), 0
			for _, sorted := range []bool{false, true} {
				if err := m.Predict(t.Context(), datasettest.Stream(test), bigmkl.PredictOptions{NoCrossing: sorted}, func(q bigmkl.Prediction) error {
					low, high := r.Interval(&q)
					if low <= q.Target && q.Target <= high {
						sum += 1 / float64(2*repeats*fresh)
					}
					if x := test[at%fresh].Value[0]; x < 0.5 {
						quiet += high - low
					} else if x > 2.5 {
						loud += high - low
					}
					at++
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			}
			m.Close()
		}
		off := (sum - mean) / (deviation / math.Sqrt(float64(repeats)))
		t.Logf("tau = %v: %.4f of the rows, %.1f errors off %.4f", taus, sum, off, mean)
		if math.Abs(off) > 2 {
			t.Errorf("tau = %v: %.4f of the rows, %.1f errors off %.4f", taus, sum, off, mean)
		}
		if k == 0 && quiet > 0.7*loud {
			t.Errorf("tau = %v: widths %g where there is little noise, %g where there is much", taus, quiet, loud)
		}
	}
}
