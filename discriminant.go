package bigmkl

import (
	"math"
	"slices"
	"strings"

	"bigmkl/internal/discriminant"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// discriminantWing is the family of task rkda.
type discriminantWing struct{}

var _ wing = discriminantWing{}

func (discriminantWing) has(o *Options) bool { return model.HasDiscriminant(o.Task) }

func (discriminantWing) setDefaults(o *Options) {
	if o.Lambda == 0 && !o.JointCost {
		o.Lambda = defaultLambda
	}
	if o.DiscriminantRule == "" {
		o.DiscriminantRule = RuleMeans
	}
}

func (discriminantWing) checkWithout(v *validation) {
	v.check(v.Lambda == 0, "lambda without task rkda: other tasks have C")
	v.check(v.DiscriminantRule == "", "a rule for scores of classes is an option of task rkda")
	v.check(v.Solver == SolverCPMWrapper || !slices.Contains(discriminant.Solvers, v.Solver),
		"solver %s is for task rkda", v.Solver)
}

// checkJointCost finds what check leaves.
func (discriminantWing) checkJointCost(v *validation) {
	v.check(v.Norm == 1, "lambda is found as a weight that sums to 1 with the others, which takes the block norm p = 1")
	v.check(v.Solver != SolverSDPKim, "lambda is not found by solver %s", v.Solver)
}

func (discriminantWing) check(v *validation) {
	if v.JointCost {
		v.check(v.Lambda == 0, "lambda = %g is given, but lambda is to be found", v.Lambda)
	} else {
		v.check(v.Lambda > 0 && !math.IsInf(v.Lambda, 0), "lambda = %g is not a positive number", v.Lambda)
	}
	v.check(!v.costGiven, "C beside lambda: the cost of task rkda is 1/(n lambda)")
	v.check(slices.Contains(model.DiscriminantRules, v.DiscriminantRule), "unknown rule %s (%s)",
		fail.Quote(v.DiscriminantRule), strings.Join(model.DiscriminantRules, " or "))
	v.check(v.Norm <= 2, "p = %g with task rkda, which needs p in [1, 2]", v.Norm)
	v.check(v.Regularizer.isBlockNorm(), "task rkda is for the block norm alone")
	v.check(v.ClassWeight == nil, "task rkda takes no class weights: scatter matrices have none")
	v.check(v.Multiclass == "",
		"task rkda has all classes in one problem, and not several classifiers")
	v.check(v.Positive == nil, "task rkda separates all classes, and takes no labels of a positive class")
	v.check(v.Folds == 0,
		"task rkda has no probabilities: its scores are not decisions for or against one class")
	program := slices.Contains(discriminant.Solvers, v.Solver)
	v.check(v.Solver == "" || v.Solver == SolverChunking || program, "task rkda with solver %s", v.Solver)
	if program {
		v.check(v.Norm == 1, "p = %g with solver %s, whose weights sum to 1", v.Norm, v.Solver)
		v.check(v.Precision != "32", "precision 32 with solver %s, which is in double precision", v.Solver)
		v.check(v.Checkpoint == "", "checkpoints hold the state of solver chunking, and none of solver %s",
			v.Solver)
	}
	v.check(v.Rule == nil, "task rkda cannot be combined with a rule for the weights")
	v.check(v.Init == nil, "task rkda cannot start from another model")
	v.check(v.Gating == "", "task rkda cannot be combined with gates")
}
