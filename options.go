package bigmkl

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"time"

	"bigmkl/budget"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/kernels"
)

// Options of a training run. The zero value is usable; each field says what its zero means.
type Options struct {
	Task        string           // class, svr, square or oneclass; "" is class
	Kernels     string           // specifications, comma-separated or @FILE; "" is gauss:auto/10, per view if there are views
	Norm        float64          // block norm p in [1, +Inf]; 0 is 4/3, or what goes with Regularizer
	Regularizer Regularizer      // norms other than the block norm
	C           float64          // cost of the loss; 0 is 1. One class has none
	Solver      string           // chunking, wrapper, cpm, cpm-wrapper or, for task square, lbfgs; "" is chunking, or lbfgs if all kernels are linear too
	Epsilon     float64          // half-width of the tube of svr; 0 is 0.1
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
	Disk            int64         // bytes of all scratch files; 0 is a quarter of what Scratch has free, or as much more as a run takes
	Scratch         string        // folder for scratch files; "" is the system's
	Cache           cache.Mode    // which base rows are kept
	Threads         int           // 0 is all processors
	Shards          int           // ranges of points that the threads take by turns; 0 is as many as sums are cut into
	MaxIterations   int           // 0 is none
	MaxTime         time.Duration // of the run, reading included; 0 is none
	Grace           time.Duration // how long a run that was asked to end may take before what is in hand is cut, see Train; 0 is as long as it takes
	Checkpoint      string        // folder of checkpoints, for this run alone; "" is none
	CheckpointEvery time.Duration // time between two; 0 is 5 minutes
	Resume          bool          // go on from the last checkpoint, if there is one
	Recorder        Recorder      // told about each iteration; nil: nobody

	// Heap is told what the Go heap may take of Memory, stage after stage; it is to keep it to that, by debug.SetMemoryLimit.
	// nil: nobody does, and room is left in the budget for a heap that grows to twice of what lives in it.
	Heap func(bytes int64) `json:"-"`

	// Rule makes a rule for the weights of so many kernels, for a solver of the caller's own in the place of Solver. nil: none.
	Rule func(kernels int) chunking.Rule `json:"-"`
}

// UserKernel is a kernel in code of the library's user, for specifications user:NAME[@features]. Models record the specification:
// whoever predicts with one or verifies it has to give the same code.
type UserKernel = kernels.UserKernel

// Recorder is told what happens. An error ends the run.
type Recorder interface {
	Record(Event) error
}

// Event is one iteration.
type Event struct {
	Iteration     int
	Primal, Dual  float64
	Gap, Target   float64
	Active        int // kernels with a weight that counts
	Kernels       int
	Rows          int64 // base rows used so far
	Passes        int64
	Cache         cache.Stats
	Elapsed       time.Duration // since training began
	DoublePrecise bool
	Machine       int    // of several, the one in hand, from 0
	Machines      int    // how many there are; 0 for a model of one
	Fold          int    // held out by the training in hand, from 1; 0 for that of the machine
	Warning       string // what has gone wrong since the last event, without ending the run: the first few of a kind, which Result.Warnings counts
}

func (o *Options) setDefaults() {
	if o.Task == "" {
		o.Task = TaskClass
	}
	if o.Norm == 0 {
		o.Norm = o.Regularizer.norm()
	}
	if o.Epsilon == 0 {
		o.Epsilon = defaultEpsilon
	}
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
	if o.CheckpointEvery == 0 {
		o.CheckpointEvery = defaultInterval
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
}

// Validate lists every fault of the options at once.
func (o Options) Validate() error {
	o.setDefaults()
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fail.New(fail.Usage, format, args...))
		}
	}
	o.checkTask(check)
	check(o.Norm >= 1, "block norm p = %g is not in [1, inf]", o.Norm)
	o.Regularizer.check(o.Norm, check)
	o.checkSolver(check)
	check(o.C > 0 && !math.IsInf(o.C, 0), "C = %g is not a positive number", o.C)
	check(o.Gap > 0 && o.Gap < 1, "gap %g is not between 0 and 1", o.Gap)
	check(slices.Contains([]string{"auto", "32", "64"}, o.Precision), "unknown precision %s (auto, 32 or 64)", fail.Quote(o.Precision))
	check(slices.Contains([]string{"none", "multiplicative", "spherical"}, o.Normalize), "unknown normalisation %s (none, multiplicative or spherical)", fail.Quote(o.Normalize))
	if _, err := dataset.ParseScale(o.Scale); err != nil {
		faults = append(faults, err)
	}
	if _, err := dataset.ParseLayout(string(o.Store)); err != nil {
		faults = append(faults, err)
	}
	if _, err := dataset.ParseAlphabet(string(o.Sequences)); err != nil {
		faults = append(faults, err)
	}
	check(o.Sequences == dataset.Numbers || o.Scale == dataset.ScaleNone, "scaling %s of sequences: letters are not numbers", o.Scale)
	for label, w := range o.ClassWeight {
		check(w > 0 && !math.IsInf(w, 0), "weight %g of class %s is not a positive number", w, fail.Quote(label))
	}
	check(o.Limit >= 0, "limit %d is negative", o.Limit)
	if err := o.Tuning.Validate(); err != nil {
		faults = append(faults, err)
	}
	check(o.Memory >= 0, "memory budget %d is negative", o.Memory)
	check(o.Disk >= 0, "disk budget %d is negative", o.Disk)
	check(o.Threads >= 1, "%d threads", o.Threads)
	check(o.Shards >= 0, "%d shards", o.Shards)
	check(o.MaxIterations >= 0, "iteration limit %d is negative", o.MaxIterations)
	check(o.MaxTime >= 0, "time limit %v is negative", o.MaxTime)
	check(o.Grace >= 0, "grace of %v is negative", o.Grace)
	check(o.CheckpointEvery >= 0, "time between checkpoints %v is negative", o.CheckpointEvery)
	check(o.Folds <= math.MaxInt32, "%d folds", o.Folds)
	check(o.Folds == 0 || o.Checkpoint == "", "probabilities with checkpoints, which do not hold the trainings without the folds")
	check(!o.Resume || o.Checkpoint != "", "resume without a folder of checkpoints")
	return errors.Join(faults...)
}

// budgets cuts out what a run may use, which changes none of its results.
func (o *Options) budgets() budget.Options {
	return budget.Options{
		Memory: o.Memory, Disk: o.Disk, Scratch: o.Scratch, Cache: o.Cache, Threads: o.Threads, Shards: o.Shards, Checkpoint: o.Checkpoint,
		HeapKept: o.Heap != nil,
	}
}
