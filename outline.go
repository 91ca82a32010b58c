package bigmkl

import (
	"fmt"

	"bigmkl/dataset"
	"bigmkl/dataset/npy"
	"bigmkl/kernels"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// What a run takes is counted with its points and kernels at hand. Where not even what is known of these fits a budget, the account is
// taken from an outline of them: it says what a run takes at most, so that the budget that a refusal names does.

// purpose is what data are read for, which decides what is taken of the memory; nil for a training.
type purpose func(o *Options, points kernels.Points, b *kernels.Bank) Share

// account is what the run takes of the memory.
func (o *Options) account(points kernels.Points, b *kernels.Bank) Share {
	if o.purpose != nil {
		return o.purpose(o, points, b)
	}
	s, _ := o.memory(points, b)
	return s
}

// allowance is the anonymous memory in which the account of a run that does not fit its budget may be taken: less than what a process
// may have for a budget (see docs/RELIABILITY.md).
func allowance(memory int64) int64 {
	memory = min(memory, 1<<60)
	return memory + memory/10 + 40<<20
}

// countable tells whether what a run takes can be counted with its points at hand.
func (o *Options) countable(store *dataset.Store) bool {
	return anonymous(bytesRead*int64(store.Len())+bytesPerFeature*int64(store.Dim())) <= allowance(o.Memory)
}

// refuse refuses a budget by an outline of the points; nil if that fits.
func (o *Options) refuse(store *dataset.Store) error {
	lengths := dataset.Lengths(nil)
	if store.Sparse() {
		lengths = dataset.Lengths{}
		for i := range store.Len() {
			index, _ := store.Nonzeros(i)
			lengths.Add(len(index))
		}
	}
	s, err := o.outline(store.Size(), lengths, store.Classes())
	if err != nil {
		return err
	}
	return s.memory.refuse("memory")
}

// tooLarge words the error of data that did not fit a budget while they were read as that of the whole run.
func (o *Options) tooLarge(t *dataset.TooLarge) error {
	s, err := o.outline(t.Size, t.Lengths, t.Classes)
	if err != nil {
		return err
	}
	if t.Memory > 0 {
		if err := s.memory.refuse("memory"); err != nil {
			return err
		}
	}
	if err := s.disk.refuse("disk"); err != nil {
		return err
	}
	return t
}

// outlined is what a run takes at most.
type outlined struct{ memory, disk Share }

// outline counts it, for points of so many values each.
func (o *Options) outline(size dataset.Size, lengths dataset.Lengths, classes []string) (*outlined, error) {
	specs, err := o.specs()
	if err != nil {
		return nil, err
	}
	one := func([]int32, kernelspec.Kind) (float64, error) { return 1, nil }
	expanded, err := kernelspec.Expand(specs, kernelspec.Context{Features: size.Features, Views: o.Views, Sequences: o.Sequences, Seed: o.Seed, Outline: true, Median: one, Mean: one})
	if err != nil {
		return nil, err
	}
	points := &kernels.Outline{N: size.Rows, D: size.Features}
	if size.Sparse {
		points.Lengths = lengths
	}
	shape := kernels.Shape{Features: size.Features, Sparse: size.Sparse, Outline: true, Uncentred: o.Task == TaskOneClass}
	b, err := kernels.NewBank(expanded, shape, o.normalizer(), make([]*npy.Matrix, len(expanded.Files)), o.UserKernels)
	if err != nil {
		return nil, err
	}
	run := *o
	run.several = o.mostEffort(classes, size.Rows)
	run.Solver = o.choose(b)
	left := expanded.Omitted
	run.omitted = (bytesPerKernel+16*int64(run.several.machines)+run.normBytes(1, 0))*int64(left.Kernels) + bytesPerGroup*int64(left.Sets) + 4*left.Elements
	if left.Sets > 0 {
		run.omitted += omittedRows * run.together()
	}
	s := &outlined{memory: run.account(points, b)}
	s.memory.outlined = fmt.Sprintf("%d points of %d features", size.Rows, size.Features)
	kernels := b.Len() + left.Kernels
	s.disk = run.disk(size, kernels, b.Multiplied(), s.memory.Gradients == 0)
	return s, nil
}

// omittedRows bounds what kernels over some hundreds of further sets take beside their descriptions: rows of all groups are not kept.
const omittedRows = 64 << 20

// mostEffort is what several machines take at most.
func (o *Options) mostEffort(classes []string, n int) effort {
	switch {
	case o.Multiclass == "":
		return effort{}
	case o.Multiclass == MultiLabel:
		classes, _ = dataset.LabelSets(classes)
	case len(classes) < 3:
		return effort{}
	}
	k := int64(len(classes))
	e := effort{machines: len(model.Pairs(o.Multiclass, len(classes))), points: k * int64(n)}
	if o.Multiclass == OneVsOne {
		e.largest = n
	}
	return e
}
