package bigmkl

import (
	"os"

	"bigmkl/cache"
	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/fail"
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
		free, err := machine.FreeDisk(o.Scratch)
		if err != nil {
			return fail.New(fail.Usage, "scratch folder: %w", err).At(o.Scratch, 0, 0)
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
	runtimeBytes   = 12 << 20 // the program, its stacks and the runtime's own tables
	bytesPerPoint  = 45       // vectors of the solver, the loss and the gradient
	bytesPerKernel = 200      // vectors of the solver, kernel descriptions, weights
	garbage        = 1.3      // what the collector lets lie before it runs, of what is made anew in each iteration
)

// plan computes the shares for the points of a store.
func (o *Options) plan(store *dataset.Store, b *kernels.Bank) plan {
	n, d := store.Len(), store.Dim()
	q := int64(o.Tuning.Size(n))
	rows, features := int64(0), int64(0)
	for i := range b.Groups {
		rows = max(rows, int64(kernels.RowsSize(&b.Groups[i], int(q))))
		features += int64(len(b.Groups[i].Features)) * 4
	}
	vectors := bytesPerPoint*int64(n) + bytesPerKernel*int64(b.Len()) + features
	heap := q*int64(d)*4*3 + 4*q*q*8                       // points of the working set, its panels, quadratic model
	heap += int64(o.Threads) * (rows*8 + q*simd.Width*8*2) // packed rows and tiles, float64
	if store.Sparse() {
		heap += int64(o.Threads) * simd.Width * int64(d) * 4 // panels that are filled
	}
	p := plan{fixed: runtimeBytes + vectors + int64(garbage*float64(heap))}
	free := max(o.Memory-p.fixed, 0)
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
		Threads: o.Threads, Memory: p.gradients, Scratch: o.Scratch,
		Cache: cache.Options{Memory: p.rows, Disk: o.Disk, Dir: o.Scratch, Mode: o.Cache},
	}
}
