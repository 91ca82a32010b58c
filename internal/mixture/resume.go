package mixture

import "math"

// State is a run between two chunks: what it needs to continue with the same bits as if it had
// never stopped, beside the problem and the spaces.
type State struct {
	// Restart counts the starts that have been followed, and Round the projections of the start in
	// hand, which is one of them. Chunks counts the chunks of all starts, and Idle those without gain
	// before the one to come. Last is P at the end of the projection before, 0 if there is none.
	Restart int     `json:"restart"`
	Round   int     `json:"round"`
	Chunks  int     `json:"chunks"`
	Idle    int     `json:"idle"`
	Last    float64 `json:"last"`
	// Target is the relative gap of the present projection.
	Target float64 `json:"target"`

	// Q and L have q and l of each row, width numbers a row, and Multipliers e of each component.
	Q           []float64 `json:"-"`
	L           []float64 `json:"-"`
	Multipliers []float64 `json:"-"`

	// Best is the best solution of the starts that have been followed; nil if there is none.
	Best *Solution `json:"best,omitempty"`
}

// State returns the present state. Its slices are the solver's own: they are valid until the run
// goes on.
func (s *Solver) State() *State {
	r, p := s.run, s.state
	k := &State{Restart: r.restart, Round: r.round, Chunks: r.chunks, Idle: r.idle, Target: r.target,
		Q: p.q.all, L: p.l.all, Multipliers: p.e, Best: s.best}
	if r.round > 1 {
		k.Last = r.last
	}
	return k
}

// Resume takes over the state of a run of the same problem. It reports whether the state fits the
// problem; if it does not, the solver must not be used. SetFunctions has to follow.
func (s *Solver) Resume(k *State) bool {
	r, p := s.run, s.state
	// The numbers come from a file, so each is checked before the state is touched: lengths, finite
	// values, ranges, and a best solution exactly where a start has been followed.
	ok := len(k.Q) == len(p.q.all) && len(k.L) == len(p.l.all) && len(k.Multipliers) == len(p.e) &&
		finite(k.Q) && finite(k.L) && finite(k.Multipliers) && finite([]float64{k.Last}) &&
		(k.Target >= p.Gap && k.Target <= 1 || s.Likelihood) &&
		k.Restart >= 0 && k.Restart < r.starts(s.Problem) && k.Round >= 1 && k.Round <= r.Rounds &&
		k.Chunks >= 0 && k.Idle >= 0 && k.Idle < patience && (k.Best != nil) == (k.Restart > 0) &&
		(k.Best == nil || s.Fits(k.Best))
	if !ok {
		return false
	}
	p.q.set(k.Q)
	copy(p.l.all, k.L)
	copy(p.e, k.Multipliers)
	for t, cost := range s.Cost {
		l := p.l.of(t)
		// A point outside of its bounds would give a D that is no bound.
		if least(l) < 0 || sum(l) > cost*(1+1e-9) || least(p.q.of(t)) < 0 {
			return false
		}
	}
	p.weigh(p.q, p.l)
	r.restart, r.round, r.chunks, r.idle, r.last, r.target = k.Restart, k.Round, k.Chunks, k.Idle, k.Last, k.Target
	if r.round == 1 {
		// JSON has no infinity, so State writes 0 for the first round and Resume puts it back.
		r.last = math.Inf(1)
	}
	s.best, r.resumed = k.Best, true
	return true
}

// SetFunctions sets f_c = K_c w_c of every component for the state that was taken over, as the spaces
// had them: computed again they would differ in their last bits.
func (s *Solver) SetFunctions(f []float64) { copy(s.state.f, f) }
