package bigmkl

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"time"

	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/cluster/shards"
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/model"
)

// Zero asks for zero itself in those Options whose zero value means a default: Epsilon, CostPower,
// Disk and CheckpointEvery. It is a number that can be set by accident only, so -1 stays an error.
const Zero = math.MinInt64

// Options describe a training run. The zero value is usable: each field states what its zero
// means, and where Zero has a meaning of its own. Validate lists the faults of all fields at
// once.
type Options struct {
	// Task is class, svr, square, oneclass, rkda, med or mixture. If it is empty, it is class.
	Task string
	// Kernels holds specifications that are separated by commas, or @FILE with one on each line. If
	// it is empty, it is gauss:auto/10, once for each view if there are views.
	Kernels string
	// Norm is the block norm p in [1, +Inf], and at most 2 for task rkda. If it equals zero, it is 4/3,
	// or 2 with Gating, 1 for task rkda, or the p that belongs to Regularizer.
	Norm float64
	// Regularizer chooses a norm other than the block norm.
	Regularizer Regularizer
	// C is the cost of the loss, above 0. If it equals zero, it is 1, 100 for task med, and for task svr the
	// standard deviation of the targets, or its estimate from their median absolute deviation if that is less
	// than a third. For task quantile it is half of that. For task survival it is the standard deviation of the logarithms, and 0.1 for its ranking. Tasks oneclass and mixture have no cost.
	C float64
	// JointCost has C found along with the weights: 1/C is the weight of one more kernel, the
	// identity, and all weights sum to 1. It is for squared losses and p = 1, and C must be zero. In
	// task rkda it is Lambda that is found so, and must be zero.
	JointCost bool
	// Gating gives the kernels gates, which are weights that depend on the point: regions:R, R
	// Gaussian gates at k-means centres with each kernel once in each of the regions, which are
	// groups for a norm within groups; or fixed:FILE, a .npy file of a row for each row of the data
	// and a column for each kernel, with numbers from 0 on; or softmax, sigmoid or gauss, gates that
	// are learned (Gönen 2010, eq. 3.2 to 3.4). Each kernel then has a gate of its own, unless gate=
	// in the specifications makes it share one; copies= makes several copies of a kernel. If it is
	// empty, there are no gates.
	Gating string
	// GateOn selects which featuress gates look at that are functions of features: a view, numbers and
	// ranges such as 1-76 or 3+17, or pca:R, the first R principal components. If it is empty, they look
	// at all. kernel:SPEC*L makes them look at the values of the kernel SPEC with L rows of the data,
	// drawn from Seed (Gönen 2010, eq. 3.5); rows then need no features but those of SPEC.
	GateOn string
	// GateTol is the tolerance of gates that are learned, and of projections: they have converged where the
	// slope of the objective is no longer than that part of it, and the last step has lowered it by less than
	// a tenth of that. If it equals zero, it is 1e-2. GateSteps is the largest number of steps of a descent,
	// after which the run ends as StepLimit. If it equals zero, it is 500.
	GateTol   float64
	GateSteps int
	// Starts is the number of descents from different starts, of which that to the lowest objective
	// stays. If it equals zero, it is 1.
	Starts int
	// GateDecay adds half the sum of the squared weights of gates to the objective, offsets and
	// spreads left out, times GateDecay times the objective at the start. It is at most 1e50. If it
	// equals zero, nothing is added.
	GateDecay float64
	// GateFloor is the value below which gates are closed at the end, in [0, 1). The classifier is
	// then solved once more. If it equals zero, gates stay as they are.
	GateFloor float64
	// OneGate learns one set of gates, and of projections, for all classifiers of Multiclass. Without it
	// each classifier learns gates of its own; projections are learned for all classifiers alone.
	OneGate bool
	// Solver is one of Solvers. If it is empty, it is lbfgs where the task is square, all kernels
	// are linear and Tuning is empty, newton where it is cox, and chunking otherwise.
	Solver string
	// Survival is the kind of task survival: SurvivalRegression, which "" represents, or SurvivalRanking.
	Survival string
	// Loss is the loss of task class: LossHinge, which "" represents, or LossSquaredHinge, the
	// sum of C/2 max(0, 1 - y f)^2, of which no dual variable has an upper bound.
	Loss string
	// Epsilon is the half-width of the tube of tasks svr, survival and quantile, in units of the targets, which are the logarithms of times
	// in task survival. If it equals zero, it is a tenth of the targets' deviation for svr and survival, and there is no tube for quantile; Zero asks for no tube.
	Epsilon float64
	// Tau is the quantile of tasks quantile and survival or the expectile of task expectile, in (0, 1). If it equals zero, it is 0.5, the median
	// or the mean. For task survival it is then the share of the rows with an event if that is less than 0.5. Other tasks have none.
	Tau float64
	// Taus lists several quantiles of task quantile, ascending in (0, 1), in place of Tau. Each has a regressor of its
	// own. If it is nil, there is one.
	Taus []float64
	// Delta is the distance from the target at which the loss of task huber turns from a square to a line, above 0 and
	// in units of the targets. If it equals zero, it is half of the targets' deviation.
	Delta float64
	// Nu is the share of the points that task oneclass may leave out, in (0, 1]. If it equals zero,
	// it is 0.5.
	Nu float64
	// Lambda is the ridge parameter of task rkda, above 0, in the place of C: the cost of the squared
	// loss is 1/(n Lambda) of n rows. If it equals zero, it is 5e-4, or found if JointCost is set.
	Lambda float64
	// DiscriminantRule selects how task rkda chooses a class: RuleMeans, the class whose training
	// rows have the nearest mean scores, or RuleIndicator. If it is empty, it is RuleMeans.
	DiscriminantRule string
	// Components has the kernels of the components of tasks med and mixture, counted from 1, the
	// components of the positive class before a slash: 1,2/1,3. If it is empty, every kernel is a
	// component of both classes.
	Components string
	// Entropy is EntropyExact or EntropyDrop, which leaves the entropy of the other class's components
	// out of task med. If it is empty, it is EntropyExact.
	Entropy string
	// Restarts is the number of starts of tasks med and mixture, of which the start with the least
	// objective wins, and Rounds the largest number of projections, or of steps of EM, from each. If they
	// equal zero, they are 8 and 50.
	Restarts, Rounds int
	// Observed has the own component of each row in tasks med and mixture, counted from 1 within its class,
	// and 0 where it is hidden. If it is nil, all are hidden.
	Observed []float64
	// Gap is the relative duality gap to reach, in (0, 1). If it equals zero, it is 1e-3.
	Gap float64
	// Precision is the arithmetic of kernel values: 32, 64, or auto, which begins with 32 bits and
	// changes to 64 where the gap needs it. If it is empty, it is auto.
	Precision string
	// Normalize is none, multiplicative, spherical or centred, for kernels whose specifications have no
	// norm=. If it is empty, it is multiplicative.
	Normalize string
	// Scale is auto, none, minmax, standard or global. If it is empty, it is auto: standard for views whose
	// features vary unequally, and none for others; see dataset.ScaleAuto.
	Scale string
	// Impute is none, median, mean, zero or indicator: what represents a value that a row lacks, which is NaN there;
	// see dataset.StoreOptions.Impute. If it is empty, it is none, and a missing value is an error.
	Impute string
	// Store is auto, dense or sparse. If it is empty, it is auto: the data decide.
	Store dataset.Layout
	// Views are named ranges of features, to which specifications refer by name.
	Views []dataset.View
	// Objects are the objects that rows name in place of features, such as the drug and the target of a pair; package
	// dataset/objects reads them. Kernels then name the features of a kind of objects as they name a view, and Scale is the
	// scaling of these. If it is nil, rows have features.
	Objects *objects.Set `json:"-"`
	// Missing names what views rows lack: empty, a row without a non-zero feature of a view, or a
	// file with lines "row view", rows from 1. Kernels whose specifications have missing= then state
	// what represents their values; scalings count every row as it is written. If it is empty, no row
	// lacks a view.
	Missing string
	// Sequences is the alphabet of rows that are sequences, for string kernels. If it is empty,
	// rows are numbers.
	Sequences dataset.Alphabet
	// Positive holds the labels that count as +1; the rest count as -1. If it is nil, the data must
	// have two classes or Multiclass must be set.
	Positive []string
	// ClassWeight holds factors of C by label, each above 0. A label that is missing has factor 1.
	ClassWeight map[string]float64
	// Posteriors give how certain the labels are, by the probability of the positive of two classes
	// for each row, or by the probabilities of all classes for one classifier of all. The zero value
	// means certain labels.
	Posteriors Posteriors
	// OneTheta gives several classifiers one set of kernel weights. It goes with Multiclass ovr and
	// labels and with Taus, and with p up to 2.
	OneTheta bool
	// Multiclass trains several classifiers, ovr, ovo or labels, or one classifier for all classes
	// with a function for each: single. If it is empty, there is one classifier for two classes.
	Multiclass string
	// CostPower is the power of the costs d_m that specifications give kernels by cost=D: the norm is
	// computed of d_m^CostPower ||w_m||. If it equals zero, it is 1; Zero asks for costs that are
	// charged and have no influence on the solution.
	CostPower float64
	// Limit is the number of rows that are read. If it equals zero, all are.
	Limit int
	// Seed is the seed of random features, of samples and of folds.
	Seed uint64
	// Folds is the number of cross-validation folds from which the model learns to give
	// probabilities, at least 2. If it equals zero, the model gives none.
	Folds int
	// FoldGroups names the group of each row, such as a patient. Rows of a group are in the same one of Folds, and in
	// the same fold of calibration scores. If it is
	// nil, each row is a group, and the folds have the same share of each class.
	FoldGroups []string
	// SharedPreparation fits probabilities to trainings that share scaling, widths, normalisation and all else that is prepared
	// from all rows, also from those that they leave out. Without it each fold is held out of everything. With files of all
	// rows it is always so.
	SharedPreparation bool
	// Init is a model whose dual variables the run starts from. If it is nil, the run starts at 0.
	Init *Model
	// Tuning holds choices of the solver, which change the way to the optimum.
	Tuning chunking.Tuning

	// UserKernels holds the code of kernels by name. Kernels lists the kernel NAME as user:NAME, or as user:NAME@1-20
	// on some of the features; see the example of UserKernel.
	UserKernels map[string]UserKernel `json:"-"`

	// No field from here to Heap changes a bit of the model, unless a limit ends the run early.

	// Memory is the budget of anonymous memory in bytes. If it equals zero, it is 70 % of what the
	// computer or its cgroup has.
	Memory int64
	// Disk is the budget of all scratch files in bytes. If it equals zero, it is a quarter of what
	// Scratch has free, or more if the run needs it; Zero asks for none.
	Disk int64
	// Kept is what the caller keeps for the run within Memory and Disk, such as the rows that package calibration predicts afterwards.
	Kept budget.Kept `json:"-"`
	// Scratch is the folder for scratch files. If it is empty, it is the folder of the system.
	Scratch string
	// Cache sets when kernel rows are kept. If it equals zero, measurements of their cost decide.
	Cache cache.Mode
	// Threads is the number of threads that compute. If it equals zero, it is GOMAXPROCS.
	Threads int
	// Shards is the number of ranges of points that the threads take in turn. If it equals zero, it
	// is the number of units of summation.
	Shards int
	// MaxIterations is the largest number of iterations of each classifier. If it equals zero,
	// there is no limit.
	MaxIterations int
	// MaxTime is the largest duration of the run, reading included. If it equals zero, there is no
	// limit.
	MaxTime time.Duration
	// Grace is how long the operation in progress may take after the run was asked to end; see
	// Train. If it equals zero, there is no limit.
	Grace time.Duration
	// Checkpoint is a folder for the checkpoints of this run alone. If it is empty, none are
	// written.
	Checkpoint string
	// CheckpointEvery is the time between two checkpoints. If it equals zero, it is 5 minutes; Zero
	// asks for one before every iteration.
	CheckpointEvery time.Duration
	// Resume continues from the last checkpoint, or begins if there is none.
	Resume bool
	// Recorder is told about each iteration. If it is nil, nobody is told.
	Recorder Recorder
	// Team is the ranks that train one model together, each in a process of its own with the same
	// data and options; docs/CLUSTER.md has what they share. Train returns the model on rank 0, and
	// shards.ErrServed on the others. If it is nil, this process trains alone.
	Team *shards.Team `json:"-"`

	// Heap is told, before each stage of the run, how many bytes the Go heap may take of Memory. It
	// has to keep the heap to that, by debug.SetMemoryLimit. If it is nil, the budget reserves room
	// for a heap of twice the live data.
	Heap func(bytes int64) `json:"-"`

	// Rule returns a rule that moves the weights of so many kernels in place of Solver. If it is
	// nil, the solver moves them. Another rule reaches the same optimum by other steps.
	Rule func(kernels int) chunking.Rule `json:"-"`

	// unitCost reports that C is a default that counts deviations of the targets, and unitNumbers names the
	// model.LossNumbers that are.
	unitCost    bool
	unitNumbers []string
	// eventTau reports that Tau is a default that depends on the rows with an event.
	eventTau bool
}

