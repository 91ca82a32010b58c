package train

import (
	"context"

	"bigmkl/chunking"
	"bigmkl/internal/budget"
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// wing is a family of problems with a training of its own. Its file has the code, and the rest of the
// package asks the wing of a problem, and not which one it is. A new family is added in Problem.wing.
type wing interface {
	traits(p *Problem) wingTraits
	// facts lists the options of the wing that the bits of a run depend on.
	facts(o *Options) []Fact
	// account adds to a run what the problems of the wing take beside those of plain classifiers.
	account(o *Options, e *Extent, r *budget.Run)
	// train trains a model from prepared options. It prepares the kernels itself.
	train(ctx context.Context, t *classifierTrainer) (*predict.Model, chunking.Status, error)
}

// wingTraits are properties of a wing.
type wingTraits struct {
	name string // for rejections of options that do not go with the wing; empty if all do
	// stream is the reason why a stream of rows cannot be trained on; empty if it can.
	stream string
	// kind is the decomposition whose classifiers the columns become in the model. It is empty if that is
	// p.Multiclass. decompose finds its classes; nil is the usual way.
	kind      string
	decompose func(labelledRows) (*decomposition, error)
	// classColumns is true for a column of dual variables for each class, and componentColumns for one for
	// each component of a mixture.
	classColumns, componentColumns bool
	// regressors is the number of regressors of several quantiles, 0 for others.
	regressors int
}

// wing returns the family of the problem.
func (p *Problem) wing() wing {
	switch {
	case model.HasDiscriminant(p.Task):
		return discriminantWing{}
	case model.HasComponents(p.Task):
		return mixtureWing{}
	case model.HasPairs(p.Task):
		return rankingWing{}
	case p.Multiclass == model.SingleClassifier:
		return singleWing{}
	case p.Multiclass == model.Quantiles:
		return quantilesWing{}
	case model.GivesHazards(p.Task):
		return coxWing{}
	}
	return plainWing{}
}

// traits returns the properties of the wing of the problem.
func (p *Problem) traits() wingTraits { return p.wing().traits(p) }

// plainWing is the wing of classifiers and regressors with one column of dual variables each.
type plainWing struct{}

func (plainWing) traits(*Problem) wingTraits             { return wingTraits{} }
func (plainWing) facts(*Options) []Fact                  { return nil }
func (plainWing) account(*Options, *Extent, *budget.Run) {}
func (plainWing) train(ctx context.Context, t *classifierTrainer) (*predict.Model, chunking.Status, error) {
	return t.trainDecomposed(ctx, func(ctx context.Context, d *decomposition) (*predict.Model, chunking.Status, error) {
		if t.Options.Problem.OneTheta {
			return t.trainJointly(ctx, d)
		}
		return (&turns{classifierTrainer: t, d: d}).train(ctx)
	})
}
