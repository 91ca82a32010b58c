package budget

import (
	"errors"

	"bigmkl/cache"
	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/kernels"
)

// Plan is what a run takes, as the run itself shares it out.
type Plan struct {
	dataset.Size
	Kernels, Groups int // groups of kernels share what is computed of their points
	WorkingSet      int
	Machines        int // of several, else 0
	Memory, Disk    Share
	Checkpoints     Checkpoints
	Time            Forecast // zero unless it was asked for, see Run.Forecast
	stages          stages
}

// Plan shares the budgets out for a store.
func (r *Run) Plan(store *dataset.Store, k *kernels.Bank) *Plan {
	p := &Plan{Size: store.Size(), Kernels: k.Len(), Groups: len(k.Groups), WorkingSet: r.Tuning.Size(store.Len()), Machines: r.Several.Machines}
	p.Memory, p.stages = r.memory(store, k)
	p.Disk = r.disk(p.Size, p.Kernels, k.Multiplied(), p.Memory.Gradients == 0)
	if r.Cache == cache.Never {
		p.Memory.Rows, p.Disk.Rows, p.stages.rows, p.stages.doubleRows = 0, 0, 0, 0
	}
	inside := p.Disk
	if p.Disk.Gradients > 0 {
		inside = r.disk(p.Size, p.Kernels, k.Multiplied(), false)
	}
	p.Disk.InCore = inside.Least
	p.Disk.Ample = p.Disk.Least + cache.DiskBudget(rowsBytes(k, store.Len(), r.Double))
	p.Checkpoints = r.checkpoints(store.Len(), p.Kernels)
	row := 4 * padded(store.Len())
	p.stages.heap[Single] += cache.HeapBytes(cache.Options{RowBytes: row, Memory: p.stages.rows, Disk: p.Disk.Rows, Mode: r.Cache})
	p.stages.heap[Double] += cache.HeapBytes(cache.Options{RowBytes: 2 * row, Memory: p.stages.doubleRows, Disk: p.Disk.Rows, Mode: r.Cache})
	return p
}

// Heap is what the Go heap may take of the memory in a stage, in bytes.
func (p *Plan) Heap(stage int) int64 { return p.stages.heap[stage] }

// Check refuses budgets that are too small: a fail.Budget, as training gives it.
func (p *Plan) Check() error {
	return errors.Join(p.Memory.Refuse("memory"), p.Disk.Refuse("disk"))
}

// Gradient gives the options of the gradients. Of several machines that are trained together each
// gets an equal part.
func (p *Plan) Gradient(r *Run) gradient.Options {
	parts := r.together()
	return gradient.Options{
		Threads: r.Threads, Shards: r.Shards, Memory: p.Memory.Gradients / parts, Scratch: r.Scratch, DoubleRows: p.stages.doubleRows / parts,
		Cache: cache.Options{Memory: p.stages.rows / parts, Disk: p.Disk.Rows / parts, Dir: r.Scratch, Mode: r.Cache},
	}
}
