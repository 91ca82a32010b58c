package bigmkl

import (
	"math"
	"slices"
	"strings"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/model"
	"bigmkl/train"
)

// setMixtureDefaults fills in what tasks of components have defaults of their own for.
func (o *Options) setMixtureDefaults() {
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

// checkMixture finds options that do not go with tasks of components, and theirs without one. costGiven
// reports whether C was given. It returns what is wrong with the text of the components.
func (o *Options) checkMixture(costGiven bool, check func(ok bool, format string, args ...any)) error {
	if !model.HasComponents(o.Task) {
		check(o.Components == "" && o.Entropy == "" && o.Restarts == 0 && o.Rounds == 0 && o.Observed == nil,
			"components, entropy, restarts, rounds and observed components are options of tasks med and mixture alone")
		return nil
	}
	if o.Task == TaskMED {
		check(slices.Contains(model.Entropies, o.Entropy), "unknown entropy %s (%s)", fail.Quote(o.Entropy),
			strings.Join(model.Entropies, " or "))
	} else {
		check(o.Entropy == "", "an entropy with task mixture, which is an option of task med alone")
		check(!costGiven && o.ClassWeight == nil,
			"C or class weights with task mixture, which fits each class by itself and has no loss")
	}
	check(o.Restarts >= 1, "%d restarts", o.Restarts)
	check(o.Rounds >= 1, "%d rounds", o.Rounds)
	check(o.Norm == 2 && o.Regularizer.countAlternatives() == 0,
		"a norm with task %s, whose components have a kernel each and no weights", o.Task)
	check(o.Multiclass == "", "several classifiers with task %s, which tells two classes apart "+
		"(--positive names the labels of one of them)", o.Task)
	check(!o.OneTheta, "one set of weights with task %s, whose components have a kernel each", o.Task)
	pairs := o.Solver == SolverSMO && o.Task == TaskMED
	check(o.Solver == "" || o.Solver == SolverChunking || pairs, "task %s with solver %s", o.Task, o.Solver)
	check(!pairs || o.Entropy == EntropyDrop && o.Precision != string(chunking.Single),
		"solver smo with precision 32 or the entropy of the other class: its steps are of a quadratic program in double precision")
	check(o.Rule == nil, "a rule for the weights with task %s", o.Task)
	check(o.Init == nil, "a start from another model with task %s", o.Task)
	check(o.Gating == "", "gates with task %s", o.Task)
	check(o.Missing == "", "views that rows lack with task %s: not yet", o.Task)
	check(o.Folds == 0, "probabilities with task %s: not yet", o.Task)
	check(o.Sequences == dataset.Numbers, "sequences with task %s, whose starts look at features", o.Task)
	for i, x := range o.Observed {
		if !(x >= 0 && x <= model.MostComponents && x == math.Trunc(x)) {
			check(false, "observed component %d is %g, which is no number of one", i+1, x)
			break
		}
	}
	_, err := train.ParseComponents(o.Components)
	return err
}

// mixture returns what packages below take of the mixtures.
func (o *Options) mixture() train.Mixture {
	list, _ := train.ParseComponents(o.Components) // The text has been checked.
	return train.Mixture{Components: list, Entropy: o.Entropy, Restarts: o.Restarts, Rounds: o.Rounds,
		Observed: o.Observed}
}
