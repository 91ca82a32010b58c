package budget

import (
	"context"
	"errors"
	"fmt"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/kernelspec"
	"bigmkl/kernels"
)

// What a run takes is counted with its points and kernels at hand. Where not even the tables of
// these fit a budget, the account is taken from an outline: the numbers of points, features and
// kernels alone. It states what a run takes at most, so the budget that a rejection names is sure to
// do.

// Outline is a run whose points or kernels are not at hand.
type Outline struct {
	Run
	// Specs are the specifications of the kernels, and Kernels what their preparation needs
	// besides.
	Specs   []string
	Kernels kernels.PrepareOptions
	// Multiclass is one of model.Multiclasses. It is "" for one classifier.
	Multiclass string

	// Components is what the components of tasks med and mixture, or the regressors of several quantiles, take
	// on so many points and kernels. It is nil for others.
	Components func(points, kernels int) Effort

	// QuasiNewton reports, once the kernels are known, whether every step of the run moves all
	// points.
	QuasiNewton func(b *kernels.Bank) bool

	// Account returns what the run takes of the memory. If it is nil, the run is a training.
	Account func(r *Run, points kernels.Points, b *kernels.Bank) Share
}

// Countable reports whether what a run takes can be counted with its points at hand: the tables of
// points and features must fit the allowance.
func (o *Outline) Countable(store *dataset.Store) bool {
	live := bytesRead*int64(store.Len()) + bytesPerFeature*int64(store.Dim())
	return anonymous(live) <= Allowance(o.Memory)
}

// Reject returns an error of class fail.Budget if the memory budget is too small by an outline of
// the points, and nil if it does.
func (o *Outline) Reject(store *dataset.Store) error {
	lengths := dataset.Lengths(nil)
	if store.Sparse() {
		lengths = dataset.Lengths{}
		for i := range store.Len() {
			index, _ := store.Nonzeros(i)
			lengths.Add(len(index))
		}
	}
	memory, _, err := o.shares(store.Size(), lengths, store.Classes())
	if err != nil {
		return err
	}
	return memory.Reject("memory")
}

// RejectReading returns the error of class fail.Budget about rows that exceed the memory budget while they are
// read, as they take so many bytes then. The budget that it names does for the run, of points of this size.
func (o *Outline) RejectReading(bytes int64, size dataset.Size, classes []string) error {
	memory, _, err := o.shares(size, nil, classes)
	if err != nil {
		return err
	}
	memory.Least = max(memory.Least, leastReading(bytes))
	return memory.Reject("memory")
}

// TooLarge turns the error of data that did not fit a budget while they were read into one that
// names the budget of the whole run. Otherwise the user would raise the budget step by step: for
// reading first, then for the training. Other errors are returned as they are.
func (o *Outline) TooLarge(read error) error {
	var t *dataset.TooLarge
	if !errors.As(read, &t) {
		return read
	}
	memory, disk, err := o.shares(t.Size, t.Lengths, t.Classes)
	if err != nil {
		return err
	}
	if t.Memory > 0 {
		if err := memory.Reject("memory"); err != nil {
			return err
		}
	}
	if err := disk.Reject("disk"); err != nil {
		return err
	}
	return t
}

// shares counts what a run takes at most. lengths states how many values points have that are
// stored sparsely.
func (o *Outline) shares(size dataset.Size, lengths dataset.Lengths, classes []string) (memory,
	disk Share, err error) {
	// Widths have no influence on what kernels take, so any will do for medians.
	one := func([]int32, kernelspec.Kind) (float64, error) { return 1, nil }
	expanded, err := kernelspec.Expand(o.Specs, kernelspec.Context{
		Features: o.Kernels.PlainFeatures(size.Features), Flags: o.Kernels.Flags,
		Views: o.Kernels.Views, Sequences: o.Kernels.Sequences,
		Seed: o.Kernels.Seed, Regions: o.Kernels.Regions, Gated: o.Kernels.Gated,
		Objects: o.Kernels.Objects != nil, Outline: o.Kernels.Objects == nil, // Sets of objects are few, and have to be theirs.
		Median: one, Mean: one,
		Nearest: func([]int32) (float64, error) { return 1, nil },
	})
	if err != nil {
		return memory, disk, err
	}
	points := &kernels.Outline{N: size.Rows, D: size.Features}
	if size.Sparse {
		points.Lengths = lengths
	}
	shape := kernels.Shape{
		Features: size.Features, Sparse: size.Sparse, Outline: true,
		Uncentred: o.Kernels.Uncentred,
	}
	if o.Kernels.Objects != nil {
		shape.Lookups = kernels.NewLookups(o.Kernels.Objects, expanded, kernels.LookupOptions{
			Users: o.Kernels.Users, Memory: kernels.LookupMemory(o.Kernels.Memory), Outline: true})
	}
	b, err := kernels.NewBank(context.Background(), expanded, shape, o.Kernels.Normalizer,
		make([]*npy.Matrix, len(expanded.Files)), o.Kernels.Users)
	if err != nil {
		return memory, disk, err
	}
	run := o.Run
	run.Several = mostEffort(o.Multiclass, classes, size.Rows, o.Columns)
	if o.Components != nil {
		run.Several = o.Components(size.Rows, b.Len()+expanded.Omitted.Kernels)
	}
	run.QuasiNewton = o.QuasiNewton(b)
	// The expansion lists only some of very many kernels and sets, and counts the others.
	left := expanded.Omitted
	run.omitted = (BytesPerKernel+16*int64(run.Several.Classifiers)+run.normBytes(1, 0))*
		int64(left.Kernels) + BytesPerGroup*int64(left.Sets) + 4*left.Elements
	if left.Sets > 0 {
		run.omitted += omittedRows * run.together()
	}
	if o.Account != nil {
		memory = o.Account(&run, points, b)
	} else {
		memory, _ = run.memory(points, b)
	}
	memory.Outlined = fmt.Sprintf("%d points of %d features", size.Rows, size.Features)
	disk = run.disk(size, b.Len()+left.Kernels, b.Multiplied(), memory.Gradients == 0)
	return memory, disk, nil
}

// omittedRows bounds what kernels over some hundreds of further sets take beside their
// descriptions, in bytes. It is the same for any number of sets, because the rows of all groups are
// not kept at the same time.
const omittedRows = 64 << 20
