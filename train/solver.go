package train

import (
	"slices"

	"bigmkl/chunking"
	"bigmkl/kernels"
	"bigmkl/model"
)

// The methods of solution. All end in the same optimum, with the same certificate.
const (
	MethodChunking   = "chunking"    // weights move with every step of alpha (Kloft 2011, Algorithm 3.2, and further)
	MethodWrapper    = "wrapper"     // a support vector machine for each step of the weights (Algorithm 3.1)
	MethodCPM        = "cpm"         // weights by cutting planes, which alpha gives as it is optimised (Algorithm D.1)
	MethodCPMWrapper = "cpm-wrapper" // the same with a support vector machine for each cut
	MethodLBFGS      = "lbfgs"       // limited-memory quasi-Newton steps over all points, for the squared loss
)

// Methods lists them.
var Methods = []string{MethodChunking, MethodWrapper, MethodCPM, MethodCPMWrapper, MethodLBFGS}

// holds tells whether weights stay while alpha is optimised.
func (s *Solver) holdsWeights() bool {
	return s.Method == MethodWrapper || s.cutsPlanes() || s.Rule != nil
}

// cuts tells whether weights move by cutting planes.
func (s *Solver) cutsPlanes() bool { return s.Method == MethodCPM || s.Method == MethodCPMWrapper }

// choose gives the solver, if none was asked for the one that suits. Where all kernels are linear a step of all points costs no rows, and working
// sets of a squared loss creep: each sees only its own part of a Hessian of low rank.
func (o *Options) chooseMethod(b *kernels.Bank, path bool) string {
	if o.Solver.Method != "" {
		return o.Solver.Method
	}
	rows := func(g kernels.Group) bool { return g.Base != kernels.CentredProduct }
	if o.Problem.Task == model.TaskSquare && !path && o.Solver.Rule == nil && o.Solver.Tuning == (chunking.Tuning{}) && !slices.ContainsFunc(b.Groups, rows) {
		return MethodLBFGS
	}
	return MethodChunking
}
