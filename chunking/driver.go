package chunking

import "context"

// Status says why a run ended.
type Status string

// Conclude gives the status of a run that ended with a relative gap where another was asked for. It is the only way to
// Converged: whatever the reason a solver gives for its end, a result whose own certificate misses the gap is not converged.
func Conclude(end Status, gap, asked float64) Status {
	if end == Converged && !(gap <= asked) {
		return Stalled
	}
	return end
}

// The ends of a run.
const (
	Converged      Status = "converged"
	IterationLimit Status = "iteration_limit"
	TimeLimit      Status = "time_limit"
	Interrupted    Status = "interrupted"
	Stalled        Status = "stalled" // no step improves the dual any more
)

// Precision chooses the arithmetic of kernels and tiles.
type Precision string

// Auto starts in single precision and goes on in double once the gap asked for, or rounding, demands it; delicate norms
// are in double from the start, whatever is asked.
const (
	Auto   Precision = "auto"
	Single Precision = "32"
	Double Precision = "64"
)

// Limits of a run.
type Limits struct {
	Iterations int  // 0 means none
	Trusting   bool // a gap is believed without a look at rounding: another run is to come
	Precision  Precision
	Stop       func() Status        // asked before every iteration: ends the run with what it returns, "" to go on
	Record     func(Progress) error // told after every iteration

	// Keep is called where State is one that a run can go on from: before every iteration and, with
	// must, when the run ends, or when its context has cut what was in hand. It comes before the
	// points wake for a limit, so that whoever goes on from the state takes the way of a run
	// without that limit.
	Keep func(must bool)
}

// Progress is what there is to say after an iteration.
type Progress struct {
	Iteration   int
	Certificate Certificate
	Active      int // kernels with a weight that counts
	Double      bool
}

const (
	WidenBelow = 1e-4 // relative gap that single precision cannot certify
	enough     = 0.98 // of the lowest P - D, or less, is lower
	patience   = 40   // iterations without a lower P - D before single precision is given up
	stuckSteps = 3
	chances    = 5   // gaps that may turn out to be rounding before the run ends
	exhausted  = 400 // iterations without a lower P - D before double precision is given up
)

// Driver steps a solver to the relative gap it was made for.
type Driver struct {
	solver *Solver
	limits Limits

	counts
	seen    counts // when the state was last looked at
	tries   int    // times that a kernel without a part in the norm had a weight at the end
	resumed bool   // the above is that of another driver, which has not come to its end
	within  bool   // an iteration is under way
	kept    bool   // the state at hand, or the one it came from by nothing but waking, has been handed to Keep
	begun   bool   // there is a state that is worth keeping
	ended   Status // of a run that is over
}

// NewDriver returns a driver at the solver's present state.
func NewDriver(s *Solver, l Limits) *Driver { return &Driver{solver: s, limits: l} }

// Run goes on to the end of the run or to one of the limits. Where ctx ends first, what is in hand is
// cut, the state handed to Keep, and the error of ctx returned.
func (d *Driver) Run(ctx context.Context) (Status, error) {
	s := d.solver
	for d.ended == "" {
		status, err := d.run(ctx)
		if err != nil {
			return "", d.cut(ctx, err)
		}
		if s.outsiders() {
			s.norm.Weights(s.theta, s.V)
			if err := s.recombine(ctx); err != nil {
				return "", err
			}
			if status == Converged && s.cert.RelativeGap > s.gap && d.tries < chances {
				d.tries++
				continue
			}
		}
		if status != Converged {
			if err := s.claim(ctx, d.before); err != nil {
				return "", d.cut(ctx, err)
			}
		}
		if status == Stalled && s.reported().RelativeGap <= s.gap {
			status = Converged // with all that rounding may have added
		}
		if status != Converged && status != Stalled {
			return status, nil
		}
		d.ended = Conclude(status, s.reported().RelativeGap, s.gap)
		d.keep(true)
	}
	return d.ended, nil
}

// cut hands the state to Keep where ctx has ended what was in hand, unless it has had it, and gives
// the error back.
func (d *Driver) cut(ctx context.Context, err error) error {
	switch {
	case ctx.Err() == nil || !d.begun:
	case d.within && !d.kept:
		d.keep(true)
	default:
		d.before()
	}
	return err
}

// before hands the state to Keep before what follows spoils it, unless Keep has had it.
func (d *Driver) before() {
	if d.kept {
		return
	}
	now := d.counts
	d.counts = d.seen // what the state was found to call for is found again
	d.keep(true)
	d.counts = now
}

func (d *Driver) keep(must bool) {
	if d.limits.Keep != nil {
		d.limits.Keep(must)
	}
	d.kept = must
}

