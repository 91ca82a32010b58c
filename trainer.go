package bigmkl

import (
	"context"

	"bigmkl/internal/train"
)

// Trainer trains on data that keep coming, batch by batch.
type Trainer = train.Trainer

// NewTrainer returns a trainer without rows. Options that a training in one go alone has are of
// class ErrUsage: pairs of classes, probabilities, checkpoints, Init, Limit, precomputed kernels
// and other solvers. Several classifiers, for classes or labels, and several quantiles share the rows. The limits of o hold for each Fit by itself.
func NewTrainer(o Options) (*Trainer, error) {
	cut, err := o.cutAlone()
	if err != nil {
		return nil, err
	}
	return train.NewTrainer(cut)
}

// ResumeTrainer returns the trainer that Trainer.Save has saved in a folder, or one without rows if
// there is none. o has to be what it was made with, budgets and limits apart: other options are of
// class ErrVersion, and a damaged folder of class ErrCorrupt. There is no snapshot before the next
// Fit, which costs little if no rows were added.
func ResumeTrainer(ctx context.Context, folder string, o Options) (*Trainer, error) {
	cut, err := o.cutAlone()
	if err != nil {
		return nil, err
	}
	return train.ResumeTrainer(ctx, folder, cut)
}

// ContinueTrainer returns a trainer that continues from a model of two classes whose rows are
// there no longer: its first rows are the support vectors, with the dual variables, the scaling,
// the widths and the normalisation of the model. The kernels and the task of o have to be the same
// as in the model. Models of other tasks, of several classifiers and with row weights are of class
// ErrUsage.
func ContinueTrainer(ctx context.Context, m *Model, o Options) (*Trainer, error) {
	cut, err := o.cutAlone()
	if err != nil {
		return nil, err
	}
	return train.ContinueTrainer(ctx, m, cut)
}
