package command

import (
	"slices"
	"strconv"
	"strings"

	"bigmkl"
	"bigmkl/internal/model"
)

// problemOptions are the options of the task and its loss.
// takers names the commands with the option, and fact its name in checkpoints. ofModel reads it from a
// model.
var problemOptions = slices.Concat([]option{
	// Most other rows depend on this one: their tasks and defaults are in package model.
	{name: "task", kind: "TASK", def: "class", takers: byProblems, words: model.Tasks, fact: "task",
		usage: "what to learn: class (two classes, or more with --multiclass), logistic (classes with " +
			"probabilities), svr, square or huber (regression), quantile or expectile (of the targets), survival " +
			"or cox (censored times), rank (groups by relevance), oneclass (the support of the rows), rkda (kernel discriminant analysis), med " +
			"(maximum entropy discrimination) or mixture (mixtures of maximum likelihood)",
		define:  word(func(p *problemFlags) *string { return &p.options.Task }),
		ofModel: func(m *model.Model) given { return givenText(model.Named(m.Task)) }},
	// There is no default for more than two classes, because the kinds differ in time, memory and
	// probabilities.
	{name: "multiclass", kind: "KIND", takers: byProblems, words: model.Multiclasses, fact: "machines",
		usage: "train several classifiers: ovr, one for each class against the rest; ovo, one for each pair; labels, " +
			"one for each label of sets such as 1,3; single, one classifier for all classes",
		define: word(func(p *problemFlags) *string { return &p.options.Multiclass }),
		ofRun:  func(facts map[string]string) bool { return facts["machines"] != model.Quantiles }, // which --tau has
		ofModel: func(m *model.Model) given {
			// The task of a discriminant decides its classifiers, and --tau has several quantiles.
			if m.Discriminant != nil || m.Multiclass == model.Quantiles {
				return given{}
			}
			return givenText(m.Multiclass)
		}},
	// Separate weights answer which kernel serves which class, and one set which kernel serves all.
	// One theta couples the classifiers, so all are trained together.
	{name: "one-theta", takers: bySingle,
		usage:  "learn one set of weights for all classifiers of --multiclass ovr or labels, or for the quantiles of --tau; p is at most 2",
		define: yes(func(p *problemFlags) *bool { return &p.options.OneTheta }),
		ofModel: func(m *model.Model) given {
			return givenYes(m.OneTheta && m.Multiclass != model.SingleClassifier && m.Discriminant == nil)
		}},
	// Several labels may form the positive class, such as the even digits.
	{name: "positive", kind: "L,..", takers: byProblems, kinds: listKinds, fact: "positive",
		usage:   "labels of the positive class; all others are negative",
		define:  parsed(parseLabels, func(p *problemFlags) *[]string { return &p.options.Positive }),
		ofModel: func(m *model.Model) given { return givenList(m.PositiveLabels) }},
	// The factors multiply C for rows of a class, usually to make errors on a rare class expensive.
	{name: "class-weight", kind: "L=W,..", takers: byProblems, kinds: listKinds, fact: "class weights",
		usage:   "cost factors of classes, such as +1=2,-1=0.5",
		define:  parsed(parseClassWeights, func(p *problemFlags) *map[string]float64 { return &p.options.ClassWeight }),
		ofModel: func(m *model.Model) given { return givenList(classWeightsOf(m)) }},
	// The reader of data defines the flag. The row gives its place in the help.
	{name: "row-weights"},
	// A probability near 1/2 makes a row count little, see the weight 2 Pr - 1.
	{name: "posteriors", takers: byProblems,
		usage: "labels are uncertain: `FILE` with the probability of the positive class of each row (with " +
			"--multiclass single: of every class), or knn:K[@SET] for its share among the K nearest rows",
		define: text(func(p *problemFlags) *string { return &p.posteriors.of }),
		ofModel: func(m *model.Model) given {
			if m.PosteriorsOf == model.GivenPosteriors {
				return given{}
			}
			return givenText(m.PosteriorsOf)
		}},
}, lossOptions, componentOptions, foldOptions)

