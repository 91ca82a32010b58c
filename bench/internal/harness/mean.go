package harness

import (
	"fmt"
	"math"
)

// MeanOfRuns is a mean of repetitions with its standard error.
// The repetitions are independent, so the error needs no correction.
type MeanOfRuns struct {
	Mean  float64 `json:"mean"`
	Error float64 `json:"standard_error"`
	// text is the format of mean and error, such as "%.2f ± %.2f".
	text string
}

// String formats the mean and its error.
func (m MeanOfRuns) String() string { return fmt.Sprintf(m.text, m.Mean, m.Error) }

// MeanAndError computes the mean of x and its standard error. The error is sqrt(sum (x - mean)^2 /
// (n-1) / n). One value has the error 0.
func MeanAndError(x []float64, text string) MeanOfRuns {
	n, s, ss := float64(len(x)), 0.0, 0.0
	for _, v := range x {
		s += v / n
	}
	for _, v := range x {
		// The second pass avoids the difference of two large sums of squares.
		ss += (v - s) * (v - s)
	}
	return MeanOfRuns{s, math.Sqrt(ss / max(n-1, 1) / n), text}
}
