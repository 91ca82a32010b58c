package calibration

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/conformal"
	"bigmkl/internal/dataset/holdout"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/evaluate"
	"bigmkl/internal/fail"
	"bigmkl/internal/verifytest"
)

// drawTimes draws rows whose logarithms of times are a function of x with noise, and of which some are censored. truth gives the share without an
// event until t.
func drawTimes(t *testing.T, seed uint64, n int) (rows []dataset.Row, truth func(r *dataset.Row, t float64) float64) {
	rng := datasettest.Random(t, seed)
	for range n {
		x := 3 * rng.Float64()
		time, end := math.Exp(math.Sin(2*x)+0.4*rng.NormFloat64()), 8*rng.Float64()
		r := dataset.Row{Target: time, Index: []int32{0}, Value: []float64{x}}
		if end < time {
			r.Target = -end
		}
		rows = append(rows, r)
	}
	return rows, func(r *dataset.Row, t float64) float64 {
		return math.Erfc((math.Log(t)-math.Sin(2*r.Value[0]))/0.4/math.Sqrt2) / 2
	}
}

// TestCurves: the residuals of a model come from the rows that were held out, their curves are near the true ones, and the Brier score is near
// that of the true curves and below that of one curve for all rows.
func TestCurves(t *testing.T) {
	t.Parallel()
	rows, _ := drawTimes(t, 71, 600)
	test, truth := drawTimes(t, 72, 2000)
	times := []float64{0.3, 0.7, 1, 1.5, 2.5, 4}
	o := bigmkl.Options{Task: bigmkl.TaskSurvival, Kernels: "gauss:0.5,gauss:4", Threads: 1, Seed: 5}
	for name, how := range map[string]Options{"folds": {Folds: 5}, "split": {Share: 0.4}} {
		m, _, err := Train(t.Context(), datasettest.Stream(rows), o, how)
		if err != nil {
			t.Fatal(err)
		}
		if name == "split" {
			held := holdout.Mark(len(rows), how.Share, o.Seed)
			var out []dataset.Row
			for i, h := range held {
				if h {
					out = append(out, rows[i])
				}
			}
			var residuals []float64
			var events []bool
			if err := m.Predict(t.Context(), datasettest.Stream(out), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
				residuals, events = append(residuals, math.Log(math.Abs(p.Target))-math.Log(p.Decision)), append(events, p.Target > 0)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if at, share := evaluate.Survival(residuals, events); !slices.Equal(at, m.Conformal.Scores) || !slices.Equal(share, m.Conformal.Shares) {
				t.Errorf("residuals %v, want %v", m.Conformal.Scores, at)
			}
		}
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		c, err := conformal.NewCurves(&m.Model, times)
		if err != nil {
			t.Fatal(err)
		}
		own, ideal, flat := evaluate.NewTimesBrier(times, m.Censoring.Times, m.Censoring.Shares), evaluate.NewTimesBrier(times, m.Censoring.Times, m.Censoring.Shares), evaluate.NewTimesBrier(times, m.Censoring.Times, m.Censoring.Shares)
		var all []float64
		var known []bool
		for _, r := range rows {
			all, known = append(all, math.Abs(r.Target)), append(known, r.Target > 0)
		}
		at, share := evaluate.Survival(all, known)
		off, i := 0.0, 0
		if err := m.Predict(t.Context(), datasettest.Stream(test), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
			curve := c.Append(nil, &p)
			var right, same []float64
			for k, time := range times {
				right, same = append(right, truth(&test[i], time)), append(same, evaluate.ShareLeft(at, share, time))
				off += math.Abs(curve[k]-right[k]) / float64(len(times)*len(test))
				if curve[k] < 0 || curve[k] > 1 || k > 0 && curve[k] > curve[k-1] {
					t.Fatalf("the curve %v", curve)
				}
			}
			own.Add(curve, p.Target, 0)
			ideal.Add(right, p.Target, 0)
			flat.Add(same, p.Target, 0)
			i++
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: shares are off by %.3f; Brier score %.4f, of the true curves %.4f, of one curve %.4f", name, off, own.Integrated(), ideal.Integrated(), flat.Integrated())
		if off > 0.05 || own.Integrated() > 1.1*ideal.Integrated() || own.Integrated() > 0.8*flat.Integrated() {
			t.Errorf("%s: shares are off by %g; Brier score %g, of the true curves %g, of one curve %g", name, off, own.Integrated(), ideal.Integrated(), flat.Integrated())
		}
		if _, err := conformal.New(&m.Model, 0.9); !errors.Is(err, fail.Usage) || !strings.Contains(err.Error(), "no intervals") {
			t.Error(err)
		}
		for _, bad := range [][]float64{nil, {0}, {2, 1}, {1, math.Inf(1)}, {math.NaN()}} {
			if _, err := conformal.NewCurves(&m.Model, bad); !errors.Is(err, fail.Usage) {
				t.Errorf("times %v: %v", bad, err)
			}
		}
		m.Close()
	}
	rows[7].Target, rows[7].Upper = -1, 2
	if _, _, err := Train(t.Context(), datasettest.Stream(rows), o, Options{Folds: 3}); !errors.Is(err, fail.Input) || !strings.Contains(err.Error(), "times with upper bounds") {
		t.Error(err)
	}
	// No row that is held out has an event.
	late, _ := drawTimes(t, 73, 60)
	for i, h := range holdout.Mark(len(late), 0.1, o.Seed) {
		if late[i].Target = math.Abs(late[i].Target); h {
			late[i].Target *= -1
		}
	}
	if _, _, err := Train(t.Context(), datasettest.Stream(late), o, Options{Share: 0.1}); !errors.Is(err, fail.Input) || !strings.Contains(err.Error(), "none of the 6 rows that were held out has an event") {
		t.Error(err)
	}
}
