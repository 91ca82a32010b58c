package heldout

import (
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
)

// TestMoveTarget: the feature is the target, 0 where a row leaves it out, and no feature any more.
func TestMoveTarget(t *testing.T) {
	d := &defaultsData{rows: []dataset.Row{
		{Label: "a", Index: []int32{0, 2, 5}, Value: []float64{1, 2, 3}},
		{Label: "b", Index: []int32{0, 5}, Value: []float64{4, 5}},
	}}
	d.moveTarget(2)
	for i, want := range []float64{2, 0} {
		if r := d.rows[i]; r.Target != want || r.Label != "" || !slices.Equal(r.Index, []int32{0, 5}) || len(r.Value) != 2 {
			t.Errorf("row %d: %+v", i, r)
		}
	}
}

// TestRegressionSets: every set of the experiment is a regression, or has a feature as its target.
func TestRegressionSets(t *testing.T) {
	if len(intervalSets) != 10 {
		t.Errorf("%d sets", len(intervalSets))
	}
	for _, name := range intervalSets {
		task := ""
		for _, of := range defaultsSets {
			if slices.Contains(of.names, name) {
				task = of.task
			}
		}
		if _, ok := columnTargets[name]; ok == (task == bigmkl.TaskSVR) || task == "" {
			t.Errorf("%s of task %q has a feature as target: %v", name, task, ok)
		}
	}
}
