package budget

import (
	"os"
	"time"

	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/internal/files"
	"bigmkl/internal/host"
	"bigmkl/internal/rule"
	"bigmkl/kernels"
)

// Options are the budgets of a run and what it computes with. No result depends on them.
type Options struct {
	// Memory is the memory budget in bytes. If it is 0, SetDefaults sets it to 70 % of what the
	// computer or its cgroup has.
	Memory int64
	// Disk is the budget of all scratch files in bytes. If it is 0, SetDefaults sets it to a
	// quarter of what is free.
	Disk int64
	// MostDisk is what Disk may grow to if it was left open, and else the same as Disk. SetDefaults
	// sets it.
	MostDisk int64
	// Scratch is the folder of scratch files. If it is empty, SetDefaults takes that of the system.
	Scratch string
	// Cache states which base rows are kept.
	Cache cache.Mode
	// Threads is the number of threads, at least 1.
	Threads int
	// Shards is the number of ranges of points that the threads take alternately. If it is 0,
	// there are as many as sums are cut into.
	Shards int
	// Checkpoint is the folder of checkpoints. It is empty if there are none.
	Checkpoint string
	// Ranks is the number of processes that hold the gradients together. 0 is one. The budgets are for
	// each process.
	Ranks int

	// Kept is what the caller keeps for the run within the budgets.
	Kept Kept

	// HeapKept is true if somebody keeps the Go heap to its share of the memory. Otherwise room is
	// left for a heap that grows to twice of what lives in it.
	HeapKept bool
}

// Kept is what is kept for a run beside what it holds itself.
type Kept struct {
	// Memory is the number of bytes that live in the heap, and Disk the number of bytes of files.
	Memory, Disk int64
	// Predicted is true if the model predicts rows that are kept, within the same memory budget.
	Predicted bool
}

// NoDisk is a disk budget in which nothing fits, in bytes. A budget of 0 is one that was left open.
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
		free += o.Kept.Disk // is in use already
		o.Disk, o.MostDisk = max(free/4, 1), max(free/10*9, 1)
	}
	return nil
}

// Run describes a training as far as its budgets depend on it, beside its points and kernels.
type Run struct {
	Options
	Classifiers
	Tuning chunking.Tuning
	// Whole is true if steps of all points may take the place of working sets, where few enough points are.
	Whole bool
	// Tube is true if the loss is 0 within a tube around the targets.
	Tube bool
	// QuasiNewton is true if steps move all points and remember directions, in the place of working
	// sets.
	QuasiNewton bool
	// NewtonSteps is true if such steps are Newton's, which remember nothing.
	NewtonSteps bool
	// CuttingPlanes is true if the weights move by cutting planes.
	CuttingPlanes bool
	// Norm returns the bytes of the norm of so many kernels beside vectors over the kernels, with working sets of q points. If it is
	// nil, there are none.
	Norm func(kernels, q int64) int64
	// Double is true if what was asked for makes the run end in double precision.
	Double bool
	// Pairs is the number of pairs of points that have the dual variables. It is 0 if points have them.
	Pairs Pairs
	// Path is true if a model is made beside gradients that the next training continues with.
	Path bool
	// Stream is true if rows are put behind others that were trained on.
	Stream bool
	// Folds is the number of folds of held-out rows. If it is 0, no row is held out.
	Folds int
	// Apart is the number of further trainings of the whole, each without a fold.
	Apart int
	// Aligned is true if a rule for weights sums over pairs of rows: the pairs of a sample of Sample
	// rows, or of all if it is 0.
	Aligned bool
	Sample  int
	// HoldsOut is true if a rule for weights trains without some rows, which it does by working sets
	// whatever the run itself does.
	HoldsOut bool
	// Posteriors is true if the labels are uncertain.
	Posteriors bool
	// Held is the number of kernels that gradients are held for, where a skeleton represents the
	// others. If it is 0, they are held for all. Skeletons is what these take in bytes.
	Held      int
	Skeletons int64
	// Initial is the size in bytes of the model to start from. It is 0 if there is none.
	Initial int64
	// Projected is the size in bytes of rows that are kept before they are projected. It is 0 for runs
	// without a projection.
	Projected int64
	// Descent is the size in bytes of what their slope and the descent of the projection take beside them. It is 0
	// for runs without a projection.
	Descent int64
	// KeepsAlpha is true if the dual variables of every classifier are kept for a training that starts from them.
	KeepsAlpha bool
	// Gates returns what the gates of so many points with so many features take in bytes, for all of so many
	// classifiers, which are 0 for a single one. If it is nil, the kernels have none.
	Gates func(points, features, kernels, classifiers int) int64
	// Mixture returns what mixtures of components take on so many points beside the gradients. If it is
	// nil, there are none.
	Mixture func(points, features, kernels int) int64
	// Program returns what a program over matrices of so many points and kernels takes, with so many classifiers.
	// If it is nil, there is none.
	Program func(points, kernels, classifiers int) int64

	// Prediction returns what predictions of the run take at most with its model of so many points. If it is
	// nil, the run predicts nothing.
	Prediction func(r *Run, points kernels.Points, b *kernels.Bank) *Prediction

	// MaxIterations and MaxTime end a run. If they are 0, there is no limit.
	MaxIterations int
	MaxTime       time.Duration

	omitted int64 // bytes of kernels that an outline leaves out
}

// normBytes counts what the norm holds beside vectors over the kernels, and the cuts of cutting planes.
func (r *Run) normBytes(kernels, q int64) int64 {
	var bytes int64
	if r.Norm != nil {
		bytes = r.Norm(kernels, q)
	}
	if bytes == 0 && r.CuttingPlanes {
		bytes = rule.CutBytes * kernels
	}
	return bytes
}
