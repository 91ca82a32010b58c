package mixture

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// Options set how long a Solver goes on.
type Options struct {
	// Restarts is the number of starts, of which the one with the least P wins; at least 1. There is
	// one where all rows are observed.
	Restarts int
	// Rounds is the largest number of projections, or of estimates, from one start, at least 1.
	Rounds int
	// Chunks is the largest number of chunks of all projections, or of steps of EM; 0 is any.
	Chunks int
	// Sequential solves projections, which are without H(Q), by sequential minimal optimisation in
	// place of chunks. A list of pairs then counts as a chunk.
	Sequential bool
	// Seed is the seed of the starts, and of lists of pairs.
	Seed uint64
	// Along writes a number for each row, by which rows are ordered along a random direction.
	Along func(random *rand.Rand, to []float64)
	// Tell is called before every chunk, and an error of it ends the run. Stop is asked after it, and
	// ends the run with the point in hand. Both may be nil.
	Tell func(Progress) error
	Stop func() bool
	// Refine makes the spaces compute in double precision from then on. It is called once, for the best
	// solution: its values come from f computed again. If it is nil, the spaces do so already.
	Refine func()
	// Keep is called between two chunks, where State is the run, and is told whether the run ends
	// there. It may be nil.
	Keep func(stopped bool)
}

// SettledChange is the largest change of q at which a start ends.
const SettledChange = 1e-3

// Solution is a solved projection, the last one of the best start.
type Solution struct {
	// Q has the distributions of all rows, width numbers each, and Weights w, component by component.
	Q       []float64 `json:"-"`
	Weights []float64 `json:"-"`
	Width   int
	// Multipliers has e of each component, and Norms w_c'K_c w_c.
	Multipliers []float64 `json:"-"`
	Norms       []float64 `json:"-"`
	// Totals has l_t of each row.
	Totals []float64 `json:"-"`
	// Primal and Dual are P and D, or F and J of a likelihood. Objective is P after the softmax that
	// follows the projection, or J, and Change the largest change of q by that softmax. Both belong to
	// the projection if all rows are observed.
	Primal, Dual, Objective, Change float64
	// Rounds is the number of projections or estimates of the start, which is number Start of all, and
	// Chunks that of the chunks, or of the steps of EM, of all starts.
	Rounds, Start, Chunks int
	// Reached means that the projection reached its gap, and Stopped that the run was ended before
	// all starts had been followed.
	Reached, Stopped bool
}

// Solver solves a problem. It is for one goroutine.
type Solver struct {
	*Problem
	spaces  Spaces
	options Options
	state   *state
	chunks  int
	restart int
	round   int
	stopped bool

	idle   int     // chunks without any gain before the one to come
	last   float64 // P at the end of the projection before; +Inf if there is none
	target float64 // relative gap to which the projection in hand is solved
	// These are the matrices of sequential minimal optimisation; nil before they are needed.
	matrices sequential

	best    *Solution // of the starts that have been followed; nil if there is none
	resumed bool      // the state is one between two chunks that has been brought back
}

// NewSolver returns a solver of a problem of at least one component a side and one row a class.
func NewSolver(p *Problem, spaces Spaces, o Options) *Solver {
	return &Solver{Problem: p, spaces: spaces, options: o, state: newState(p)}
}

// tell reports the point in hand.
func (r *Solver) tell() error {
	if r.options.Tell == nil {
		return nil
	}
	s, support := r.state, 0
	for t := range s.Positive {
		if s.Likelihood || s.l.total(t) > 0 {
			support++
		}
	}
	return r.options.Tell(Progress{
		Restart: r.restart, Round: r.round, Chunks: r.chunks, Primal: s.primal, Dual: s.dual, Gap: s.gap(),
		Support: support,
	})
}

// proceed reports whether another chunk may begin.
func (r *Solver) proceed() bool {
	if r.options.Chunks > 0 && r.chunks >= r.options.Chunks ||
		r.options.Stop != nil && r.options.Stop() {
		r.stopped = true
	}
	if r.options.Keep != nil {
		r.options.Keep(r.stopped)
	}
	return !r.stopped
}

