package train

import (
	"time"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/kernels"
	"bigmkl/model"
	"bigmkl/predict"
)

// Options hold everything that a run depends on, in one part for each package or file that takes
// it. They are complete and have been checked: no field stands for a default, except those that
// Budget and Solver.Method leave open until the data and the kernels are known.
type Options struct {
	Data    Data
	Kernels Kernels
	Problem Problem
	Norm    Norm
	Solver  Solver
	// Seed is the seed of random features, of samples and of folds.
	Seed uint64
	// Folds is the number of cross-validation folds from which the model learns to give
	// probabilities, at least 2. If it equals zero, the model gives none.
	Folds int
	// Init is the model whose dual variables the run starts from. If it is nil, the run starts from
	// alpha = 0.
	Init *predict.Model

	// No result depends on the fields from here on, unless a limit ends the run.

	Budget     budget.Options
	Limits     Limits
	Checkpoint Checkpoint
	// Recorder is told about each iteration. If it is nil, nobody is told.
	Recorder Recorder
	// Heap is told, before each stage, how many bytes the Go heap may take of the memory budget. If
	// it is nil, nobody is told.
	Heap func(bytes int64)
}

// Data say how rows become points.
type Data struct {
	Scale     string           // one of the scalings of dataset.ParseScale
	Layout    dataset.Layout   // how points are stored
	Views     []dataset.View   // named ranges of features
	Sequences dataset.Alphabet // alphabet of rows that are sequences; "" if rows are numbers
	Positive  []string         // labels of the positive class; nil if the data have two classes
	Limit     int              // number of rows that are read; 0 is all
}

// Kernels say what the kernels are.
type Kernels struct {
	Specs     string                        // specifications separated by commas, or @FILE; "" is what suits the data
	Normalize string                        // none, multiplicative or spherical, for kernels that do not name their own
	Users     map[string]kernels.UserKernel // code of the kernels user:NAME, by name
}

// Problem says what is learned.
type Problem struct {
	Task        string             // one of model.Tasks
	Multiclass  string             // one of model.Multiclasses; "" is one machine
	OneTheta    bool               // several machines have one set of kernel weights
	C           float64            // cost of the loss, above 0
	Epsilon     float64            // half-width of the tube of task svr, at least 0
	Nu          float64            // share of the points that task oneclass may leave out, in (0, 1)
	ClassWeight map[string]float64 // factors of C by label, above 0; a missing label has factor 1
}

// Norm is the norm of the regulariser. It is the block norm P unless one of the other fields is
// set; at most one of them is.
type Norm struct {
	P           float64   // in [1, +Inf]
	GroupNorm   float64   // q in [1, +Inf], the norm within groups of kernels; 0 if there is none
	ElasticNet  float64   // lambda in (0, 1); 0 if there is none
	SquaredNorm float64   // factor lambda > 0 of the squared norm of the weights; 0 if there is none
	Interaction []float64 // E, M x M and row-major; nil if there is none
	Weights     []float64 // a fixed weight for each kernel; nil if they are learned
}

// Solver says how the problem is solved.
type Solver struct {
	Method    string             // one of Methods; "" is what suits the problem and the kernels
	Gap       float64            // relative duality gap to reach, in (0, 1)
	Precision chunking.Precision // arithmetic of kernel values
	Tuning    chunking.Tuning    // choices of the solver

	// Rule returns a rule that moves the weights of so many kernels in place of Method. If it is
	// nil, Method moves them.
	Rule func(kernels int) chunking.Rule
}

// Limits end a run before it has reached its gap. A field that equals zero sets no limit.
type Limits struct {
	Iterations int           // largest number of iterations of each machine
	Time       time.Duration // largest duration of the run, reading included
	Grace      time.Duration // time for the operation in progress after the run was asked to end
}

// Checkpoint says when the state of a run is saved. The folder is budget.Options.Checkpoint, since
// checkpoints take disk.
type Checkpoint struct {
	Every  time.Duration // time between two checkpoints; 0 is before every iteration
	Resume bool          // continue from the last checkpoint if there is one
}

// labeling returns what labels mean in the data of this run.
func (o *Options) labeling() dataset.Labeling {
	m := model.Model{Task: o.Problem.Task, Multiclass: o.Problem.Multiclass}
	return m.Labeling()
}

// endsDouble reports whether the options alone make the run end in double precision. The budget
// then reserves room for it, and the scales of the kernels are computed in it. A run for which this
// is false may still change to double precision when rounding stops its progress.
func (o *Options) endsDouble() bool {
	auto := o.Solver.Precision == chunking.Auto
	return o.Solver.Precision == chunking.Double || auto && (o.Solver.Gap < chunking.WidenBelow || o.Norm.needsDouble())
}

// startsDouble reports whether a training is in double precision from its first iteration.
func (o *Options) startsDouble() bool {
	return o.Norm.needsDouble() || o.Solver.Precision == chunking.Double
}

// needsDouble reports whether the weights of the norm are unbounded. Kernels with a small V_m then
// have the largest weights, and rounding to single precision would show in them.
func (n *Norm) needsDouble() bool {
	return n.P > 2 || n.GroupNorm > 2 || model.Coupled(n.Interaction)
}
