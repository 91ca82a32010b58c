package train

import (
	"time"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/cluster/shards"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/gating"
	"bigmkl/internal/model"
	"bigmkl/kernels"
	"bigmkl/predict"
)

// Options hold everything that a run depends on, in one part for each package or file that takes
// it. They are complete and have been checked: no field means a default, except the fields that
// Budget and Solver.Method leave open until the data and the kernels are known.
type Options struct {
	Data    Data
	Kernels Kernels
	Problem Problem
	Norm    Norm
	Solver  Solver
	// Gating describes the gates of the kernels.
	Gating gating.Spec
	// Mixture is the mixture of tasks med and mixture.
	Mixture Mixture
	// Seed is the seed of random features, of samples and of folds.
	Seed uint64
	// Folds is the number of cross-validation folds from which the model learns to give
	// probabilities, at least 2. If it equals zero, the model gives none.
	Folds int
	// FoldGroups names the group of each row, of which all rows are in the same fold; nil if each row is a group.
	FoldGroups []string
	// SharedFolds has the folds share what is prepared from all rows. Without it each fold is held out of everything.
	SharedFolds bool
	// apart is Folds of a run whose model is trained first and without them.
	apart int
	// Init is the model whose dual variables the run starts from. If it is nil, the run starts from
	// alpha = 0.
	Init *predict.Model
	// starts is Init of each of several classifiers, or of one. They have no vectors.
	starts []*predict.Model
	// projected is the size in bytes of the rows that the trials of a projection are about.
	projected int64
	// descent is the size in bytes of what the slope and the descent of that projection take.
	descent int64
	// given are parameters of gates that stay as they are, and closing is set if gates below the
	// floor are closed. If given is nil, gates are learned by the classifier.
	given   []float64
	closing bool
	// asked is the gap of the run whose trial this is, with a gap of its own. It is 0 for any other run.
	asked float64
	// ridge smooths the loss of a trial of a descent, see loss.Smooth. 0 leaves it as it is.
	ridge float64

	// No result depends on the fields from here on, unless a limit ends the run.

	Budget     budget.Options
	Limits     Limits
	Checkpoint Checkpoint
	// Team is the ranks that train together. If it is nil, this process trains alone.
	Team *shards.Team
	// Recorder is told about each iteration. If it is nil, nobody is told.
	Recorder Recorder
	// Heap is told, before each stage, how many bytes the Go heap may take of the memory budget. If
	// it is nil, nobody is told.
	Heap func(bytes int64)
}

// Data describe how rows become points.
type Data struct {
	// Scale is one of the scalings of dataset.ParseScale.
	Scale string
	// Impute is one of the imputations of dataset.ParseImpute, empty for none.
	Impute string
	// Layout is the form in which points are stored. With auto the data decide.
	Layout dataset.Layout
	// Views are named ranges of features.
	Views []dataset.View
	// Objects are the objects that rows name in place of features; nil if rows have features. Their scaling is Scale.
	Objects *objects.Set
	// Missing is the source of the list of views that rows lack: dataset.MissingEmpty, or a file.
	// If it is empty, no kernel may be one of a view that rows lack.
	Missing string
	// Sequences is the alphabet of rows that are sequences. If it is empty, rows are numbers.
	Sequences dataset.Alphabet
	// Positive holds the labels of the positive class. If it is nil, the labels of the data are
	// the classes.
	Positive []string
	// Limit is the number of rows that are read. If it equals zero, all are.
	Limit int
}

// Kernels describe the kernels.
type Kernels struct {
	// Specs holds specifications that are separated by commas, or @FILE. If it is empty, they are
	// those that suit the data.
	Specs string
	// Normalize is one of kernelspec.Normalizers, for kernels that do not name their own.
	Normalize string
	// Users holds the code of the kernels user:NAME, by name.
	Users map[string]kernels.UserKernel
	// centred is whether kernels are centred, which is known once Specs has been split.
	centred bool
	// large is whether kernel values overflow single precision, which is known once kernels have been prepared. The
	// training is in double precision then.
	large bool
}

// precision returns the arithmetic of a run that asks for one: double precision where this was left open and kernel
// values overflow the other.
func (k *Kernels) precision(asked chunking.Precision) chunking.Precision {
	if k.large && asked == chunking.Auto {
		return chunking.Double
	}
	return asked
}

