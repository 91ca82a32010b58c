package train

import (
	"context"
	"errors"
	"math"
	"time"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/descent"
	"bigmkl/internal/fail"
	"bigmkl/predict"
	"bigmkl/projection"
)

// Kernels on projected features z_m = W_m'x are learned together with the matrices (Gönen 2010,
// Algorithm 4.1): the optimum J(W) of the machine on z is minimised. While they stay, the machine is
// any machine on rows of R features, and of those as they are if other kernels see them, trained as
// such and with the certificate of such. Each trial of the descent is one, solved no further than its
// bounds D <= J(W) <= P have to be known, from the dual variables of the trial before.
//
// By the theorem of the envelope the slope of J takes alpha and the weights of the kernels as
// constants, so that it needs the support vectors alone (projection.Form.Slope). Several machines with
// one projection have the sum of their optima as J, and slopes add.
//
// A linear kernel by itself needs no descent: the minimum over W and w of 1/2 ||w||^2 + loss(w'W'x) is
// that over u = Ww, the linear machine's, with W = u/||u||.

// projecting is the training of a projection.
type projecting struct {
	options     Options
	bank        *projection.Bank
	rows        []dataset.Row // without features
	x           []float64     // rows x d, scaled
	d           int
	labels      map[string]bool // of rows, where there are several machines
	scaling     dataset.Scaling
	began       time.Time
	read        time.Duration
	checkpoints *checkpoints // nil if there are none

	gates   *sharedGates
	state   projectingState
	descent *descent.Descent
	best    []float64        // where the lowest descent of the starts before has ended; nil for none
	starts  []*predict.Model // machines of the trial before, without vectors; nil before the first
	at      boundary         // before the trial in hand
	before  boundary         // and before the one that was solved last
	made    *trial           // the last trial that was solved
	used    gradient.Stats
	resumed int
	notes   []string
}

// projectingState is what a checkpoint has of all descents as JSON. The names of its fields stand in
// files, and must stay.
type projectingState struct {
	// Start is the number of the descent in hand, and Final says that all are over and the machine
	// is solved to the gap of the run.
	Start int  `json:"start"`
	Final bool `json:"final"`
	// Lowest is the lowest P of the starts before, and Limited and Settled say how this descent ended: by the
	// limit of steps, or where the slope is small.
	Lowest  float64 `json:"lowest"`
	Limited bool    `json:"limited"`
	Settled bool    `json:"settled"`
	smoothing
	gaussian
	// First is |J| at the first point of the first start, to which a decay is relative.
	First float64 `json:"first,omitempty"`
	// Steps and Trials count those of all starts, and Iterations those of all trials.
	Steps      int           `json:"steps"`
	Trials     int           `json:"trials"`
	Iterations int           `json:"iterations"`
	Descent    descent.State `json:"descent"`
	// Machines are those of the trial before, whose dual variables have sections of their own.
	Machines []startingMachine `json:"machines,omitempty"`
	// Ended is the status of a run that is over.
	Ended chunking.Status `json:"ended,omitempty"`
}

// runProjected is Run for kernels on projected features.
func runProjected(ctx context.Context, src dataset.Source, o Options, bank *projection.Bank) (
	*predict.Model, *Result, error) {
	p := &projecting{options: o, bank: bank, began: time.Now()}
	err := p.open(ctx, src)
	defer func() { p.checkpoints.close() }()
	// What the ranks would train is compared by each trial.
	if err := o.Team.Join("trials of a descent\n", err); err != nil {
		return nil, nil, err
	}
	switch {
	case !o.Team.Leads():
		return nil, nil, p.serve(ctx)
	case p.closed():
		return p.solveLinear(ctx)
	}
	return p.descend(ctx)
}

// open reads the rows, and the state of a run that is resumed.
func (p *projecting) open(ctx context.Context, src dataset.Source) (err error) {
	if err := p.options.Budget.SetDefaults(); err != nil {
		return err
	}
	if p.checkpoints, err = openCheckpoints(ctx, &p.options); err != nil {
		return err
	}
	if err := p.readRows(ctx, dataset.Limit(src, p.options.Data.Limit)); err != nil {
		return err
	}
	p.read = time.Since(p.began)
	if err := p.check(); err != nil || p.closed() {
		return err
	}
	if err := p.openGates(ctx); err != nil {
		return p.unfinished(ctx, err)
	}
	resumed, err := p.restore()
	if err == nil && !resumed {
		p.beginStart()
	}
	return err
}

