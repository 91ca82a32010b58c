// Package descent minimises a function whose values are known between bounds.
//
// A value J(v) that is itself an optimum comes with bounds from its own solver,
//
//	lower <= J(v) <= upper,
//
// which close as long as the solver goes on. A line search has to know less than the value: a trial
// is refused once its lower bound is above the line of sufficient decrease, and may be accepted once
// its upper bound is below it. The direction comes from L-BFGS (Nocedal 1980), the search by
// bisection ends at the weak Wolfe conditions (Lewis and Overton 2013), and variables may have
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

// Verdict is what the bounds of a trial amount to.
type Verdict int

// These are the verdicts.
const (
	// Undecided asks for closer bounds of the same trial: Gap has become less.
	Undecided Verdict = iota
	// Refused has gone on to the next trial.
	Refused
	// Accepted asks for the slope at the trial, which Learn takes.
	Accepted
)

// Descent is a minimisation in progress.
type Descent struct {
	options Options
	State
}

// New returns a descent whose first trial is its start.
func New(start []float64, o Options) *Descent {
	d := &Descent{options: o}
	d.Trial = slices.Clone(start)
	d.clip(d.Trial)
	d.Gap, d.Fall = max(o.Gap, firstGap), 1
	return d
}

// Refuses reports whether a lower bound is enough for the trial to be refused.
func (d *Descent) Refuses(lower float64) bool { return d.Point != nil && lower > d.line() }

// line returns the value below which the trial has to be. It is the value of sufficient decrease
// from the upper bound of the point in hand.
func (d *Descent) line() float64 { return d.Value + enough*d.along(d.Slope) }

// along returns the derivative along the step to the trial, which has the length of the step.
func (d *Descent) along(slope []float64) float64 {
	sum := 0.0
	for k, x := range d.Trial {
		sum += slope[k] * (x - d.Point[k])
	}
	return sum
}

// Judges returns the verdict of Judge on the bounds of the trial, and changes nothing.
func (d *Descent) Judges(lower, upper float64) Verdict {
	switch {
	case d.Point == nil || upper <= d.line():
		return Accepted
	case lower <= d.line() && d.Gap > d.options.Gap:
		return Undecided
	}
	return Refused
}

// Judge takes the bounds of the trial, which are as close as Gap asks for or refuse it. A value that
// is not a number refuses it, too.
func (d *Descent) Judge(lower, upper float64) Verdict {
	verdict := d.Judges(lower, upper)
	switch verdict {
	case Accepted:
		d.Upper = upper
	case Undecided:
		d.Gap = max(d.options.Gap, d.Gap/4)
	case Refused:
		d.refuse()
	}
	return verdict
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
// refused, or twice as long as the first.
func (d *Descent) lengthen() {
	if d.Long == 0 {
		d.Length = 2 * d.Short
	} else {
		d.Length = (d.Short + d.Long) / 2
	}
	d.tryAt()
}

// refuse continues from a trial that lowers the value too little.
func (d *Descent) refuse() {
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
	case d.flat():
		d.end(Settled)
	default:
		d.end(Stalled)
	}
}

// flat reports whether the slope is within the tolerance.
func (d *Descent) flat() bool { return d.Size <= d.options.Tolerance*math.Abs(d.Value) }

// settled returns the gap below which a small slope is not a result of loose bounds. A slope that
// is wrong by a part t of the value takes a gap of about t^2.
func (d *Descent) settled() float64 {
	return max(d.options.Gap, d.options.Tolerance*d.options.Tolerance/10)
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
	flat := d.flat() && d.Fall <= d.options.Tolerance/10
	switch {
	case flat && used <= d.settled():
		d.end(Settled)
	case flat:
		// Whether the point is as flat as it seems, closer bounds tell.
		d.Gap = d.settled()
		d.Trial, d.Point = d.Point, nil
	case d.Steps >= d.options.Steps:
		d.end(Limited)
	default:
		d.aim()
	}
}

// move takes the trial over with its upper bound and its slope.
func (d *Descent) move(slope []float64, size float64) {
	d.Point, d.Slope, d.Value, d.Size = slices.Clone(d.Trial), slices.Clone(slope), d.Upper, size
}

