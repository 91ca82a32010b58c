package chunking

import (
	"context"
	"math"
	"slices"
)

// A path is several problems for the same points and kernels that differ in their bounds and in their norm. What has been learned of
// one serves the next: its dual variables, the g_m, which depend on nothing else, and how sharp its norm has become.

// Scaler is a gradient that can follow alpha when all of it is multiplied by a number: every g_m is, too.
type Scaler interface{ Scale(c float64) }

// boldSteps is the number of iterations in which a norm as sharp as it was at the end of another problem has to bring the gap near its
// goal, before it goes back to the foot of its ladder.
const boldSteps = 200

// Follow starts where the run of last has ended, and in its precision. The gradients are those of last, which is of no use afterwards.
//
// What has moved costs a pass, a factor for all does not. Where many variables are at their bounds and these have moved, all are
// multiplied by what is best for the dual among what the bounds allow; and so they are for another norm, which has its own scale,
// where few are at their bounds. Else they stay where they are, but for those that are out of bounds: of the others that bounds have
// kept, a working set takes care. Then the optimum is near, and the norm stays as sharp as it has become; from far away a sharp
// problem takes hundreds of iterations.
func (s *Solver) Follow(ctx context.Context, last *Solver) error {
	s.double, s.rebuilt = last.double, -1 // the gradients have come a long way
	copy(s.V, last.V)
	same := s.norm.Dual(s.V) == last.norm.Dual(s.V)
	held := slices.Clone(last.alpha)
	c := s.factor(last, same)
	if c != 1 {
		s.grad.(Scaler).Scale(c)
		for i := range held {
			held[i] *= c
		}
	}
	s.take(held)
	if err := s.catchUp(ctx, held); err != nil {
		return err
	}
	if !same || c != 1 {
		s.norm.Weights(s.theta, s.V)
		if err := s.recombine(ctx); err != nil {
			return err
		}
		return s.climb(ctx)
	}
	if a, ok := s.norm.(Adaptive); ok {
		s.foot = a.State()
		if was := last.norm.(Adaptive).State(); a.Resume(NormState{Level: was.Level, Smoothing: was.Smoothing, Least: was.Least}) {
			s.bold = boldSteps
		}
	}
	s.norm.Weights(s.theta, s.V)
	return s.recombine(ctx)
}

// factor is what the dual variables of last are multiplied by.
func (s *Solver) factor(last *Solver, same bool) float64 {
	if s.total != 0 {
		return 1
	}
	// Of the variables that are at bounds which have moved, and of those that are out of bounds.
	kept, most, moved := 0, math.Inf(1), false
	size, bound := 0.0, 0.0 // sums of |alpha|, over all and over these
	for i, a := range last.alpha {
		was, now := last.bound(i, a), s.bound(i, a)
		moved = moved || was != now
		if a == 0 {
			continue
		}
		if a == was || math.Abs(a) > math.Abs(now) {
			kept++
			bound += math.Abs(a)
		}
		size += math.Abs(a)
		most = min(most, now/a)
	}
	_, curved := s.loss.(Curved)
	crowd := kept > s.tuning.Size(len(s.alpha))
	if crowd && !moved || !crowd && (same && !curved || 2*bound > size) { // rows that contradict each other have a scale of their own
		return 1
	}
	// lin(c alpha) = c a - c^2 b: the dual is highest at c = a / (2b + ||v||^2).
	once, twice, v := s.loss.Linear(last.alpha), s.loss.Linear(doubled(last.alpha)), s.norm.Dual(s.V)
	c := (2*once - twice/2) / (2*once - twice + v*v)
	if crowd {
		c = min(c, most)
	}
	if !(c > 0) || math.IsInf(c, 0) {
		return 1
	}
	return c
}

func doubled(x []float64) []float64 {
	r := make([]float64, len(x))
	for i, v := range x {
		r[i] = 2 * v
	}
	return r
}

// bound is that of variable i in the direction of a.
func (s *Solver) bound(i int, a float64) float64 {
	low, high := s.loss.Box(i)
	if a < 0 {
		return low
	}
	return high
}

// catchUp brings the gradients from those of held to those of alpha, and combines them.
func (s *Solver) catchUp(ctx context.Context, held []float64) error {
	most := s.tuning.Size(len(held))
	var set []int
	var delta []float64
	for i, a := range s.alpha {
		if a != held[i] {
			set, delta = append(set, i), append(delta, a-held[i])
			held[i] = a
		}
		if len(set) == most || i == len(held)-1 {
			if err := s.grad.Pass(ctx, set, delta, held, s.theta, s.combined, s.V); err != nil {
				return err
			}
			set, delta = set[:0], delta[:0]
		}
	}
	return nil
}

// bolder has a norm that is as sharp as it was in another problem go back once that has been tried for long enough.
func (s *Solver) bolder(ctx context.Context) error {
	if s.bold == 0 {
		return nil
	}
	if s.bold--; s.bold > 0 || s.cert.RelativeGap <= finish*s.gap {
		return nil
	}
	s.norm.(Adaptive).Resume(s.foot)
	s.stuck = 0
	s.norm.Weights(s.theta, s.V)
	return s.recombine(ctx)
}
