package shards

import (
	"context"
	"math"

	"bigmkl/chunking"
	"bigmkl/gradient"
)

var _ chunking.Gradient = (*Gradient)(nil)

// Gradient is the gradients of all ranks, as rank 0 sees them, or the gradients of one process that
// is alone. It is a gradient.Gradient whose methods are told to the other ranks before they are
// called here. One method may run at a time.
type Gradient struct {
	*gradient.Gradient
	team   *Team
	number int
	alpha  []float64 // the dual variables that the other ranks know
}

// Make returns the gradients of alpha = 0 that fresh makes, on every rank for the same rows of the
// data; nil rows are all. There are as many variables as points, times the columns if there are several. It
// is called by rank 0, and the others serve.
func Make(t *Team, rows []int32, variables int, fresh func() (*gradient.Gradient, error)) (
	*Gradient, error) {
	if t.Alone() {
		g, err := fresh()
		if err != nil {
			return nil, err
		}
		return &Gradient{Gradient: g}, nil
	}
	g := &Gradient{team: t, number: t.next, alpha: make([]float64, variables)}
	t.next++
	err := g.tell(opMake, func(w *writer) {
		w.integers(rows)
		w.number(variables)
	})
	if err == nil {
		g.Gradient, err = fresh()
		err = g.told(err)
	}
	if err != nil {
		return nil, err
	}
	t.own.Rows = max(t.own.Rows, g.OwnRows())
	return g, nil
}

// MoveGates announces to the other ranks the gates that move, as Run.MoveGates has them, and moves the gates
// of rank 0 by own.
func MoveGates(ctx context.Context, t *Team, rows []int32, parameters []float64, closing bool,
	own func(ctx context.Context) error) error {
	g := &Gradient{team: t}
	ctx, err := g.begin(ctx, opMoveGates, func(w *writer) {
		w.integers(rows)
		w.reals(parameters)
		w.flag(closing)
	})
	if err != nil {
		return err
	}
	return g.told(own(ctx))
}

// PrepareProblem announces to the other ranks a problem of a path for which kernels have to be normalised
// again, as Run.PrepareProblem has it, and prepares rank 0 by own.
func PrepareProblem(ctx context.Context, t *Team, problem int, own func(ctx context.Context) error) error {
	g := &Gradient{team: t, number: problem}
	ctx, err := g.begin(ctx, opPrepareProblem, nil)
	if err != nil {
		return err
	}
	return g.told(own(ctx))
}