// end ends the descent, whose last trial is the point in hand.
func (d *Descent) end(how End) {
	d.Ended, d.Trial = how, slices.Clone(d.Point)
	d.Held, d.HeldSlope = nil, nil
}

// aim chooses a direction from the point in hand and the first trial along it.
func (d *Descent) aim() {
	d.Searched, d.Short, d.Long, d.Held, d.HeldSlope = 0, 0, 0, nil, nil
	free := d.free(d.Point, d.Slope)
	size := math.Sqrt(dot(free, free))
	if !(size > 0) || math.IsInf(size, 0) {
		d.end(d.blocked()) // No direction, or none that can be followed.
		return
	}
	if d.Direction = d.quasiNewton(free); !(dot(d.Direction, free) < 0) {
		d.Pairs = nil
	}
	if d.Pairs != nil && d.follow(1) {
		return
	}
	// Nothing is known of the curvature, or bounds clip all of what it states: the first step has
	// the length 1 down the slope.
	d.Pairs = nil
	for k, x := range free {
		d.Direction[k] = -x
	}
	if !d.follow(1 / size) {
		d.end(d.blocked())
	}
}

// follow tries a length of the direction in hand. It is false if what bounds leave of it leads up.
func (d *Descent) follow(length float64) bool {
	d.Length = length
	if far := length * math.Sqrt(dot(d.Direction, d.Direction)); d.options.Longest > 0 && far > d.options.Longest {
		d.Length *= d.options.Longest / far
	}
	d.tryAt()
	return d.along(d.Slope) < 0
}

// blocked returns the end where no variable can move down the slope. Without a slope that is a number it is
// none that has settled.
func (d *Descent) blocked() End {
	if d.flat() {
		return Settled
	}
	return Stalled
}

// Free returns a slope at the trial without what no variable may follow.
func (d *Descent) Free(slope []float64) []float64 { return d.free(d.Trial, slope) }

// free returns the slope at a point without the part of variables that are held, and of those at bounds
// that it would push out of them.
func (d *Descent) free(point, slope []float64) []float64 {
	g := slices.Clone(slope)
	for k, held := range d.options.Held {
		if held {
			g[k] = 0
		}
	}
	for k := range d.options.Lower {
		if point[k] <= d.options.Lower[k] && g[k] > 0 || point[k] >= d.options.Upper[k] && g[k] < 0 {
			g[k] = 0
		}
	}
	return g
}

// quasiNewton returns the direction -Hg by the two loops over the pairs (Nocedal 1980). Variables
// without a slope do not move.
func (d *Descent) quasiNewton(g []float64) []float64 {
	q := make([]float64, len(g))
	for k, x := range g {
		q[k] = -x
	}
	n := len(d.Pairs) / 2
	share := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		s, y := d.Pairs[2*i], d.Pairs[2*i+1]
		share[i] = dot(s, q) / dot(s, y)
		addTo(q, -share[i], y)
	}
	if n > 0 {
		s, y := d.Pairs[2*n-2], d.Pairs[2*n-1]
		scale := dot(s, y) / dot(y, y)
		for k := range q {
			q[k] *= scale
		}
	}
	for i := range n {
		s, y := d.Pairs[2*i], d.Pairs[2*i+1]
		addTo(q, share[i]-dot(y, q)/dot(s, y), s)
	}
	for k, x := range g {
		if x == 0 {
			q[k] = 0
		}
	}
	return q
}

// tryAt sets the trial to the step of the length in hand.
func (d *Descent) tryAt() {
	d.Trial = slices.Clone(d.Point)
	addTo(d.Trial, d.Length, d.Direction)
	d.clip(d.Trial)
}

// clip moves variables into their bounds.
func (d *Descent) clip(v []float64) {
	for k := range d.options.Lower {
		v[k] = min(max(v[k], d.options.Lower[k]), d.options.Upper[k])
	}
}

// dot returns a'b.
func dot(a, b []float64) float64 {
	sum := 0.0
	for k, x := range a {
		sum += x * b[k]
	}
	return sum
}

// addTo adds t b to a.
func addTo(a []float64, t float64, b []float64) {
	for k, x := range b {
		a[k] += t * x
	}
}
