package bigmkl

import "bigmkl/internal/model"

// wing is a family of problems as the options ask it. Its file has the defaults and the faults of its own
// options; package train has its training. A new one is added in wings.
type wing interface {
	// has reports whether the options are of the family.
	has(o *Options) bool
	setDefaults(o *Options)
	// check finds options that do not go with the family, and checkWithout its own options without it.
	check(v *validation)
	checkWithout(v *validation)
	// checkJointCost finds options that do not go with a cost that is found along with the weights.
	checkJointCost(v *validation)
}

// wings lists the families that have options of their own.
var wings = []wing{discriminantWing{}, mixtureWing{}, rankingWing{}, coxWing{}}

// wing returns the family of the options.
func (o *Options) wing() wing {
	for _, w := range wings {
		if w.has(o) {
			return w
		}
	}
	return plainWing{}
}

// plainWing is the family of problems without options of their own.
type plainWing struct{}

var _ wing = plainWing{}

func (plainWing) has(*Options) bool { return true }

func (plainWing) setDefaults(*Options) {}

func (plainWing) check(*validation) {}

func (plainWing) checkWithout(*validation) {}

func (plainWing) checkJointCost(v *validation) {
	// A loss without a quadratic term has no part of the dual value that a kernel could represent.
	v.check(model.HasSquaredLoss(v.Task) || model.HasLosses(v.Task) && v.Loss == LossSquaredHinge,
		"C is found for squared losses alone: squared-hinge in task class, and the loss of task square")
	v.check(v.Norm == 1 && v.Regularizer.isBlockNorm(),
		"C is found as a weight that sums to 1 with the others, which takes the block norm p = 1")
	v.check(v.C == 1, "C = %g is given, but C is to be found", v.C)
	v.check(v.Solver == "" || v.Solver == SolverChunking, "C is found by solver chunking, and not %s",
		v.Solver)
	v.check(v.Rule == nil, "C is found by solver chunking, and not by a rule for the weights")
	v.check(v.Multiclass == "", "C is found for one classifier, and %s has several", v.Multiclass)
	v.check(v.Folds == 0, "probabilities cannot be combined with a C that is found, because each fold would find another C")
	v.check(v.Gating == "", "a C that is found cannot be combined with gates")
}
