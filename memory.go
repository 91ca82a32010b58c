package bigmkl

import (
	"os"

	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/internal/machine"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// setBudgets fills in the memory and disk budgets that were left open.
func (o *Options) setBudgets() error {
	if o.Scratch == "" {
		o.Scratch = os.TempDir()
	}
	if o.Memory == 0 {
		o.Memory = machine.Memory() / 10 * 7
		if o.Memory == 0 {
			o.Memory = 4 << 30
		}
	}
	if o.Disk == 0 {
		free, _, err := files.Space(o.Scratch)
		if err != nil {
			return files.OwnFault("cannot use the scratch folder", o.Scratch, err)
		}
		o.Disk = free / 4
	}
	return nil
}

// plan shares the memory budget out. All figures are bytes of anonymous memory.
type plan struct {
	fixed     int64 // what a run of this shape takes whatever the budget
	gradients int64 // of the gradients, if they are to be in memory
	rows      int64 // for the row cache
}

const (
	runtimeBytes    = 12 << 20 // the program, its stacks and the runtime's own tables
	bytesPerPoint   = 96       // vectors of the solver, the loss and the gradient, classes and weights, lists of points
	bytesPerFeature = 100      // mean, scaling, what the survey finds, vectors of the linear kernels
	bytesPerKernel  = 300      // vectors of the solver, descriptions, weights
	bytesPerGroup   = 800      // its description, its part in a pass, and what packed rows are kept in
)

// A heap is larger than what lives in it: by slack if the collector runs all the time. Undisturbed it grows to twice as much,
// for which half of what the budget has left is set aside.
const slack = 1.15

// plan computes the shares for the points of a store.
func (o *Options) plan(store *dataset.Store, b *kernels.Bank) plan {
	n := store.Len()
	live := o.live(store, b)
	p := plan{fixed: runtimeBytes + int64(slack*float64(live))}
	free := max(o.Memory-p.fixed, 0)
	free -= min(int64((2-slack)*float64(live)), free/2)
	// The gradients of the active points are copied while others sleep: at most 0.6 of them.
	size := (int64(n) + simd.Width) * int64(b.Len()) * 8
	size += size * 3 / 5
	if size <= free/2 {
		p.gradients = size
		free -= size
	}
	p.rows = free
	return p
}

// live is what the heap holds at the busiest moment.
func (o *Options) live(store *dataset.Store, b *kernels.Bank) int64 {
	q := o.Tuning.Size(store.Len())
	double := o.Precision != string(chunking.Single) || o.Norm > 2
	training := 4*8*int64(q)*int64(q) + gradient.Footprint(store, b, q, o.Threads, double) // the quadratic model, and what solves it
	tables := tableBytes(store) + bytesPerKernel*int64(b.Len()) + bytesPerGroup*int64(len(b.Groups))
	for i := range b.Groups {
		tables += 4 * int64(len(b.Groups[i].Features))
	}
	if o.Normalize == "multiplicative" {
		training = max(training, kernels.NormalizeBytes(b, store, o.Threads))
	}
	return tables + training
}

// tableBytes is what is known of points and features.
func tableBytes(store *dataset.Store) int64 {
	return bytesPerPoint*int64(store.Len()) + bytesPerFeature*int64(store.Dim())
}

// fits refuses a budget that cannot hold even the tables.
func (o *Options) fits(store *dataset.Store) error {
	return plan{fixed: runtimeBytes + int64(slack*float64(tableBytes(store)))}.check(o.Memory)
}

// check refuses a budget that cannot hold the fixed part.
func (p plan) check(budget int64) error {
	if p.fixed <= budget {
		return nil
	}
	return fail.New(fail.Budget, "a run of this shape takes %d MiB of memory, the budget is %d MiB", (p.fixed+1<<20-1)>>20, budget>>20).
		WithHint("the least that does is --memory %dMiB", (p.fixed+1<<20-1)>>20)
}

func (p plan) gradient(o *Options) gradient.Options {
	return gradient.Options{
		Threads: o.Threads, Shards: o.Shards, Memory: p.gradients, Scratch: o.Scratch,
		Cache: cache.Options{Memory: p.rows, Disk: o.Disk, Dir: o.Scratch, Mode: o.Cache},
	}
}
