package chunking

import (
	"context"
	"math"
	"slices"
)

// Follow starts where the run of last has ended, and in its precision. The two problems have the
// same points and kernels and may differ in their bounds and in their norm: they are neighbours on
// a path. What has been learned of one serves the next: the dual variables, the g_m, which depend
// on nothing else, and how sharp the norm has become. The gradients are taken over from last,
// which must not be used afterwards.
//
// Every variable that moves costs a row of a pass, and a common factor for all of them costs
// nothing. So where many variables are at bounds that have moved, all are multiplied by the factor
// that is best for the dual among those that the bounds allow. The same is done for another norm,
// which has its own scale, where few variables are at their bounds. Otherwise variables stay where
// they are, except for those out of bounds; the working set takes care of what bounds have kept.
// Then the optimum is near, and the norm stays as sharp as it has become. From far away a sharp
// problem takes hundreds of iterations.
func (s *Solver) Follow(ctx context.Context, last *Solver) error {
	if err := last.Wake(ctx); err != nil {
		return err
	}
	if s.collective != nil {
		return s.followOutside(ctx, last)
	}
	s.double, s.rebuilt, s.largest = last.double, -1, last.largest // the gradients have come a long way
	copy(s.V, last.V)
	// Two norms that agree on the V in hand are taken for the same.
	same := s.norm.Dual(s.V) == last.norm.Dual(s.V)
	held := slices.Clone(last.alpha)
	c := s.commonFactor(&last.iterate, same)
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
		if err := s.Reweigh(ctx); err != nil {
			return err
		}
		return s.climb(ctx)
	}
	if was, ok := last.norm.(Adaptive); ok {
		s.embolden(s.norm, was.Snapshot())
	}
	return s.Reweigh(ctx)
}

// followOutside starts where the run of last has ended, for a Collective loss: the domains of two costs differ by the factor of the
// costs alone. The gradients are computed again, which takes as long as one direction.
func (s *Solver) followOutside(ctx context.Context, last *Solver) error {
	s.double = last.double
	alpha := slices.Clone(last.alpha)
	for i := range alpha {
		if was, now := last.bound(i, 1), s.bound(i, 1); was > 0 {
			for j := range alpha {
				alpha[j] *= now / was
			}
			break
		}
	}
	return s.Start(ctx, alpha)
}

// commonFactor is what the dual variables of last are multiplied by to start another problem, 1 if
// they are not. same means that both problems have the same norm.
func (s *evaluation) commonFactor(last *iterate, same bool) float64 {
	// Where alpha has a sum other than 0, a factor would change it.
	if s.total != 0 {
		return 1
	}
	// All shares of the bounds stay: an entropy is lowest where they are at bounds.
	if _, ok := s.loss.(Differentiable); ok {
		for i, a := range last.alpha {
			if was := last.bound(i, a); a != 0 && was != 0 {
				return s.bound(i, a) / was
			}
		}
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
	// Without a crowd the scale may stay unless most of alpha is at bounds: rows that contradict
	// each other are at their bounds for every cost and have a scale of their own.
	if crowd && !moved || !crowd && (same && !curved || 2*bound > size) {
		return 1
	}
	// lin(c alpha) = c a - c^2 b, so the dual is highest at c = a / (2b + ||v||^2).
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

// doubled gives 2x.
func doubled(x []float64) []float64 {
	r := make([]float64, len(x))
	for i, v := range x {
		r[i] = 2 * v
	}
	return r
}

// catchUp brings the gradients to alpha from the values at held, and combines them. It passes
// over what differs in sets no larger than a working set, and changes held on the way.
func (s *evaluation) catchUp(ctx context.Context, held []float64) error {
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
