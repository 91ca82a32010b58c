package budget

import (
	"errors"
	"fmt"

	"bigmkl/dataset"
	"bigmkl/dataset/npy"
	"bigmkl/kernels"
	"bigmkl/kernelspec"
)

// What a run takes is counted with its points and kernels at hand. Where not even what is known of
// these fits a budget, the account is taken from an outline of them: it says what a run takes at
// most, so that the budget that a refusal names does.

// Outline is a run whose points or kernels are not at hand.
type Outline struct {
	Run
	Specs      []string // of the kernels
	Kernels    kernels.PrepareOptions
	Multiclass string // decomposition into several machines; "" is one

	// QuasiNewton tells, once the kernels are known, whether the run makes steps of all points.
	QuasiNewton func(b *kernels.Bank) bool

	// Account is what the run takes of the memory; nil: what a training takes.
	Account func(r *Run, points kernels.Points, b *kernels.Bank) Share
}

// Countable tells whether what a run takes can be counted with its points at hand.
func (o *Outline) Countable(store *dataset.Store) bool {
	return anonymous(bytesRead*int64(store.Len())+bytesPerFeature*int64(store.Dim())) <= Allowance(o.Memory)
}

// Refuse refuses the memory budget by an outline of the points, or is nil if that fits.
func (o *Outline) Refuse(store *dataset.Store) error {
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
	return memory.Refuse("memory")
}

// TooLarge words the error of data that did not fit a budget while they were read as that of the
// whole run. Other errors stay what they are.
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
		if err := memory.Refuse("memory"); err != nil {
			return err
		}
	}
	if err := disk.Refuse("disk"); err != nil {
		return err
	}
	return t
}

// shares counts what a run takes at most, for points of so many values each.
func (o *Outline) shares(size dataset.Size, lengths dataset.Lengths, classes []string) (memory, disk Share, err error) {
	one := func([]int32, kernelspec.Kind) (float64, error) { return 1, nil }
	expanded, err := kernelspec.Expand(o.Specs, kernelspec.Context{
		Features: size.Features, Views: o.Kernels.Views, Sequences: o.Kernels.Sequences, Seed: o.Kernels.Seed, Outline: true, Median: one, Mean: one,
	})
	if err != nil {
		return memory, disk, err
	}
	points := &kernels.Outline{N: size.Rows, D: size.Features}
	if size.Sparse {
		points.Lengths = lengths
	}
	shape := kernels.Shape{Features: size.Features, Sparse: size.Sparse, Outline: true, Uncentred: o.Kernels.Uncentred}
	b, err := kernels.NewBank(expanded, shape, o.Kernels.Normalizer, make([]*npy.Matrix, len(expanded.Files)), o.Kernels.Users)
	if err != nil {
		return memory, disk, err
	}
	run := o.Run
	run.Several = mostEffort(o.Multiclass, classes, size.Rows)
	run.QuasiNewton = o.QuasiNewton(b)
	left := expanded.Omitted
	run.omitted = (BytesPerKernel+16*int64(run.Several.Machines)+run.normBytes(1, 0))*int64(left.Kernels) + BytesPerGroup*int64(left.Sets) + 4*left.Elements
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
// descriptions: rows of all groups are not kept.
const omittedRows = 64 << 20
