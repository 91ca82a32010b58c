package selection

import "bigmkl/internal/evaluate"

// Figure is the mean over the folds with its standard error, corrected for the rows that trainings have in
// common (evaluate.Resampled).
type Figure struct {
	Mean  float64 `json:"mean"`
	Error float64 `json:"error"`
	Folds int     `json:"folds"` // those in which it is defined
}

// figureOf returns the mean of figures of folds and its standard error, which is 0 of one number.
// ratio is the ratio of tested rows to rows that are trained on.
func figureOf(list []float64, ratio float64) Figure {
	r := evaluate.Resample(list, ratio)
	return Figure{Mean: r.Mean, Error: r.Error, Folds: r.Count}
}

// better reports whether x is better than y by the measure.
func (s *Selection) better(x, y float64) bool { return x != y && x < y == s.Smaller }