// Run follows every start and returns the best solution.
func (r *Solver) Run(ctx context.Context) (*Solution, error) {
	starts := r.options.Restarts
	if r.AllObserved() {
		starts = 1
	}
	best := r.best
	for ; r.restart < starts && !r.stopped; r.restart++ {
		search := r.follow
		if r.Likelihood {
			search = r.climb
		}
		s, err := search(ctx)
		if err != nil {
			return nil, err
		}
		if best == nil || s.Objective < best.Objective {
			best = s
		}
		// A start that was cut is followed again when the run goes on.
		if !r.stopped {
			r.best = best
		}
	}
	if r.options.Refine != nil {
		r.options.Refine()
		var err error
		if best, err = r.refine(ctx, best); err != nil {
			return nil, err
		}
	}
	best.Chunks, best.Stopped = r.chunks, r.stopped
	return best, nil
}

// refine computes the values of a solution again, and whether they have reached the gap.
func (r *Solver) refine(ctx context.Context, best *Solution) (*Solution, error) {
	s := r.state
	s.q.set(best.Q)
	if r.Likelihood {
		if err := r.estimate(ctx, nil); err != nil {
			return nil, err
		}
		change := s.assign(make([]float64, len(s.q.all)))
		refined := r.likeliest(change, s.gap() <= s.Gap)
		refined.Start, refined.Rounds = best.Start, best.Rounds
		return refined, nil
	}
	copy(s.e, best.Multipliers)
	for t := range s.Positive {
		from, _ := s.other(t)
		l := s.l.of(t)
		for j := range l {
			l[j] = max(0, -best.Weights[(from+j)*s.rows()+t])
		}
	}
	s.weigh(s.q, s.l)
	if err := r.spaces.Rebuild(ctx, s.w, s.f); err != nil {
		return nil, err
	}
	s.e.improve(s.hinges, nil, math.Inf(1))
	s.evaluate()
	change, objective := s.respond(make([]float64, len(s.q.all)))
	refined := r.solution(objective, change, s.gap() <= s.Gap)
	refined.Start, refined.Rounds = best.Start, best.Rounds
	return refined, nil
}

// follow alternates projections and softmaxes from the start in hand.
func (r *Solver) follow(ctx context.Context) (*Solution, error) {
	s := r.state
	if !r.resumed {
		clear(s.l.all)
		if err := r.begin(ctx); err != nil {
			return nil, err
		}
		clear(s.e)
		s.weigh(s.q, s.l)
		if err := r.spaces.Rebuild(ctx, s.w, s.f); err != nil {
			return nil, err
		}
		r.round, r.last, r.target = 1, math.Inf(1), max(s.Gap, loose)
		if r.AllObserved() || r.options.Rounds == 1 {
			r.target = s.Gap
		}
	}
	next := make([]float64, len(s.q.all))
	for ; ; r.round++ {
		reached, err := r.project(ctx)
		if err != nil {
			return nil, err
		}
		change, objective := s.respond(next)
		scale := max(math.Abs(s.primal), math.Abs(s.dual))
		fall := r.last - s.primal
		done := change <= SettledChange || fall <= s.Gap*scale || r.round >= r.options.Rounds
		if done && reached && !r.stopped && r.target > s.Gap {
			// The last projection is solved to the end, from where it is.
			r.target = s.Gap
			r.round--
			continue
		}
		if done || !reached || r.stopped {
			return r.solution(objective, change, reached), nil
		}
		r.last = s.primal
		if !math.IsInf(fall, 1) {
			r.target = max(s.Gap, min(r.target, ofTheFall*fall/scale))
		}
		s.q.set(next)
		s.l.keepTotals(s.q)
		s.weigh(s.q, s.l)
		if err := r.spaces.Rebuild(ctx, s.w, s.f); err != nil {
			return nil, err
		}
	}
}

// A projection whose responsibilities are about to change need not be solved to the end: the first ones are
// solved to a gap that is loose, and the others to a part of the last fall of P.
const (
	loose     = 3e-2
	ofTheFall = 0.1
)

// solution copies the point in hand.
func (r *Solver) solution(objective, change float64, reached bool) *Solution {
	s := r.state
	b := &Solution{
		Q: slices.Clone(s.q.all), Weights: slices.Clone(s.w), Width: s.width(),
		Multipliers: slices.Clone(s.e), Primal: s.primal, Dual: s.dual, Objective: objective,
		Change: change, Rounds: r.round, Start: r.restart + 1, Reached: reached, Norms: s.norms(),
	}
	for t := range s.Positive {
		b.Totals = append(b.Totals, s.l.total(t))
	}
	return b
}
