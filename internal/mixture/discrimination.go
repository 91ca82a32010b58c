package mixture

import (
	"context"
	"math"
)

// discrimination is the search of task med: it alternates projections and softmaxes, of which neither lets P rise.
type discrimination struct {
	*projector
	starts *starts
}

// A projection whose responsibilities are about to change need not be solved to the end: the first ones are
// solved to a gap that is loose, and the others to a part of the last fall of P.
const (
	loose     = 3e-2
	ofTheFall = 0.1
)

// follow alternates projections and softmaxes from the present start.
func (d *discrimination) follow(ctx context.Context) (*Solution, error) {
	// A fresh start has l = 0, which is feasible for every q. A resumed run has l, e and f of its
	// checkpoint and goes on inside of the projection that was cut.
	s, r := d.state, d.run
	if !r.resumed {
		clear(s.l.all)
		if err := d.starts.begin(ctx); err != nil {
			return nil, err
		}
		clear(s.e)
		s.weigh(s.q, s.l)
		if err := d.spaces.Rebuild(ctx, s.w, s.f); err != nil {
			return nil, err
		}
		r.round, r.last, r.target = 1, math.Inf(1), max(s.Gap, loose)
		if s.AllObserved() || r.Rounds == 1 {
			r.target = s.Gap
		}
	}
	next := make([]float64, len(s.q.all))
	for ; ; r.round++ {
		// P is exact for the present q, so an early end of a projection costs no correctness: the
		// softmax that follows lowers P from any feasible point.
		reached, err := d.project(ctx)
		if err != nil {
			return nil, err
		}
		change, objective := s.respond(next)
		scale := max(math.Abs(s.primal), math.Abs(s.dual))
		fall := r.last - s.primal
		// A start ends where q moves no more, where P falls by less than the gap can show, or at the
		// limit of rounds.
		done := change <= SettledChange || fall <= s.Gap*scale || r.round >= r.Rounds
		if done && reached && !r.stopped && r.target > s.Gap {
			// The last projection is solved to the end, from where it is.
			r.target = s.Gap
			r.round--
			continue
		}
		if done || !reached || r.stopped {
			return s.solution(objective, change, reached), nil
		}
		r.last = s.primal
		if !math.IsInf(fall, 1) {
			r.target = max(s.Gap, min(r.target, ofTheFall*fall/scale))
		}
		// A changed q breaks the sums of w_c. keepTotals restores them at the same l_t, so the next
		// projection starts near the end of this one and not at l = 0.
		s.q.set(next)
		s.l.keepTotals(s.q)
		s.weigh(s.q, s.l)
		if err := d.spaces.Rebuild(ctx, s.w, s.f); err != nil {
			return nil, err
		}
	}
}

// refine solves the best solution's multipliers again, from f that is computed again.
func (d *discrimination) refine(ctx context.Context, best *Solution) (*Solution, error) {
	s := d.state
	s.q.set(best.Q)
	copy(s.e, best.Multipliers)
	for t := range s.Positive {
		from, _ := s.other(t)
		// The solution keeps w and not l. On components of the other class w is -l, so l follows from
		// it.
		l := s.l.of(t)
		for j := range l {
			l[j] = max(0, -best.Weights[(from+j)*s.rows()+t])
		}
	}
	s.weigh(s.q, s.l)
	if err := d.spaces.Rebuild(ctx, s.w, s.f); err != nil {
		return nil, err
	}
	// The multipliers are solved again because f has moved by its rounding, to which P reacts at every
	// hinge near 0.
	s.e.improve(s.hinges, nil, math.Inf(1))
	s.evaluate()
	change, objective := s.respond(make([]float64, len(s.q.all)))
	return s.solution(objective, change, s.gap() <= s.Gap), nil
}
