package optima

import (
	"fmt"
	"math"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// Weights are another way to write rows several times.

const weightsBank = "gauss:0.1..0.8/3,linear@each-feature,poly:2@1-3"

// repeated writes each row as often as its count.
func repeated(rows []dataset.Row, count func(r dataset.Row) int) []dataset.Row {
	var all []dataset.Row
	for _, r := range rows {
		for range count(r) {
			one := r
			one.Weight = 0
			all = append(all, one)
		}
	}
	return all
}

// equalOptima trains on both and compares the values of the optima; both have to verify.
func equalOptima(t *testing.T, a, b []dataset.Row, forA, forB bigmkl.Options) {
	t.Helper()
	var value [2]float64
	for i, rows := range [][]dataset.Row{a, b} {
		o := []bigmkl.Options{forA, forB}[i]
		o.Gap, o.MaxIterations = 1e-7, 3000
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		r := verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		bigmkltest.SameValues(t, m, r.Primal, 1e-6)
		value[i] = m.Certificate.Primal
	}
	if e := math.Abs(value[0]/value[1] - 1); !(e <= 1e-6) {
		t.Errorf("primal %.10g with weights and %.10g with copies: off by %.2g", value[0], value[1], e)
	}
}

// The normalisation counts points and not weights. Copies change it, so it is left out.
func TestClassWeightsAreCopies(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 7), 90, 4)
	double := repeated(rows, func(r dataset.Row) int {
		if r.Label == "1" {
			return 2
		}
		return 1
	})
	for _, p := range []float64{1, 4.0 / 3, 2, 8, math.Inf(1)} {
		for _, label := range []string{"1", "+1"} { // as in the data, and as a person may write it
			t.Run(fmt.Sprintf("p=%.4g/%s", p, label), func(t *testing.T) {
				o := bigmkl.Options{Kernels: weightsBank, Norm: p, C: 0.3, Normalize: "none"}
				weighted := o
				weighted.ClassWeight = map[string]float64{label: 2}
				equalOptima(t, rows, double, weighted, o)
			})
		}
	}
	// Both classes twice is another C.
	o := bigmkl.Options{Kernels: weightsBank, C: 0.3, Normalize: "none"}
	both := o
	o.ClassWeight = map[string]float64{"1": 2, "-1": 2}
	both.C = 0.6
	equalOptima(t, rows, rows, o, both)
}

func TestRowWeightsAreCopies(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 8)
	rows := datasettest.Clouds(rng, 80, 4)
	for i := range rows {
		rows[i].Weight = float64(1 + rng.IntN(3))
	}
	rows[3].Weight = 0 // means 1
	copies := repeated(rows, func(r dataset.Row) int { return int(max(r.Weight, 1)) })
	for _, p := range []float64{1, 1.0667, 2, math.Inf(1)} {
		t.Run(fmt.Sprintf("p=%.4g", p), func(t *testing.T) {
			o := bigmkl.Options{Kernels: weightsBank, Norm: p, C: 0.2, Normalize: "none"}
			equalOptima(t, rows, copies, o, o)
			o.ClassWeight = map[string]float64{"-1": 0.5} // and both together
			equalOptima(t, rows, copies, o, o)
		})
	}
}

// TestWeightsMatter: a weight that was dropped on the way would leave the tests above of little worth.
func TestWeightsMatter(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 9), 60, 4)
	o := bigmkl.Options{Kernels: weightsBank, C: 0.2, Gap: 1e-5}
	plain, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	if plain.RowWeights || plain.PositiveWeight != 1 || plain.NegativeWeight != 1 {
		t.Errorf("weights %v, %g, %g in a model without any", plain.RowWeights, plain.PositiveWeight, plain.NegativeWeight)
	}
	o.ClassWeight = map[string]float64{"1": 5}
	heavy, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	if heavy.PositiveWeight != 5 || heavy.NegativeWeight != 1 || heavy.Fingerprint != plain.Fingerprint {
		t.Errorf("weights %g and %g", heavy.PositiveWeight, heavy.NegativeWeight)
	}
	if !(heavy.Certificate.Primal > 1.05*plain.Certificate.Primal) {
		t.Errorf("the class weight moved the optimum from %g to %g only", plain.Certificate.Primal, heavy.Certificate.Primal)
	}
	rows[0].Weight = 3
	one, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Kernels: weightsBank, C: 0.2})
	if !one.RowWeights || one.Fingerprint == plain.Fingerprint {
		t.Error("a row weight left no trace in the model")
	}
}