// beginStart begins the descent of the start in hand.
func (p *projecting) beginStart() {
	number := p.state.Start + p.state.Restarted
	p.state.Held = p.gates != nil && p.gates.holds(number)
	p.begin(p.startPoint(number))
}

// begin begins a descent at a point.
func (p *projecting) begin(point []float64) { p.descent = descent.New(point, p.descentOptions()) }

// descentOptions returns those of a descent.
func (p *projecting) descentOptions() descent.Options {
	o := &p.options
	lower, upper := p.bounds()
	return descent.Options{Tolerance: o.Gating.Tolerance, Steps: o.Gating.Steps,
		Gap: trialGap(o, o.Solver.Gap), Longest: o.longestStep(), Held: p.held(), Lower: lower, Upper: upper}
}

// descend moves W from each start and solves the machine at the lowest P to the gap of the run. Where
// the ridge has kept that from being the solution of the descent, it goes on with a smaller one.
func (p *projecting) descend(ctx context.Context) (*predict.Model, *Result, error) {
	for {
		for !p.state.Final {
			status, err := p.try(ctx)
			if err != nil {
				return nil, nil, err
			}
			if status != "" {
				return p.finish(ctx, p.made, status)
			}
			if p.descent.Ended != "" {
				p.nextStart()
			}
		}
		p.mark()
		if p.exhausted() {
			return p.finish(ctx, p.made, chunking.IterationLimit)
		}
		p.keep(false)
		last, err := p.solve(ctx, p.best, p.options.Solver.Gap)
		if err != nil {
			status, err := p.ended(ctx, err)
			if status == "" {
				return nil, nil, err
			}
			return p.finish(ctx, p.made, status)
		}
		status := last.result.Status
		if endsRun(status) {
			p.keep(true)
			return p.finish(ctx, last, status)
		}
		// After an interrupt the slope is still wanted, and takes no longer than it took for each trial.
		if err := p.measure(context.WithoutCancel(ctx), last); err != nil {
			return nil, nil, err
		}
		s := &p.state
		flat := s.Settled && (last.closing && p.options.Gating.Floor > 0 || last.stationarity() <= p.options.Gating.Tolerance)
		if flat || !s.Settled || status != chunking.Converged || !s.narrow() {
			return p.finish(ctx, last, stillFalls(status, s.Limited, flat))
		}
		p.state.Final = false
		p.begin(p.best)
	}
}

// try solves a trial of the descent in hand and judges it. A status says that the run is to end with
// the last trial that was solved.
func (p *projecting) try(ctx context.Context) (chunking.Status, error) {
	d := p.descent
	if _, _, ok := p.split(d.Trial); !ok {
		d.Judge(math.NaN(), math.NaN())
		if d.Point == nil {
			return "", fail.New(fail.Input, "a projection has no start")
		}
		return "", nil
	}
	p.mark()
	if p.exhausted() {
		return chunking.IterationLimit, nil
	}
	p.keep(false)
	t, err := p.solve(ctx, d.Trial, d.Gap)
	if err != nil {
		return p.ended(ctx, err)
	}
	if endsRun(t.result.Status) {
		p.keep(true)
		return t.result.Status, nil
	}
	dual, primal := t.result.lower, t.result.upper
	if p.state.First == 0 { // of the first start, before anything is penalised or smoothed
		p.state.First = math.Abs(dual)
		_, sum := t.dual()
		p.state.find(&p.options, len(p.rows), dual, sum)
	}
	penalty := p.penalty(t.parameters, nil)
	dual, primal = dual+penalty, primal+penalty
	var g []float64
	size := 0.0
	if d.Judges(dual, primal) == descent.Accepted {
		if g, err = p.slope(ctx, t); err != nil {
			p.keep(true)
			return chunking.Interrupted, nil
		}
		size = length(g)
		t.matrices.Back(g)
		own := append([]float64(nil), t.result.gateSlope...)
		p.penalty(t.parameters, own)
		at := len(g)
		g = append(g, own...)
		size = math.Hypot(size, length(d.Free(g)[at:]))
	}
	p.state.Trials++
	if d.Judge(dual, primal) == descent.Accepted {
		d.Learn(g, size)
	}
	return "", nil
}

