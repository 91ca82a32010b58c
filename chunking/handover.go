package chunking

import (
	"context"
	"math"

	"bigmkl/internal/cholesky"
)

// handover decides when working sets are given up for steps of all points. With a large C, or kernels that are nearly
// linear combinations of each other, the dual is so badly conditioned that working sets undo what others have done, and
// their number grows with C. A step of all points takes the matrix of the combined kernel and some factorisations of it,
// whatever C. The decision is a function of the data and of the progress alone.
type handover struct {
	entire bool    // every point is in the working set
	left   bool    // steps of all points have not helped
	spent  float64 // work of the working sets up to now; see work
	marked int     // iterations at the last mark
	least  float64 // the lowest P - D up to now
	before float64 // the lowest P - D at the last mark
}

const (
	// firstMark is the number of iterations before the first look at the progress. Others follow at markGrowth times as many.
	firstMark  = 32
	markGrowth = 1.5
	// entireSteps is the number of steps of all points that a problem with one kernel needs, and entireSeveral
	// that with several, whose weights move between steps.
	entireSteps   = 1
	entireSeveral = 6
	// early is the share of the work of these steps that working sets have to have had. Forecasts of few iterations are
	// uncertain.
	early = 1.0 / 16
	// slowing is the factor by which working sets take more work than their last progress lets expect: it slows down.
	slowing = 2
	// entireChances is the number of steps of all points in a row that may leave more than half of the gap.
	entireChances = 12
)

// WholeBytes is the memory of a step of all n points: the matrix and a factor.
func WholeBytes(n int) int64 {
	return 8*int64(n)*int64(n) + cholesky.Bytes(int64(n)) + wholePoint*int64(n)
}

// wholePoint is the memory of each point in an interior point: two pieces and some vectors.
const wholePoint = 2*144 + 20*8

// work is what an iteration takes with a working set of q points of n, of which some moved. A unit is about a nanosecond: of
// a kernel value, and of 40 operations of a factorisation.
func work(n, q, moved, kernels int) float64 {
	const pairs = 10 // of a set's problem, for each of its q^2 numbers
	set := float64(q) * float64(q)
	return float64(kernels)*(set/2+float64(moved)*float64(n)) + pairs*set
}

// entireWork is what the steps of all n points are taken to need.
func entireWork(n, kernels int, kinked bool) float64 {
	factors := 1.0 / 6 // about seventeen factorisations of n^3/3 operations
	if paceOf(n, kinked).hasty {
		factors = 1.0 / 18 // about ten, at twice the rate
	}
	size, count, steps := float64(n), float64(kernels), float64(entireSteps)
	if kernels > 1 {
		steps = entireSeveral
	}
	return steps * (1.5*count*size*size + factors*size*size*size)
}

// forecast notes the gap, which goal is to become, at an iteration. It returns true at a mark if working sets are forecast
// to take more work than steps of all points.
func (h *handover) forecast(iterations int, gap, goal, entire float64) bool {
	if h.least == 0 || gap < h.least {
		h.least = gap
	}
	if iterations < firstMark || float64(iterations) < markGrowth*float64(h.marked) {
		return false
	}
	fallen, since, first := math.Log(h.before/h.least), iterations-h.marked, h.marked == 0
	h.marked, h.before = iterations, h.least
	if first || h.spent < early*entire {
		return false
	}
	each := h.spent / float64(iterations)
	return slowing*math.Log(h.least/goal)*float64(since)*each > entire*fallen
}

// helps notes the gap after a step of all points. It returns false if such steps in a row have left more than half of it.
func (h *handover) helps(iterations int, gap float64) bool {
	if gap < h.before/2 {
		h.marked, h.before = iterations, gap
	}
	return iterations-h.marked < entireChances
}

// takeover is the change of a solver to steps of all points.
type takeover struct {
	*Solver
	precision Precision
}

// possible reports whether steps of all points are possible. In single precision the matrix would not be positive
// semi-definite.
func (s takeover) possible() bool {
	n := len(s.alpha)
	if s.entire || s.left || s.overall != nil || s.anchor != 0 || s.precision == Single || n > s.most || n <= s.tuning.Size(n) {
		return false
	}
	switch s.loss.(type) {
	case Differentiable, Columns:
		return false
	}
	_, moves := s.norm.(Mover)
	return !moves
}

// due reports whether steps of all points are next, and ends them where they do not help.
func (s takeover) due() bool {
	if s.entire && !s.helps(s.iterations, s.cert.Gap()) {
		s.entire, s.left = false, true
	}
	return s.possible() &&
		s.forecast(s.iterations, s.cert.Gap(), s.gap*s.cert.size(), entireWork(len(s.alpha), len(s.theta), s.kink != 0))
}

// begin makes every point a part of the working set, in double precision: the problems that come here are those in
// which rounding matters.
func (s takeover) begin(ctx context.Context) error {
	wake := s.Wake
	if !s.double {
		wake = s.Widen
	}
	if err := wake(ctx); err != nil {
		return err
	}
	s.entire, s.stuck = true, 0
	s.marked, s.before = s.iterations, s.cert.Gap()
	return nil
}

// everyPoint lists n points.
func everyPoint(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
