package verify

import (
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// wing is a kind of problem as the certificate asks it. Its file has all in which the kind differs from
// classifiers that are certified one by one. The rest of the package asks the wing of a model, and not which
// one it is. A new kind is added in wingOf, and embeds plainWing for what it has in common with others.
type wing interface {
	traits(m *model.Model) wingTraits
	// fits reports whether the parts fit that depend on the kind of the model.
	fits(m *model.Model) bool
	// classifiers returns what is certified, at least one, with the kernels of b.
	classifiers(m *model.Model, b *kernelspec.Bank) []classifier
	// roles completes the roles of a training row. The list has the roles of its class, or one role without classes.
	roles(m *model.Model, row int, list []role) []role
	// checkRow checks what the model has of a training row of that role. support is -1 unless it is a support vector.
	checkRow(m *model.Model, row, support int, p role, f *faults)
	// checkDual checks a dual variable, and returns what it adds to the linear part of the dual value.
	checkDual(c *classifier, a float64, p *role, place string, f *faults) float64
	// newSums returns sums over no rows beside those of classifiers; nil if there are none.
	newSums(m *model.Model) wingSums
	// sumLosses adds the losses of a batch, whose decision values lack linear kernels and bias.
	sumLosses(w *worker, b *batch) error
	// judge adds the faults of each classifier to its finding. It returns the finding on the problem that all
	// are together, and nil if they have nothing in common.
	judge(p *judgement) *finding
}

// wingTraits are properties of a wing.
type wingTraits struct {
	// classifiers is their number, ofRow in how many of them a row has a part, and duals how many numbers the
	// model has of its rows beside the dual variables.
	classifiers, ofRow, duals int
	// posteriors is the number of posteriors of a row; 0 if there can be none.
	posteriors int
	// whole is true if the certificate takes all rows and cannot be estimated from a sample.
	whole bool
	// unbalanced is true if the dual variables of a classifier do not sum to 0 where the task has them do so.
	unbalanced bool
	// columns is true if the classifiers are columns of one problem, in which V_m of one may be below 0.
	columns bool
	// value sets the values of a column from its parts and the linear part; nil if a column has the values of a classifier.
	value func(e *finding, m *model.Model, lin float64)
	// unchecked are claims that nothing refutes, and unsampled those that a sample cannot refute.
	unchecked, unsampled []string
}

// wingSums are sums over rows that a wing has beside the sums of classifiers.
type wingSums interface {
	// addSums adds those of another batch, in the order of the rows.
	addSums(o wingSums)
	// visit shows every number to v, in one order.
	visit(v visitor)
}

// collectiveSums are sums of a wing whose loss is not a sum over rows.
type collectiveSums interface {
	// finish puts the loss in the sums of the only classifier, and returns the linear part of the dual value.
	finish(m *model.Model, t *totals) (lin float64)
}

// wingOf returns the wing of a model, whose parts need not fit each other.
func wingOf(m *model.Model) wing {
	switch x := m.Family.Mixture(); {
	case x != nil || model.HasComponents(m.Task):
		return mixtureWing{mixture: x, likelihood: model.MaximisesLikelihood(m.Task)}
	case model.HasDiscriminant(m.Task):
		return discriminantWing{}
	case model.HasPairs(m.Task):
		return rankingWing{}
	case m.Multiclass == model.SingleClassifier:
		return singleWing{functions: len(m.Classifiers)}
	case m.Multiclass == model.Quantiles:
		return quantilesWing{}
	case model.GivesHazards(m.Task):
		return hazardsWing{}
	}
	return plainWing{}
}
