package bigmkl

import (
	"math"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/model"
	"bigmkl/train"
)

// setMixtureDefaults fills in what task med has defaults of its own for.
func (o *Options) setMixtureDefaults() {
	if o.C == 0 {
		o.C = 100
	}
	if o.Normalize == "" {
		o.Normalize = "spherical"
	}
	if o.Entropy == "" {
		o.Entropy = EntropyExact
	}
	if o.Restarts == 0 {
		o.Restarts = 8
	}
	if o.Rounds == 0 {
		o.Rounds = 50
	}
}

// checkMixture finds options that do not go with task med, and its own without it. It returns what is
// wrong with the text of the components.
func (o *Options) checkMixture(check func(ok bool, format string, args ...any)) error {
	if o.Task != TaskMED {
		check(o.Components == "" && o.Entropy == "" && o.Restarts == 0 && o.Rounds == 0 && o.Observed == nil,
			"components, entropy, restarts, rounds and observed components are options of task med alone")
		return nil
	}
	check(slices.Contains(model.Entropies, o.Entropy), "unknown entropy %s (%s)", fail.Quote(o.Entropy),
		strings.Join(model.Entropies, " or "))
	check(o.Restarts >= 1, "%d restarts", o.Restarts)
	check(o.Rounds >= 1, "%d rounds", o.Rounds)
	check(o.Norm == 2 && o.Regularizer.countAlternatives() == 0,
		"a norm with task med, whose components have a kernel each and no weights")
	check(o.Multiclass == "", "several machines with task med, which tells two classes apart "+
		"(--positive names the labels of one of them)")
	check(!o.OneTheta, "one set of weights with task med, whose components have a kernel each")
	check(o.Solver == "" || o.Solver == SolverChunking, "task med with solver %s", o.Solver)
	check(o.Rule == nil, "a rule for the weights with task med")
	check(o.Init == nil, "a start from another model with task med")
	check(o.Gating == "", "gates with task med")
	check(o.Missing == "", "views that rows lack with task med: not yet")
	check(o.Folds == 0, "probabilities with task med: not yet")
	check(o.Sequences == dataset.Numbers, "sequences with task med, whose starts look at features")
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
