package train

import (
	"math"

	"bigmkl/chunking"
	"bigmkl/internal/descent"
	"bigmkl/internal/gating"
	"bigmkl/internal/loss"
	"bigmkl/internal/model"
)

// A descent minimises J(v) = max over alpha of D(alpha, v) by gates or projections v. Kernels can have fewer
// dimensions than there are points on the margin, such as kernels of a projection to two features. Then many
// alpha are optimal, and J has kinks: a descent comes to rest in one of them, and the slope at any one of
// these alpha may have any length. The slope of least length among them is what counts.
//
// So trials are trained with a smoothed loss (loss.Smoothed), whose alpha is unique and whose optimum has
// a slope. With hinges and a ridge r the gap of this alpha for the loss itself is no more than
//
//	gap of the smoothed problem + r sum_i |alpha_i| (C_i - |alpha_i|).
//
// The last solution begins at that alpha. It ends there, with the slope of the descent, if that is within the
// gap of the run. Otherwise the descent continues there with a smaller ridge.

const (
	// smoothShare is the first ridge, in gaps of the run where |alpha_i| (C - |alpha_i|) is C |alpha_i|. Most
	// are at their bounds, and a tenth of that is usual, or less. It is too large on purpose: wide kinks show
	// the way to where narrow ones are lowest. On 1,000 rows of 30 features, proj(poly:2,2),linear took 118
	// steps to 311.5 from 256, and 219 steps to 320.0 from 4.
	smoothShare = 256
	// narrows is what a ridge is divided by that was too large, mostNarrows times at most.
	narrows, mostNarrows = 4, 8
	// leastGap and gapOfTolerance bound the gap to which trials may have to be solved: a slope that is wrong
	// by a part t of J takes a gap well below t^2.
	leastGap, gapOfTolerance = 1e-9, 1e-3
	// longestOfGauss is in units of the features' deviations and of logarithms of spreads.
	longestOfGauss = 1
)

// smoothing is the ridge of a descent. The names of its fields are part of files, and must stay.
type smoothing struct {
	// Ridge is 0 before the first trial, which finds it.
	Ridge float64 `json:"ridge,omitempty"`
	// Narrowed counts how often it was divided.
	Narrowed int `json:"narrowed,omitempty"`
}

// find finds the ridge from the optimum of a trial and the sum of |alpha| of all classifiers.
func (s *smoothing) find(o *Options, points int, optimum, sum float64) {
	cost := o.Problem.C
	if model.DescribesSupport(o.Problem.Task) {
		cost = 1 / (o.Problem.Nu * float64(points))
	}
	if r := smoothShare * o.Solver.Gap * math.Abs(optimum) / (cost * sum); r > 0 && r < math.MaxFloat64 {
		s.Ridge = r
	}
}

// narrow makes the ridge smaller. It is false where that was done often enough.
func (s *smoothing) narrow() bool {
	if s.Ridge == 0 || s.Narrowed == mostNarrows {
		return false
	}
	s.Ridge /= narrows
	s.Narrowed++
	return true
}

// trialGap returns the least gap that a descent may require from its trials.
func trialGap(g *gating.Spec, gap float64) float64 {
	t := g.Tolerance
	return min(gap, max(leastGap, gapOfTolerance*t*t))
}

// sizes returns the sum of the absolute values.
func sizes(alpha []float64) (sum float64) {
	for _, a := range alpha {
		sum += math.Abs(a)
	}
	return sum
}

// length returns the Euclidean length of a vector.
func length(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x * x)
	}
	return math.Sqrt(sum)
}

// settle replaces the smoothed loss of a classifier by the loss itself, of which its certificate is to
// be, and returns the certificate of the smoothed problem. That of any other problem it returns as it
// is.
func settle(s *chunking.Solver, l chunking.Loss) chunking.Certificate {
	c := s.Solution().Certificate
	if smoothed, ok := l.(*loss.Smoothed); ok {
		s.Recertify(smoothed.Separable)
	}
	return c
}

// Gaussian gates harden as their spreads shrink and as their centres leave the data, and a gate of 0 or 1 has
// no slope: a descent that comes there ends. A small spread also closes a gate everywhere, and to leave all
// rows to one kernel is the easiest way down at first. So the spreads of a start are held while its centres
// move, and are free in a second descent from where the first has ended; no first trial along a direction is
// long.

// gaussian is the additional state of a descent of Gaussian gates. The names of its fields are part of files,
// and must stay.
type gaussian struct {
	// Held is set if the descent in hand holds the spreads.
	Held bool `json:"held,omitempty"`
	// Restarted counts the starts that were added because a descent had ended in hard gates.
	Restarted int `json:"restarted,omitempty"`
}

// mostRestarts is the number of starts that may be added. hard is the slope, as a part of the tolerance, below
// which gates are hard.
const (
	mostRestarts = 3
	hard         = 1e-6
)

// restart adds a start if a descent of Gaussian gates has ended in hard ones. It reports whether it has.
func (g *gaussian) restart(o *Options, d *descent.Descent) bool {
	if o.Gating.Kind != gating.KindGauss || d.Size > hard*o.Gating.Tolerance*math.Abs(d.Value) ||
		g.Restarted == mostRestarts {
		return false
	}
	g.Restarted++
	return true
}

// longestStep bounds the first trial along a direction, 0 if there is no bound.
func longestStep(g *gating.Spec) float64 {
	if g.Kind == gating.KindGauss {
		return longestOfGauss
	}
	return 0
}
