package chunking

import (
	"errors"

	"bigmkl/internal/fail"
)

// Tuning holds the choices of the solver that were made by measurement; the zero value is what was chosen. They change the
// way to the optimum and so, within the gap, the result.
type Tuning struct {
	WorkingSet int     // points that are optimised together, at least 2; 0 is 512
	Fresh      float64 // share of the working set for new violators, in (0, 1]; 0 is 1/2
	Inner      float64 // tolerance of the working-set problem as a share of the largest violation, in (0, 1); 0 is 0.05
	Shrink     float64 // points are left out once at most this share of the active ones stays, in (0, 1]; 0 is 0.6
	NoShrink   bool    // no point is ever left out
}

const (
	workingSet = 512
	freshShare = 0.5
	innerShare = 0.05
	shrinkTo   = 0.6
)

// Validate lists every fault at once.
func (t Tuning) Validate() error {
	t.setDefaults()
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fail.New(fail.Usage, format, args...))
		}
	}
	check(t.WorkingSet >= 2, "working set of %d points: at least 2", t.WorkingSet)
	check(t.Fresh > 0 && t.Fresh <= 1, "share of new violators %g is not in (0, 1]", t.Fresh)
	check(t.Inner > 0 && t.Inner < 1, "inner tolerance %g is not in (0, 1)", t.Inner)
	check(t.Shrink > 0 && t.Shrink <= 1, "shrinking to %g of the points is not in (0, 1]", t.Shrink)
	return errors.Join(faults...)
}

// Size is the number of points in a working set where there are n.
func (t Tuning) Size(n int) int {
	t.setDefaults()
	return min(t.WorkingSet, n)
}

func (t *Tuning) setDefaults() {
	if t.WorkingSet == 0 {
		t.WorkingSet = workingSet
	}
	if t.Fresh == 0 {
		t.Fresh = freshShare
	}
	if t.Inner == 0 {
		t.Inner = innerShare
	}
	if t.Shrink == 0 {
		t.Shrink = shrinkTo
	}
}
