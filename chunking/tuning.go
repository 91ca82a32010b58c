package chunking

import (
	"errors"
	"math"

	"bigmkl/internal/fail"
)

// Tuning holds the choices of the solver that were made by measurement. The zero value is what was
// chosen. They change the way to the optimum and so, within the gap, the result.
type Tuning struct {
	// WorkingSet is the number of points that are optimised together, at least 2. If it equals
	// zero, Size chooses it.
	WorkingSet int
	// Fresh is the share of the working set for new violators, in (0, 1]. If it equals zero, it is
	// 0.6.
	Fresh float64
	// Inner is the tolerance of the working-set problem as a share of the largest violation, in
	// (0, 1). If it equals zero, it is 0.05.
	Inner float64
	// Coarse is the largest such share at which points of the set stop joining in, in (0, 1). If it
	// equals zero, it is 0.6.
	Coarse float64
	// Shrink is the share of all points, in (0, 1], of which at most has to stay for others to be
	// left out. If it equals zero, it is 0.6.
	Shrink float64
	// Floor is the number of working sets that the active points have to fill for some of them to be
	// left out, at least 1. If it equals zero, it is 4.
	Floor int
	// NoShrink keeps all points active.
	NoShrink bool
}

// The defaults. The choices of program bench measure others.
const (
	smallestSet = 256
	workingSet  = 512
	largestSet  = 4096
	setShare    = 8
	setGrowth   = 8
	freshShare  = 0.6
	innerShare  = 0.05
	coarseTo    = 0.6
	shrinkTo    = 0.6
	shrinkFloor = 4 // to leave points out among fewer is not worth it in one training
)

// Validate lists every fault at once. Each is fail.Usage.
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
	check(t.Floor >= 1, "points are left out of %d working sets: at least 1", t.Floor)
	check(t.Shrink > 0 && t.Shrink <= 1, "shrinking to %g of the points is not in (0, 1]", t.Shrink)
	return errors.Join(faults...)
}

// Size is the number of points in a working set where there are n: all of up to 512 points, and otherwise an eighth of
// them, 256 to 512, or (8 n)^(1/2) where that is more, 4,096 at most. The iterations of a training take time that is
// proportional to n even where few points move, and their number is inversely proportional to the size, so sets grow
// with n. Their models take up to 256 n bytes then, as much as some vectors of all points.
func (t Tuning) Size(n int) int {
	q := t.WorkingSet
	if q == 0 {
		// The quadratic model costs as many kernel values as q^2/n rows: of few points the set is
		// small, unless it holds all of them. Kernels are computed in panels of 32 points, so the
		// size is a multiple of that.
		const panel = 32
		q = workingSet
		if n > q {
			q = min(max(n/setShare/panel*panel, smallestSet), q)
		}
		grown := int(math.Sqrt(float64(setGrowth)*float64(n))) / panel * panel
		q = max(q, min(grown, largestSet))
	}
	return min(q, n)
}

// Shrinks reports whether some of n points may be left out.
func (t Tuning) Shrinks(n int) bool { return t.shrinksTo(n, n) }

// shrinksTo is Shrinks where count of the n points are active.
func (t Tuning) shrinksTo(count, n int) bool {
	t.setDefaults()
	return !t.NoShrink && count >= t.Floor*t.Size(n)
}

// Awake is the largest share of the points that stays when others are left out.
func (t Tuning) Awake() float64 {
	t.setDefaults()
	return t.Shrink
}

// setDefaults puts what was chosen in the place of zeros. WorkingSet stays: its default depends on
// n.
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
	if t.Floor == 0 {
		t.Floor = shrinkFloor
	}
}
