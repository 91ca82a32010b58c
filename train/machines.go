package train

import (
	"context"
	"time"

	"bigmkl/chunking"
	"bigmkl/model"
	"bigmkl/predict"
)

// trainModel trains a model of the rows. ctx asks the run to end, and the context hard of the run
// cuts what is then still in progress.
func (t *machineTrainer) trainModel(ctx context.Context) (*predict.Model, *Result, error) {
	m, status, err := t.trainMachines(ctx)
	t.result.conclude(m, status, t.Options.Solver.Gap)
	// A matrix that changed under the run outweighs any other error, and spoils a model.
	if err = t.Check(err); err != nil {
		m = nil
	}
	t.result.Train = time.Since(t.start)
	return m, t.result, t.describeEnd(ctx, err)
}

// trainMachines decides from the options and the labels whether there is one machine or several,
// and trains them. The status says why the solver stopped; for several machines it is the most
// severe one.
//
// The order of the steps matters: faults of the problem are found before the kernels are prepared,
// and faults of the norm before the kernels are normalised, which can take minutes.
func (t *machineTrainer) trainMachines(ctx context.Context) (
	*predict.Model, chunking.Status, error) {
	d, err := t.labelled().decompose(&t.warnings)
	if err != nil {
		return nil, "", err
	}
	t.split(d, t.Store)
	if d != nil {
		if err := t.prepareSeveral(ctx, d); err != nil {
			return nil, "", err
		}
		if t.Options.Problem.Task == model.TaskRKDA {
			return t.trainDiscriminant(ctx, d)
		}
		if t.Options.Problem.Multiclass == model.SingleMachine {
			return t.trainSingle(ctx, d)
		}
		if t.Options.Problem.OneTheta {
			return t.trainJointly(ctx, d)
		}
		return t.trainInTurn(ctx, d)
	}
	if model.HasComponents(t.Options.Problem.Task) {
		return t.trainMixture(ctx)
	}
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
