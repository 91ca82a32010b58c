package train

import (
	"context"
	"math"

	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/kernels"
)

// A classifier here is any trained function f(x) = sum_m <w_m, phi_m(x)> + b, that of a regression included. Training it
// means solving
//
//	min over w, b of  1/2 norm(||w_1||, .., ||w_M||)^2 + sum_i loss_i(f(x_i))
//
// (Kloft 2011, Problem II.3) to a relative duality gap. A classifier is trained as a value: a
// problem goes in and its solution comes out. Several classifiers, trainings without one fold and
// the problems of a path are all made of this step. Nothing of one training remains in the next
// except the gradients, which are passed in.

// problem is one classifier that is to be trained.
type problem struct {
	loss chunking.Loss
	// norm has a state, such as its smoothing and the kernels that it has dropped. Each problem
	// therefore needs a norm of its own.
	norm chunking.Norm
	rows []int32 // rows of the data that are the points of the classifier, ascending; nil for all
	gap  float64 // relative duality gap to reach
	set  int     // points of a working set; 0 for the number of the options
	at   place   // the place of the classifier in the run, for the recorder

	// stop is asked between iterations. It ends the training with the status that it returns; ""
	// lets it continue.
	stop func() chunking.Status

	// start brings the solver to its start. If it is nil, the solver starts at alpha = 0.
	start startFunc

	// trusting accepts a gap without a check of its rounding, for a solution that another follows.
	trusting bool
	// reported has the model claim the certificate: the solution does not serve a fold of another one.
	reported bool
	// before is the number of iterations of earlier solutions, which the recorder is told to add.
	before int
	// since has the counts of the gradients from which the recorder is told on. If it is nil, they
	// are those at the start of this solution.
	since *gradient.Stats

	// keep may write a checkpoint, and has to if must is set. If it is nil, none is written.
	keep func(d *chunking.Driver, must bool)
}

// startFunc brings a solver and its driver to the state from which a training begins.
type startFunc func(ctx context.Context, s *chunking.Solver, d *chunking.Driver) error

// solved is a classifier that has been trained, with its problem. The norm of the problem knows
// from the training which kernels turned out indefinite.
type solved struct {
	problem
	solver   *chunking.Solver
	solution chunking.Solution
	status   chunking.Status
	used     gradient.Stats // what this training alone took of the gradients
	// bounds is the certificate of the problem that was solved, whose loss may be smoothed. The solution
	// has the certificate of the loss itself.
	bounds chunking.Certificate
}

// checkFinite returns an error that names the kernel to blame if kernel values are so large that
// the primal value is not a finite number or the dual value is NaN. Without it the run would stall.
func checkFinite(s *chunking.Solver, p chunking.Progress, k *kernels.Prepared, points kernels.Points) error {
	if c := p.Certificate; math.IsNaN(c.Primal) || math.IsInf(c.Primal, 0) || math.IsNaN(c.Dual) {
		return k.Blame(s.Energies(), points, p.Double)
	}
	return nil
}

// newSolver returns a solver of n points at alpha = 0. timed holds the gradients of these points.
func (o *Solver) newSolver(timed *timed, n, kernels int, loss chunking.Loss, norm chunking.Norm,
	gap float64) *chunking.Solver {
	if l, ok := loss.(chunking.Differences); ok {
		return chunking.NewDifferences(n, kernels, l, norm, timed, gap, o.Tuning)
	}
	if l, ok := loss.(chunking.Contrasts); ok {
		return chunking.NewContrasts(n, kernels, l, norm, timed, gap, o.Tuning)
	}
	if l, ok := loss.(chunking.Columns); ok {
		return chunking.NewColumns(n, kernels, l, norm, timed, gap, o.Tuning)
	}
	if l, ok := loss.(chunking.Collective); ok {
		return chunking.NewCollective(n, kernels, l, norm, timed, gap)
	}
	if l, ok := loss.(chunking.CurvedLoss); ok && o.Method == MethodLBFGS {
		// The loss is quadratic, and its dual variables have no bounds: a step may move all of
		// them.
		return chunking.NewQuasiNewton(n, kernels, l, norm, timed, gap)
	}
	return chunking.New(n, kernels, loss, norm, timed, gap, o.Tuning)
}
