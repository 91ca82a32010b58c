package bigmkl

import (
	"context"
	"time"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/train"
)

// cut checks the options, fills in their defaults, and cuts them into what each room below takes.
func (o Options) cut() (train.Options, error) {
	if err := o.Validate(); err != nil {
		return train.Options{}, err
	}
	o.setDefaults()
	r := &o.Regularizer
	return train.Options{
		Data: train.Data{
			Scale: o.Scale, Layout: o.Store, Views: o.Views, Sequences: o.Sequences, Positive: o.Positive, Limit: o.Limit,
		},
		Kernels: train.Kernels{Specs: o.Kernels, Normalize: o.Normalize, Users: o.UserKernels},
		Problem: train.Problem{
			Task: o.Task, Multiclass: o.Multiclass, OneTheta: o.OneTheta, C: o.C, Epsilon: o.Epsilon, Nu: o.Nu, ClassWeight: o.ClassWeight,
		},
		Norm: train.Norm{
			P: o.Norm, GroupNorm: r.GroupNorm, ElasticNet: r.ElasticNet, SquaredNorm: r.SquaredNorm, Interaction: r.Interaction, Weights: r.Weights,
		},
		Solver: train.Solver{Method: o.Solver, Gap: o.Gap, Precision: chunking.Precision(o.Precision), Tuning: o.Tuning, Rule: o.Rule},
		Seed:   o.Seed, Folds: o.Folds, Init: o.Init,
		Budget: budget.Options{
			Memory: o.Memory, Disk: o.Disk, Scratch: o.Scratch, Cache: o.Cache, Threads: o.Threads, Shards: o.Shards, Checkpoint: o.Checkpoint,
			HeapKept: o.Heap != nil,
		},
		Limits:     o.limits(),
		Checkpoint: train.Checkpoint{Every: o.CheckpointEvery, Resume: o.Resume},
		Recorder:   o.Recorder, Heap: o.Heap,
	}, nil
}

// limits are when a run is to end before it has reached its gap.
func (o *Options) limits() train.Limits {
	return train.Limits{Iterations: o.MaxIterations, Time: o.MaxTime, Grace: o.Grace}
}

// Cut gives the context of what a run does once it has been asked to end, the writing of its model
// included: it is done when Grace has passed after the end of ctx or, if that is later, a tenth of
// MaxTime after the limit of time of a run that has begun then. Without a Grace it is never done.
// stop gives it up.
func (o Options) Cut(ctx context.Context, began time.Time) (hard context.Context, stop func()) {
	return o.limits().Cut(ctx, began)
}
