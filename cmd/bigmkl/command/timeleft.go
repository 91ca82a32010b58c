package command

import (
	"fmt"
	"math"
	"time"
)

// The time left is estimated from the curve of the duality gap, whose logarithm falls along a line
// in the long run and jumps about it. Three things keep the estimate from jumping along: it is made
// from the smallest gaps so far, over the latter half of the run; it is shown only if the latter
// half and the latter quarter agree; and it moves slowly towards a new value.

// gapPoint is the logarithm of the smallest duality gap so far at a time.
type gapPoint struct{ seconds, logGap float64 }

const (
	// mostPoints is the number of points of the curve that are kept. When there are more, every
	// second one is left out: they always cover the whole run.
	mostPoints = 128
	// leastPoints is the number of points from which the rest of the curve is estimated.
	leastPoints = 8
	// agreement is the factor within which two estimates of the time left have to lie.
	agreement = 3
	// memoryShare is the share of the time so far within which the estimate follows a new value.
	memoryShare = 0.15
)

// forecast estimates when a training reaches its gap. The zero value has no points.
type forecast struct {
	history []gapPoint
	// skip is the number of iterations for each point that is kept, less 1, and seen counts them.
	skip, seen int
	// end is the smoothed estimate in seconds, and at the time of the latest one; both are 0 before
	// the first estimate.
	end, at float64
}

// add records the gap after an iteration.
func (f *forecast) add(seconds, gap float64) {
	log := math.Log(gap)
	if n := len(f.history); n > 0 {
		log = min(log, f.history[n-1].logGap)
	}
	point := gapPoint{seconds, log}
	// Between two kept points the last one moves along, so the estimate is about now and not about the
	// last kept point.
	if f.seen++; f.seen <= f.skip && len(f.history) > 0 {
		f.history[len(f.history)-1] = point // The latest point is always there.
		return
	}
	f.seen = 0
	f.history = append(f.history, point)
	if len(f.history) > mostPoints {
		for i := range mostPoints / 2 {
			// The later of each two points stays. The first point of the run is lost, which the latter
			// half does not need.
			f.history[i] = f.history[2*i+1]
		}
		f.history, f.skip = append(f.history[:mostPoints/2], point), 2*f.skip+1
	}
}

// left returns the time until the gap reaches the target. It returns false as long as nothing
// certain can be said.
func (f *forecast) left(target float64) (time.Duration, bool) {
	if len(f.history) < leastPoints {
		return 0, false
	}
	now, began := f.history[len(f.history)-1].seconds, f.history[0].seconds
	// A curve that bends gives two estimates far apart. Then neither is shown.
	half, ok := timeLeft(latter(f.history, began, now, 2), target)
	quarter, certain := timeLeft(latter(f.history, began, now, 4), target)
	if !ok || !certain || max(half, quarter) > agreement*min(half, quarter) {
		return 0, false
	}
	end := now + half
	if f.end > 0 {
		// An old estimate loses its weight as the run goes on.
		weight := 1 - math.Exp(-(now-f.at)/(memoryShare*(now-began)))
		end = f.end + weight*(end-f.end)
	}
	f.end, f.at = end, now
	return time.Duration(max(end-now, 0) * float64(time.Second)), true
}

// latter returns the last part of the points, of 1/parts of the time and of three points at least.
func latter(history []gapPoint, began, now, parts float64) []gapPoint {
	for i, h := range history {
		if now-h.seconds <= (now-began)/parts {
			return history[min(i, max(len(history)-3, 0)):]
		}
	}
	return history
}

// timeLeft fits a line to points by least squares and returns the seconds from the last point until
// the line reaches the target, or 0 if it lies below. It returns false if the line does not fall.
func timeLeft(history []gapPoint, target float64) (float64, bool) {
	n := float64(len(history))
	if n < 3 {
		return 0, false
	}
	var t, g float64
	for _, h := range history {
		t += h.seconds / n
		g += h.logGap / n
	}
	var tt, tg float64
	for _, h := range history {
		tt += (h.seconds - t) * (h.seconds - t)
		tg += (h.seconds - t) * (h.logGap - g)
	}
	// Points of one time give 0/0, which fails the comparison below.
	slope := tg / tt
	if !(slope < 0) {
		return 0, false
	}
	// The line goes through the means of both numbers, as every line of least squares does.
	end := t + (math.Log(target)-g)/slope
	left := end - history[len(history)-1].seconds
	// The negated comparison also catches NaN, which a gap of 0 leads to.
	if !(left < 1e7) {
		return 0, false
	}
	return max(left, 0), true
}

// formatLeft formats an estimate of the time left with the few digits that it deserves.
func formatLeft(d time.Duration) string {
	round := func(step time.Duration) time.Duration { return max(d.Round(step), step) }
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%ds", round(time.Second)/time.Second)
	case d < time.Minute:
		return fmt.Sprintf("%ds", round(5*time.Second)/time.Second)
	case d < 10*time.Minute:
		return fmt.Sprintf("%dm", round(time.Minute)/time.Minute)
	case d < time.Hour:
		return fmt.Sprintf("%dm", round(5*time.Minute)/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", round(time.Hour)/time.Hour)
	}
	return fmt.Sprintf("%d days", round(24*time.Hour)/(24*time.Hour))
}
