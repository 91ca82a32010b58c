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

// mixtureWing is the family of tasks of components.
type mixtureWing struct{ plainWing }

var _ wing = mixtureWing{}

func (mixtureWing) has(o *Options) bool { return model.HasComponents(o.Task) }

func (mixtureWing) setDefaults(o *Options) {
	if o.C == 0 && o.Task == TaskMED {
		o.C = 100
	}
	if o.Normalize == "" {
		o.Normalize = "spherical"
	}
	if o.Entropy == "" && o.Task == TaskMED {
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
	if v.Task == TaskMED {
		v.check(slices.Contains(model.Entropies, v.Entropy), "unknown entropy %s (%s)", fail.Quote(v.Entropy),
			strings.Join(model.Entropies, " or "))
	} else {
		v.check(v.Entropy == "", "an entropy with task mixture, which is an option of task med alone")
		v.check(!v.costGiven && v.ClassWeight == nil,
			"C or class weights with task mixture, which fits each class by itself and has no loss")
	}
	v.check(v.Restarts >= 1, "%d restarts", v.Restarts)
	v.check(v.Rounds >= 1, "%d rounds", v.Rounds)
	v.check(v.Norm == 2 && v.Regularizer.countAlternatives() == 0,
		"a norm with task %s, whose components have a kernel each and no weights", v.Task)
	v.check(v.Multiclass == "", "several classifiers with task %s, which tells two classes apart "+
		"(--positive names the labels of one of them)", v.Task)
	v.check(!v.OneTheta, "one set of weights with task %s, whose components have a kernel each", v.Task)
	pairs := v.Solver == SolverSMO && v.Task == TaskMED
	v.check(v.Solver == "" || v.Solver == SolverChunking || pairs, "task %s with solver %s", v.Task, v.Solver)
	v.check(!pairs || v.Entropy == EntropyDrop && v.Precision != string(chunking.Single),
		"solver smo with precision 32 or the entropy of the other class: its steps are of a quadratic program in double precision")
	v.check(v.Rule == nil, "a rule for the weights with task %s", v.Task)
	v.check(v.Init == nil, "a start from another model with task %s", v.Task)
	v.check(v.Gating == "", "gates with task %s", v.Task)
	v.check(v.Missing == "", "views that rows lack with task %s: not yet", v.Task)
	v.check(v.Folds == 0, "probabilities with task %s: not yet", v.Task)
	v.check(v.Sequences == dataset.Numbers, "sequences with task %s, whose starts look at features", v.Task)
	for i, x := range v.Observed {
		if !(x >= 0 && x <= model.MostComponents && x == math.Trunc(x)) {
			v.check(false, "observed component %d is %g, which is no number of one", i+1, x)
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
