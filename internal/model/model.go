package model

import (
	"bigmkl/dataset"
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/probability"
	"slices"
)

// Certificate holds the primal and dual values of this very model and so bounds its distance from
// the optimum.
type Certificate struct {
	// Kind is gap, or stationary if an indefinite kernel is in use and the gap proves nothing.
	Kind        string  `json:"kind"`
	Primal      float64 `json:"primal"`
	Dual        float64 `json:"dual"`
	RelativeGap float64 `json:"relative_gap"`
	// Rounding is the part of Primal that bounds the error of both values by rounding. It is 0
	// where these were accepted as they are.
	Rounding float64 `json:"rounding,omitempty"`
}

// Normalization states how kernels were scaled before they were weighted.
type Normalization struct {
	// Kind is one of kernelspec.Normalizers, for kernels without a norm= of their own.
	Kind string `json:"kind"`
	// Scale holds the factor of each kernel. It is 1 for kernels that are not multiplicative, and
	// Scale is nil if none is.
	Scale []float64 `json:"-"`
	// SampleSize is the number of rows from which Scale was estimated. It is 0 if Scale is exact.
	SampleSize int `json:"sample_size,omitempty"`
	// StandardError holds the relative standard error of each factor. It is nil if Scale is exact.
	StandardError []float64 `json:"-"`
}

// Tuning holds the settings of the solver. A zero means the default. The fields are the fields of
// chunking.Tuning.
type Tuning struct {
	WorkingSet int     `json:"working_set,omitzero"`
	Fresh      float64 `json:"fresh,omitzero"`
	Inner      float64 `json:"inner,omitzero"`
	Coarse     float64 `json:"coarse,omitzero"`
	Shrink     float64 `json:"shrink,omitzero"`
	Floor      int     `json:"floor,omitzero"`
	NoShrink   bool    `json:"no_shrink,omitzero"`
}