// begin announces an operation to the other ranks, unless ctx has ended. An operation that has
// begun is not cut: the context that it returns belongs to the operation.
func (g *Gradient) begin(ctx context.Context, op operation, arguments func(w *writer)) (
	context.Context, error) {
	if g.team.Alone() {
		return ctx, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return context.WithoutCancel(ctx), g.tell(op, arguments)
}

// tell is begin without a context.
func (g *Gradient) tell(op operation, arguments func(w *writer)) error {
	if g.team.Alone() {
		return nil
	}
	return g.team.begin(op, func(w *writer) {
		w.number(g.number)
		if arguments != nil {
			arguments(w)
		}
	})
}

// told notes whether the operation that the ranks were told of is done. One that has failed, or was
// left by a panic, leaves other ranks in its midst.
func (g *Gradient) told(err error) error {
	if g.team.Alone() {
		return err
	}
	return g.team.end(err)
}

// variables writes the dual variables: those that are others than the ranks know.
func (g *Gradient) variables(w *writer, alpha []float64) {
	var places []int32
	var values []float64
	for i, a := range alpha {
		if math.Float64bits(a) != math.Float64bits(g.alpha[i]) {
			places, values = append(places, int32(i)), append(values, a)
			g.alpha[i] = a
		}
	}
	w.integers(places)
	w.reals(values)
}

func (g *Gradient) Pass(ctx context.Context, set []int, delta, alpha, theta,
	combined, v []float64) error {
	ctx, err := g.begin(ctx, opPass, func(w *writer) {
		w.points(set)
		w.reals(delta)
		g.variables(w, alpha)
		w.reals(theta)
	})
	if err != nil {
		return err
	}
	return g.told(g.Gradient.Pass(ctx, set, delta, alpha, theta, combined, v))
}

func (g *Gradient) Hessian(ctx context.Context, set []int, theta, rank, h []float64) error {
	ctx, err := g.begin(ctx, opHessian, func(w *writer) {
		w.points(set)
		w.reals(theta)
		w.reals(rank)
	})
	if err != nil {
		return err
	}
	return g.told(g.Gradient.Hessian(ctx, set, theta, rank, h))
}

func (g *Gradient) Directions(ctx context.Context, set []int, d, b, c []float64) error {
	ctx, err := g.begin(ctx, opDirections, func(w *writer) {
		w.points(set)
		w.reals(d)
	})
	if err != nil {
		return err
	}
	return g.told(g.Gradient.Directions(ctx, set, d, b, c))
}

func (g *Gradient) Mix(ctx context.Context, set []int, row []int32, factor, mixed []float64) error {
	ctx, err := g.begin(ctx, opMix, func(w *writer) {
		w.points(set)
		w.integers(row)
		w.reals(factor)
		w.number(len(mixed))
	})
	if err != nil {
		return err
	}
	return g.told(g.Gradient.Mix(ctx, set, row, factor, mixed))
}

func (g *Gradient) Rebuild(ctx context.Context, alpha []float64, double bool) error {
	ctx, err := g.begin(ctx, opRebuild, func(w *writer) {
		g.variables(w, alpha)
		w.flag(double)
	})
	if err != nil {
		return err
	}
	return g.told(g.Gradient.Rebuild(ctx, alpha, double))
}

func (g *Gradient) RebuildActive(ctx context.Context, active []int, alpha []float64,
	double bool) error {
	ctx, err := g.begin(ctx, opRebuildActive, func(w *writer) {
		w.points(active)
		g.variables(w, alpha)
		w.flag(double)
	})
	if err != nil {
		return err
	}
	return g.told(g.Gradient.RebuildActive(ctx, active, alpha, double))
}

func (g *Gradient) Shrink(ctx context.Context, active []int, alpha []float64) error {
	ctx, err := g.begin(ctx, opShrink, func(w *writer) {
		w.points(active)
		g.variables(w, alpha)
	})
	if err != nil {
		return err
	}
	return g.told(g.Gradient.Shrink(ctx, active, alpha))
}

func (g *Gradient) Wake(ctx context.Context, alpha []float64) error {
	ctx, err := g.begin(ctx, opWake, func(w *writer) { g.variables(w, alpha) })
	if err != nil {
		return err
	}
	return g.told(g.Gradient.Wake(ctx, alpha))
}

func (g *Gradient) Look(ctx context.Context, alpha, theta, combined []float64) (bool, error) {
	ctx, err := g.begin(ctx, opLook, func(w *writer) {
		g.variables(w, alpha)
		w.reals(theta)
	})
	if err != nil {
		return false, err
	}
	ok, err := g.Gradient.Look(ctx, alpha, theta, combined)
	return ok, g.told(err)
}

func (g *Gradient) Rouse(ctx context.Context, points []int, alpha []float64) error {
	ctx, err := g.begin(ctx, opRouse, func(w *writer) {
		w.points(points)
		g.variables(w, alpha)
	})
	if err != nil {
		return err
	}
	return g.told(g.Gradient.Rouse(ctx, points, alpha))
}

func (g *Gradient) Afresh(ctx context.Context, sample []int, alpha, theta []float64) (
	[]float64, error) {
	ctx, err := g.begin(ctx, opAfresh, func(w *writer) {
		w.points(sample)
		g.variables(w, alpha)
		w.reals(theta)
	})
	if err != nil {
		return nil, err
	}
	values, err := g.Gradient.Afresh(ctx, sample, alpha, theta)
	return values, g.told(err)
}

func (g *Gradient) Deviations(ctx context.Context, sample []int, d, alpha, e []float64) error {
	ctx, err := g.begin(ctx, opDeviations, func(w *writer) {
		w.points(sample)
		w.reals(d)
		g.variables(w, alpha)
	})
	if err != nil {
		return err
	}
	return g.told(g.Gradient.Deviations(ctx, sample, d, alpha, e))
}

func (g *Gradient) Along(ctx context.Context, d, theta, b, c, image []float64) error {
	ctx, err := g.begin(ctx, opAlong, func(w *writer) {
		w.reals(d)
		w.reals(theta)
	})
	if err != nil {
		return err
	}
	return g.told(g.Gradient.Along(ctx, d, theta, b, c, image))
}

func (g *Gradient) Advance(ctx context.Context, t float64, alpha, theta,
	combined, v []float64) error {
	ctx, err := g.begin(ctx, opAdvance, func(w *writer) {
		w.real(t)
		g.variables(w, alpha)
		w.reals(theta)
	})
	if err != nil {
		return err
	}
	return g.told(g.Gradient.Advance(ctx, t, alpha, theta, combined, v))
}

// At is gradient.Gradient.At.
func (g *Gradient) At(ctx context.Context, points []int, values []float64) error {
	_, err := g.begin(ctx, opAt, func(w *writer) { w.points(points) })
	if err != nil {
		return err
	}
	return g.told(g.Gradient.At(points, values))
}

// Scale has no error: one of the exchange shows in the next operation.
func (g *Gradient) Scale(c float64) {
	if g.tell(opScale, func(w *writer) { w.real(c) }) == nil {
		g.Gradient.Scale(c)
		_ = g.told(nil)
	}
}

// State brings the gradients of all ranks to Values of rank 0.
func (g *Gradient) State(ctx context.Context) (*gradient.State, error) {
	ctx, err := g.begin(ctx, opState, nil)
	if err != nil {
		return nil, err
	}
	s, err := g.Gradient.State(ctx)
	return s, g.told(err)
}

// Prepare gives Values the sizes of a state that is to be resumed.
func (g *Gradient) Prepare(s *gradient.State) error {
	if err := g.tell(opPrepare, func(w *writer) { w.flag(s.Double) }); err != nil {
		return err
	}
	return g.told(g.Gradient.Prepare(s))
}

// Resume hands every rank its part of Values.
func (g *Gradient) Resume(ctx context.Context, s *gradient.State) error {
	ctx, err := g.begin(ctx, opResume, func(w *writer) { w.state(s) })
	if err != nil {
		return err
	}
	return g.told(g.Gradient.Resume(ctx, s))
}

// Close releases memory and files of all ranks. It may be called after an exchange has failed.
func (g *Gradient) Close() error {
	if !g.team.Alone() && !g.team.broken && !g.team.ended {
		if err := g.tell(opClose, nil); err != nil {
			_ = g.Gradient.Close() // that of the exchange came first
			return err
		}
		return g.told(g.Gradient.Close())
	}
	return g.Gradient.Close()
}
