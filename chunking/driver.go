package chunking

import "context"

// Limits bound a run and name the observer of it. The zero value has no limits.
type Limits struct {
	// Iterations is the largest number of iterations, counted from the start of the solver. If it
	// equals zero, there is no such limit.
	Iterations int
	// Trusting makes the run accept a gap without a look at rounding. It is for a run that another
	// will follow.
	Trusting bool
	// Precision is the arithmetic of the run. If it is empty, it is Auto.
	Precision Precision
	// Stop is asked before every iteration. It ends the run with the status that it returns; ""
	// lets the run go on. If it is nil, it is not asked.
	Stop func() Status
	// Record is told after every iteration. Its error ends the run. If it is nil, nobody is told.
	Record func(Progress) error
	// Keep is called where Driver.State is one that a run can continue from: before every iteration
	// and, with must, when the run ends or when its context has cut what was in hand. At a limit it
	// is called before points that were left out are brought back, so a resumed run is identical to
	// one without the limit. If it is nil, nothing is kept.
	Keep func(must bool)
}

const (
	patience   = 40  // iterations without progress before single precision is given up
	exhausted  = 400 // iterations without progress before double precision is given up
	stuckSteps = 3   // steps in a row that moved nothing, after which more will not either
	chances    = 5   // gaps that may turn out to be rounding before the run ends
)

// counts is what a driver goes by.
type counts struct {
	best    float64 // lowest P - D
	dual    float64 // D at the last progress
	since   int     // iterations after that
	moves   int     // of held weights before it
	refuted int     // gaps that turned out to be rounding
}

// Driver steps a solver to the relative gap it was made for.
type Driver struct {
	solver *Solver
	limits Limits

	counts
	pinning
	seen    counts // when the state was last looked at
	tries   int    // times that a kernel without a part in the norm had a weight at the end
	resumed bool   // the count above comes from another driver, which has not come to its end
	within  bool   // an iteration is under way
	// The state at hand, or the one it came from by nothing but waking, has been handed to Keep.
	kept  bool
	begun bool   // there is a state that is worth keeping
	ended Status // of a run that is over
}

// NewDriver returns a driver at the solver's present state.
func NewDriver(s *Solver, l Limits) *Driver { return &Driver{solver: s, limits: l} }