// Model is a trained classifier, or several that share support vectors. A classifier has the
// decision function f(x) = sum_m Theta[m] sum_s Alpha[s] k_m(x_s, x) + Bias with normalised kernels
// k_m.
type Model struct {
	// Task is one of Tasks.
	Task string
	// Norm is the block norm p in [1, +Inf].
	Norm float64
	Regularizer
	C float64
	// CostWeight is theta_0 = 1/C if C was found along with the weights, and nil otherwise. All weights
	// sum to 1 with it, and the field C is 1.
	CostWeight *float64
	LossSettings
	// Gap is the relative duality gap that was asked for.
	Gap float64
	// Precision is auto, 32 or 64.
	Precision string
	// Double is true if kernels were computed in double precision at the end. They must then be so
	// for prediction.
	Double bool

	// A point with f > 0 is predicted as Positive. Both names are "" for tasks without classes.
	Positive, Negative string
	// PositiveLabels lists the labels that count as positive while all others count as negative. It
	// is nil if the classes come from the data.
	PositiveLabels []string
	// The cost of a point is C_i = C * class weight * row weight.
	PositiveWeight, NegativeWeight float64
	// RowWeights is true if the rows had weights.
	RowWeights bool
	// Posteriors holds the probability Pr(+1|x_i) of the positive class of each training row. If it
	// is nil, the labels are certain. See SoftLabel for what becomes of it.
	Posteriors []float64
	// Fill holds, for each kernel with a replacement of missing values, the mean of k(x,x) over the
	// training rows that have its view, not normalised; 0 for any other kernel. If it is nil, no
	// kernel has such values, and the features of the rows are features alone. Else the last of them
	// are the flags of Views; see dataset.WithFlags.
	Fill []float64
	// Centre is nil unless kernels are centred.
	Centre *Centre
	// PosteriorsOf states where Posteriors come from: knn:K or knn:K@SET, or GivenPosteriors. It is
	// "" without them.
	PosteriorsOf string

	Decomposition

	// Discriminant is nil unless Task is TaskRKDA. The model then has a classifier of OneVsRest for
	// each class, also for two, with OneTheta.
	Discriminant *Discriminant

	// Sigmoids holds one sigmoid for each classifier, which turns decision values into
	// probabilities. It is nil if the model gives none.
	Sigmoids []probability.Sigmoid
	// Censoring is the distribution of the times of censoring, of labels that are times.
	Censoring Censoring
	// RowPairs are the dual variables of pairs of rows, of tasks whose dual variables belong to pairs.
	RowPairs RowPairs
	// Baseline is the baseline hazard, of tasks of relative hazards.
	Baseline Baseline
	// Conformal holds calibration scores, nil without any.
	Conformal *Conformal
	// Folds is the number of folds of held-out rows that the sigmoids were fitted to, dealt out by
	// Seed. It is 0 without sigmoids.
	Folds int
	// FoldsApart means that the rows of these folds were held out of everything, and not of the trainings alone,
	// which then shared what is prepared from all rows.
	FoldsApart bool

	// Points is n of the training data.
	Points int
	// Limit is the number of rows that were used at most. It is 0 if all were.
	Limit int
	// Tuning holds the settings of the solver.
	Tuning Tuning
	// Fingerprint is the hash of the training data after scaling (see datahash.Hasher).
	Fingerprint uint64
	// Store is dense or sparse, as the points were stored. It decides in which order products are
	// summed.
	Store dataset.Layout

	// Kernels lists the specifications, which are not expanded.
	Kernels []string
	// Costs is nil if no specification has cost=, and in models of releases in which cost=D divided
	// the importance of a kernel by D.
	Costs *Costs
	// WeightRule is nil unless a rule has made Weights.
	WeightRule *WeightRule
	// Occurring lists the features that the training rows had, if the others have no number; Features
	// is then the number of those that have one. It is nil if all have.
	Occurring *dataset.Occurring
	// Objects are the objects that rows name in place of features; nil if rows have features. Features is then the number
	// of objects that a row names, and Vectors has their numbers.
	Objects *objects.Set
	// Columns describes what the columns of the training data were. It is nil unless they were a
	// table.
	Columns *dataset.Columns
	// Views lists the views that the specifications may name.
	Views []dataset.View
	// Sequences is the alphabet if the points are sequences.
	Sequences dataset.Alphabet
	Seed      uint64
	// Medians lists the median and mean distances from which kernels take their widths, in the
	// order of the expansion.
	Medians []float64

	Scaling       dataset.Scaling
	Normalization Normalization

	// Theta and WNorms hold the weight and the norm ||w_m|| of each kernel.
	Theta, WNorms []float64
	Bias          float64
	// Alpha holds the signed dual variable of each support vector.
	Alpha []float64
	SupportVectors
	Certificate Certificate

	// Stream is nil unless the training data are part of a stream.
	Stream *Stream

	// Family is nil for l_p-norm multiple kernel learning.
	Family *Family
}

// Stream states which rows of a stream a model was trained on: the newest ones of all that came.
type Stream struct {
	// Seen is the number of rows that had come, of which the last Points are the training data.
	Seen int `json:"seen"`
	// Vectors is the number of rows at the front of the training data that are support vectors of
	// another model and represent the rows of that one.
	Vectors int `json:"vectors,omitempty"`
	// Prepared is the number of rows that the medians and the normalisation were taken from. They
	// need not be rows of the training data, so nothing can be said of these factors but that they
	// define the kernels.
	Prepared int `json:"prepared"`
}

// Len returns the number of kernels.
func (m *Model) Len() int {
	if len(m.Classifiers) > 0 {
		return len(m.Classifiers[0].Theta)
	}
	return len(m.Theta)
}

// Labeling returns what labels mean in data for this model.
func (m *Model) Labeling() dataset.Labeling {
	return LabelingOf(m.Task, m.Multiclass)
}

// HasClasses reports whether the model predicts classes.
func (m *Model) HasClasses() bool {
	return slices.Contains(classifying, m.Task)
}
