package chunking

import (
	"errors"

	"bigmkl/internal/fail"
)

// Tuning holds the choices of the solver that were made by measurement; the zero value is what was chosen. They change the
// way to the optimum and so, within the gap, the result.
type Tuning struct {
	WorkingSet int     // points that are optimised together, at least 2; 0 is all of up to 512 points, else an eighth, 256 to 512
	Fresh      float64 // share of the working set for new violators, in (0, 1]; 0 is 0.6
	Inner      float64 // tolerance of the working-set problem as a share of the largest violation, in (0, 1); 0 is 0.05
	Coarse     float64 // the largest such share at which points of the set stop joining in, in (0, 1); 0 is 0.6
	Shrink     float64 // points are left out once at most this share of the active ones stays, in (0, 1]; 0 is 0.4
	NoShrink   bool    // no point is ever left out
}

const (
	smallestSet = 256
	workingSet  = 512
	setShare    = 8
	freshShare  = 0.6
	innerShare  = 0.05
	coarseTo    = 0.6
	shrinkTo    = 0.4
	shrinkFloor = 4 // working sets: to leave points out among fewer is not worth it
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
	check(t.WorkingSet == 0 || t.WorkingSet >= 2, "working set of %d points: at least 2", t.WorkingSet)
	check(t.Fresh > 0 && t.Fresh <= 1, "share of new violators %g is not in (0, 1]", t.Fresh)
	check(t.Inner > 0 && t.Inner < 1, "inner tolerance %g is not in (0, 1)", t.Inner)
	check(t.Coarse > 0 && t.Coarse < 1, "coarse tolerance %g is not in (0, 1)", t.Coarse)
	check(t.Shrink > 0 && t.Shrink <= 1, "shrinking to %g of the points is not in (0, 1]", t.Shrink)
	return errors.Join(faults...)
}

// Size is the number of points in a working set where there are n.
func (t Tuning) Size(n int) int {
	q := t.WorkingSet
	if q == 0 {
		// The quadratic model costs as many kernel values as q^2/n rows: of few points the set is small, unless it holds all.
		const panel = 32
		q = workingSet
		if n > q {
			q = min(max(n/setShare/panel*panel, smallestSet), q)
		}
	}
	return min(q, n)
}

// Shrinks tells whether some of n points may be left out.
func (t Tuning) Shrinks(n int) bool { return !t.NoShrink && n >= shrinkFloor*t.Size(n) }

// Awake is the largest share of the points that stays when others are left out.
func (t Tuning) Awake() float64 {
	t.setDefaults()
	return t.Shrink
}

func (t *Tuning) setDefaults() {
	if t.Fresh == 0 {
		t.Fresh = freshShare
	}
	if t.Inner == 0 {
		t.Inner = innerShare
	}
	if t.Coarse == 0 {
		t.Coarse = coarseTo
	}
	if t.Shrink == 0 {
		t.Shrink = shrinkTo
	}
}