// lossSettings returns the loss of the options as the packages below have it.
func (o *Options) lossSettings() model.LossSettings {
	return model.LossSettings{Epsilon: o.Epsilon, Tau: o.Tau, Delta: o.Delta, Loss: o.Loss, Nu: o.Nu}
}

// These are the defaults of options for which Zero can ask for zero, and of Nu.
const (
	defaultEpsilon = 0.1
	defaultNu      = 0.5
	defaultTau     = 0.5
	defaultDelta   = 0.5 // deviations of the targets
	defaultLambda  = 5e-4

	defaultInterval = 5 * time.Minute // is the time between two checkpoints.
)

// orDefault returns the default for an option that equals zero, and 0 for one that equals Zero.
func orDefault[T float64 | time.Duration](x, byDefault T) T {
	switch x {
	case 0:
		return byDefault
	case Zero:
		return 0
	}
	return x
}

// setDefaults fills in the options that were left open. Memory, Disk and Scratch stay open: package
// budget asks the computer for them when the run begins. It must not run twice on one value: an
// Epsilon of Zero becomes 0, which a second call would take for the default. Its callers therefore
// work on copies of what the user passed.
func (o *Options) setDefaults() {
	if o.Task == "" {
		o.Task = TaskClass
	}
	o.Task = model.Variant(o.Task, o.Survival)
	if o.Norm == 0 {
		o.Norm = o.Regularizer.norm()
		if o.Gating != "" && !o.Regularizer.hasNoExponent() {
			o.Norm = 2
		}
		o.Norm = cmp.Or(model.DefaultNorm(o.Task), o.Norm)
	}
	if o.GateTol == 0 {
		o.GateTol = 1e-2
	}
	if o.GateSteps == 0 {
		o.GateSteps = 500
	}
	if o.Starts == 0 {
		o.Starts = 1
	}
	o.eventTau = o.Tau == 0 && slices.Contains(model.TausOfEvents, o.Task)
	if o.Tau == 0 {
		o.Tau = defaultTau
	}
	if !slices.Contains(model.TauTasks, o.Task) || o.Taus != nil {
		o.Tau = 0
	}
	if !model.HasLossNumber(o.Task, model.NameDelta) {
		o.Delta = 0
	}
	o.unitCost = o.C == 0 && slices.Contains(model.CostsInUnits, o.Task)
	switch {
	case model.EstimatesQuantile(o.Task) && o.Epsilon == 0:
		o.Epsilon = Zero
	case slices.Contains(model.TubeTasks, o.Task) && o.Epsilon == 0:
		o.unitNumbers = []string{"epsilon"}
	case model.HasLossNumber(o.Task, model.NameDelta) && o.Delta == 0:
		o.Delta, o.unitNumbers = defaultDelta, []string{"delta"}
	}
	o.Epsilon = orDefault(o.Epsilon, defaultEpsilon)
	if o.Nu == 0 {
		o.Nu = defaultNu
	}
	o.wing().setDefaults(o)
	if o.C == 0 {
		o.C = model.DefaultCost(o.Task)
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
		o.Scale = dataset.ScaleAuto
	}
	if !dataset.Imputes(o.Impute) {
		o.Impute = ""
	}
	o.CheckpointEvery = orDefault(o.CheckpointEvery, defaultInterval)
	if o.Disk == Zero {
		o.Disk = budget.NoDisk
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
}

// Labeling returns what labels mean in the data of this run. A source of rows needs to know.
func (o *Options) Labeling() dataset.Labeling {
	return model.LabelingOf(o.Task, o.Multiclass)
}

// costPower returns the power of costs that the options name, or nil if they name none.
func (o *Options) costPower() *float64 {
	if o.CostPower == 0 {
		return nil
	}
	g := orDefault(o.CostPower, 1)
	return &g
}

// Point returns the block norm and the costs that the options represent, with defaults filled in. C is zero
// if the data decide it.
func (o Options) Point() PathPoint {
	o.setDefaults()
	if o.unitCost {
		o.C = 0
	}
	return PathPoint{Norm: o.Norm, C: o.C, CostPower: o.costPower()}
}
