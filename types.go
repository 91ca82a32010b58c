package bigmkl

import (
	"bigmkl/internal/budget"
	"bigmkl/internal/discriminant"
	"bigmkl/internal/gram"
	"bigmkl/internal/model"
	"bigmkl/internal/train"
	"bigmkl/kernels"
	"bigmkl/predict"
)

// Model is a trained model: the content of a model file, with methods to predict and to save it.
type Model = predict.Model

// PredictOptions set how a model is evaluated. The zero value predicts with all processors.
type PredictOptions = predict.Options

// Prediction is what a model predicts for one row.
type Prediction = predict.Prediction

// Result describes a run: how it ended, what it took, and its warnings.
type Result = train.Result

// Posteriors give how certain the labels are: the probability of the positive class for each row,
// or the probabilities of all classes for one classifier of all, given or found from the nearest
// rows.
type Posteriors = train.Posteriors

// ParsePosteriors reads knn:K or knn:K@SET. ok is false for a text of another form, such as the
// name of a file.
func ParsePosteriors(text string) (p Posteriors, ok bool, err error) {
	return train.ParsePosteriors(text)
}

// Recorder is told about each iteration. An error that it returns ends the run.
type Recorder = train.Recorder

// Event describes one iteration to a Recorder.
type Event = train.Event

// Plan is what a run will take of memory, disk and time.
type Plan = budget.Plan

// HeldOut trains without some of its rows.
type HeldOut = train.HeldOut

// KernelList describes the kernels that a HeldOut has in hand, by their specifications.
type KernelList = train.KernelList

// Held is the outcome of a training without some rows.
type Held = train.Held

// PathPoint is one problem of a path: a block norm and a cost of the loss.
type PathPoint = train.Point

// AlignOptions set which alignments are computed. The zero value takes all points.
type AlignOptions = gram.AlignOptions

// Alignments measure how similar the kernels are to each other and to the labels.
type Alignments = gram.Alignments

// UserKernel is a kernel in code of the library's user, for specifications user:NAME[@features].
// Models record the specification and not the code: whoever predicts with such a model or verifies
// it has to pass the same code again.
type UserKernel = kernels.UserKernel

// These are the tasks: classification by the hinge loss, regression by the epsilon-insensitive or
// the squared loss, the support of a distribution, and kernel discriminant analysis. The values are written to model files
// and must stay.
const (
	TaskClass     = model.TaskClass
	TaskLogistic  = model.TaskLogistic
	TaskSVR       = model.TaskSVR
	TaskSquare    = model.TaskSquare
	TaskQuantile  = model.TaskQuantile
	TaskHuber     = model.TaskHuber
	TaskExpectile = model.TaskExpectile
	TaskSurvival  = model.TaskSurvival
	TaskRank      = model.TaskRank
	TaskCox       = model.TaskCox
	TaskOneClass  = model.TaskOneClass
	TaskRKDA      = model.TaskRKDA
	TaskMED       = model.TaskMED
	TaskMixture   = model.TaskMixture
)

// These report whether task med has the entropy of the other class's components; see
// Options.Entropy.
const (
	EntropyExact = model.EntropyExact
	EntropyDrop  = model.EntropyDrop
)

// These are the losses of task class.
const (
	LossHinge        = model.LossHinge
	LossSquaredHinge = model.LossSquaredHinge
)

// These are the rules by which task rkda chooses a class; see Options.DiscriminantRule.
const (
	RuleMeans     = model.RuleMeans
	RuleIndicator = model.RuleIndicator
)

// These are the ways in which several classifiers decide; see Options.Multiclass.
const (
	OneVsRest  = model.OneVsRest
	OneVsOne   = model.OneVsOne
	MultiLabel = model.MultiLabel
	// SingleClassifier is one classifier with a function for each class.
	SingleClassifier = model.SingleClassifier
)

// These are the solvers. All reach the same optimum and prove it by the same certificate.
const (
	// SolverChunking moves the weights after every step of a working set of dual variables (Kloft
	// 2011, Algorithm 3.2).
	SolverChunking = train.MethodChunking
	// SolverWrapper trains a support vector machine for each step of the weights (Algorithm 3.1).
	SolverWrapper = train.MethodWrapper
	// SolverCPM finds the weights by cutting planes, which it takes from alpha while that is still
	// being optimised (Algorithm D.1).
	SolverCPM = train.MethodCPM
	// SolverCPMWrapper trains a support vector machine for each cutting plane.
	SolverCPMWrapper = train.MethodCPMWrapper
	// These solve a program of the paper for task rkda, for comparison; see package discriminant.
	SolverQCQP      = discriminant.QCQP
	SolverSDP       = discriminant.SDP
	SolverSDPApprox = discriminant.SDPApprox
	SolverSDPKim    = discriminant.SDPKim
	// SolverLBFGS takes limited-memory quasi-Newton steps over all points, for the squared loss.
	SolverLBFGS = train.MethodLBFGS
	// SolverNewton takes Newton steps over all points, for task cox.
	SolverNewton = train.MethodNewton
	// SolverSMO takes steps of pairs of rows with all matrices in memory, for task med with EntropyDrop
	// (Lewis 2006, section 3.5).
	SolverSMO = train.MethodSMO
)

// Solvers lists the solvers by name.
var Solvers = train.Methods
