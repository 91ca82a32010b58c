package bigmkl

import (
	"bigmkl/budget"
	"bigmkl/gram"
	"bigmkl/kernels"
	"bigmkl/model"
	"bigmkl/predict"
	"bigmkl/train"
)

// Model is a trained model: what its file holds, with Predict and Save.
type Model = predict.Model

// PredictOptions say how a model is evaluated; the zero value predicts with all processors.
type PredictOptions = predict.Options

// Prediction is the outcome for one row.
type Prediction = predict.Prediction

// Result is what is worth knowing of a run beside its model.
type Result = train.Result

// Recorder is told about each iteration. An error ends the run.
type Recorder = train.Recorder

// Event is one iteration.
type Event = train.Event

// Plan is what a run takes of memory, disk and time.
type Plan = budget.Plan

// PathPoint is a problem of a path: block norm and cost of the loss.
type PathPoint = train.Point

// AlignOptions say which alignments are computed; the zero value computes those of all points.
type AlignOptions = gram.AlignOptions

// Alignments is how much kernels are alike, each with each other and with the labels.
type Alignments = gram.Alignments

// UserKernel is a kernel in code of the library's user, for specifications user:NAME[@features]. Models record the specification:
// whoever predicts with one or verifies it has to give the same code.
type UserKernel = kernels.UserKernel

// The tasks: classification by the hinge loss, regression by the epsilon-insensitive or the squared loss, and the support of a
// distribution.
const (
	TaskClass    = model.TaskClass
	TaskSVR      = model.TaskSVR
	TaskSquare   = model.TaskSquare
	TaskOneClass = model.TaskOneClass
)

// How several machines decide; see Options.Multiclass.
const (
	OneVsRest  = model.OneVsRest
	OneVsOne   = model.OneVsOne
	MultiLabel = model.MultiLabel
)

// The solvers. All end in the same optimum, with the same certificate.
const (
	SolverChunking   = train.MethodChunking   // weights move with every step of alpha (Kloft 2011, Algorithm 3.2, and further)
	SolverWrapper    = train.MethodWrapper    // a support vector machine for each step of the weights (Algorithm 3.1)
	SolverCPM        = train.MethodCPM        // weights by cutting planes, which alpha gives as it is optimised (Algorithm D.1)
	SolverCPMWrapper = train.MethodCPMWrapper // the same with a support vector machine for each cut
	SolverLBFGS      = train.MethodLBFGS      // limited-memory quasi-Newton steps over all points, for the squared loss
)

// Solvers lists them.
var Solvers = train.Methods