// outsiders tells whether a kernel has a weight that its V_m denies it: the weights are made for the V_m that the line search
// predicts, and where that is rounding, the pass may find it negative, of a kernel that may be indefinite, or 0. Solution reports no
// weight of the latter, which the norm of the others has to allow for: it does if all weights are those of V.
func (s *Solver) outsiders() bool {
	n, ok := s.norm.(interface{ out(m int, v float64) bool })
	if !ok {
		return false
	}
	nought := false
	for m, t := range s.theta {
		if t > 0 && n.out(m, s.V[m]) {
			return true
		}
		nought = nought || t > 0 && s.V[m] == 0
	}
	if h, ok := s.norm.(interface{ held() *Held }); !nought || s.vanishes() || ok && h.held() != nil { // see Held.Scale
		return false
	}
	fresh := make([]float64, len(s.theta))
	s.norm.Weights(fresh, s.V)
	for m, t := range s.theta {
		if s.V[m] == 0 && t != fresh[m] {
			return true
		}
	}
	return false
}

// run is Run up to what the pass may find out about kernels that are indefinite.
func (d *Driver) run(ctx context.Context) (Status, error) {
	s, l := d.solver, &d.limits
	if !s.double && (l.Precision == Double || s.delicate()) {
		if err := s.Widen(ctx); err != nil {
			return "", err
		}
	}
	if !d.resumed {
		d.improved()
		d.refuted = 0
	}
	d.resumed, d.begun = false, true
	for {
		if d.within {
			if err := d.step(ctx); err != nil {
				return "", err
			}
		}
		d.seen = d.counts
		constant := s.iterations > 0 && s.active == nil && s.vanishes() && s.constant().RelativeGap <= s.gap
		if constant && s.cert.linear == 0 {
			if !s.coarse(l.Precision) {
				return Converged, nil // the best function is a constant, and that is certified by P = D = 0
			}
			if err := s.Widen(ctx); err != nil {
				return "", err
			}
			d.improved()
			continue
		}
		if s.cert.RelativeGap <= s.gap && s.active != nil {
			if err := s.Wake(ctx); err != nil {
				return "", err
			}
			d.improved()
			continue
		}
		if s.cert.RelativeGap <= s.gap || constant {
			if s.mute() {
				if err := s.recombine(ctx); err != nil {
					return "", err
				}
				continue
			}
			ok, err := l.Trusting, error(nil)
			if !ok {
				ok, err = s.trusted(ctx, l.Precision)
			}
			if err != nil {
				return "", err
			}
			if ok {
				return Converged, nil
			}
			if d.refuted++; d.refuted > chances || !s.double && l.Precision == Single {
				return Stalled, nil // rounding is as large as the gap: nothing more can be claimed
			}
			if !s.double {
				if err := s.Widen(ctx); err != nil {
					return "", err
				}
			}
			d.improved()
			continue
		}
		if status := d.limit(); status != "" {
			d.keep(true)
			return status, s.Wake(ctx)
		}
		d.keep(false)
		switch {
		case s.cert.gap() < enough*d.best:
			d.improved()
		case s.nearer() && s.moves-d.moves < exhausted:
			d.since = 0
		}
		d.since++
		spent := d.since > patience || s.stuck >= stuckSteps || s.noisy
		if !s.double && l.Precision != Single && (spent || s.gap < WidenBelow && s.cert.RelativeGap < WidenBelow) {
			if err := s.Widen(ctx); err != nil {
				return "", err
			}
			d.improved()
			continue
		}
		if s.stuck >= stuckSteps || d.since > exhausted {
			if s.active == nil {
				return Stalled, nil
			}
			if err := s.Wake(ctx); err != nil {
				return "", err
			}
			d.improved()
			s.stuck = 0
			continue
		}
		if err := d.step(ctx); err != nil {
			return "", err
		}
	}
}

// step does an iteration, or what is left of one that was cut.
func (d *Driver) step(ctx context.Context) error {
	d.within, d.kept = true, false
	if err := d.solver.Step(ctx); err != nil {
		return err
	}
	d.within = false
	if d.limits.Record == nil {
		return nil
	}
	return d.limits.Record(d.solver.Progress())
}

// improved takes the present P - D as the lowest.
func (d *Driver) improved() { d.best, d.since, d.moves = d.solver.cert.gap(), 0, d.solver.moves }

// limit tells which limit has been reached, "" if none.
func (d *Driver) limit() Status {
	if d.limits.Iterations > 0 && d.solver.iterations >= d.limits.Iterations {
		return IterationLimit
	}
	if d.limits.Stop != nil {
		return d.limits.Stop()
	}
	return ""
}

// Progress describes the state.
func (s *Solver) Progress() Progress {
	return Progress{Iteration: s.iterations, Certificate: s.cert, Active: s.used(), Double: s.double}
}

// negligible is the share of the largest ||w_m|| below which a kernel does not count as active.
const negligible = 1e-6

func (s *Solver) used() int {
	w := s.WNorms(1)
	top := 0.0
	for _, x := range w {
		top = max(top, x)
	}
	n := 0
	for _, x := range w {
		if x > negligible*top {
			n++
		}
	}
	return n
}
