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

// Options are what a run depends on, a part for each room that takes it. They are complete and have
// been checked: nothing in them stands for a default, but for what Budget leaves open.
type Options struct {
	Data    Data
	Kernels Kernels
	Problem Problem
	Norm    Norm
	Solver  Solver
	Seed    uint64         // of random features and of samples
	Folds   int            // of held-out rows, from which the model learns to give probabilities; 0 is without
	Init    *predict.Model // the model whose dual variables the run starts from; nil starts from nothing

	// No result depends on what follows.
	Budget     budget.Options
	Limits     Limits
	Checkpoint Checkpoint
	Recorder   Recorder          // is told about each iteration; nil tells nobody
	Heap       func(bytes int64) // is told what the Go heap may take of the memory, stage by stage; nil tells nobody
}

// Data say how rows become points.
type Data struct {
	Scale     string
	Layout    dataset.Layout
	Views     []dataset.View
	Sequences dataset.Alphabet // alphabet of rows that are sequences; "" if rows are numbers
	Positive  []string         // labels of the positive class; nil if the data have two classes
	Limit     int              // only the first rows; 0 is all
}

// Kernels say what the kernels are.
type Kernels struct {
	Specs     string // separated by commas, or @FILE; "" is what suits the data
	Normalize string // none, multiplicative or spherical, of kernels that do not name their own
	Users     map[string]kernels.UserKernel
}

// Problem is what is learned.
type Problem struct {
	Task        string
	Multiclass  string  // decomposition into several machines; "" is one machine
	OneTheta    bool    // several machines have one set of weights
	C           float64 // cost of the loss
	Epsilon     float64 // half-width of the tube of the epsilon-insensitive loss
	Nu          float64 // share of the points that one class may leave out
	ClassWeight map[string]float64
}

// Norm is the norm of the regulariser: the block norm P, or another one. At most one of the other
// fields is set.
type Norm struct {
	P           float64   // in [1, +Inf]
	GroupNorm   float64   // q in [1, +Inf] of the norm within groups of kernels; 0 is without
	ElasticNet  float64   // lambda in (0, 1); 0 is without
	SquaredNorm float64   // lambda > 0 of the squared norm of the weights; 0 is without
	Interaction []float64 // E, M x M and row-major; nil is without
	Weights     []float64 // of each kernel, which are not learned; nil is without
}

// Solver is how the problem is solved.
type Solver struct {
	Method    string  // one of Methods; "" is what suits the problem and the kernels
	Gap       float64 // relative duality gap to reach, in (0, 1)
	Precision chunking.Precision
	Tuning    chunking.Tuning
	Rule      func(kernels int) chunking.Rule // moves the weights in the place of Method; nil is without
}

// Limits end a run before it has reached its gap. Where one equals zero, there is none.
type Limits struct {
	Iterations int
	Time       time.Duration // of the run, reading included
	Grace      time.Duration // how long what is in hand may take once a run was asked to end
}

// Checkpoint says when the state of a run is kept. The folder is budget.Options.Checkpoint.
type Checkpoint struct {
	Every  time.Duration // between two
	Resume bool          // go on from the last checkpoint, if there is one
}

// loss names what a model says of how its classes are labelled.
func (o *Options) labeling() dataset.Labeling {
	m := model.Model{Task: o.Problem.Task, Multiclass: o.Problem.Multiclass}
	return m.Labeling()
}

// endsDouble tells whether the run will end up in double precision because of what was asked for.
func (o *Options) endsDouble() bool {
	auto := o.Solver.Precision == chunking.Auto
	return o.Solver.Precision == chunking.Double || auto && (o.Solver.Gap < chunking.WidenBelow || o.Norm.needsDouble())
}

// startsDouble tells whether a training starts in double precision.
func (o *Options) startsDouble() bool {
	return o.Norm.needsDouble() || o.Solver.Precision == chunking.Double
}

// delicate tells whether the norm has weights without bound, so that single precision will not do.
func (n *Norm) needsDouble() bool {
	return n.P > 2 || n.GroupNorm > 2 || model.Coupled(n.Interaction)
}
