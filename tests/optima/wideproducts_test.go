package optima

import (
	"math"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// smallFeatures draws rows of two classes whose features have sizes from 3e-6 to 1.
func smallFeatures(t *testing.T, seed uint64, n int) []dataset.Row {
	rng, sizes := datasettest.Random(t, seed), []float64{1, 0.1, 1e-3, 1e-4, 1e-5, 3e-6}
	rows := make([]dataset.Row, n)
	for i := range rows {
		y := float64(i%2*2 - 1)
		rows[i] = dataset.Row{Label: []string{"-1", "1"}[i%2], Target: y + rng.NormFloat64()/4}
		for j, s := range sizes {
			rows[i].Index = append(rows[i].Index, int32(j))
			rows[i].Value = append(rows[i].Value, s*math.Exp(0.3*(y/2+rng.NormFloat64())))
		}
	}
	return rows
}

// TestWidePolynomials: polynomials of features far below 1, of which values have lost nearly all digits even in double precision,
// are trained to any gap, and their models claim and predict what they are by definition.
func TestWidePolynomials(t *testing.T) {
	t.Parallel()
	rows := smallFeatures(t, 72, 120)
	for _, c := range []struct {
		kernels, task string
		norm, gap, c  float64
	}{
		{"poly:1..4@each-feature", bigmkl.TaskClass, 8, 1e-3, 1},
		{"poly:1..4@each-feature", bigmkl.TaskClass, math.Inf(1), 1e-5, 1},
		{"poly:1..4@each-feature", bigmkl.TaskClass, 1, 1e-3, 100},
		{"poly:1..4@each-feature", bigmkl.TaskClass, 2, 1e-3, 1000},
		{"poly:1..4@each-feature,gauss:auto", bigmkl.TaskSVR, 8, 1e-3, 1},
		{"poly:3@each-feature", bigmkl.TaskSquare, 4.0 / 3, 1e-6, 1},
		{"poly:2:0.5:3@4-6,linear", bigmkl.TaskSquare, 2, 1e-3, 10},
	} {
		o := bigmkl.Options{Kernels: c.kernels, Task: c.task, Scale: dataset.ScaleNone, Norm: c.norm, Gap: c.gap, C: c.c}
		m, r := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		report := verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		t.Logf("%s, p = %g: %d iterations, gap %.3g, verify %.3g", c.kernels, c.norm, r.Iterations,
			m.Certificate.RelativeGap, report.RelativeGap)
		comparePolynomials(t, m, rows)
	}
}

// comparePolynomials compares decisions with sums of the polynomials less their constants, by the definition. Other kernels have no
// place in the model.
func comparePolynomials(t *testing.T, m *bigmkl.Model, rows []dataset.Row) {
	t.Helper()
	b, err := m.Bank()
	if err != nil {
		t.Fatal(err)
	}
	for id := range b.Kernels {
		if b.Kernels[id].Degree == 0 {
			return
		}
	}
	got, largest := bigmkltest.Decisions(t, m, rows, bigmkl.PredictOptions{}), 0.0
	want := make([]float64, len(rows))
	for i := range rows {
		want[i] = m.Bias
		for s, a := range m.Alpha {
			products := make([]float64, m.Features)
			m.Each(s, func(j int, v float32) { products[j] = float64(v) * float64(float32(rows[i].Value[j])) })
			for id := range b.Kernels {
				k, sum := &b.Kernels[id], 0.0
				for _, j := range b.Features(k.Set) {
					sum += products[j]
				}
				less := math.Pow(k.Coef, float64(k.Degree)) * math.Expm1(float64(k.Degree)*math.Log1p(k.Gamma*sum/k.Coef))
				want[i] += a * m.Theta[id] * m.Normalization.Scale[id] * less
			}
		}
		largest = max(largest, math.Abs(want[i]))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-4*largest) {
			t.Fatalf("row %d: decision %v, want %v of %v", i+1, got[i], want[i], largest)
		}
	}
}
