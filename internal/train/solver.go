package train

import (
	"slices"

	"bigmkl/chunking"
	"bigmkl/internal/discriminant"
	"bigmkl/internal/model"
	"bigmkl/kernels"
)

// These are the methods of solution. All reach the same optimum and prove it by the same
// certificate.
const (
	// MethodChunking moves the weights after every step of a working set (Kloft 2011, Algorithm
	// 3.2).
	MethodChunking = "chunking"
	// MethodWrapper trains a support vector machine for each step of the weights (Algorithm 3.1).
	MethodWrapper = "wrapper"
	// MethodCPM finds the weights by cutting planes, which it takes from alpha while that is still
	// being optimised (Algorithm D.1).
	MethodCPM = "cpm"
	// MethodCPMWrapper trains a support vector machine for each cutting plane.
	MethodCPMWrapper = "cpm-wrapper"
	// MethodLBFGS takes limited-memory quasi-Newton steps over all points, for the squared loss.
	MethodLBFGS = "lbfgs"
	// MethodNewton takes Newton steps over all points, for model.TaskCox alone.
	MethodNewton = "newton"
	// MethodSMO takes steps of pairs of rows with all matrices in memory, for model.TaskMED without the
	// entropy of the other class (Lewis 2006, section 3.5).
	MethodSMO = "smo"
)

// Methods lists the methods. Those of package discriminant are for model.TaskRKDA, MethodCPMWrapper
// among them.
var Methods = []string{MethodChunking, MethodWrapper, MethodCPM, MethodCPMWrapper, MethodLBFGS, MethodNewton, MethodSMO,
	discriminant.QCQP, discriminant.SDP, discriminant.SDPApprox, discriminant.SDPKim}

// holdsWeights reports whether the kernel weights stay while alpha is optimised.
func (s *Solver) holdsWeights() bool {
	return s.Method == MethodWrapper || s.cutsPlanes() || s.Rule != nil
}

// cutsPlanes reports whether the kernel weights are found by cutting planes.
func (s *Solver) cutsPlanes() bool { return s.Method == MethodCPM || s.Method == MethodCPMWrapper }

// movesAll reports whether every step moves the dual variables of all points.
func movesAll(method string) bool { return method == MethodLBFGS || method == MethodNewton }

// chooseMethod returns the method that was asked for or, if none was, the one that suits the
// problem and the kernels of b. It is lbfgs for the squared loss with linear kernels: a step of all
// points then costs no kernel rows, while working sets make little progress, because each of them
// sees only its own part of a Hessian of low rank. path is set for a path, which uses chunking
// alone.
func (o *Options) chooseMethod(b *kernels.Bank, path bool) string {
	if o.Solver.Method != "" {
		return o.Solver.Method
	}
	if model.GivesHazards(o.Problem.Task) {
		return MethodNewton
	}
	usesRows := func(g kernels.Group) bool { return g.Base != kernels.CentredProduct }
	chosen := o.Solver.Rule != nil || o.Solver.Tuning != (chunking.Tuning{}) // of chunking
	if !model.HasSquaredLoss(o.Problem.Task) || o.Problem.JointCost || o.Gating.Gated() || path || chosen ||
		slices.ContainsFunc(b.Groups, usesRows) {
		return MethodChunking
	}
	return MethodLBFGS
}
