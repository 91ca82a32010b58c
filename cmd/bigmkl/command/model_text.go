package command

import (
	"fmt"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// describeClasses describes what a model predicts and by which rule. The text states the decision rule
// with its numbers: a reader of a model needs it to use decision values.
// Each line is a part of a sentence. factsOf and the page of report put the name of the fact before it.
func describeClasses(m *model.Model) string {
	// The special cases come first: hazards are of times too, and quantiles of targets in a
	// tube.
	switch {
	case model.GivesHazards(m.Task):
		return "the logarithm of the relative hazard: the larger it is, the earlier is the event"
	case m.Labeling() == dataset.Times:
		return fmt.Sprintf("the quantile %g of times, its logarithm in a tube of half-width %.6g", m.Tau, m.Epsilon)
	case m.Labeling() == dataset.Relevances:
		return "a score, which orders the rows of a group"
	case m.Multiclass == model.Quantiles:
		return "the quantiles " + listTaus(m) + " of the targets" + describeRowWeights(m)
	case model.EstimatesQuantile(m.Task):
		return fmt.Sprintf("the quantile %g of the targets", m.Tau)
	case model.EstimatesExpectile(m.Task):
		return fmt.Sprintf("the expectile %g of the targets", m.Tau)
	case slices.Contains(model.TubeTasks, m.Task):
		return fmt.Sprintf("a number, in a tube of half-width %.6g", m.Epsilon)
	case m.Labeling() == dataset.Targets:
		return "a number"
	case model.DescribesSupport(m.Task):
		return fmt.Sprintf("within the support if f(x) >= 0; a share of up to %g was left out",
			m.Nu)
	}
	if m.Several() {
		return describeManyClasses(m)
	}
	positive, negative := fail.Label(m.Positive), fail.Label(m.Negative)
	// --positive joins several labels to one class, so the rule lists them.
	if m.PositiveLabels != nil {
		positive += " (labels " + listLabels(m.PositiveLabels) + ")"
		negative += " (all other labels)"
	}
	text := fmt.Sprintf("%s if f(x) > 0, %s otherwise", positive, negative)
	// A factor of a class multiplies C for its rows.
	if m.PositiveWeight != 1 || m.NegativeWeight != 1 {
		text += fmt.Sprintf("; cost factors %g and %g", m.PositiveWeight, m.NegativeWeight)
	}
	return text + describeLoss(m) + describeRowWeights(m)
}

// describeManyClasses describes the rule by which several classifiers choose a class or labels.
func describeManyClasses(m *model.Model) string {
	if m.Discriminant != nil {
		return describeDiscriminant(m)
	}
	// With one-vs-one, a pair (a, b) votes for a if f(x) > 0. The sum decides among classes with equally
	// many votes.
	what := map[string]string{
		model.OneVsRest: "the class of the largest f(x)", model.OneVsOne: "the class that wins most pairs, and of equal ones that of the larger sum of f(x)",
		model.MultiLabel: "all labels with f(x) > 0", model.SingleClassifier: "the class of the largest f(x)",
	}[m.Multiclass]
	text := fmt.Sprintf("%s, of %s", what, listLabels(m.Classes))
	if m.ClassWeights != nil {
		text += "; cost factors " + shorten(strings.Trim(fmt.Sprint(m.ClassWeights), "[]"),
			mostSpec)
	}
	return text + describeLoss(m) + describeRowWeights(m)
}

// listTaus lists several quantiles, and counts those that do not fit.
func listTaus(m *model.Model) string {
	return fail.List(m.Name, len(m.Classifiers))
}

// listLabels lists labels, and counts those that do not fit.
func listLabels(labels []string) string {
	return fail.List(func(k int) string { return fail.Label(labels[k]) }, len(labels))
}

// costOf returns the cost C of the loss. One that was found may be infinite. A cost weight of 0 means
// that errors cost infinitely much.
// The model then has theta_0 = 1/C, which sums to 1 with the weights of the kernels.
func costOf(m *model.Model) float64 {
	if m.CostWeight != nil {
		return 1 / *m.CostWeight
	}
	return m.C
}

// newCostWeight returns the weight 1/C of a cost that was found, nil for others.
// JSON has no infinity, so the weight is there in addition to C.
func newCostWeight(m *model.Model) *number {
	if m.CostWeight == nil {
		return nil
	}
	x := number(*m.CostWeight)
	return &x
}

// describeCost names the cost, its weight where it was found, and of task rkda the ridge parameter
// that it comes from.
func describeCost(m *model.Model) string {
	// For task rkda, lambda is the ridge parameter, and C = 1/(n lambda) for n rows.
	if m.Discriminant != nil && m.CostWeight != nil {
		return fmt.Sprintf("lambda = %.6g found as the weight of the identity", m.Discriminant.Lambda)
	}
	if m.CostWeight != nil {
		return fmt.Sprintf("C = %.6g found by its weight 1/C = %.6g", costOf(m), *m.CostWeight)
	}
	if m.Discriminant != nil {
		return fmt.Sprintf("lambda = %g, C = %.6g", m.Discriminant.Lambda, m.C)
	}
	// A cost of a grid may differ from a short decimal in the 16th digit.
	return fmt.Sprintf("C = %.15g", m.C)
}

// describeLoss names a loss other than the hinge.
// The hinge is the default and has the empty name in the file.
func describeLoss(m *model.Model) string {
	if m.Loss == "" {
		return ""
	}
	return "; loss " + m.Loss
}

// describeRowWeights describes whether the model was trained with weights of rows.
func describeRowWeights(m *model.Model) string {
	if m.RowWeights {
		return "; rows with weights of their own"
	}
	return ""
}

// describeClassifiers describes how many classifiers there are, and what each of them separates.
// Pairs of n classes are n (n-1) / 2 classifiers, so their number is not the number of classes.
func describeClassifiers(m *model.Model) string {
	switch n := len(m.Classes); m.Multiclass {
	case model.OneVsRest:
		return fmt.Sprintf("%d, one for each class against the rest", n)
	case model.OneVsOne:
		return fmt.Sprintf("%d, one for each pair of %d classes", len(m.Classifiers), n)
	case model.Quantiles:
		return fmt.Sprintf("%d, one for each quantile", len(m.Classifiers))
	case model.SingleClassifier:
		return fmt.Sprintf("one for all of %d classes, with a function for each", n)
	}
	return fmt.Sprintf("%d, one for each label", len(m.Classifiers))
}

// describeProbabilities describes how a model computes probabilities. The formula is given for two
// classes, because other programs can apply it to decision values.
func describeProbabilities(m *model.Model) string {
	// Labels of sets are independent, so their probabilities do not sum to 1.
	how := "one for each label"
	switch m.Multiclass {
	case "":
		if model.GivesOdds(m.Task) {
			return fmt.Sprintf("1 / (1 + exp(-f)) for %s", fail.Label(m.Positive))
		}
		how = fmt.Sprintf("1 / (1 + exp(A f + B)) for %s, A = %.6g, B = %.6g",
			fail.Label(m.Positive), m.Sigmoids[0].A, m.Sigmoids[0].B)
	case model.OneVsRest:
		how = "sigmoids of the classifiers, divided by their sum"
	case model.OneVsOne:
		how = "sigmoids of the classifiers, coupled"
	}
	// The logistic loss estimates log odds itself, so there are no folds to describe.
	if model.GivesOdds(m.Task) {
		return how
	}
	// Probabilities of folds that share their preparation with held-out rows may be optimistic.
	shared := ""
	if !m.FoldsApart {
		shared = " that share the preparation of all rows"
	}
	return fmt.Sprintf("%s; from %d folds%s", how, m.Folds, shared)
}

// lacksEvents reports whether a model of times in a table has no column of events, and no row is censored.
func lacksEvents(m *model.Model) bool {
	c := m.Columns
	return model.Labeling(m.Task) == dataset.Times && c != nil && c.Event == "" && c.Upper == "" && m.Censoring.Times == nil && !m.Censoring.Intervals
}

// describeColumns describes the columns of the training data.
func describeColumns(c *dataset.Columns) string {
	// A column of words is one feature for each word that occurs in training, its categories.
	words := 0
	for _, f := range c.Features {
		if f.Categories != nil {
			words++
		}
	}
	text := fmt.Sprintf("%d, %d of them categories: %s", len(c.Features), words,
		fail.List(func(i int) string { return fail.Label(c.Features[i].Name) }, len(c.Features)))
	// The columns below have a role in the training, and do not count as features.
	if c.Label != "" {
		text += "; labels in " + fail.Label(c.Label)
	}
	if c.Event != "" {
		text += ", events in " + fail.Label(c.Event)
	}
	if c.Group != "" {
		text += ", groups in " + fail.Label(c.Group)
	}
	if c.Upper != "" {
		text += ", upper bounds of times in " + fail.Label(c.Upper)
	}
	return text
}
