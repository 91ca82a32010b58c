package families

import (
	"math"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// lossRows are the rows of a curve with noise of three spreads.
func lossRows(t *testing.T, seed uint64, n int) []dataset.Row {
	rng := datasettest.Random(t, seed)
	rows := bigmkltest.Curve(rng, n, 3)
	for i := range rows {
		rows[i].Target += 0.3 * (1 + float64(i%3)) * rng.NormFloat64()
	}
	return rows
}

// lossValue trains a model that verify accepts and returns it with its dual value.
func lossValue(t *testing.T, rows []dataset.Row, o bigmkl.Options) (*bigmkl.Model, float64) {
	t.Helper()
	o.Kernels, o.Gap, o.Threads = "gauss:auto/3,linear", 1e-6, 1
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	return m, m.Certificate.Dual
}

// TestSpecialLosses: the median is support vector regression of half the cost, and Huber's loss with a far delta is the squared loss.
func TestSpecialLosses(t *testing.T) {
	t.Parallel()
	rows := lossRows(t, 31, 150)
	for _, p := range []float64{1, 4.0 / 3, 2, math.Inf(1)} {
		for name, pair := range map[string][2]bigmkl.Options{
			"median":         {{Task: bigmkl.TaskQuantile, C: 4, Norm: p}, {Task: bigmkl.TaskSVR, C: 2, Epsilon: bigmkl.Zero, Norm: p}},
			"median, a tube": {{Task: bigmkl.TaskQuantile, C: 4, Epsilon: 0.2, Norm: p}, {Task: bigmkl.TaskSVR, C: 2, Epsilon: 0.2, Norm: p}},
			"huber":          {{Task: bigmkl.TaskHuber, C: 2, Delta: 50, Norm: p}, {Task: bigmkl.TaskSquare, C: 2, Norm: p}},
		} {
			_, a := lossValue(t, rows, pair[0])
			_, b := lossValue(t, rows, pair[1])
			if math.Abs(a-b) > 3e-6*math.Abs(b) {
				t.Errorf("%s, p = %g: dual values %.10g and %.10g", name, p, a, b)
			}
		}
	}
}

// TestQuantileShares: at the optimum the share tau of the rows lies below, except for rows on the graph of f (Takeuchi et al. 2006,
// lemma 3). Targets of the other sign have the other quantile, with the other sign.
func TestQuantileShares(t *testing.T) {
	t.Parallel()
	rows := lossRows(t, 32, 240)
	for _, tau := range []float64{0.05, 0.3, 0.5, 0.9} {
		m, dual := lossValue(t, rows, bigmkl.Options{Task: bigmkl.TaskQuantile, C: 2, Tau: tau})
		below, through := 0, 0
		for _, p := range bigmkltest.Predictions(t, m, rows) {
			switch d := p.Target - p.Decision; {
			case math.Abs(d) < 1e-3:
				through++
			case d < 0:
				below++
			}
		}
		if n := float64(len(rows)); float64(below) > tau*n || float64(below+through) < tau*n {
			t.Errorf("tau = %g: %d of %g rows lie below and f goes through %d", tau, below, n, through)
		}
		mirrored := lossRows(t, 32, 240)
		for i := range mirrored {
			mirrored[i].Target *= -1
		}
		_, other := lossValue(t, mirrored, bigmkl.Options{Task: bigmkl.TaskQuantile, C: 2, Tau: 1 - tau})
		if math.Abs(dual-other) > 3e-6*math.Abs(dual) {
			t.Errorf("tau = %g: dual values %.10g and %.10g of the targets of the other sign", tau, dual, other)
		}
	}
}

// TestHuberOutliers: a few wild targets move the function of the squared loss, and hardly that of Huber's.
func TestHuberOutliers(t *testing.T) {
	t.Parallel()
	rows, wild := lossRows(t, 33, 200), lossRows(t, 33, 200)
	for i := 0; i < len(wild); i += 20 {
		wild[i].Target += 1000
	}
	moved := func(o bigmkl.Options) (most float64) {
		a, _ := lossValue(t, rows, o)
		b, _ := lossValue(t, wild, o)
		of := bigmkltest.Predictions(t, a, rows)
		for i, p := range bigmkltest.Predictions(t, b, rows) {
			most = max(most, math.Abs(p.Decision-of[i].Decision))
		}
		return most
	}
	square, huber := moved(bigmkl.Options{Task: bigmkl.TaskSquare}), moved(bigmkl.Options{Task: bigmkl.TaskHuber, Delta: 0.5})
	if square < 20 || huber > 1 {
		t.Errorf("the squared loss moves f by %g, and Huber's by %g", square, huber)
	}
}
