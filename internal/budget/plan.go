package budget

import (
	"errors"

	"bigmkl/cache"
	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/kernelspec"
	"bigmkl/kernels"
)

// Plan holds the needs of a run. The run itself shares its budgets out by it, so what a user is
// told beforehand is what happens.
type Plan struct {
	dataset.Size
	// Kernels is the number of kernels M. Kernels of a group share what is computed of their
	// points.
	Kernels, Groups int
	// WorkingSet is the number q of points in a working set.
	WorkingSet int
	// Whole is the number of points up to which steps of all points may take the place of working sets: all of them, or 0.
	// It depends on rows, kernels and options, and on no budget, because models do.
	Whole int
	// Classifiers is the number of several classifiers, and 0 if there is only one. Together
	// means that they are columns of dual variables of one problem, and not trained one after the
	// other.
	Classifiers  int
	Together     bool
	Memory, Disk Share
	Checkpoints  Checkpoints
	// Exchange is what ranks send each other. It is nil if there is one process.
	Exchange *Exchange
	// Values is how long a value of each kernel takes relative to the cheapest. It is nil unless it
	// was asked for. See Run.RelativeTimes.
	Values []float64
	// Expanded lists the kernels one by one. It is nil unless times were asked for.
	Expanded *kernelspec.Bank
	// Time is zero unless it was asked for. See Run.Forecast.
	Time   Forecast
	stages stages
}

// Plan shares the budgets out for the points of a store and the kernels k. It rejects nothing: see
// Plan.Check.
func (r *Run) Plan(store *dataset.Store, k *kernels.Bank) *Plan {
	p := &Plan{
		Size: store.Size(), Kernels: k.Len(), Groups: len(k.Groups),
		WorkingSet: r.Pairs.setPoints(&r.Tuning, store.Len()), Classifiers: r.Several.Classifiers,
		Together: r.Columns, Whole: largest{r, store.Len(), k}.whole(),
	}
	p.Memory, p.stages = r.memory(store, k)
	p.Disk = r.disk(p.Size, p.Kernels, k.Multiplied(), p.Memory.Gradients == 0)
	if r.Cache == cache.Never {
		p.Memory.Rows, p.Disk.Rows, p.stages.rows, p.stages.doubleRows = 0, 0, 0, 0
	}
	// With more memory the gradients would not be on disk.
	inside := p.Disk
	if p.Disk.Gradients > 0 {
		inside = r.disk(p.Size, p.Kernels, k.Multiplied(), false)
	}
	p.Disk.InCore = inside.Least
	p.Disk.Ample = p.Disk.Least + cache.DiskBudget(rowsBytes(k, store.Len(), r.Double))
	p.Checkpoints = r.checkpoints(store.Len(), p.Kernels)
	p.Exchange = r.exchange(store.Len(), p.Kernels)
	// The index of the row cache, in memory and on disk, lives in the heap as well.
	row := 4 * padded(store.Len())
	p.stages.heap[Single] += cache.HeapBytes(cache.Options{
		RowBytes: row, Memory: p.stages.rows, Disk: p.Disk.Rows, Mode: r.Cache})
	p.stages.heap[Double] += cache.HeapBytes(cache.Options{
		RowBytes: 2 * row, Memory: p.stages.doubleRows, Disk: p.Disk.Rows, Mode: r.Cache})
	return p
}

// Heap returns what the Go heap may take of the memory in one of the stages Normalizing, Single and
// Double, in bytes.
func (p *Plan) Heap(stage int) int64 { return p.stages.heap[stage] }

// Check returns an error of class fail.Budget if a budget is too small. Training ends with the same
// error.
func (p *Plan) Check() error {
	return errors.Join(p.Memory.Reject("memory"), p.Disk.Reject("disk"))
}

// Raise raises the budgets of a plan to the budgets of another training, where that needs more. err is the error of
// planning it. If that is an Exceeded, the training needs what was exceeded. Raise returns any other error.
func (p *Plan) Raise(by *Plan, err error) error {
	var e *Exceeded
	switch {
	case errors.As(err, &e) && e.What == "memory":
		by = &Plan{Memory: *e.Share}
	case errors.As(err, &e):
		by = &Plan{Disk: *e.Share}
	case err != nil:
		return err
	}
	if by.Memory.Least > p.Memory.Least {
		p.Memory = by.Memory
	}
	if by.Disk.Least > p.Disk.Least {
		p.Disk = by.Disk
	}
	return nil
}

// Gradient returns the options of a gradient. Classifiers that are trained together have a gradient
// each, and equal parts of the memory and of the disk.
func (p *Plan) Gradient(r *Run) gradient.Options {
	parts := r.together()
	return gradient.Options{
		Threads: r.Threads, Shards: r.Shards, Memory: p.Memory.Gradients / parts,
		Scratch: r.Scratch, DoubleRows: p.stages.doubleRows / parts,
		Cache: cache.Options{
			Memory: p.stages.rows / parts, Disk: p.Disk.Rows / parts, Dir: r.Scratch,
			Mode: r.Cache,
		},
	}
}