// exhausted reports whether the iterations of the trials before are as many as the run may have. Then it
// keeps the state before the last of them, of which the run makes its model, as a run that is resumed
// does once it has solved that trial again.
func (p *projecting) exhausted() bool {
	n := p.options.Limits.Iterations
	if n == 0 || p.state.Iterations < n || p.made == nil {
		return false
	}
	p.at = p.before
	p.keep(true)
	return true
}

// nextStart goes on from a descent that has ended: with that from the next start, or with the last
// solution at the lowest P.
func (p *projecting) nextStart() {
	s, d := &p.state, p.descent
	s.Steps += d.Steps
	if s.Held {
		s.Held = false
		p.begin(d.Point)
		return
	}
	if p.best == nil || d.Value < s.Lowest || s.Narrowed > 0 {
		p.best, s.Lowest = d.Point, d.Value
		s.Limited, s.Settled = d.Ended == descent.Limited, d.Ended == descent.Settled
	}
	if s.restart(&p.options, d) {
		p.beginStart()
		return
	}
	if s.Start++; s.Start < p.options.Gating.Starts {
		p.beginStart()
		return
	}
	s.Final = true
}

// finish makes the model of a trial that of the run.
func (p *projecting) finish(ctx context.Context, t *trial, status chunking.Status) (*predict.Model,
	*Result, error) {
	if t == nil {
		return nil, nil, p.unfinished(ctx, ctx.Err())
	}
	if err := p.measure(context.WithoutCancel(ctx), t); err != nil {
		return nil, nil, err
	}
	if p.gates != nil {
		p.describeGates(t)
		if text := p.options.warnHard(t.ofGates); text != "" && p.state.Final {
			p.notes = append(p.notes, text)
		}
	}
	if len(p.bank.Forms) > 0 {
		of := p.describe(t.matrices)
		of.Steps, of.Scaling = p.state.Steps, p.scaling
		of.Trials = max(p.state.Trials, p.state.Steps)
		of.Stationarity = t.ofMatrices
		t.model.SetProjection(of)
	}
	t.model.Gap = p.options.Solver.Gap
	r := t.result
	if !endsRun(status) || status == StepLimit {
		p.state.Ended = status
		p.keep(true)
	}
	r.Warnings = append(r.Warnings, p.notes...)
	r.Status, r.Iterations, r.Gradient, r.Read = status, p.state.Iterations, p.used, p.read
	r.Resumed = p.resumed
	r.Train = time.Since(p.began) - r.Read
	return t.model, r, nil
}

// measure records how far the matrices and the gates of a trial are from a stationary point.
func (p *projecting) measure(ctx context.Context, t *trial) error {
	dual, _ := t.dual()
	if dual == 0 || t.measured {
		return nil
	}
	if len(p.bank.Forms) > 0 {
		g, err := p.slope(ctx, t)
		if err != nil {
			return err
		}
		t.ofMatrices = length(g) / math.Abs(dual)
	}
	slope := append([]float64(nil), t.result.gateSlope...)
	p.penalty(t.parameters, slope)
	if p.gates != nil {
		l := *p.gates.learned
		l.Parameters = t.parameters
		l.Free(slope)
	}
	t.ofGates, t.measured = length(slope)/math.Abs(dual), true
	return nil
}

// ended returns the status of a run that a trial without a model ends, if the trial before has one, and
// an error otherwise.
func (p *projecting) ended(ctx context.Context, err error) (chunking.Status, error) {
	var cut *Unfinished
	if !errors.As(err, &cut) {
		return "", p.unfinished(ctx, err)
	}
	p.keep(true)
	if p.made == nil {
		return "", p.unfinished(ctx, err)
	}
	return cut.Status, nil
}

// unfinished describes a run that ended without a model.
func (p *projecting) unfinished(ctx context.Context, err error) error {
	err = Ended(ctx, err, "the first machine of the projection was trained")
	var cut *Unfinished
	if errors.As(err, &cut) {
		cut.Kept = p.checkpoints != nil && p.checkpoints.kept
	}
	return err
}
