package heldout

import (
	"fmt"
	"slices"

	"bigmkl"
)

// A set of classes is a regression, too: one of its features is the target, and the others are its features. The classes are left out. This gives
// regressions of other kinds than the few that are published as such: with heavy tails (eeg), with targets of which many are equal (heart), and
// with targets at the end of their range (pima, where a missing body mass is 0).

// columnTargets has the feature of each set that is its target, from 1 on.
var columnTargets = map[string]int32{
	"heart":      8,  // the largest heart rate
	"pima":       6,  // the body mass index
	"magic":      10, // the distance of an image from the centre
	"eeg":        4,  // one of 14 electrodes
	"higgs7k":    28, // the last invariant mass
	"covtype20k": 1,  // the elevation
}

// readRegression reads a set as a regression.
// A set that is a regression already stays as it is.
func (set defaultsSet) readRegression(seed uint64, most int) (*defaultsData, error) {
	d, err := set.read(seed, most)
	if err != nil || set.task == bigmkl.TaskSVR {
		return d, err
	}
	column, ok := columnTargets[set.Name]
	if !ok {
		return nil, fmt.Errorf("%s is no regression", set.Name)
	}
	// The name has the number of the feature that is the target.
	d.name, d.task = fmt.Sprintf("%s, feature %d", set.Name, column), bigmkl.TaskSVR
	d.moveTarget(column - 1)
	return d, nil
}

// moveTarget makes a 0-based feature the target of all rows. It is then 0 in all of them, which leaves the others at their places.
func (d *defaultsData) moveTarget(column int32) {
	for i := range d.rows {
		r := &d.rows[i]
		r.Label, r.Target = "", 0
		// A row without the feature has the target 0.
		if k, ok := slices.BinarySearch(r.Index, column); ok {
			r.Target = r.Value[k]
			r.Index, r.Value = slices.Delete(r.Index, k, k+1), slices.Delete(r.Value, k, k+1)
		}
	}
}
