package bigmkl

import "bigmkl/train"

// Trainer trains on data that keep coming, batch by batch.
type Trainer = train.Trainer

// NewTrainer returns a trainer without rows. Options that a training in one go alone has are of class
// ErrUsage: several machines, probabilities, checkpoints, Init, Limit, precomputed kernels and other
// solvers. The limits of o hold for each Fit by itself.
func NewTrainer(o Options) (*Trainer, error) {
	cut, err := o.cut()
	if err != nil {
		return nil, err
	}
	return train.NewTrainer(cut)
}
