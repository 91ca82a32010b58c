package shards

import (
	"context"

	"bigmkl/gradient"
)

// checks are the announced operations of a chunking.Checker.
type checks struct {
	*announcer
	own *gradient.Gradient
}

func (g checks) Afresh(ctx context.Context, sample []int, alpha, theta []float64) (
	[]float64, error) {
	ctx, err := g.begin(ctx, opAfresh, func(w *writer) {
		w.points(sample)
		g.variables(w, alpha)
		w.reals(theta)
	})
	if err != nil {
		return nil, err
	}
	values, err := g.own.Afresh(ctx, sample, alpha, theta)
	return values, g.told(err)
}

// Magnified needs no announcement: it is a property of the kernels, which every rank has.
func (g checks) Magnified() []float64 { return g.own.Magnified() }

func (g checks) Deviations(ctx context.Context, sample []int, d, alpha, e []float64) error {
	ctx, err := g.begin(ctx, opDeviations, func(w *writer) {
		w.points(sample)
		w.reals(d)
		g.variables(w, alpha)
	})
	if err != nil {
		return err
	}
	return g.told(g.own.Deviations(ctx, sample, d, alpha, e))
}

// checkpoints are the announced operations by which gradients outlive a process.
type checkpoints struct {
	*announcer
	own *gradient.Gradient
}

// State brings the gradients of all ranks to Values of rank 0.
func (g checkpoints) State(ctx context.Context) (*gradient.State, error) {
	ctx, err := g.begin(ctx, opState, nil)
	if err != nil {
		return nil, err
	}
	s, err := g.own.State(ctx)
	return s, g.told(err)
}

// Prepare gives Values the sizes of a state that is to be resumed.
func (g checkpoints) Prepare(s *gradient.State) error {
	if err := g.tell(opPrepare, func(w *writer) { w.flag(s.Double) }); err != nil {
		return err
	}
	return g.told(g.own.Prepare(s))
}

// Resume hands every rank its part of Values.
func (g checkpoints) Resume(ctx context.Context, s *gradient.State) error {
	ctx, err := g.begin(ctx, opResume, func(w *writer) { w.state(s) })
	if err != nil {
		return err
	}
	return g.told(g.own.Resume(ctx, s))
}
