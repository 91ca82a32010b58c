package evaluate

import "math"

// Errors sums up predictions of numbers. All are NaN without any rows.
type Errors struct {
	n                 int
	squares, absolute float64
	mean, spread      float64 // of the targets, and the sum of their squared deviations
}

// Add takes a prediction and the target.
func (e *Errors) Add(predicted, target float64) {
	e.n++
	d := predicted - target
	e.squares += d * d
	e.absolute += math.Abs(d)
	delta := target - e.mean
	e.mean += delta / float64(e.n)
	e.spread += delta * (target - e.mean)
}

// Len is the number of rows.
func (e *Errors) Len() int { return e.n }

// RMSE is the root of the mean squared error.
func (e *Errors) RMSE() float64 { return math.Sqrt(e.squares / float64(e.n)) }

// MAE is the mean absolute error.
func (e *Errors) MAE() float64 { return e.absolute / float64(e.n) }

// R2 is the share of the targets' variance that is explained; NaN or -Inf where they have none.
func (e *Errors) R2() float64 { return 1 - e.squares/e.spread }
