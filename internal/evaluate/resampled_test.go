package evaluate

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// TestPractical compares with baycomp 1.0.3 on 100 random inputs; testdata/correlated.py made them.
func TestPractical(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/correlated.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	lines, err := r.ReadAll()
	if err != nil || len(lines) != 100 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for n, line := range lines {
		x := make([]float64, len(line))
		for k, text := range line {
			if x[k], err = strconv.ParseFloat(text, 64); err != nil {
				t.Fatal(err)
			}
		}
		rope, want, d := x[2], x[3:6], x[6:]
		worse, equivalent, better := Resample(d, 1/(x[0]-1)).Practical(rope)
		for k, got := range []float64{worse, equivalent, better} {
			if !(math.Abs(got-want[k]) <= 1e-6) {
				t.Errorf("line %d, number %d: %v, baycomp has %v", n+1, k+1, got, want[k])
			}
		}
	}
}

// TestResampledP compares with the formula of Nadeau and Bengio in scipy 1.17.1: t = mean /
// sqrt(variance (1/n + ratio)), 2 stats.t.sf(|t|, n-1).
func TestResampledP(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		differences            []float64
		ratio, mean, deviation float64
		p                      float64
	}{
		{[]float64{0.01, 0.03, -0.02, 0.04, 0.02}, 0.25, 0.016, 0.015443445211480502, 0.35870624640672505},
		{[]float64{0.1, 0.2, 0.15}, 0.5, 0.15, 0.04564354645876384, 0.08144134645630821},
		{[]float64{-3, -2, -4, -3}, 1. / 3, -3, 0.6236095644623235, 0.01710409937367728},
	} {
		r := Resample(c.differences, c.ratio)
		if !(math.Abs(r.Mean-c.mean) <= 1e-12) || !(math.Abs(r.Error-c.deviation) <= 1e-12) || !(math.Abs(r.P()-c.p) <= 1e-6) {
			t.Errorf("%v: %+v, p = %v", c.differences, r, r.P())
		}
		if g := r.Greater(); !(math.Abs(g-(0.5-math.Copysign(0.5-c.p/2, c.mean))) <= 1e-6) {
			t.Errorf("%v: one-sided %v", c.differences, g)
		}
	}
	for _, c := range []struct {
		differences []float64
		p           float64
	}{{nil, math.NaN()}, {[]float64{1}, math.NaN()}, {[]float64{0, 0}, 1}, {[]float64{0.1, 0.1, 0.1}, math.NaN()}, {[]float64{0.1, 0.1, 0.1, 0.1, 0.1}, 0}} {
		if p := Resample(c.differences, 0.25).P(); p != c.p && !(math.IsNaN(p) && math.IsNaN(c.p)) {
			t.Errorf("%v: p = %v, want %v", c.differences, p, c.p)
		}
	}
}

// TestResampledNull simulates two classifiers that err alike, each 30 % of the time and independently,
// on 2,000 sets of 120 rows of which 30 random splits test 24. Their figures are correlated by the
// rows that splits share; 5 % are called different at 5 %, where the plain t test calls 40 %.
func TestResampledNull(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(35, 3))
	const sets, rows, splits, tested = 2000, 120, 30, 24
	corrected, plain := 0, 0
	for range sets {
		var d [rows]float64
		for i := range d {
			for _, sign := range []float64{1, -1} {
				if rng.Float64() < 0.7 {
					d[i] += sign
				}
			}
		}
		var values []float64
		for range splits {
			sum := 0.0
			for _, i := range rng.Perm(rows)[:tested] {
				sum += d[i] / tested
			}
			values = append(values, sum)
		}
		if Resample(values, tested/float64(rows-tested)).P() < 0.05 {
			corrected++
		}
		if Resample(values, 0).P() < 0.05 {
			plain++
		}
	}
	if limit := sets*0.05 + 2*math.Sqrt(sets*0.05*0.95); float64(corrected) > limit || float64(plain) < sets*0.3 {
		t.Errorf("%d of %d are called different, and %d by the plain t test", corrected, sets, plain)
	}
}
