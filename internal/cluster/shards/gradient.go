package shards

import (
	"context"

	"bigmkl/chunking"
	"bigmkl/gradient"
)

var (
	_ chunking.Gradient = (*Gradient)(nil)
	_ chunking.Looker   = (*Gradient)(nil)
	_ chunking.Checker  = (*Gradient)(nil)
	_ chunking.Far      = (*Gradient)(nil)
	_ chunking.Mixer    = (*Gradient)(nil)
	_ chunking.Scaler   = (*Gradient)(nil)
)

// Gradient is the gradients of all ranks, as rank 0 sees them, or the gradients of one process that
// is alone. It is a gradient.Gradient whose methods are told to the other ranks before they are
// called here. One method may run at a time.
type Gradient struct {
	*gradient.Gradient
	*announcer
	checks
	checkpoints
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
		return newGradient(g, &announcer{}), nil
	}
	a := &announcer{team: t, number: t.next, alpha: make([]float64, variables)}
	t.next++
	err := a.tell(opMake, func(w *writer) {
		w.integers(rows)
		w.number(variables)
	})
	if err != nil {
		return nil, err
	}
	g, err := fresh()
	if err = a.told(err); err != nil {
		return nil, err
	}
	t.own.Rows = max(t.own.Rows, g.OwnRows())
	return newGradient(g, a), nil
}

// newGradient returns gradients that are announced.
func newGradient(g *gradient.Gradient, a *announcer) *Gradient {
	return &Gradient{g, a, checks{a, g}, checkpoints{a, g}}
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
