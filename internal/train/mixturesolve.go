package train

import (
	"context"
	"math"
	"math/rand/v2"

	"bigmkl/chunking"
	"bigmkl/internal/mixture"
)

// solveFrom solves the problem from all starts, on gradients at alpha = 0, and returns the best
// solution. The status is Converged only if the last projection of the best start reached its
// gap.
func (t *mixtureTrainer) solveFrom(ctx context.Context, g *gradients, p *mixture.Problem) (*mixture.Solution,
	chunking.Status, error) {
	t.setOperation("the mixtures were solved")
	double := t.Options.startsDouble()
	if double {
		t.widen()
	}
	spaces := &componentSpaces{gradients: g, kernels: p.Kernels, n: t.Store.Len(), count: t.Kernels.Len(),
		double: double}
	stop, ended := t.stopFunc(ctx, 1), chunking.Status("")
	// Components have no kernel weights. The trace of a run shows 1 for each kernel of a
	// component.
	uniform := make([]float64, t.Kernels.Len())
	for _, k := range p.Kernels {
		uniform[k] = 1
	}
	var solver *mixture.Solver // Keep refers to it, and is called only after the assignment.
	solver = mixture.NewSolver(p, spaces, mixture.Options{
		Restarts: t.Options.Mixture.Restarts, Rounds: t.Options.Mixture.Rounds,
		Chunks: t.Options.Limits.Iterations, Seed: t.Options.Seed, Along: t.alongFeatures,
		Sequential: t.Options.Solver.Method == MethodSMO,
		Tell: func(q mixture.Progress) error {
			if math.IsNaN(q.Primal) || math.IsInf(q.Primal, 0) || math.IsNaN(q.Dual) {
				return t.Kernels.Blame(nil, t.Store, spaces.double)
			}
			return t.tellRecorder(chunking.Progress{
				Iteration: q.Chunks, Certificate: chunking.NewCertificate(q.Primal, q.Dual), Active: spaces.active(),
				Theta: uniform, Double: double,
			}, g.Stats(), place{}, p.Gap)
		},
		Stop: func() bool {
			ended = stop()
			return ended != ""
		},
		Refine: t.refine(spaces),
		Keep: func(stopped bool) {
			t.checkpoints.saveMixture(t.run, g, &mixtureState{State: solver.State(), Double: double}, stopped)
		},
	})
	resumed, err := t.checkpoints.resumeMixture(ctx, t.run, solver, p, spaces)
	if err != nil {
		return nil, "", err
	}
	var s *mixture.Solution
	status := chunking.Converged
	// The checkpoint may be of a run that was complete except for its model file.
	if resumed != nil && resumed.Ended != "" {
		s, status = resumed.Best, resumed.Ended
	} else if s, err = solver.Run(t.hard); err != nil {
		return nil, "", err
	}
	switch {
	case s.Stopped && ended != "":
		return s, ended, nil
	case s.Stopped:
		return s, chunking.IterationLimit, nil
	// EM has no bound that could stall: it ends above its gap only because its rounds are used
	// up.
	case !s.Reached && p.Likelihood:
		status = chunking.IterationLimit
	case !s.Reached:
		status = chunking.Stalled
	}
	if !p.Likelihood && status == chunking.Converged && s.Rounds >= t.Options.Mixture.Rounds && s.Change > mixture.SettledChange {
		t.warn("after %d rounds responsibilities still change by %.3g (--rounds)", s.Rounds, s.Change)
	}
	if resumed == nil || resumed.Ended == "" {
		over := &mixtureState{State: &mixture.State{Chunks: s.Chunks, Best: s}, Double: double, Ended: status}
		t.checkpoints.saveMixture(t.run, g, over, true)
	}
	return s, status, nil
}

// refine returns a function that makes the spaces compute in double precision, or nil if they do
// so already. The solver calls it once, for the best solution, and computes its values again. So
// a certificate has no rounding of single precision.
func (t *mixtureTrainer) refine(spaces *componentSpaces) func() {
	if spaces.double {
		return nil
	}
	return func() {
		t.widen()
		spaces.double = true
	}
}

// alongFeatures sets to of every row to its coordinate along a random direction of standardised
// features. The features are the features of the data, and not of a kernel's space, because a
// start needs only an order in which near rows are near.
func (t *mixtureTrainer) alongFeatures(random *rand.Rand, to []float64) {
	n, d := t.Store.Len(), t.Store.Dim()
	direction, mean, square := make([]float64, d), make([]float64, d), make([]float64, d)
	row := make([]float32, d)
	each := func(i int, visit func(j int, x float64)) {
		if t.Store.Sparse() {
			index, value := t.Store.Nonzeros(i)
			for e, j := range index {
				visit(int(j), float64(value[e]))
			}
			return
		}
		t.Store.Row(i, row)
		for j, x := range row {
			visit(j, float64(x))
		}
	}
	for i := range n {
		each(i, func(j int, x float64) {
			mean[j] += x / float64(n)
			square[j] += x * x / float64(n)
		})
	}
	for j := range direction {
		// A constant feature separates no rows. A sum over one pass is exact enough for a start.
		if v := square[j] - mean[j]*mean[j]; v > 0 {
			direction[j] = random.NormFloat64() / math.Sqrt(v)
		}
	}
	for i := range n {
		to[i] = 0
		each(i, func(j int, x float64) { to[i] += direction[j] * x })
	}
}
