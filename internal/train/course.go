package train

import (
	"context"
	"math"

	"bigmkl/chunking"
	"bigmkl/internal/descent"
	"bigmkl/internal/gating"
)

// A course of descents minimises J(v) + decay/2 |v|^2 over parameters v of kernels: of gates, or of
// projections with their gates. J is not convex. Several starts therefore have a descent each, one after the
// other, and the one that comes to the lowest P stays. Its point is solved to the gap of the run, as the last
// solution. Where a ridge has kept that point from being flat, the course continues there.

// parameters are what a course moves.
type parameters interface {
	// start returns the point where the descent with the given number begins.
	start(ctx context.Context, number int) ([]float64, error)
	// bounds returns the bounds of a point, nil without any.
	bounds() (lower, upper []float64)
	// holds reports whether that descent holds the spreads of Gaussian gates at first.
	holds(number int) bool
	// spreads reports which variables of a point are spreads.
	spreads() []bool
}

// courseState is what a checkpoint has of a course as JSON. The names of its fields are part of files, and
// must stay.
type courseState struct {
	// Start is the number of the descent in hand, and Final is set once all are over and the
	// classifier is solved to the gap of the run.
	Start int  `json:"start"`
	Final bool `json:"final"`
	// First is |J| at the first point of the first start, to which the decay is relative.
	First float64 `json:"first"`
	smoothing
	gaussian
	// Lowest is the lowest P of the starts before, and Limited and Settled are the ends of this descent: the
	// limit of steps, or a small slope.
	Lowest  float64 `json:"lowest"`
	Limited bool    `json:"limited"`
	Settled bool    `json:"settled"`
	// Steps counts the steps of the descents before. Trials and Iterations are counted by the
	// training.
	Steps      int           `json:"steps"`
	Trials     int           `json:"trials"`
	Iterations int           `json:"iterations"`
	Descent    descent.State `json:"descent"`
}

// course is a course in progress. Its descent never is one that has ended, but between the judgement of
// a trial and the call of next.
type course struct {
	courseState
	options *Options
	gap     float64 // of the last solution
	of      parameters
	descent *descent.Descent
	best    []float64 // where the lowest descent of the starts before has ended; nil for none
}

// begin begins the descent of the start in hand.
func (c *course) begin(ctx context.Context) error {
	number := c.Start + c.Restarted
	point, err := c.of.start(ctx, number)
	if err != nil {
		return err
	}
	c.Held = c.of.holds(number)
	c.beginAt(point)
	return nil
}

// beginAt begins a descent at a point, which is also that of the last solution.
func (c *course) beginAt(point []float64) { c.descent = descent.New(point, c.settings()) }

// settings returns the settings of a descent. Its gap is the gap of the problem, below which no trial is
// solved: a smaller fall is not distinct from the rest of the gap.
func (c *course) settings() descent.Options {
	var held []bool
	if c.Held {
		held = c.of.spreads()
	}
	lower, upper := c.of.bounds()
	return descent.Options{
		Tolerance: c.options.Gating.Tolerance, Steps: c.options.Gating.Steps,
		Gap:     trialGap(&c.options.Gating, c.gap),
		Longest: longestStep(&c.options.Gating), Held: held, Lower: lower, Upper: upper,
	}
}

// next begins what follows a descent that has ended: the same descent with free spreads, the
// descent from the next start, or the last solution at the point of the lowest P. A descent that
// has not ended stays.
func (c *course) next(ctx context.Context) error {
	d := c.descent
	if d.Ended == "" {
		return nil
	}
	c.Steps += d.Steps
	if c.Held {
		c.Held = false
		c.beginAt(d.Point)
		return nil
	}
	if c.best == nil || d.Value < c.Lowest || c.Narrowed > 0 {
		c.Lowest, c.best = d.Value, d.Point
		c.Limited, c.Settled = d.Ended == descent.Limited, d.Ended == descent.Settled
	}
	if c.restart(c.options, d) {
		return c.begin(ctx)
	}
	if c.Start++; c.Start < c.options.Gating.Starts {
		return c.begin(ctx)
	}
	c.Final = true
	c.beginAt(c.best)
	return nil
}

// scaleBy takes the optimum of the first trial of all, before anything is penalised or smoothed: the decay
// and the ridge are relative to it. sum is the sum of |alpha| over so many points. Later trials change
// nothing.
func (c *course) scaleBy(optimum, sum float64, points int) {
	if c.First == 0 {
		c.First = math.Abs(optimum)
		c.find(c.options, points, optimum, sum)
	}
}

// decay returns the factor of the squares of the weights.
func (c *course) decay() float64 { return c.options.Gating.Decay * c.First }

// flat reports whether the last solution has a slope within the tolerance, relative to its value. Where
// gates are closed, the slope of the descent counts.
func (c *course) flat(stationarity float64, closing bool) bool {
	return c.Settled && (closing || stationarity <= c.options.Gating.Tolerance)
}

// again continues with a smaller ridge where the ridge in hand has kept the last solution apart from the
// solution of the descent, whose slope is within the tolerance. It reports whether it does.
func (c *course) again(status chunking.Status, flat bool) bool {
	if flat || !c.Settled || status != chunking.Converged || !c.narrow() {
		return false
	}
	c.Final = false
	c.beginAt(c.best)
	return true
}

// status returns the status of the last solution, from the status of its solver and the end of the
// descent. A classifier that is solved to its gap does not show whether the parameters were still
// on their way.
func (c *course) status(solved chunking.Status, flat bool) chunking.Status {
	switch {
	case solved != chunking.Converged || flat:
		return solved
	case c.Limited:
		return StepLimit
	}
	return chunking.Stalled
}

// state returns what a checkpoint has of the course as JSON.
func (c *course) state() courseState {
	s := c.courseState
	s.Descent = c.descent.State
	return s
}

// restore brings the course to a state of a checkpoint, with the vectors of the descent and the best
// point, of so many variables. It is false where they do not fit together.
func (c *course) restore(s courseState, vectors, best []float64, variables int) (ok bool) {
	c.courseState = s
	c.descent, ok = descent.Restore(s.Descent, vectors, variables, c.settings())
	if len(best) > 0 {
		c.best = best
	}
	return ok && c.descent.Ended == "" && (c.best == nil || len(best) == variables) && s.Start >= 0 &&
		(c.best == nil) == (s.Start+s.Restarted == 0)
}

// warnHard returns the warning about Gaussian gates of so small a stationarity that they are hard, "" if
// they are not or are still on their way.
func (c *course) warnHard(stationarity float64) string {
	if c.options.Gating.Kind != gating.KindGauss || stationarity > hard*c.options.Gating.Tolerance || !c.Final {
		return ""
	}
	return "the gates are 0 or 1 at nearly all rows and cannot move: --starts tries other starts, and gates of " +
		"softmax or sigmoid harden less"
}
