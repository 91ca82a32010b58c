package train

import (
	"context"
	"time"

	"bigmkl/chunking"
	"bigmkl/predict"
)

// trainModel trains a model of the rows. ctx asks the run to end, and the context hard of the run
// cuts what is then still in progress.
func (t *classifierTrainer) trainModel(ctx context.Context) (*predict.Model, *Result, error) {
	m, status, err := t.Options.Problem.wing().train(ctx, t)
	t.result.conclude(m, status, t.Options.Solver.Gap)
	// A matrix that changed under the run outweighs any other error, and spoils a model.
	if err = t.Check(err); err != nil {
		m = nil
	}
	t.result.Train = time.Since(t.start)
	return m, t.result, t.describeEnd(ctx, err)
}

// trainDecomposed trains the classifiers of the decomposition, once their kernels are prepared, by the given function.
// Without a decomposition it trains one classifier, which rejects too few classes with the reason.
func (t *classifierTrainer) trainDecomposed(ctx context.Context,
	several func(context.Context, *decomposition) (*predict.Model, chunking.Status, error)) (*predict.Model, chunking.Status, error) {
	d, err := t.labelled().decompose(&t.warnings)
	if err != nil {
		return nil, "", err
	}
	if t.split(d, t.Store); d == nil {
		return t.trainAlone(ctx)
	}
	if err := t.prepareSeveral(ctx, d); err != nil {
		return nil, "", err
	}
	return several(ctx, d)
}

// trainAlone trains one classifier or regressor.
//
// The order of the steps matters: faults of the problem are found before the kernels are prepared,
// and faults of the norm before the kernels are normalised, which can take minutes.
func (t *classifierTrainer) trainAlone(ctx context.Context) (*predict.Model, chunking.Status, error) {
	loss, err := t.labelled().loss()
	if err != nil {
		return nil, "", err
	}
	if err := t.prepareKernels(ctx); err != nil {
		return nil, "", err
	}
	if _, err := t.norms().regularizer(); err != nil {
		return nil, "", err
	}
	if err := t.planAndNormalize(ctx); err != nil {
		return nil, "", err
	}
	norm, err := t.norms().regularizer() // A rule has found the weights by now.
	if err != nil {
		return nil, "", err
	}
	g, err := t.makeGradients(t.Store, nil)
	if err != nil {
		return nil, "", err
	}
	defer g.Close()
	p := problem{loss: loss, norm: norm, start: t.makeStart(g, problem{loss: loss}, nil)}
	s, err := t.trainOne(ctx, g, p, nil)
	if err != nil {
		return nil, "", err
	}
	// The model takes memory of its own, which the budget has only after the gradients are gone.
	if err := t.releaseGradients(g); err != nil {
		return nil, s.status, err
	}
	m, err := t.assembler().modelOfOne(s, t.calibration)
	return m, s.status, err
}

// prepareSeveral prepares what all classifiers share, and counts their points.
func (t *classifierTrainer) prepareSeveral(ctx context.Context, d *decomposition) error {
	if err := t.prepareKernels(ctx); err != nil {
		return err
	}
	// A norm that does not go with the kernels is rejected before the normalisation, which takes
	// longer.
	if _, err := t.norms().regularizer(); err != nil {
		return err
	}
	if err := t.planAndNormalize(ctx); err != nil {
		return err
	}
	t.result.Sides = d.sides(t.Store)
	return nil
}
