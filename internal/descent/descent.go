// Package descent minimises a function whose values are known between bounds.
//
// A value J(v) that is itself an optimum comes with bounds from its own solver,
//
//	lower <= J(v) <= upper,
//
// which close as long as the solver goes on. A line search has to know less than the value: a trial
// is rejected once its lower bound is above the line of sufficient decrease, and may be accepted once
// its upper bound is below it. The direction is the direction of L-BFGS (Nocedal 1980), the search
// by bisection ends at the weak Wolfe conditions (Lewis and Overton 2013), and variables may have
// bounds, to which trials are clipped. A descent has settled where the slope is a small part of the
// value; that the value hardly falls any more proves nothing.
//
// A Descent calls nobody. It names a trial and how closely that has to be known, and is told what
// was found. All that it goes by is in its State, so it can be saved between any two calls and
// continues with the same bits. It reads no clock, and must not be used by two goroutines at once.
package descent

import (
	"math"
	"slices"
)

const (
	// Memory is the number of pairs of steps and changes of the slope that directions are made of.
	// Kinks that were rounded off leave many steep directions: 40 pairs take two thirds of the steps
	// that 10 take there.
	Memory = 40
	// enough is the part of the decrease by the slope that a step has to give, and flat the part of
	// the slope along it that may be left.
	enough, flat = 1e-4, 0.9
	// mostTrials is the largest number of trials of a search that has a step to fall back on.
	mostTrials = 8
	// firstGap is the relative gap of the first trial, the loosest that is ever asked for.
	firstGap = 0.03
	// ofFall is the part of the last fall that a gap may be.
	ofFall = 0.1
	// ofGap is the part of the least gap below which a fall that the slope promises is not looked for.
	ofGap = 0.1
)

// Options set when a descent ends and what its variables may be.
type Options struct {
	// Tolerance ends the descent at a slope whose length is no more than that part of the value, if the last
	// step has lowered the value by less than a tenth of that part: a plateau is not a least value.
	Tolerance float64
	// Steps is the largest number of steps, at least 1.
	Steps int
	// Gap is the least relative gap between bounds that is ever asked for, above 0.
	Gap float64
	// Longest bounds the length of the first trial along a direction. If it equals zero, there is no
	// bound.
	Longest float64
	// Lower and Upper bound the variables. If they are nil, there are no bounds.
	Lower, Upper []float64
	// Held marks which variables stay where they start. If it is nil, none does.
	Held []bool
}

// Descent is a minimisation in progress.
type Descent struct {
	options Options
	State
}

// New returns a descent whose first trial is its start.
func New(start []float64, o Options) *Descent {
	d := &Descent{options: o}
	d.Trial = slices.Clone(start)
	d.options.clip(d.Trial)
	d.Gap, d.Fall = max(o.Gap, firstGap), 1
	return d
}

// Learn takes the slope at a trial that has been accepted, and the length that the tolerance is held
// to: that of Free, unless the variables represent others.
func (d *Descent) Learn(slope []float64, size float64) {
	d.Trials++
	if d.Point == nil {
		d.move(slope, size)
		d.next(d.Gap)
		return
	}
	d.Searched++
	if d.along(slope) < flat*d.along(d.Slope) && d.Searched < mostTrials {
		// The function still falls steeply: the step was short.
		d.Held, d.HeldSlope = slices.Clone(d.Trial), slices.Clone(slope)
		d.HeldValue, d.HeldSize = d.Upper, size
		d.Short = d.Length
		d.lengthen()
		return
	}
	d.step(slope, size)
}

// lengthen makes the trial one between the longest step that was too short and the shortest that was
// rejected, or twice as long as the first.
func (d *Descent) lengthen() {
	if d.Long == 0 {
		d.Length = 2 * d.Short
	} else {
		d.Length = (d.Short + d.Long) / 2
	}
	d.tryAt()
}

// reject continues from a trial that lowers the value too little.
func (d *Descent) reject() {
	d.Trials++
	d.Searched++
	d.Long = d.Length
	switch {
	case d.Held != nil && d.Searched >= mostTrials:
		d.Trial, d.Upper = d.Held, d.HeldValue
		d.step(d.HeldSlope, d.HeldSize)
		return
	case d.Held != nil:
		d.lengthen()
		return
	}
	d.Length = (d.Short + d.Long) / 2
	d.tryAt()
	// A fall that is less than the closest bounds are apart cannot be told from none.
	promised := -d.along(d.Slope)
	if promised > ofGap*d.options.Gap*math.Abs(d.Value) && d.Searched < 4*mostTrials {
		return
	}
	d.giveUp()
}

// giveUp goes on where no step along the direction lowers the value: with closer bounds of the point
// in hand, then along its slope alone, and then not at all.
func (d *Descent) giveUp() {
	switch {
	case d.Gap > d.options.Gap:
		// The slope in hand belongs to a loose solution, and may lead nowhere.
		d.Gap = d.options.Gap
		d.Trial, d.Point, d.Pairs = d.Point, nil, nil
	case d.Pairs != nil:
		d.Pairs = nil
		d.aim()
	case d.flat(d.options.Tolerance):
		d.end(Settled)
	default:
		d.end(Stalled)
	}
}

// settled returns the gap below which a small slope is not a result of loose bounds. A slope that
// is wrong by a part t of the value takes a gap of about t^2.
func (o *Options) settled() float64 {
	return max(o.Gap, o.Tolerance*o.Tolerance/10)
}

// step makes the trial the point in hand.
func (d *Descent) step(slope []float64, size float64) {
	fall := (d.Value - d.Upper) / math.Abs(d.Upper)
	if d.Value == d.Upper {
		fall = 0
	}
	s, y := make([]float64, len(slope)), make([]float64, len(slope))
	for k := range s {
		s[k], y[k] = d.Trial[k]-d.Point[k], slope[k]-d.Slope[k]
	}
	// A pair without curvature would make the next direction one of ascent.
	if dot(s, y) > 1e-10*math.Sqrt(dot(s, s)*dot(y, y)) {
		d.Pairs = append(d.Pairs, s, y)
		if len(d.Pairs) > 2*Memory {
			d.Pairs = d.Pairs[2:]
		}
	}
	used := d.Gap
	d.Fall = fall
	d.move(slope, size)
	d.Steps++
	d.Gap = max(d.options.Gap, min(firstGap, ofFall*fall))
	d.next(used)
}

// next continues from the point in hand, whose bounds are as close as used.
func (d *Descent) next(used float64) {
	flat := d.flat(d.options.Tolerance) && d.Fall <= d.options.Tolerance/10
	switch {
	case flat && used <= d.options.settled():
		d.end(Settled)
	case flat:
		// Whether the point is as flat as it seems, closer bounds tell.
		d.Gap = d.options.settled()
		d.Trial, d.Point = d.Point, nil
	case d.Steps >= d.options.Steps:
		d.end(Limited)
	default:
		d.aim()
	}
}
