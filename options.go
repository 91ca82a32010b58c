package bigmkl

import (
	"math"
	"runtime"
	"time"

	"bigmkl/budget"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/model"
)

// Zero asks for zero itself in a number of Options whose zero value stands for something else: the
// half-width Epsilon, the disk budget Disk and the interval CheckpointEvery. It is a number that
// nobody asks for by a slip, so that -1 stays an error.
const Zero = math.MinInt64

// Options of a training run. The zero value is usable; each field says what its zero means, and where
// Zero has a meaning of its own.
type Options struct {
	Task        string           // class, svr, square or oneclass; "" is class
	Kernels     string           // specifications, comma-separated or @FILE; "" is gauss:auto/10, per view if there are views
	Norm        float64          // block norm p in [1, +Inf]; 0 is 4/3, or what goes with Regularizer
	Regularizer Regularizer      // norms other than the block norm
	C           float64          // cost of the loss; 0 is 1. One class has none
	Solver      string           // chunking, wrapper, cpm, cpm-wrapper or, for task square, lbfgs; "" is chunking, or lbfgs if all kernels are linear too
	Epsilon     float64          // half-width of the tube of svr; 0 is 0.1, Zero is none
	Nu          float64          // share of the points that one class may leave out, in (0, 1); 0 is 0.5
	Gap         float64          // relative duality gap to reach; 0 is 1e-3
	Precision   string           // auto, 32 or 64; "" is auto
	Normalize   string           // none, multiplicative or spherical, of kernels that do not say norm= themselves; "" is multiplicative
	Scale       string           // none, minmax, standard or global; "" is none
	Store       dataset.Layout   // auto, dense or sparse; "" is auto
	Views       []dataset.View   // named ranges of features
	Sequences   dataset.Alphabet // of rows that are sequences, for string kernels; "": rows are numbers
	Positive    []string         // labels that count as +1, the rest as -1; nil: the data have two classes
	ClassWeight map[string]float64
	OneTheta    bool            // several machines have one set of weights: of ovr and labels, for p <= 2
	Multiclass  string          // ovr, ovo or labels: several machines, for more than two classes or for sets of labels; "" is one
	Limit       int             // only the first rows; 0 is all
	Seed        uint64          // of random features and samples
	Folds       int             // of held-out rows, at least 2, from which the model learns to give probabilities; 0 is without
	Init        *Model          // start from this model's dual variables
	Tuning      chunking.Tuning // choices of the solver

	// UserKernels is the code of kernels user:NAME, by name.
	UserKernels map[string]UserKernel `json:"-"`

	// What follows never changes a result.
	Memory          int64         // bytes; 0 is 70 % of what the machine or its cgroup has
	Disk            int64         // bytes of all scratch files; 0 is a quarter of what Scratch has free, or as much more as a run takes; Zero is none
	Scratch         string        // folder for scratch files; "" is the system's
	Cache           cache.Mode    // which base rows are kept
	Threads         int           // 0 is all processors
	Shards          int           // ranges of points that the threads take by turns; 0 is as many as sums are cut into
	MaxIterations   int           // 0 is none
	MaxTime         time.Duration // of the run, reading included; 0 is none
	Grace           time.Duration // how long a run that was asked to end may take before what is in hand is cut, see Train; 0 is as long as it takes
	Checkpoint      string        // folder of checkpoints, for this run alone; "" is none
	CheckpointEvery time.Duration // time between two; 0 is 5 minutes, Zero is every iteration
	Resume          bool          // go on from the last checkpoint, if there is one
	Recorder        Recorder      // told about each iteration; nil: nobody

	// Heap is told what the Go heap may take of Memory, stage after stage; it is to keep it to that, by debug.SetMemoryLimit.
	// nil: nobody does, and room is left in the budget for a heap that grows to twice of what lives in it.
	Heap func(bytes int64) `json:"-"`

	// Rule makes a rule for the weights of so many kernels, for a solver of the caller's own in the place of Solver. nil: none.
	Rule func(kernels int) chunking.Rule `json:"-"`
}

// Defaults of numbers whose zero stands for them.
const (
	defaultEpsilon = 0.1
	defaultNu      = 0.5

	defaultInterval = 5 * time.Minute // between checkpoints
)

// orDefault is what a number stands for whose zero is a default, and for which Zero asks for zero.
func orDefault[T float64 | time.Duration](x, byDefault T) T {
	switch x {
	case 0:
		return byDefault
	case Zero:
		return 0
	}
	return x
}

// setDefaults fills in what was left open, but for the budgets.
func (o *Options) setDefaults() {
	if o.Task == "" {
		o.Task = TaskClass
	}
	if o.Norm == 0 {
		o.Norm = o.Regularizer.norm()
	}
	o.Epsilon = orDefault(o.Epsilon, defaultEpsilon)
	if o.Nu == 0 {
		o.Nu = defaultNu
	}
	if o.C == 0 {
		o.C = 1
	}
	if o.Gap == 0 {
		o.Gap = 1e-3
	}
	if o.Precision == "" {
		o.Precision = string(chunking.Auto)
	}
	if o.Normalize == "" {
		o.Normalize = "multiplicative"
	}
	if o.Scale == "" {
		o.Scale = "none"
	}
	o.CheckpointEvery = orDefault(o.CheckpointEvery, defaultInterval)
	if o.Disk == Zero {
		o.Disk = budget.NoDisk
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
}

// Labeling is what the labels of the data are.
func (o *Options) Labeling() dataset.Labeling {
	m := model.Model{Task: o.Task, Multiclass: o.Multiclass}
	return m.Labeling()
}

// Point gives the block norm and the cost that the options stand for.
func (o Options) Point() PathPoint {
	o.setDefaults()
	return PathPoint{Norm: o.Norm, C: o.C}
}
