package chunking

import (
	"slices"

	"bigmkl/internal/fail"
)

// State is what a run needs to continue with the same bits as if it had never stopped, beside the
// gradients and the data.
type State struct {
	Alpha    []float64 `json:"-"`
	Combined []float64 `json:"-"` // sum_m theta_m g_m
	Theta    []float64 `json:"-"`
	V        []float64 `json:"-"` // ||v_m||^2
	Set      []int     `json:"-"` // the last working set
	Active   []int     `json:"-"` // points that passes go over, ascending; nil: all

	// Steps that a quasi-Newton solver remembers, each with what the ascent lost by it behind it,
	// the oldest first.
	Steps [][]float64 `json:"-"`

	// Within is true for the state within an iteration that its context has cut: that goes on
	// before anything else is looked at. Delta is the change of the dual variables of Set where the
	// cut was in their pass, which then has to go on; nil where the iteration had not come to it.
	Within bool      `json:"within,omitempty"`
	Delta  []float64 `json:"-"`

	// Iterations counts those done, Rebuilt is the one at which the gradients were computed again.
	// Asleep counts the times that points were left out since all were active, and Mistaken those
	// that they were woken because they held up the gap; shrinking rests until iteration
	// AwakeUntil. Looked is the iteration of the last look at them that holds for the weights in
	// hand. Stuck counts the steps in a row that moved nothing.
	Iterations int  `json:"iterations"`
	Rebuilt    int  `json:"rebuilt"`
	Asleep     int  `json:"asleep"`
	Mistaken   int  `json:"mistaken"`
	AwakeUntil int  `json:"awake_until"`
	Looked     int  `json:"looked"`
	Stuck      int  `json:"stuck"`
	Double     bool `json:"double"`
	Noisy      bool `json:"noisy"`

	// Ratio is the least gap of alpha divided by the largest violation since the first of the
	// sleeping points fell asleep.
	Ratio float64 `json:"ratio"`

	Shift   float64 `json:"shift"`             // of the bias by rounding
	Doubt   float64 `json:"doubt,omitempty"`   // of the primal value of a result that was not accepted
	Unit    float64 `json:"unit"`              // of ||v||, see vanishingSquare
	Largest float64 `json:"largest,omitempty"` // sum_m theta_m V_m since the gradients were computed again

	Norm *NormState `json:"norm,omitempty"` // nil if the norm has no state
	// Bold counts the steps that are left for a norm as sharp as the norm of another problem, and Foot is
	// where the norm goes back to after them; nil where none are left.
	Bold int        `json:"bold,omitempty"`
	Foot *NormState `json:"foot,omitempty"`

	// Entire means that every point is in the working set, and Left that such steps have not helped. Spent is the work of
	// working sets, Marked the iteration at which their progress was looked at last, Before the lowest P - D then and Lowest
	// the lowest of the run.
	Entire bool    `json:"entire,omitempty"`
	Left   bool    `json:"left,omitempty"`
	Spent  float64 `json:"spent,omitempty"`
	Marked int     `json:"marked,omitempty"`
	Before float64 `json:"before,omitempty"`
	Lowest float64 `json:"lowest,omitempty"`

	// Pinned means that the weights in hand stay. Finest has the weights of the least relative gap up to now, which is
	// FinestGap. Pins counts the times that weights were pinned without progress, the last time at iteration PinnedAt.
	Pinned    bool      `json:"pinned,omitempty"`
	Finest    []float64 `json:"-"`
	FinestGap float64   `json:"finest_gap,omitempty"`
	Pins      int       `json:"pins,omitempty"`
	PinnedAt  int       `json:"pinned_at,omitempty"`

	// What the driver goes by: the lowest P - D, D at the last progress, the iterations since, the gaps that turned out to
	// be rounding, the times that the weights at the end were not those of V, and the status of a
	// run that is over.
	Best    float64 `json:"best"`
	Dual    float64 `json:"dual"`
	Since   int     `json:"since"`
	Refuted int     `json:"refuted"`
	Tries   int     `json:"tries"`
	Ended   Status  `json:"ended"`
}

