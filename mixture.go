package bigmkl

import (
	"math"
	"slices"
	"strings"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/train"
)

// mixtureWing is the family of tasks med and mixture, whose classes have several components.
type mixtureWing struct{ plainWing }

var _ wing = mixtureWing{}

func (mixtureWing) has(o *Options) bool { return model.HasComponents(o.Task) }

func (mixtureWing) setDefaults(o *Options) {
	if o.C == 0 && !model.MaximisesLikelihood(o.Task) {
		o.C = 100
	}
	// Scores have k(x,x)/2, so kernels of different scales would differ in it alone. Spherical
	// normalisation makes k(x,x) = 1.
	if o.Normalize == "" {
		o.Normalize = "spherical"
	}
	if o.Entropy == "" && !model.MaximisesLikelihood(o.Task) {
		o.Entropy = EntropyExact
	}
	if o.Restarts == 0 {
		o.Restarts = 8
	}
	if o.Rounds == 0 {
		o.Rounds = 50
	}
}

func (mixtureWing) checkWithout(v *validation) {
	v.check(v.Components == "" && v.Entropy == "" && v.Restarts == 0 && v.Rounds == 0 && v.Observed == nil,
		"components, entropy, restarts, rounds and observed components are options of tasks med and mixture alone")
}

func (mixtureWing) check(v *validation) {
	likelihood := model.MaximisesLikelihood(v.Task)
	if !likelihood {
		v.check(slices.Contains(model.Entropies, v.Entropy), "unknown entropy %s (%s)", fail.Quote(v.Entropy),
			strings.Join(model.Entropies, " or "))
	} else {
		v.check(v.Entropy == "", "an entropy is an option of task med, and not of task mixture")
		v.check(!v.costGiven && v.ClassWeight == nil,
			"task mixture takes no C and no class weights: it fits each class by itself and has no loss")
	}
	v.check(v.Restarts >= 1, "%d restarts: at least 1", v.Restarts)
	v.check(v.Rounds >= 1, "%d rounds: at least 1", v.Rounds)
	v.check(v.Norm == 2 && v.Regularizer.isBlockNorm(),
		"task %s takes no norm: each component has one kernel, and kernels have no weights", v.Task)
	v.check(v.Multiclass == "", "task %s is for two classes, and several classifiers are for more "+
		"(--positive names the labels of the positive class)", v.Task)
	v.check(!v.OneTheta, "task %s takes no set of weights: each component has one kernel", v.Task)
	pairs := v.Solver == SolverSMO && !likelihood
	v.check(v.Solver == "" || v.Solver == SolverChunking || pairs, "task %s cannot be trained by solver %s", v.Task, v.Solver)
	v.check(!pairs || v.Entropy == EntropyDrop && v.Precision != string(chunking.Single),
		"solver smo solves a quadratic program in double precision: it takes neither precision 32 nor the entropy of the other class")
	v.check(v.Rule == nil, "task %s cannot be combined with a rule for the weights", v.Task)
	v.check(v.Init == nil, "task %s cannot start from another model", v.Task)
	v.check(v.Gating == "", "task %s cannot be combined with gates", v.Task)
	v.check(v.Missing == "", "task %s cannot be combined with views that rows lack yet", v.Task)
	v.check(v.Folds == 0, "task %s has no probabilities yet", v.Task)
	v.check(v.Sequences == dataset.Numbers, "task %s cannot be combined with sequences, because its starts use features", v.Task)
	for i, x := range v.Observed {
		if !(x >= 0 && x <= model.MostComponents && x == math.Trunc(x)) {
			v.check(false, "observed component %d is %g, which is not the number of a component", i+1, x)
			break
		}
	}
	if _, err := train.ParseComponents(v.Components); err != nil {
		v.add(err)
	}
}

// mixture returns what packages below take of the mixtures.
func (o *Options) mixture() train.Mixture {
	list, _ := train.ParseComponents(o.Components) // The text has been checked.
	return train.Mixture{Components: list, Entropy: o.Entropy, Restarts: o.Restarts, Rounds: o.Rounds,
		Observed: o.Observed}
}
