package selection

import (
	"time"

	"bigmkl"
	"bigmkl/internal/kernelspec"
)

// FewRows is the largest number of rows of a training that chooses norm and C, and of one that measures shares.
const FewRows = choiceRows

// Work counts the trainings of an importance with default folds, norms, costs and samples.
type Work struct {
	Sources int `json:"sources"`
	Folds   int `json:"folds"` // of all repetitions
	// Trainings is the number of trainings of a fold, each on the rows outside it: on all sources, without each, without each
	// pair of at most MostPaired sources, on each alone, and with each permuted.
	Trainings int `json:"trainings"`
	// Choices is the number of trainings of a fold by which norm and C are chosen, and Samples that of all samples. Each is
	// on at most FewRows rows.
	Choices int `json:"choices"`
	Samples int `json:"samples"`

	abreast bool // folds are trained side by side
}

// WorkOf counts the trainings for the kernels of a bank, so many rows and the options of the training. Kernels that are one source, or more than MostSources,
// are of class fail.Usage.
func WorkOf(bank *kernelspec.Bank, rows int, training *bigmkl.Options) (*Work, error) {
	list := originsOf(bank, EachSource)
	if err := checkOrigins(list); err != nil {
		return nil, err
	}
	var o ImportanceOptions
	o.setDefaults()
	r := &sources{list, o.Samples, true}
	w := &Work{Sources: len(list), Folds: o.Splits.Folds * repeats(rows), Samples: len(r.planOf(new(step)))}
	w.abreast = lanesOf(training, rows, w.Folds) > 1
	for _, m := range r.planOf(&step{Fold: "1"}) {
		if m.What != permuted {
			w.Trainings++
		}
	}
	costs, norms := len(o.Costs), len(o.Norms)
	w.Choices = choiceFolds * (costs + norms - 1)
	for _, s := range list {
		if w.Choices += choiceFolds * costs; len(s.kernels) > 1 { // One kernel has the same problem at each norm.
			w.Choices += choiceFolds * (norms - 1)
		}
	}
	return w, nil
}

// timeShares and sharesAbreast are parts of the least and of the longest time that trainings from nothing are expected to
// take, for folds one after the other and side by side. Three importances took .27 (advert998), .44 (multifeat) and .31
// (MNIST in ten bands) of the least time one after the other, and .15, .18 and .13 side by side with two threads.
var (
	timeShares    = [2]float64{0.25, 0.5}
	sharesAbreast = [2]float64{0.12, 0.3}
)

// Time returns between which times the work takes, for a training that takes between two times on so many rows. Trainings on
// fewer rows count by the square of the rows.
func (w *Work) Time(training [2]time.Duration, rows int) [2]time.Duration {
	few := float64(min(rows, choiceRows)) / float64(max(rows, 1))
	trainings := float64(w.Folds*w.Trainings) + few*few*float64(w.Folds*w.Choices+w.Samples)
	shares := timeShares
	if w.abreast {
		shares = sharesAbreast
	}
	for k := range training {
		training[k] = time.Duration(shares[k] * trainings * float64(training[k]))
	}
	return training
}
