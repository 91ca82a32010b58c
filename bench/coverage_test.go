package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bigmkl/conformal"
)

// TestCoverageExperiment: without data generated rows stand in, each with what was met and expected, and a program without MAPIE is named.
func TestCoverageExperiment(t *testing.T) {
	r := found(t, t.TempDir(), "coverage", "--quick", "--coverage", "0.8", "--python", "no-such-python")
	if len(r.Tables) != 2 || len(r.Tables[0].Rows) != 2 || len(r.Tables[1].Rows) != 1 {
		t.Fatalf("%+v", r)
	}
	for _, row := range r.Tables[0].Rows {
		number := func(key string) float64 { return row[key].(float64) }
		if number("scores") != 17 || math.Abs(number("expected")-15./18) > 1e-12 || !(number("met") > .5) || !(number("error") > 0) || !(number("size") > 0) {
			t.Errorf("%v", row)
		}
	}
	rare := r.Tables[1].Rows[0]
	if share := rare["share"].(float64); !(share > 0 && share <= .6) || !(rare["by_class"].(float64) > .4) {
		t.Errorf("%v", rare)
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "no-such-python has no MAPIE") {
		t.Error(notes)
	}
}

// TestExpectedCoverage holds mean and deviation of the share of held rows to their simulation.
func TestExpectedCoverage(t *testing.T) {
	t.Parallel()
	t.Log("seed 5")
	rng := rand.New(rand.NewPCG(5, 1))
	for _, of := range []struct{ scores, tests int }{{25, 54}, {140, 300}, {30, 5}} {
		const draws = 3000
		sum, squares := 0.0, 0.0
		for range draws {
			scores := make([]float64, of.scores)
			for i := range scores {
				scores[i] = rng.Float64()
			}
			slices.Sort(scores)
			threshold, held := conformal.Threshold(scores, .8), 0.0
			for range of.tests {
				if rng.Float64() <= threshold {
					held += 1 / float64(of.tests)
				}
			}
			sum += held / draws
			squares += held * held / draws
		}
		mean, deviation := expectedCoverage(of.scores, of.tests, .8)
		found := math.Sqrt(squares - sum*sum)
		if math.Abs(sum-mean) > 4*deviation/math.Sqrt(draws) || math.Abs(found/deviation-1) > .08 {
			t.Errorf("%+v: %g and %g, expected %g and %g", of, sum, found, mean, deviation)
		}
	}
	if mean, deviation := expectedCoverage(8, 10, .9); mean != 1 || deviation != 0 {
		t.Errorf("too few scores hold %g", mean)
	}
}
