package main

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestToy: every cell is there, the sparsest scenario is p = 1's, and the figure is drawn.
func TestToy(t *testing.T) {
	dir := t.TempDir()
	r := found(t, "", "toy", "--quick", "--repetitions", "1", "--out", dir)
	if len(r.Tables) != 3 || len(r.Tables[0].Rows) != len(toyInformative) {
		t.Fatalf("%+v", r)
	}
	at := func(row int, p string) float64 {
		return r.Tables[0].Rows[row][p].(map[string]any)["mean"].(float64)
	}
	for row := range toyInformative {
		for _, p := range toyNorms {
			if e := at(row, "p"+p); !(e > 1 && e < 60) {
				t.Errorf("scenario %d, p = %s: %g %%", row, p, e)
			}
		}
	}
	if last := len(toyInformative) - 1; !(at(last, "p1") < 15 && at(last, "pinf") > 25) {
		t.Errorf("one feature: %g %% for p = 1, %g %% for p = inf", at(last, "p1"), at(last, "pinf"))
	}
	if b := r.Tables[0].Rows[4]["bound"]; b != "1.25" {
		t.Errorf("four features: the bound is least at %v", b)
	}
	svg, err := os.ReadFile(filepath.Join(dir, "toy-error.svg"))
	if err != nil || !strings.Contains(string(svg), "Bayes error") {
		t.Errorf("the figure: %v", err)
	}
}

// TestToyData: the best hyperplane errs as often as it has to.
func TestToyData(t *testing.T) {
	for _, informative := range toyInformative {
		d := toyPoints(rand.New(rand.NewPCG(1, uint64(informative))), informative, 20000)
		if e := 100 * float64(d.wrong(trueWeights(informative), 0)) / 20000; math.Abs(e-bayesError()) > 0.5 {
			t.Errorf("%d features: %.2f %%, the Bayes error is %.2f %%", informative, e, bayesError())
		}
	}
	if math.Abs(bayesError()-4.006) > 1e-3 {
		t.Errorf("the Bayes error is %.4f %%", bayesError())
	}
}
