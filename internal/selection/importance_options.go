package selection

import (
	"errors"
	"slices"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// ImportanceOptions set the sources whose importance is measured, and the method. The zero value measures views and
// groups of kernels by 5 folds, which are drawn more often the fewer rows there are.
type ImportanceOptions struct {
	// Options holds the training, the norms and the costs that each fold chooses from, the rows that are left out, the
	// measure, the region of practical equivalence, and the folder with its parts. If Norms is empty, it is 1, 4/3 and 2;
	// if Costs is empty, it is 0.1, 1, 10 and 100; if Measure is empty, it is auc for two classes, accuracy for several,
	// macro_auc for sets of labels and r2 for regression. What is left must be zero: an importance has one list of
	// kernels, no trials, no tuning and no choice.
	Options
	// Each is the kind of the sources.
	Each Each
	// Samples is the number of samples of half of the rows on which shares are measured. If it equals zero, it is
	// DefaultSamples; bigmkl.Zero asks for none.
	Samples int
}

// DefaultSamples is the number of samples of a zero ImportanceOptions.
const DefaultSamples = 50

const (
	// fewTested is the number of rows that folds test at least, together, unless repetitions are given, and
	// mostRepeats the largest number of repetitions by default: of 25 figures of folds the corrected error is within
	// 4 % of that of 50.
	fewTested   = 2000
	mostRepeats = 5
)

// setDefaults puts defaults in the place of zeros, except for the number of repetitions, which the rows decide.
func (o *ImportanceOptions) setDefaults() {
	o.importance = true
	if o.Measure == "" {
		switch t := &o.Training; {
		case model.OwnMeasure(t.Task) != "":
			o.Measure = model.OwnMeasure(t.Task)
		case model.Labeling(t.Task) == dataset.Targets:
			o.Measure = "r2"
		case t.Multiclass == model.MultiLabel:
			o.Measure = "macro_auc"
		case t.Multiclass == "" && model.TwoClasses(t.Task):
			o.Measure = "auc"
		}
	}
	if t := &o.Training; len(o.Norms) == 0 && model.Weightless(t.Task) {
		o.Norms = []float64{t.Point().Norm}
	}
	if !hasCost(&o.Training) && len(o.Costs) == 0 {
		o.Costs = []float64{1} // No training sees it.
	}
	o.Options.setDefaults()
	o.widens = false
	switch o.Samples {
	case 0:
		o.Samples = DefaultSamples
	case bigmkl.Zero:
		o.Samples = 0
	}
}

// repeats returns how often folds of n rows are drawn. Few tested rows give a wide error. Repetitions
// reduce its part that comes from the draw of the folds.
func repeats(n int) int { return min(max((fewTested+n-1)/max(n, 1), 1), mostRepeats) }

// Validate lists every fault at once. Each is of class fail.Usage.
func (o ImportanceOptions) Validate() error {
	var faults []error
	reject := func(has bool, what string) {
		if has {
			faults = append(faults, fail.New(fail.Usage, "an importance has %s", what))
		}
	}
	reject(len(o.Banks) > 1, "one list of kernels")
	reject(o.Trials.asked(), "no trials")
	reject(o.Tune != "", "no tuning")
	reject(o.Nested, "nothing nested: each fold chooses without its rows")
	reject(o.Choose != "", "nothing to choose")
	reject(o.CostBase != "" || len(o.CostPowers) > 0, "no powers of costs to choose from")
	reject(o.SharedPreparation, "rows that are held out of everything")
	if r := &o.Training.Regularizer; r.Weights != nil || r.Interaction != nil {
		faults = append(faults, fail.New(fail.Usage, "fixed weights and interactions are of all kernels, and an importance leaves kernels out").
			WithHint("use a block norm"))
	}
	if t := &o.Training; t.OneTheta && t.Taus != nil {
		faults = append(faults, fail.New(fail.Usage, "an importance has weights of each of several quantiles, and not one set for all").
			WithHint("leave --one-theta out"))
	}
	if t := &o.Training; t.Components != "" || t.Observed != nil {
		faults = append(faults, fail.New(fail.Usage, "components by the numbers of kernels or rows, of which an importance leaves some out").
			WithHint("let every kernel be a component of both classes"))
	}
	if !hasCost(&o.Training) && len(o.Costs) > 0 {
		faults = append(faults, fail.New(fail.Usage, "costs to choose from with task %s, which has no C", o.Training.Task))
	}
	if !slices.Contains([]Each{EachSource, EachKernel}, o.Each) {
		faults = append(faults, fail.New(fail.Usage, "%s is no kind of source", fail.Quote(string(o.Each))))
	}
	if o.Samples < 0 && o.Samples != bigmkl.Zero {
		faults = append(faults, fail.New(fail.Usage, "%d samples", o.Samples))
	}
	o.setDefaults()
	return errors.Join(append(faults, o.Options.Validate())...)
}
