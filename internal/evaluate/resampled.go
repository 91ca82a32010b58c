package evaluate

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// Resampled describes the mean of the figures of repeated splits of one data set. Splits have rows
// in common, so their figures are correlated and the variance divided by their number is too small,
// by more the more splits there are. Nadeau and Bengio (2003) put the correlation of two of them at
// the share of the rows that a split tests, and so add the ratio of the rows that are tested to
// those that are trained on to 1/Count. Bouckaert and Frank (2004) take the same for folds that are
// drawn several times, with a degree of freedom less than there are figures.
type Resampled struct {
	Mean, Error float64 // the mean and its corrected standard error, 0 of one figure
	Count       int     // the number of figures
}

// Resample describes the figures of all splits. ratio is the number of test rows over the number
// of training rows, such as 1/(K-1) of K folds.
func Resample(values []float64, ratio float64) Resampled {
	n := float64(len(values))
	r := Resampled{Count: len(values)}
	for _, x := range values {
		r.Mean += x / n
	}
	squares, constant := 0.0, true
	for _, x := range values {
		squares += (x - r.Mean) * (x - r.Mean)
		constant = constant && x == values[0]
	}
	if constant { // Rounding of the mean is not variance.
		if len(values) > 0 {
			r.Mean = values[0]
		}
		return r
	}
	r.Error = math.Sqrt(squares / (n - 1) * (1/n + ratio))
	return r
}

// leastConstant is the number of figures from which on equal ones are taken for certain. Shares of
// few rows are often equal by chance, and two splits that agree are not a proof.
const leastConstant = 5

// P returns the two-sided p-value of the corrected resampled t test that the mean is 0. It is NaN of
// one figure, and of fewer than 5 that are equal and not 0.
func (r Resampled) P() float64 {
	switch {
	case r.Count < 2:
		return math.NaN()
	case r.Error > 0:
		nu := float64(r.Count - 1)
		t := r.Mean / r.Error
		return mathext.RegIncBeta(nu/2, 0.5, nu/(nu+t*t))
	case r.Mean == 0:
		return 1
	case r.Count < leastConstant:
		return math.NaN()
	}
	return 0
}

// Greater returns the one-sided p-value that the mean is above 0. It is NaN where P is.
func (r Resampled) Greater() float64 {
	p := r.P() / 2
	if r.Mean < 0 {
		return 1 - p
	}
	return p
}

// Practical returns the probabilities that the mean is below -rope, within rope of 0, and above
// rope, by the correlated Bayesian t test (Benavoli, Corani, Demsar and Zaffalon 2017). Figures that
// are all equal leave no doubt. Without two figures all three are NaN.
func (r Resampled) Practical(rope float64) (worse, equivalent, better float64) {
	switch {
	case r.Count < 2:
		return math.NaN(), math.NaN(), math.NaN()
	case r.Error == 0 && r.Mean == 0 && rope == 0:
		return 0.5, 0, 0.5 // a region without width has no part
	case r.Error == 0 && math.Abs(r.Mean) <= rope:
		return 0, 1, 0
	case r.Error == 0 && r.Mean < 0:
		return 1, 0, 0
	case r.Error == 0:
		return 0, 0, 1
	}
	d := distuv.StudentsT{Sigma: 1, Nu: float64(r.Count - 1)}
	// Both tails come from the side where they are small, so neither is lost in 1 - x.
	worse, better = d.CDF((-rope-r.Mean)/r.Error), d.CDF((r.Mean-rope)/r.Error)
	return worse, max(0, 1-worse-better), better
}
