package mixture

import "math/rand/v2"

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
	// Tell is called before every chunk, and its error ends the run. Stop is asked after it, and ends the
	// run with the present point. Both may be nil.
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

// Progress has the numbers that Tell gets before every chunk.
type Progress struct {
	Restart, Round, Chunks int
	Primal, Dual, Gap      float64
	Support                int // rows with l_t > 0
}

// run is how far a run has come among its starts, rounds and chunks, and asks its options whether it goes on. A
// checkpoint keeps all of its numbers.
type run struct {
	Options
	restart, round, chunks int

	idle   int     // chunks without any gain before the one to come
	last   float64 // P at the end of the projection before; +Inf if there is none
	target float64 // relative gap to which the projection in hand is solved

	stopped bool // the options have ended the run
	resumed bool // the point in hand is one between two chunks that has been brought back
}

// starts is the number of starts.
func (r *run) starts(p *Problem) int {
	if p.AllObserved() {
		return 1
	}
	return r.Restarts
}

// tell reports the present point.
func (r *run) tell(s *state) error {
	if r.Tell == nil {
		return nil
	}
	support := 0
	for t := range s.Positive {
		if s.Likelihood || s.l.total(t) > 0 {
			support++
		}
	}
	return r.Tell(Progress{
		Restart: r.restart, Round: r.round, Chunks: r.chunks, Primal: s.primal, Dual: s.dual, Gap: s.gap(),
		Support: support,
	})
}

// proceed reports whether another chunk may begin.
func (r *run) proceed() bool {
	if r.Chunks > 0 && r.chunks >= r.Chunks || r.Stop != nil && r.Stop() {
		r.stopped = true
	}
	if r.Keep != nil {
		r.Keep(r.stopped)
	}
	return !r.stopped
}

// startSource is the source of random numbers of the present start, and pairSource of the
// present list of pairs. A resumed run has the same ones.
func (r *run) startSource() *rand.Rand { return rand.New(rand.NewPCG(r.Seed, uint64(r.restart))) }
func (r *run) pairSource() *rand.Rand {
	// The stream depends on the chunk and the start alone. So a resumed run draws the list that the
	// run before would have drawn.
	return rand.New(rand.NewPCG(r.Seed, uint64(r.chunks)<<20|uint64(r.restart)))
}
