package descent

import (
	"math"
	"slices"
)

// End states why a descent has ended.
type End string

// These are the ends.
const (
	// Settled is the end at a point whose slope is below the tolerance.
	Settled End = "settled"
	// Stalled is the end where no step is found that lowers the value, and the slope is above the
	// tolerance: its values are not known closely enough, or the function has a kink there.
	Stalled End = "stalled"
	// Limited is the end at the largest number of steps.
	Limited End = "limited"
)

// State is what a descent goes by. The numbers are encoded as JSON, and the vectors by Vectors.
type State struct {
	// Point is the last point that was accepted, with its upper bound, its slope there and the length
	// of that. It is nil before the first, and where closer bounds of the trial are asked for, which is
	// that point.
	Point []float64 `json:"-"`
	Slope []float64 `json:"-"`
	Value float64   `json:"value"`
	Size  float64   `json:"size"`
	// Fall is the part of the value that the last step has taken off, 1 before the first.
	Fall float64 `json:"fall"`

	// Trial is the point whose bounds are asked for, and Gap how close they have to be, relative to
	// the larger of them. Upper is the upper bound of a trial that waits for its slope.
	Trial []float64 `json:"-"`
	Gap   float64   `json:"gap"`
	Upper float64   `json:"upper"`

	// The trial is Length times Direction away from Point. Of the lengths of this search Short is the
	// longest after which the function still falls steeply, at the point Held, and Long the shortest
	// that was rejected. Both are 0 while there are none.
	Direction []float64 `json:"-"`
	Held      []float64 `json:"-"`
	HeldSlope []float64 `json:"-"`
	HeldValue float64   `json:"held_value"`
	HeldSize  float64   `json:"held_size"`
	Length    float64   `json:"length"`
	Short     float64   `json:"short"`
	Long      float64   `json:"long"`

	// Pairs has the steps taken and the changes of the slope by them in turn, the oldest first.
	Pairs [][]float64 `json:"-"`

	// Steps and Trials count the steps and trials of the descent, and Searched the trials of this
	// search.
	Steps    int `json:"steps"`
	Trials   int `json:"trials"`
	Searched int `json:"searched"`
	// Ended is empty while the descent goes on.
	Ended End `json:"ended"`
}

// along returns the derivative along the step to the trial, which has the length of the step.
func (s *State) along(slope []float64) float64 {
	sum := 0.0
	for k, x := range s.Trial {
		sum += slope[k] * (x - s.Point[k])
	}
	return sum
}

// move takes the trial over with its upper bound and its slope.
func (s *State) move(slope []float64, size float64) {
	s.Point, s.Slope, s.Value, s.Size = slices.Clone(s.Trial), slices.Clone(slope), s.Upper, size
}

// end ends the descent, whose last trial is the point in hand.
func (s *State) end(how End) {
	s.Ended, s.Trial = how, slices.Clone(s.Point)
	s.Held, s.HeldSlope = nil, nil
}

// flat reports whether the slope is within the tolerance.
func (s *State) flat(tolerance float64) bool { return s.Size <= tolerance*math.Abs(s.Value) }

// Rejects reports whether a lower bound is enough for the trial to be rejected.
func (s *State) Rejects(lower float64) bool { return s.Point != nil && lower > s.line() }

// line returns the value below which the trial has to be. It is the value of sufficient decrease
// from the upper bound of the point in hand.
func (s *State) line() float64 { return s.Value + enough*s.along(s.Slope) }

// Vectors returns the vectors of the state one behind the other, after a number for each of the
// first six that reports whether it is there and the number of the pairs. It is what Restore
// takes.
func (s *State) Vectors() []float64 {
	var head, all []float64
	for _, v := range s.named() {
		there := 0.0
		if *v != nil {
			there = 1
		}
		head, all = append(head, there), append(all, *v...)
	}
	return slices.Concat(append(head, float64(len(s.Pairs))), all, slices.Concat(s.Pairs...))
}

// named lists the vectors that a state has once.
func (s *State) named() []*[]float64 {
	return []*[]float64{&s.Point, &s.Slope, &s.Trial, &s.Direction, &s.Held, &s.HeldSlope}
}

// Restore returns the descent over so many variables that had this state, with its vectors. ok is
// false if they do not fit each other.
func Restore(s State, vectors []float64, variables int, o Options) (d *Descent, ok bool) {
	named := s.named()
	head := len(named) + 1
	if len(vectors) < head {
		return nil, false
	}
	flags, rest := vectors[:head], vectors[head:]
	take := func() (v []float64) {
		if len(rest) < variables {
			ok = false
			return nil
		}
		v, rest = slices.Clone(rest[:variables]), rest[variables:]
		return v
	}
	ok = true
	for k, v := range named {
		if flags[k] == 1 {
			*v = take()
		}
	}
	for range int(min(max(flags[head-1], 0), 2*Memory)) {
		s.Pairs = append(s.Pairs, take())
	}
	switch {
	case !ok, len(rest) > 0, len(s.Pairs)%2 != 0, s.Trial == nil,
		(s.Point == nil) != (s.Slope == nil) && s.Point != nil,
		s.Point != nil && s.Ended == "" && s.Direction == nil,
		(s.Held == nil) != (s.HeldSlope == nil), s.Ended != "" && s.Point == nil:
		return nil, false
	}
	return &Descent{options: o, State: s}, true
}
