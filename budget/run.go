package budget

import (
	"os"
	"time"

	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/chunking/rule"
	"bigmkl/internal/files"
	"bigmkl/internal/host"
)

// Options are the budgets of a run and what it computes with. No result depends on them.
type Options struct {
	Memory     int64      // bytes; 0 is 70 % of what the computer or its cgroup has, see SetDefaults
	Disk       int64      // bytes of all scratch files; 0 leaves it open, see SetDefaults
	MostDisk   int64      // bytes that Disk may grow to, where it was left open; else Disk
	Scratch    string     // folder of scratch files; "" is the system's
	Cache      cache.Mode // which base rows are kept
	Threads    int        // at least 1
	Shards     int        // ranges of points that the threads take by turns; 0 is as many as sums are cut into
	Checkpoint string     // folder of checkpoints; "" is none

	// HeapKept says that the Go heap is kept to its share of the memory. Otherwise room is left for
	// a heap that grows to twice of what lives in it.
	HeapKept bool
}

// NoDisk is a disk budget in which nothing fits, in bytes; 0 leaves the budget open.
const NoDisk = 1

// SetDefaults fills in the budgets that were left open, from the computer and its disk.
func (o *Options) SetDefaults() error {
	if o.Scratch == "" {
		o.Scratch = os.TempDir()
	}
	if o.Memory == 0 {
		o.Memory = host.Budget()
	}
	o.MostDisk = o.Disk
	if o.Disk == 0 {
		free, _, err := files.Space(o.Scratch)
		if err != nil {
			return files.OwnFault("cannot use the scratch folder", o.Scratch, err)
		}
		o.Disk, o.MostDisk = max(free/4, 1), max(free/10*9, 1)
	}
	return nil
}

// Run is a training as far as its budgets depend on it, beside its points and kernels.
type Run struct {
	Options
	Tuning        chunking.Tuning
	QuasiNewton   bool   // steps of all points, which remember directions, in the place of working sets
	CuttingPlanes bool   // the weights move by cutting planes
	Interaction   bool   // the norm has a matrix of interactions
	GroupNorm     bool   // the norm has groups of kernels
	Double        bool   // the run is to end in double precision because of what was asked for
	OneTheta      bool   // several machines have one set of weights, and gradients at the same time
	Path          bool   // a model is made beside the gradients that the next training goes on with
	Folds         int    // of held-out rows; 0 is without
	Initial       int64  // bytes of the model to start from; 0 without one
	Several       Effort // of several machines; zero for one

	MaxIterations int           // 0 is no limit
	MaxTime       time.Duration // 0 is no limit

	omitted int64 // bytes of kernels that an outline leaves out
}

// together is the number of gradients that are held at a time.
func (r *Run) together() int64 {
	if r.OneTheta {
		return int64(max(1, r.Several.Machines))
	}
	return 1
}

// normBytes counts what the norm holds: E, its factor and a working copy; sums of gradients on a
// working set of q points; cuts.
func (r *Run) normBytes(kernels, q int64) int64 {
	switch {
	case r.Interaction:
		return 24*kernels*kernels + 16*kernels*q
	case r.GroupNorm:
		return 16 * min(kernels, norm.MostRows) * q
	case r.CuttingPlanes:
		return rule.CutBytes * kernels
	}
	return 0
}