// State is the state in hand. Its slices are the solver's own: they are valid until the run goes
// on.
func (d *Driver) State() *State {
	s := d.solver
	r := &State{
		Alpha: s.alpha, Combined: s.combined, Theta: s.theta, V: s.V, Set: s.set, Active: s.active,
		Iterations: s.iterations, Rebuilt: s.rebuilt, Stuck: s.stuck,
		Asleep: s.asleep, Mistaken: s.mistaken, AwakeUntil: s.awakeUntil, Looked: s.looked, Ratio: s.ratio,
		Double: s.double, Noisy: s.noisy, Shift: s.shift, Doubt: s.doubt, Unit: s.uncancelled, Largest: s.largest,
		Best: d.best, Dual: d.dual, Since: d.since, Refuted: d.refuted, Tries: d.tries, Ended: d.ended,
		Within: d.within, Delta: s.delta,
		Entire: s.entire, Left: s.left, Spent: s.spent, Marked: s.marked, Before: s.before, Lowest: s.least,
		Pinned: s.pinned, FinestGap: d.finestGap, Pins: d.pins, PinnedAt: d.pinnedAt,
	}
	if d.finestGap > 0 {
		r.Finest = d.finest
	}
	if s.overall != nil {
		r.Steps = s.overall.stepper.Snapshot()
	}
	if n, ok := s.norm.(Adaptive); ok {
		state := n.Snapshot()
		r.Norm = &state
	}
	if s.bold > 0 {
		foot := s.foot
		r.Bold, r.Foot = s.bold, &foot
	}
	return r
}

// Resume takes over the state of another driver of the same problem, whose gradients have been
// brought back already. It checks that the state fits the problem before it changes the solver;
// norm and stepper check their parts and take them over. A state that fits no such problem is
// fail.Corrupt, and the solver must not be used then.
func (d *Driver) Resume(r *State) error {
	s := d.solver
	n, kernels := len(s.alpha), len(s.theta)
	ok := s.feasible(r.Alpha, s.wayOf()) && len(r.Combined) == n && len(r.Theta) == kernels && len(r.V) == kernels &&
		distinct(r.Set, n) && distinct(r.Active, n) && slices.IsSorted(r.Active) &&
		(r.Active == nil || len(r.Active) > 0)
	if s.overall != nil {
		ok = ok && s.overall.stepper.Resume(r.Steps)
	} else {
		ok = ok && len(r.Steps) == 0
	}
	norm, adapts := s.norm.(Adaptive)
	if ok = ok && 0 <= r.Bold && r.Bold <= boldSteps && (r.Bold > 0) == (r.Foot != nil); ok && r.Foot != nil {
		if ok = adapts && norm.Resume(*r.Foot); ok {
			s.bold, s.foot = r.Bold, *r.Foot
		}
	}
	if ok && adapts {
		ok = r.Norm != nil && norm.Resume(*r.Norm)
	}
	ok = ok && (r.FinestGap > 0) == (len(r.Finest) == kernels) && (!r.Pinned || r.FinestGap > 0)
	if ok && r.Delta != nil {
		ok = r.Within && s.overall == nil && len(r.Delta) == len(r.Set)
	}
	if !ok {
		return fail.New(fail.Corrupt, "the state is none of a run of this shape")
	}
	copy(s.alpha, r.Alpha)
	copy(s.combined, r.Combined)
	copy(s.theta, r.Theta)
	copy(s.V, r.V)
	s.set, s.active = slices.Clone(r.Set), slices.Clone(r.Active)
	s.iterations, s.rebuilt, s.stuck = r.Iterations, r.Rebuilt, r.Stuck
	s.asleep, s.mistaken, s.awakeUntil, s.looked, s.ratio = r.Asleep, r.Mistaken, r.AwakeUntil, r.Looked, r.Ratio
	s.double, s.noisy, s.shift, s.doubt = r.Double, r.Noisy, r.Shift, r.Doubt
	s.handover = handover{r.Entire, r.Left, r.Spent, r.Marked, r.Lowest, r.Before}
	d.pinning, s.pinned = pinning{slices.Clone(r.Finest), r.FinestGap, r.Pins, r.PinnedAt}, r.Pinned
	s.uncancelled, s.delta = r.Unit, slices.Clone(r.Delta)
	// The certificate is computed and not taken from the state: it holds for the data at hand.
	d.best, d.dual, d.since, d.refuted, d.tries = r.Best, r.Dual, r.Since, r.Refuted, r.Tries
	d.ended, d.resumed, d.within = r.Ended, true, r.Within
	s.certify()
	s.largest = r.Largest
	if d.ended != "" && Conclude(d.ended, s.reported().RelativeGap, s.gap) != d.ended {
		return fail.New(fail.Corrupt, "the state of a run that has converged has a relative gap of %.3g, asked were %.3g",
			s.reported().RelativeGap, s.gap)
	}
	return nil
}

// distinct reports whether a list holds different numbers of points, of which there are n.
func distinct(list []int, n int) bool {
	seen := make(map[int]bool, len(list))
	for _, i := range list {
		if i < 0 || i >= n || seen[i] {
			return false
		}
		seen[i] = true
	}
	return true
}