// Problem describes what is learned.
type Problem struct {
	// Task is one of model.Tasks.
	Task string
	// Multiclass is one of model.Multiclasses, or model.Quantiles. If it is empty, there is one classifier.
	Multiclass string
	// OneTheta gives several classifiers one set of kernel weights.
	OneTheta bool
	// C is the cost of the loss, above 0. It is 1 if JointCost is set.
	C float64
	// JointCost has the cost found along with the weights. The loss is squared then, and p is 1. In
	// task rkda Lambda is found so.
	JointCost bool
	model.LossSettings
	// Taus are the quantiles of kind model.Quantiles, at least two that ascend. Tau is 0 then.
	Taus []float64
	// CostInUnits is set if C is counted in the targets' deviation, Unit, and NumbersInUnits names the
	// model.LossNumbers that are. They are multiplied by it when the first rows have been read. Unit is zero before.
	CostInUnits    bool
	NumbersInUnits []string
	Unit           float64
	// TauOfEvents is set if Tau depends on the share of the rows with an event. Tau is zero until the first rows have been read.
	TauOfEvents bool
	// ClassWeight holds factors of C by label, above 0. A missing label has factor 1.
	ClassWeight map[string]float64
	// Lambda is the ridge parameter of task rkda, above 0. C is 1/(n Lambda) of n rows there, and is
	// found once they have been read.
	Lambda float64
	// DiscriminantRule is one of model.DiscriminantRules for task rkda, and "" for others.
	DiscriminantRule string
	// Posteriors are the certainty of the labels, of two classes or in one classifier for all.
	Posteriors Posteriors
}

// Norm is the norm of the regulariser. It is the block norm P unless the Regularizer or a Rule is another.
type Norm struct {
	// P is the block norm, in [1, +Inf].
	P float64
	model.Regularizer
	// Rule gives the weights if it is not nil, which are then found once the kernels are normalised.
	Rule *WeightRule
	// RuleSample is the number of rows whose pairs the rule looks at, 0 for all.
	RuleSample int
	// RuleFolds is the number of folds of a rule that looks at rows held out, at least 2.
	RuleFolds int
	// ruleSums are those from which the rule has made Weights.
	ruleSums []float64
	// GroupsAreFactors is set if groups name the factors of a tuning. Without a GroupNorm they are
	// then not groups of the norm.
	GroupsAreFactors bool
	// tuned holds a further importance for each kernel, of which 0 leaves it out. If it is nil, all are 1.
	tuned []float64
	// CostPower is the power, at least 0, with which costs of kernels enter the norm. It is nil if
	// the options do not name it. It is then 1, and kernels need have no costs.
	CostPower *float64
}

// Solver describes how the problem is solved.
type Solver struct {
	// Method is one of Methods. If it is empty, it is the one that suits the problem and the
	// kernels.
	Method string
	// Gap is the relative duality gap to reach, in (0, 1).
	Gap float64
	// Precision is the arithmetic of kernel values.
	Precision chunking.Precision
	// Tuning holds the choices of the solver.
	Tuning chunking.Tuning
	// Rule returns a rule that moves the weights of so many kernels in place of Method. If it is
	// nil, Method moves them.
	Rule func(kernels int) chunking.Rule
}

// Limits end a run before it has reached its gap. A field that equals zero sets no limit.
type Limits struct {
	// Iterations is the largest number of iterations of each classifier.
	Iterations int
	// Time is the largest duration of the run, reading included.
	Time time.Duration
	// Grace is the time that the operation in progress has after the run was asked to end.
	Grace time.Duration
}

// Checkpoint sets when the state of a run is saved. The folder is budget.Options.Checkpoint, since
// checkpoints take disk.
type Checkpoint struct {
	// Every is the time between two checkpoints. Zero asks for one before every iteration.
	Every time.Duration
	// Resume continues from the last checkpoint if there is one.
	Resume bool
}

// labeling returns what labels mean in the data of this run.
func (p *Problem) labeling() dataset.Labeling {
	return model.LabelingOf(p.Task, p.Multiclass)
}

// lossOfModel returns the loss of a run as a model records it.
func (p *Problem) lossOfModel() model.LossSettings { return p.LossSettings.OfTask(p.Task) }

// endsDouble reports whether the options alone make the run end in double precision. The budget
// then reserves room for it, and the scales of the kernels are computed in it. A run for which this
// is false may still change to double precision when rounding stops its progress.
func (o *Options) endsDouble() bool {
	auto := o.Solver.Precision == chunking.Auto
	return o.Solver.Precision == chunking.Double || o.startsDouble() ||
		auto && (o.Solver.Gap < chunking.WidenBelow || o.Norm.needsDouble())
}

// startsDouble reports whether a training is in double precision from its first iteration.
func (o *Options) startsDouble() bool {
	mixture := o.Problem.traits().componentColumns && o.Solver.Precision != chunking.Single
	return o.Norm.needsDouble() || o.Kernels.precision(o.Solver.Precision) == chunking.Double || mixture || o.Kernels.centred
}

// classWeight returns the factor of the cost of a class. Labels may be written in several ways,
// such as 1 and +1, and are compared in their canonical form.
func (p *Problem) classWeight(name string) float64 {
	for label, w := range p.ClassWeight {
		if l, err := labeltext.Canonical(label); err == nil && l == name {
			return w
		}
	}
	return 1
}
