package train

import (
	"slices"

	"bigmkl/chunking"
	"bigmkl/internal/model"
)

// finished holds the finished classifiers of a run of several. Checkpoints have it beside the
// state of the classifier in progress, and the JSON names of its fields must stay. nil means a run
// of one classifier.
type finished struct {
	// Classifiers is the number of classifiers of the run.
	Classifiers int `json:"machines"`
	// Status is the most severe status of the finished classifiers.
	Status chunking.Status `json:"status"`
	// Iterations is the sum over the finished classifiers.
	Iterations int `json:"iterations"`
	// Each holds the iterations of each classifier. Checkpoints of earlier releases have none.
	Each []int `json:"each,omitempty"`
	// Kinds holds the kinds of the certificates of the finished classifiers.
	Kinds []string `json:"kinds"`
	// Roundings holds Rounding of these certificates.
	Roundings []float64 `json:"roundings,omitempty"`
	// done holds the finished classifiers. Their support vectors are rows of the data. In a
	// checkpoint they have sections of their own.
	done []model.Classifier
	// gates are those that the finished classifiers have learned, nil if none are. In a checkpoint
	// they have sections of their own.
	gates []model.ClassifierGates
}

// addClassifier adds a finished classifier that ended with the given status.
func (f *finished) addClassifier(a *model.Classifier, ended chunking.Status, iterations int) {
	f.Status = moreSevere(f.Status, ended)
	f.Iterations += iterations
	f.Each = append(f.Each, iterations)
	f.Kinds, f.done = append(f.Kinds, a.Certificate.Kind), append(f.done, *a)
	f.Roundings = append(f.Roundings, a.Certificate.Rounding)
}

// count returns the number of finished classifiers, and 0 for nil.
func (f *finished) count() int {
	if f == nil {
		return 0
	}
	return len(f.Kinds)
}

// countUnfinished returns the number of classifiers that still have to be trained, and 1 for nil.
func (f *finished) countUnfinished() int {
	if f == nil {
		return 1
	}
	return f.Classifiers - len(f.done)
}

// place returns the place of the classifier in progress.
func (f *finished) place() place {
	if f == nil {
		return place{}
	}
	return place{classifier: len(f.done), classifiers: f.Classifiers}
}

// endedByLimit reports whether a limit has ended the training of some classifier. The last
// checkpoint from before that is the one to resume from.
func (f *finished) endedByLimit() bool {
	return f.Status != chunking.Converged && f.Status != chunking.Stalled && f.Status != StepLimit
}

// moreSevere returns the more severe one of two statuses.
func moreSevere(a, b chunking.Status) chunking.Status {
	if severity(b) > severity(a) {
		return b
	}
	return a
}

// severity orders statuses: a run of several classifiers has the most severe status of any of them.
// Limits that depend on the clock or the user are more severe than what ends a single classifier,
// because they leave other classifiers untrained.
func severity(s chunking.Status) int {
	order := []chunking.Status{
		chunking.Converged, StepLimit, chunking.Stalled, chunking.IterationLimit,
		chunking.TimeLimit, chunking.Interrupted,
	}
	return slices.Index(order, s)
}
