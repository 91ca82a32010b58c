package bigmkl

import (
	"context"
	"time"

	"bigmkl/chunking"
	"bigmkl/internal/budget"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/train"
)

// Users see one flat Options, in which a field is easy to find. The packages below see only the
// part that concerns them, so an option can be added for one of them without touching the others.
// This file is the only place that knows both.

// Parts checks the options, fills in their defaults, and splits them into the parts that the packages
// below take.
func (o Options) Parts() (train.Options, error) {
	if err := o.Validate(); err != nil {
		return train.Options{}, err
	}
	o.setDefaults()
	r := &o.Regularizer
	loss := o.lossSettings()
	if o.eventTau {
		loss.Tau = 0 // until the rows have been read
	}
	gates, err := o.gates()
	if err != nil {
		return train.Options{}, err
	}
	return train.Options{
		Data: train.Data{
			Scale: o.Scale, Impute: o.Impute, Layout: o.Store, Views: o.Views, Sequences: o.Sequences,
			Positive: o.Positive, Limit: o.Limit, Missing: o.Missing, Objects: o.Objects,
		},
		Kernels: train.Kernels{Specs: o.Kernels, Normalize: o.Normalize, Users: o.UserKernels},
		Problem: train.Problem{
			Task: o.Task, Multiclass: severalKind(o.Multiclass, o.Taus), OneTheta: o.OneTheta,
			LossSettings: loss, Taus: o.Taus, C: o.C, CostInUnits: o.unitCost, NumbersInUnits: o.unitNumbers, TauOfEvents: o.eventTau,
			JointCost: o.JointCost, ClassWeight: o.ClassWeight,
			Posteriors: o.Posteriors, Lambda: o.Lambda, DiscriminantRule: o.DiscriminantRule,
		},
		Norm: train.Norm{
			P: o.Norm, Regularizer: *r.settings(), CostPower: o.costPower(),
			Rule: r.rule(), RuleSample: r.RuleSample, RuleFolds: r.ruleFolds(),
		},
		Solver: train.Solver{
			Method: o.Solver, Gap: o.Gap, Precision: chunking.Precision(o.Precision),
			Tuning: o.Tuning, Rule: o.Rule,
		},
		Gating: gates, Mixture: o.mixture(),
		Seed: o.Seed, Folds: o.Folds, FoldGroups: o.FoldGroups, SharedFolds: o.SharedPreparation || o.RowFiles() != "", Init: o.Init,
		Budget: budget.Options{
			Memory: o.Memory, Disk: o.Disk, Scratch: o.Scratch, Cache: o.Cache, Threads: o.Threads,
			Shards: o.Shards, Checkpoint: o.Checkpoint, Kept: o.Kept,
			HeapKept: o.Heap != nil, // The account reserves room for a heap that nobody limits.
		},
		Limits:     o.limits(),
		Checkpoint: train.Checkpoint{Every: o.CheckpointEvery, Resume: o.Resume},
		Recorder:   o.Recorder, Heap: o.Heap, Team: o.Team,
	}, nil
}

// cutAlone is Parts for what several ranks cannot do together.
func (o Options) cutAlone() (train.Options, error) {
	if !o.Team.Alone() {
		return train.Options{}, fail.New(fail.Usage, "%d ranks train models and paths: "+
			"rows that keep coming and selections are for one process", o.Team.Size())
	}
	return o.Parts()
}

// limits returns the limits that end a run before it has reached its gap.
func (o *Options) limits() train.Limits {
	return train.Limits{Iterations: o.MaxIterations, Time: o.MaxTime, Grace: o.Grace}
}

// Cut returns the context of everything that a run still does after it was asked to end, the
// writing of its model included. That context is done when Grace has passed since the end of ctx.
// At the time limit of a run that began at began, it is done a Grace later or, if that is more, a
// tenth of MaxTime later. If Grace equals zero, it is never done. stop ends the goroutine that
// watches the time.
func (o Options) Cut(ctx context.Context, began time.Time) (hard context.Context, stop func()) {
	return o.limits().Cut(ctx, began)
}

// severalKind returns the kind of several classifiers or, for several quantiles, of several regressors.
func severalKind(multiclass string, taus []float64) string {
	if taus != nil {
		return model.Quantiles
	}
	return multiclass
}
