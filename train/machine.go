package train

import (
	"context"
	"math"

	"bigmkl/chunking"
	"bigmkl/gradient"
)

// A machine is a classifier or a regression function f(x) = sum_m <w_m, phi_m(x)> + b. Training it
// means solving
//
//	min over w, b of  1/2 norm(||w_1||, .., ||w_M||)^2 + sum_i loss_i(f(x_i))
//
// (Kloft 2011, Problem II.3) to a relative duality gap. A machine is trained as a value: a problem
// goes in, and what solves it comes out. Several machines, trainings without a fold and the problems
// of a path are made of this one thing, so that nothing of one training is left over in the next but
// the gradients, which are handed in.

// problem is one machine that is to be trained on some gradients.
type problem struct {
	loss chunking.Loss
	norm chunking.Norm // which has a state of its own: one for each problem
	rows []int32       // of the data that its points are, ascending; nil for all
	gap  float64       // relative duality gap to reach
	at   place

	// stop is asked between iterations whether the training is to end, and as what.
	stop func() chunking.Status

	// start brings the solver to where it starts from; nil leaves it at alpha = 0.
	start func(ctx context.Context, s *chunking.Solver, d *chunking.Driver) error

	// keep may write a checkpoint, and has to where must is set; nil keeps nothing.
	keep func(d *chunking.Driver, must bool)
}

// solved is a machine that has been trained.
type solved struct {
	problem
	solver   *chunking.Solver
	solution chunking.Solution
	status   chunking.Status
	used     gradient.Stats // of the gradients, by this training alone
}

// solve trains one machine. Before the first iteration it ends with ctx; the iterations themselves
// end with during, which p.stop and not ctx watches over.
func (r *run) solve(ctx, during context.Context, g *gradients, p problem) (*solved, error) {
	n := r.Store.Len()
	if p.rows != nil {
		n = len(p.rows)
	}
	before := g.Stats()
	s := &solved{problem: p, solver: r.newSolver(g, n, p.loss, p.norm, p.gap)}
	var d *chunking.Driver
	d = chunking.NewDriver(s.solver, chunking.Limits{
		Iterations: r.Options.Limits.Iterations, Precision: r.Options.Solver.Precision, Stop: p.stop,
		Record: func(q chunking.Progress) error {
			if err := r.checkFinite(s.solver, q); err != nil {
				return err
			}
			return r.tellRecorder(q, g.Stats().Since(before), p.at, p.gap)
		},
		Keep: func(must bool) {
			if p.keep != nil {
				p.keep(d, must)
			}
		},
	})
	if p.start != nil {
		if err := p.start(ctx, s.solver, d); err != nil {
			return nil, err
		}
	}
	r.setOperation("the operation in progress took longer than the time that was left")
	var err error
	if s.status, err = d.Run(during); err != nil {
		return nil, err
	}
	s.solution, s.used = s.solver.Solution(), g.Stats().Since(before)
	return s, nil
}

// checkFinite finds kernels whose values are so large that the objective is no number.
func (r *run) checkFinite(s *chunking.Solver, p chunking.Progress) error {
	if c := p.Certificate; math.IsNaN(c.Primal) || math.IsInf(c.Primal, 0) || math.IsNaN(c.Dual) {
		return r.Kernels.Blame(s.Energies(), r.Store, p.Double)
	}
	return nil
}

// newSolver makes the solver of n points at alpha = 0.
func (r *run) newSolver(g *gradients, n int, loss chunking.Loss, norm chunking.Norm, gap float64) *chunking.Solver {
	timed, kernels := g.withClock(r), r.Kernels.Len()
	if l, ok := loss.(chunking.CurvedLoss); ok && r.Options.Solver.Method == MethodLBFGS {
		return chunking.NewQuasiNewton(n, kernels, l, norm, timed, gap)
	}
	return chunking.New(n, kernels, loss, norm, timed, gap, r.Options.Solver.Tuning)
}