// lossOptions are the losses and their numbers.
// The formulas are in docs/METHOD.md. Each number has a default in the unit of the targets or none.
var lossOptions = []option{
	{name: "loss", kind: "LOSS", takers: byProblems, words: model.Losses,
		usage:   "loss of task class: hinge (default) or squared-hinge, whose dual variables have no upper bound",
		define:  word(func(p *problemFlags) *string { return &p.options.Loss }),
		ofModel: func(m *model.Model) given { return givenText(m.Loss) }},
	ofLoss(option{name: "epsilon", kind: "EPS", takers: byProblems,
		usage: "half-width of the tube of tasks svr, quantile and survival, in which errors cost nothing " +
			"(default: a tenth of the standard deviation of the targets without far targets; 0 for quantile). The targets of task survival are the logarithms of the times",
		// In other programs it is the tolerance of the solver.
		elsewhere: "--gap is the relative duality gap to reach",
		define:    parsed(parseEpsilon, func(p *problemFlags) *float64 { return &p.options.Epsilon })}),
	// The quantile tau minimises the pinball loss, and the expectile its squared form.
	ofLoss(option{name: model.NameTau, kind: "TAU,..", takers: byProblems, kinds: listKinds,
		usage: "quantile of tasks quantile and survival, or expectile of task expectile, in (0, 1) (default: " +
			"0.5, which is the median, or the mean; for survival the share of events if it is less); a list such as 0.1,0.5,0.9 learns several quantiles in one model " +
			"of task quantile",
		define:  parsed(parseTaus, func(p *problemFlags) *[]float64 { return &p.taus }),
		ofModel: tausOfModel}),
	// The default follows the unit of the targets, as for epsilon: no fixed number would suit both
	// grams and tonnes.
	ofLoss(option{name: "delta", kind: "D", takers: byProblems,
		usage: "distance from the target at which the loss of task huber becomes linear (default: half of the " +
			"standard deviation of the targets)",
		define: parsed(parsePositive, func(p *problemFlags) *float64 { return &p.options.Delta })}),
	// The default is the default of LIBSVM.
	ofLoss(option{name: "nu", kind: "NU", def: "0.5", takers: byTraining,
		usage:  "share of the rows that task oneclass may leave out, above 0; at 1 all rows have equal dual variables",
		define: parsed(parsePositiveShare, func(p *problemFlags) *float64 { return &p.options.Nu })}),
	// Both are one task for the user and two tasks in package model, since they have other losses and
	// defaults.
	{name: "survival", kind: "KIND", def: bigmkl.SurvivalRegression, takers: byProblems, words: bigmkl.Survivals, fact: "survival", tasks: []string{model.TaskSurvival},
		usage:  "what task survival learns: regression (a quantile of the times) or ranking (scores that order the rows by time)",
		define: word(func(p *problemFlags) *string { return &p.options.Survival }),
		ofModel: func(m *model.Model) given {
			if model.Named(m.Task) == m.Task {
				return given{}
			}
			return givenText(bigmkl.SurvivalRanking)
		}},
	// Ye, Ji and Chen (2008) have this lambda in their experiments.
	{name: "lambda", kind: "L", def: "5e-4", takers: bySingle, fact: "lambda",
		usage: "ridge parameter of task rkda, above 0, which replaces C; or joint: found together with the " +
			"weights, at p = 1",
		define: parsed(parseCost, func(p *problemFlags) *cost { return &p.costs.ridge }),
		ofModel: func(m *model.Model) given {
			if m.Discriminant == nil {
				return given{}
			}
			return givenCost(m, m.Discriminant.Lambda)
		}},
}

// ofLoss completes the row of a number of the loss from model.LossNumbers. The row may have an ofModel
// of its own. The table of losses and the table of options thus cannot contradict each other.
// A row without a number in the table stays as it is.
func ofLoss(o option) option {
	for _, n := range model.LossNumbers {
		if n.Name == o.name {
			o.tasks, o.fact = n.Tasks, n.Name
			if o.ofModel == nil {
				o.ofModel = func(m *model.Model) given {
					if !n.IsOf(m.Task) {
						return given{}
					}
					return givenNumber(*n.Of(&m.LossSettings))
				}
			}
		}
	}
	return o
}

// tausOfModel returns the quantile or the expectile of a model, or its several quantiles.
func tausOfModel(m *model.Model) given {
	switch {
	case !slices.Contains(model.TauTasks, m.Task):
		return given{}
	// The number is written with all its digits, so the repeated training has the same tau.
	case m.Multiclass != model.Quantiles:
		return givenNumber(m.Tau)
	}
	var names []string
	for k := range m.Classifiers {
		names = append(names, m.Name(k))
	}
	return givenText(strings.Join(names, ","))
}

