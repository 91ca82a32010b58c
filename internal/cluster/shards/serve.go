package shards

import (
	"context"

	"bigmkl/gradient"
	"bigmkl/internal/fail"
)

// Run is what a rank other than 0 makes of its own data for rank 0.
type Run interface {
	// NewGradients returns the gradients of alpha = 0 on some rows of the data, nil being all, and what
	// closes the points that they refer to, or nil.
	NewGradients(ctx context.Context, rows []int32) (*gradient.Gradient, func() error, error)
	// MoveGates gives the gates on some rows of the data, nil being all, other parameters. closing means
	// that those below the floor are closed.
	MoveGates(ctx context.Context, rows []int32, parameters []float64, closing bool) error
	// PrepareProblem plans and normalises the kernels for a problem of a path; later gradients are for this
	// problem.
	PrepareProblem(ctx context.Context, problem int) error
	// SetPrecision is called before the arithmetic of gradients becomes that of float64, which takes more
	// memory, or of float32.
	SetPrecision(double bool)
}

// server is the gradients of a rank other than 0.
type server struct {
	team *Team
	run  Run
	held map[int]*served
}

// served is one of them, with memory for results that only rank 0 needs.
type served struct {
	*gradient.Gradient
	run                 Run
	done                func() error // closes what the gradients refer to; nil: nothing
	alpha               []float64
	combined, v, curved []float64
}

// close closes the gradients, and then what they refer to.
func (g *served) close() error {
	err := g.Close()
	if g.done != nil {
		if e := g.done(); err == nil {
			err = e
		}
	}
	return err
}

// Serve does what rank 0 asks for until that ends the training, and returns ErrServed then. Gradients have so many
// kernels. confirm is asked whether what they refer to is as it was (Team.Confirm). ctx is for the operations only:
// nothing ends a rank but rank 0.
func Serve(ctx context.Context, t *Team, kernels int, run Run, confirm func() error) (err error) {
	s := &server{team: t, run: run, held: map[int]*served{}}
	defer func() {
		for _, g := range s.held {
			if e := g.close(); e != nil && err == ErrServed {
				err = e
			}
		}
	}()
	ctx = context.WithoutCancel(ctx)
	for {
		op, r, err := t.listen()
		if err != nil {
			return err
		}
		number := r.number()
		switch g := s.held[number]; {
		case op == opMake:
			err = s.begin(ctx, r, number, kernels)
		case op == opConfirm:
			_, err = t.Collect(nil, confirm())
		case op == opPrepareProblem:
			err = run.PrepareProblem(ctx, number)
		case op == opMoveGates:
			rows, parameters, closing := r.integers(), r.reals(), r.flag()
			if err = r.err; err == nil {
				err = run.MoveGates(ctx, rows, parameters, closing)
			}
		case g == nil:
			err = fail.New(fail.Corrupt, "rank 0 asks for gradients that there are none of")
		case op == opClose:
			delete(s.held, number)
			err = g.close()
		default:
			err = g.serve(ctx, op, r)
		}
		if err == nil {
			err = r.err
		}
		if err != nil {
			return err
		}
	}
}

// begin makes the gradients with a number.
func (s *server) begin(ctx context.Context, r *reader, number, kernels int) error {
	rows, variables := r.integers(), r.number()
	if r.err != nil {
		return r.err
	}
	g, done, err := s.run.NewGradients(ctx, rows)
	if err != nil {
		return err
	}
	s.team.own.Rows = max(s.team.own.Rows, g.OwnRows())
	s.held[number] = &served{
		Gradient: g, run: s.run, done: done, alpha: make([]float64, variables), combined: make([]float64, variables),
		v: make([]float64, kernels), curved: make([]float64, kernels),
	}
	return nil
}

// variables reads the dual variables that have changed.
func (g *served) variables(r *reader) []float64 {
	places, values := r.integers(), r.reals()
	if len(places) != len(values) {
		r.fault()
		return g.alpha
	}
	for k, i := range places {
		if i < 0 || int(i) >= len(g.alpha) {
			r.fault()
			break
		}
		g.alpha[i] = values[k]
	}
	return g.alpha
}

// precision reads whether the arithmetic is float64 from now on.
func (g *served) precision(r *reader) (double bool) {
	double = r.flag()
	g.run.SetPrecision(double)
	return double
}

// serve calls the method of an operation. Arguments are evaluated in the order of the frame, as Go
// evaluates calls from left to right.
func (g *served) serve(ctx context.Context, op operation, r *reader) error {
	switch op {
	case opPass:
		set, delta, alpha, theta := r.points(), r.reals(), g.variables(r), r.reals()
		return g.Pass(ctx, set, delta, alpha, theta, g.combined, g.v)
	case opHessian:
		set, theta, rank := r.points(), r.reals(), r.reals()
		return g.Hessian(ctx, set, theta, rank, make([]float64, len(set)*len(set)))
	case opDirections:
		set, d := r.points(), r.reals()
		return g.Directions(ctx, set, d, g.v, g.curved)
	case opMix:
		set, row, factor, count := r.points(), r.integers(), r.reals(), r.number()
		return g.Mix(ctx, set, row, factor, make([]float64, count))
	case opRebuild:
		alpha, double := g.variables(r), g.precision(r)
		return g.Rebuild(ctx, alpha, double)
	case opRebuildActive:
		active, alpha, double := r.points(), g.variables(r), g.precision(r)
		return g.RebuildActive(ctx, active, alpha, double)
	case opShrink:
		active, alpha := r.points(), g.variables(r)
		return g.Shrink(ctx, active, alpha)
	case opWake:
		return g.Wake(ctx, g.variables(r))
	case opLook:
		alpha, theta := g.variables(r), r.reals()
		_, err := g.Look(ctx, alpha, theta, g.combined)
		return err
	case opRouse:
		points, alpha := r.points(), g.variables(r)
		return g.Rouse(ctx, points, alpha)
	case opAfresh:
		sample, alpha, theta := r.points(), g.variables(r), r.reals()
		_, err := g.Afresh(ctx, sample, alpha, theta)
		return err
	case opDeviations:
		sample, d, alpha := r.points(), r.reals(), g.variables(r)
		return g.Deviations(ctx, sample, d, alpha, g.v)
	case opAlong:
		d, theta := r.reals(), r.reals()
		return g.Along(ctx, d, theta, g.v, g.curved, g.combined)
	case opAdvance:
		t, alpha, theta := r.real(), g.variables(r), r.reals()
		return g.Advance(ctx, t, alpha, theta, g.combined, g.v)
	case opScale:
		g.Scale(r.real())
		return nil
	case opAt:
		points := r.points()
		return g.At(points, make([]float64, len(points)*len(g.v)))
	case opState:
		_, err := g.State(ctx)
		return err
	case opPrepare:
		return g.Prepare(&gradient.State{Double: g.precision(r)})
	case opResume:
		s := r.state()
		if r.err != nil {
			return r.err
		}
		return g.Resume(ctx, s)
	}
	return fail.New(fail.Corrupt, "rank 0 asks for operation %d, which there is none of", op)
}