// Run goes on to the end of the run or to one of the limits. Where ctx ends first, what is in hand
// is cut, the state is handed to Keep, and the error of ctx is returned. Run can be called again.
func (d *Driver) Run(ctx context.Context) (Status, error) {
	s := d.solver
	for d.ended == "" {
		status, err := d.run(ctx)
		if err != nil {
			return "", d.cut(ctx, err)
		}
		if s.unreported(s.vanishes()) {
			if err := s.reportWeights(ctx); err != nil {
				return "", d.cut(ctx, err)
			}
			if status == Converged && s.cert.RelativeGap > s.gap && d.tries < chances {
				d.tries++
				continue
			}
		}
		if status != Converged {
			if err := (rounding{&s.evaluation}).claim(ctx, d.limits.Precision, d.before); err != nil {
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
	d.counts = d.seen // what the state was found to call for will be found again
	d.keep(true)
	d.counts = now
}

// keep hands the state to Keep.
func (d *Driver) keep(must bool) {
	if d.limits.Keep != nil {
		d.limits.Keep(must)
	}
	d.kept = must
}

// run is Run up to what the last pass may find out about kernels that are indefinite. Each turn of
// its loop looks at the state and does the one thing that it calls for.
func (d *Driver) run(ctx context.Context) (Status, error) {
	s, l := d.solver, &d.limits
	// At the start this costs nothing: all gradients are 0.
	if !s.double && (l.Precision == Double || s.delicate()) {
		if err := s.Widen(ctx); err != nil {
			return "", err
		}
	}
	// A driver that was resumed continues with the counts of the one before.
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
		d.note(&s.evaluation)
		// Where the best function is a constant, V is rounding, and so is a gap computed from it.
		constant := s.iterations > 0 && s.active == nil && s.vanishes() && s.constant().RelativeGap <= s.gap
		if constant && s.cert.linear == 0 {
			if !(rounding{&s.evaluation}).coarse(l.Precision) {
				// The best function is a constant, and that is certified by P = D = 0.
				return Converged, nil
			}
			if err := s.Widen(ctx); err != nil {
				return "", err
			}
			d.improved()
			continue
		}
		// A gap is only accepted once the points that sleep have been looked at: their certificate
		// assumes that each stays on its side of the margin.
		if s.cert.RelativeGap <= s.gap && !s.known() {
			if err := d.attend(ctx); err != nil {
				return "", err
			}
			d.improved()
			continue
		}
		// A norm must not become sharp either by a gap that may belong to another problem.
		if l, ok := newLadder(&s.evaluation); ok && !s.known() && l.leavesFoot() {
			if err := d.attend(ctx); err != nil {
				return "", err
			}
			d.improved()
			continue
		}
		if !s.known() && s.stale(&s.cert) {
			if err := d.attend(ctx); err != nil {
				return "", err
			}
			s.mistaken++
			d.improved()
			continue
		}
		if s.cert.RelativeGap <= s.gap || constant {
			status, err := d.believe(ctx)
			if err != nil || status != "" {
				return status, err
			}
			continue
		}
		// The state is kept before the points wake, so a resumed run is the same as one without
		// the limit.
		if status := d.limit(); status != "" {
			d.keep(true)
			return status, s.Wake(ctx)
		}
		d.keep(false)
		if was := s.handover; (takeover{s, l.Precision}).due() {
			if err := d.handOver(ctx, was); err != nil {
				return "", err
			}
			continue
		}
		switch {
		// Progress is told by P - D, by a D that has risen by as much as counts of it, and at held
		// weights by the gap of alpha, which falls first. In the beginning P moves up and down by
		// more than D rises in many iterations, all of which get the run on.
		case s.cert.Gap() < enough*d.best:
			d.improved()
			d.pins = 0
		case s.cert.Dual-d.dual > (1-enough)*d.best:
			d.since, d.dual = 0, s.cert.Dual
		case s.nearer(&s.cert) && s.moves-d.moves < exhausted:
			d.since = 0
		}
		d.since++
		// Single precision is given up once it no longer helps, or once the gap asked for is below
		// what it can certify and the gap in hand has come there.
		spent := d.since > patience || s.stuck >= stuckSteps || s.noisy
		if !s.double && l.Precision != Single && (spent || s.gap < WidenBelow && s.cert.RelativeGap < WidenBelow) {
			if !spent && !s.known() {
				if seen, err := d.look(ctx); err != nil {
					return "", err
				} else if seen {
					continue
				}
			}
			// Points that are known to have been left out rightly go on sleeping.
			rebuild := s.rebuild
			if s.active != nil && s.known() {
				rebuild = s.rebuildActive
			}
			if err := s.widen(ctx, rebuild); err != nil {
				return "", err
			}
			d.improved()
			continue
		}
		ends, whole := !s.pinned && (s.stuck >= stuckSteps || d.since > exhausted), takeover{s, l.Precision}
		if status, turned, err := d.turnPins(ctx, &s.evaluation, d.since > patience, ends && !whole.possible()); err != nil || status != "" {
			return status, err
		} else if turned {
			continue
		}
		// Nothing moves any more. Points that sleep may be why: they wake before the run gives up.
		if ends {
			if whole.possible() {
				if err := d.handOver(ctx, s.handover); err != nil {
					return "", err
				}
				continue
			}
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

// attend finds out what the points that sleep add to the certificate, by a look at them or by
// waking them.
func (d *Driver) attend(ctx context.Context) error {
	if seen, err := d.look(ctx); err != nil || seen {
		return err
	}
	return d.solver.Wake(ctx)
}

// look looks at the points that sleep, see look. A run that another will follow wakes them: the
// other may have other weights.
func (d *Driver) look(ctx context.Context) (seen bool, err error) {
	if d.limits.Trusting {
		return false, nil
	}
	return d.solver.look(ctx)
}

// believe decides about a gap that has reached the goal with all points awake: Converged if it can
// be accepted, Stalled if nothing more can be claimed. With "" the run goes on. The gap has to
// belong to the weights that are reported.
func (d *Driver) believe(ctx context.Context) (Status, error) {
	s, l := d.solver, &d.limits
	if s.unreported(s.vanishes()) {
		if err := s.reportWeights(ctx); err != nil || s.reported().RelativeGap > s.gap {
			return "", err
		}
	}
	ok, err := l.Trusting, error(nil)
	if !ok {
		ok, err = (rounding{&s.evaluation}).trusted(ctx, l.Precision)
	}
	if err != nil {
		return "", err
	}
	if ok {
		return Converged, nil
	}
	if d.refuted++; d.refuted > chances || !s.double && l.Precision == Single {
		return Stalled, nil // rounding is as large as the gap
	}
	if !s.double {
		if err := s.Widen(ctx); err != nil {
			return "", err
		}
	}
	d.improved()
	return "", nil
}

// handOver lets steps of all points take the place of working sets. was is the progress before this was decided, which will
// be decided again after an error.
func (d *Driver) handOver(ctx context.Context, was handover) error {
	if err := (takeover{d.solver, d.limits.Precision}).begin(ctx); err != nil {
		d.solver.handover = was
		return err
	}
	d.improved()
	return nil
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
func (d *Driver) improved() {
	d.best, d.dual, d.since, d.moves = d.solver.cert.Gap(), d.solver.cert.Dual, 0, d.solver.moves
}

// limit returns which limit has been reached, "" if none.
func (d *Driver) limit() Status {
	if d.limits.Iterations > 0 && d.solver.iterations >= d.limits.Iterations {
		return IterationLimit
	}
	if d.limits.Stop != nil {
		return d.limits.Stop()
	}
	return ""
}
