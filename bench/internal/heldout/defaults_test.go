package heldout

import (
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
)

// TestSplitsOfDefaults: a split holds out its share of every class, and a seed draws the same again.
func TestSplitsOfDefaults(t *testing.T) {
	d := &defaultsData{task: bigmkl.TaskClass}
	for i := range 70 {
		d.rows = append(d.rows, dataset.Row{Label: []string{"a", "b", "b", "b", "b", "c", "c"}[i%7]})
	}
	splits := d.split(3, 4)
	for k, held := range splits {
		count := map[string]int{}
		for i, out := range held {
			if out {
				count[d.rows[i].Label]++
			}
		}
		if count["a"] != 3 || count["b"] != 12 || count["c"] != 6 {
			t.Errorf("split %d holds out %v", k, count)
		}
		if !slices.Equal(held, d.split(3, 4)[k]) || slices.Equal(held, d.split(4, 4)[k]) || k > 0 && slices.Equal(held, splits[0]) {
			t.Errorf("split %d is not drawn from the seed", k)
		}
	}
}

// TestSummaryOfDefaults: the loss of the default is the loss on the splits against the better of two means, and the mean
// leaves out sets that lack a method.
func TestSummaryOfDefaults(t *testing.T) {
	row := func(name string, byDefault, none, standard []float64) defaultsRow {
		return defaultsRow{Set: name, Task: bigmkl.TaskClass, Default: newHeldOut(byDefault, 1), None: newHeldOut(none, 1), Standard: newHeldOut(standard, 1)}
	}
	bad := row("bad", []float64{0.7, 0.7}, []float64{0.6, 0.8}, []float64{0.7, 0.8})
	if lead := bad.lead(); math.Abs(lead.Mean+0.05) > 1e-12 || math.Abs(lead.Error-0.05*math.Sqrt2*math.Sqrt(0.5+3.0/7)) > 1e-12 {
		t.Errorf("lead %+v", lead)
	}
	good := row("good", []float64{0.9, 0.9}, []float64{0.5, 0.5}, []float64{0.9, 0.8})
	good.SVC = newHeldOut([]float64{1, 1}, 1)
	table := &harness.Table{}
	summarize(table, []defaultsRow{bad, good})
	mean := table.Rows[0].(defaultsRow)
	if mean.Set != "mean of 1 sets of classes" || mean.Default.Mean != 0.9 || mean.SVC.String() != "1.000" || !mean.Grid.IsZero() {
		t.Errorf("%+v", mean)
	}
	if note := table.Notes[0]; !strings.Contains(note, "-5.0 ± 6.8 points of accuracy at worst, on bad") || !strings.Contains(note, "on 1 of 2 sets") {
		t.Error(note)
	}
}

func TestLinesOfPeers(t *testing.T) {
	found, err := parsePeers("{\"method\": \"svc\", \"figures\": [0.5, 1], \"cpu_seconds\": 2}\n{\"method\": \"forest\", \"figures\": [0.25], \"cpu_seconds\": 3}\n")
	if err != nil || !slices.Equal(found["svc"].Figures, []float64{0.5, 1}) || found["forest"].Seconds != 3 || len(found) != 2 {
		t.Errorf("%v, %v", found, err)
	}
	if _, err := parsePeers("no JSON\n"); err == nil {
		t.Error("other text is taken")
	}
}
