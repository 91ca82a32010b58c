package bigmkl

import (
	"slices"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/chunking/rule"
	"bigmkl/internal/fail"
	"bigmkl/kernels"
)

// The solvers. All end in the same optimum, with the same certificate.
const (
	SolverChunking   = "chunking"    // weights move with every step of alpha (Kloft 2011, Algorithm 3.2, and further)
	SolverWrapper    = "wrapper"     // a support vector machine for each step of the weights (Algorithm 3.1)
	SolverCPM        = "cpm"         // weights by cutting planes, which alpha gives as it is optimised (Algorithm D.1)
	SolverCPMWrapper = "cpm-wrapper" // the same with a support vector machine for each cut
	SolverLBFGS      = "lbfgs"       // limited-memory quasi-Newton steps over all points, for the squared loss
)

// Solvers lists them.
var Solvers = []string{SolverChunking, SolverWrapper, SolverCPM, SolverCPMWrapper, SolverLBFGS}

// holds tells whether weights stay while alpha is optimised.
func (o *Options) holds() bool { return o.Solver == SolverWrapper || o.cuts() || o.Rule != nil }

func (o *Options) cuts() bool { return o.Solver == SolverCPM || o.Solver == SolverCPMWrapper }

// checkSolver finds what only chunking does.
func (o *Options) checkSolver(check func(ok bool, format string, args ...any)) {
	check(o.Solver == "" || slices.Contains(Solvers, o.Solver), "unknown solver %s (chunking, wrapper, cpm, cpm-wrapper or lbfgs)", fail.Quote(o.Solver))
	name := "solver " + o.Solver
	if o.Rule != nil {
		check(o.Solver == "" || o.Solver == SolverChunking, "a rule for the weights beside solver %s, which is one", o.Solver)
		name = "a rule for the weights"
	}
	if o.Solver == SolverLBFGS {
		check(o.Task == TaskSquare, "solver lbfgs is for duals without bounds, which task square alone has, and not %s", o.Task)
		check(o.Tuning == chunking.Tuning{}, "choices of working sets, and solver lbfgs, which has none")
	}
	if !o.holds() {
		return
	}
	check(o.Regularizer.alternatives() == 0, "%s is for the block norm alone", name)
	check(!o.cuts() || o.Norm <= 2, "p = %g with solver %s: above 2 weights are to make the value largest, and cutting planes find where it is least", o.Norm, o.Solver)
	check(o.Checkpoint == "", "checkpoints hold the state of solver chunking, and none of %s", name)
}

// held makes a block norm whose weights move as the solver has it.
func (t *training) held() *rule.Held {
	o, kernels, indefinite := &t.o, t.kernels.Len(), t.indefinite()
	switch {
	case o.Rule != nil:
		return rule.NewHeld(norm.NewBlock(o.Norm, indefinite), o.Rule(kernels), kernels)
	case o.cuts() || o.OneTheta && o.Solver == SolverChunking && o.Norm == 1: // the wrapper creeps at p = 1
		return rule.NewCuttingPlane(o.Norm, kernels, o.Solver == SolverCPMWrapper, indefinite)
	}
	return rule.NewWrapper(o.Norm, kernels, indefinite)
}

// choose gives the solver, if none was asked for the one that suits. Where all kernels are linear a step of all points costs no rows, and working
// sets of a squared loss creep: each sees only its own part of a Hessian of low rank.
func (w *workspace) choose(b *kernels.Bank) string {
	o := &w.o
	if o.Solver != "" {
		return o.Solver
	}
	rows := func(g kernels.Group) bool { return g.Base != kernels.CentredProduct }
	if o.Task == TaskSquare && !w.path && o.Rule == nil && o.Tuning == (chunking.Tuning{}) && !slices.ContainsFunc(b.Groups, rows) {
		return SolverLBFGS
	}
	return SolverChunking
}

// newSolver makes the solver of n points at alpha = 0.
func (t *training) newSolver(n int, loss chunking.Loss, gap float64) *chunking.Solver {
	grad, kernels := &timed{t.grad, &t.result.Times, func() { t.limitHeap(t.plan.Heap(budget.Double)) }}, t.kernels.Len()
	if l, ok := loss.(chunking.CurvedLoss); ok && t.o.Solver == SolverLBFGS {
		return chunking.NewQuasiNewton(n, kernels, l, t.norm, grad, gap)
	}
	return chunking.New(n, kernels, loss, t.norm, grad, gap, t.o.Tuning)
}
