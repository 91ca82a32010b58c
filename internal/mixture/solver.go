package mixture

import "context"

// search is how a problem is solved from one start.
type search interface {
	// follow goes from the present start, or from the point of a checkpoint, to its end.
	follow(ctx context.Context) (*Solution, error)
	// refine computes the values of a solution again, and whether they have reached the gap.
	refine(ctx context.Context, best *Solution) (*Solution, error)
}

// Solver solves a problem. It is for one goroutine.
type Solver struct {
	*Problem
	run    *run
	state  *state
	search search
	best   *Solution // of the starts that have been followed; nil if there is none
}

// NewSolver returns a solver of a problem of at least one component a side and one row a class. All
// starts share one state, which each of them begins again.
func NewSolver(p *Problem, spaces Spaces, o Options) *Solver {
	s := &Solver{Problem: p, run: &run{Options: o}, state: newState(p)}
	em := &em{s.state, spaces}
	// Both searches share em: it is the search of maximum likelihood, and a start for discrimination.
	from := &starts{em, s.run}
	if p.Likelihood {
		s.search = &likelihood{em, s.run, from}
	} else {
		s.search = &discrimination{&projector{state: s.state, spaces: spaces, run: s.run}, from}
	}
	return s
}

// Run follows every start and returns the best solution.
func (s *Solver) Run(ctx context.Context) (*Solution, error) {
	r, best := s.run, s.best
	for ; r.restart < r.starts(s.Problem) && !r.stopped; r.restart++ {
		found, err := s.search.follow(ctx)
		if err != nil {
			return nil, err
		}
		found.Rounds, found.Start = r.round, r.restart+1
		// Of equal starts the first one wins.
		if best == nil || found.Objective < best.Objective {
			best = found
		}
		// A start that was cut is followed again when the run goes on.
		if !r.stopped {
			s.best = best
		}
	}
	if r.Refine != nil {
		r.Refine()
		refined, err := s.search.refine(ctx, best)
		if err != nil {
			return nil, err
		}
		refined.Start, refined.Rounds = best.Start, best.Rounds
		best = refined
	}
	best.Chunks, best.Stopped = r.chunks, r.stopped
	return best, nil
}