// componentOptions describe the components of tasks med and mixture, and the way to a solution. Their
// problem is not convex. Restarts and rounds limit the work of the search for a good solution.
var componentOptions = []option{
	{name: "components", takers: byTraining,
		usage: "kernels of the components of tasks med and mixture, counted from 1, as `A/B` for the positive " +
			"and the negative class, such as 1,2/1,3 (default: every kernel for both classes)",
		define: text(func(p *problemFlags) *string { return &p.options.Components }),
		ofModel: fromMixture(func(x *model.Mixture) given {
			return givenText(formatComponents(x))
		})},
	{name: "entropy", kind: "KIND", def: model.EntropyExact, takers: bySingle, words: model.Entropies,
		usage:   "entropy in task med: exact, or drop, which leaves out the entropy of the components of the other class",
		define:  word(func(p *problemFlags) *string { return &p.options.Entropy }),
		ofModel: fromMixture(func(x *model.Mixture) given { return givenText(x.Entropy) })},
	// Different starts end in different solutions, so several are the default.
	{name: "restarts", kind: "R", def: "8", takers: bySingle,
		usage:   "number of starts of tasks med and mixture; the start with the smallest objective is kept",
		define:  parsed(parsePositiveCount, func(p *problemFlags) *int { return &p.options.Restarts }),
		ofModel: fromMixture(func(x *model.Mixture) given { return givenCount(x.Restarts) })},
	// The model does not record the limit, so the row has no ofModel.
	{name: "rounds", kind: "N", def: "50", takers: bySingle,
		usage:  "largest number of projections of task med, or of EM steps of task mixture, from each start",
		define: parsed(parsePositiveCount, func(p *problemFlags) *int { return &p.options.Rounds })},
	// The known component of a row fixes its responsibility.
	{name: "observe", takers: byTraining,
		usage: "`FILE` with the known component of each row in tasks med and mixture, counted from 1 within " +
			"its class; 0 if it is not known",
		define: text(func(p *problemFlags) *string { return &p.components.observe })},
}

// foldOptions are about trainings without some of the rows. All are about the rows of one training:
// train --continue has other rows, and does not take them from its model.
var foldOptions = []option{
	// The flags of these rows are defined by foldFlags.
	{name: "probability", aboutRows: true, ofModel: func(m *model.Model) given { return givenYes(m.Folds > 0) }},
	{name: "conformal", aboutRows: true,
		ofModel: func(m *model.Model) given { return givenText(textOf(m.Conformal)) }},
	// The folds of probabilities and the folds of a rule for weights share this option, but a model has
	// one of both.
	{name: "folds", aboutRows: true, ofModel: func(m *model.Model) given {
		switch r := m.WeightRule; {
		case m.Folds > 0:
			return givenCount(m.Folds)
		case r != nil && r.Folds > 0:
			return givenCount(r.Folds)
		}
		return given{}
	}},
	// needs rejects the option without the other one.
	{name: "shared-preparation", needs: "probability", aboutRows: true,
		ofModel: func(m *model.Model) given { return givenYes(m.Folds > 0 && !m.FoldsApart) }},
	{name: "posteriors-out", needs: "probability"},
}

// fromMixture returns the value of an option that models with components alone have.
func fromMixture(value func(x *model.Mixture) given) func(m *model.Model) given {
	return func(m *model.Model) given {
		if x := m.Family.Mixture(); x != nil {
			return value(x)
		}
		return given{}
	}
}

// classWeightsOf lists the factors of the classes of a model that are not 1.
// The form is the form of --class-weight: L=W.
func classWeightsOf(m *model.Model) (list []string) {
	names, weights := m.Classes, m.ClassWeights
	if !m.Several() {
		names, weights = []string{m.Positive, m.Negative}, []float64{m.PositiveWeight, m.NegativeWeight}
	}
	for k, w := range weights {
		if w != 1 && m.HasClasses() {
			list = append(list, names[k]+"="+strconv.FormatFloat(w, 'g', -1, 64))
		}
	}
	return list
}
