package mixture

import (
	"context"
	"slices"
)

// likelihood is the search of task mixture: it alternates the two steps of the EM algorithm (em.go).
type likelihood struct {
	*em
	run    *run
	starts *starts
}

// follow alternates estimates and softmaxes from the present start, until one gains no more than
// the gap.
func (x *likelihood) follow(ctx context.Context) (*Solution, error) {
	s, r := x.state, x.run
	if !r.resumed {
		if err := x.starts.begin(ctx); err != nil {
			return nil, err
		}
		r.round = 1
	}
	next := make([]float64, len(s.q.all))
	for ; ; r.round++ {
		if err := x.estimate(ctx, nil); err != nil {
			return nil, err
		}
		// F belongs to the q before this softmax and J to the q after it, both at the means that were
		// estimated from the former.
		change := x.assign(next)
		// The point of a checkpoint was reported and judged by the run that wrote it.
		if !r.resumed {
			if err := r.tell(s); err != nil {
				return nil, err
			}
			if reached := s.gap() <= s.Gap; reached || r.round >= r.Rounds {
				return x.likeliest(change, reached), nil
			}
		}
		if !r.proceed() {
			return x.likeliest(change, false), nil
		}
		r.resumed = false
		r.chunks++
		s.q.set(next)
	}
}

// refine estimates the components of a solution again.
func (x *likelihood) refine(ctx context.Context, best *Solution) (*Solution, error) {
	x.q.set(best.Q)
	if err := x.estimate(ctx, nil); err != nil {
		return nil, err
	}
	change := x.assign(make([]float64, len(x.q.all)))
	return x.likeliest(change, x.gap() <= x.Gap), nil
}

// likeliest copies the present point, of which every row is a part.
func (x *likelihood) likeliest(change float64, reached bool) *Solution {
	b := x.solution(x.dual, change, reached)
	// Every row has its whole weight, so all rows are support vectors of the two mixtures.
	b.Totals = slices.Clone(x.Cost)
	return b
}
