package train

import (
	"context"

	"bigmkl/internal/gating"
)

// Gates that several classifiers share, or that accompany projections (Gönen 2010, Algorithm 4.2), move
// in the descent of the projections: its point is (W_1, .., W_P, V), and every trial is a training with
// the gates of V as they are. The optimum of several classifiers is the sum of theirs, and so is its
// slope. With a decay the descent minimises J(W, V) + decay/2 |V|^2.

// sharedGates are the gates of a descent beside its projections. nil means none.
type sharedGates struct {
	*gates             // as a trial has them, except for its parameters
	starts [][]float64 // parameters of each start
}

// openGates finds what the starts and the bounds of the gates are.
func (t *trialTrainer) openGates(ctx context.Context) error {
	o := t.options
	if !o.Gating.Learned() {
		return nil
	}
	matrices, err := t.space.firstMatrices()
	if err != nil {
		return err
	}
	src, specs, err := t.project(matrices)
	if err != nil {
		return err
	}
	w, err := Open(t.optionsOf(specs, o.Solver.Gap))
	if err != nil {
		return err
	}
	// The rows take as much of the disk as a trial does, which begins once they are gone.
	defer w.Close()
	if err := w.Read(ctx, src); err != nil {
		return err
	}
	if err := w.PrepareKernels(ctx); err != nil {
		return err
	}
	g := &sharedGates{gates: w.gates}
	starts := o.Gating.Starts
	if o.Gating.Kind == gating.KindGauss {
		starts += mostRestarts
	}
	for number := range starts {
		v, err := w.gates.start(ctx, number)
		if err != nil {
			return err
		}
		g.starts = append(g.starts, v)
	}
	w.gates.table = nil
	t.space.gates = g
	return nil
}

// count returns the number of parameters. It is 0 for nil.
func (g *sharedGates) count() int {
	if g == nil {
		return 0
	}
	return len(g.learned.Parameters)
}

// at returns the gates with other parameters.
func (g *sharedGates) at(v []float64) *gating.Learned {
	l := *g.learned
	l.Parameters = v
	return &l
}

// penalty returns what weights v add to the objective, by the factor of their squares, and adds its slope
// to slope unless that is nil. It is 0 for nil.
func (g *sharedGates) penalty(factor float64, v, slope []float64) float64 {
	if factor == 0 || g == nil {
		return 0
	}
	return factor * g.at(v).Decay(factor, slope)
}

// ofRow returns a function that writes the gates of a row to eta, one for each kernel, those of
// parameters v. Gates below the floor are closed. Without gates, for nil, they are 1.
func (g *sharedGates) ofRow(v []float64, floor float64) func(row []float64, eta []float64) {
	if g == nil {
		return func(_, eta []float64) {
			for k := range eta {
				eta[k] = 1
			}
		}
	}
	l := g.at(v)
	l.Floor = floor
	x, z, all := make([]float32, 0), make([]float64, g.features.Len()), make([]float64, l.Gates())
	return func(row, eta []float64) {
		x = x[:0]
		for _, v := range row {
			x = append(x, float32(v))
		}
		g.features.Standardise(x, z)
		l.Values(z, all)
		l.Closed(all)
		for k := range eta {
			eta[k] = all[g.of[k]]
		}
	}
}
