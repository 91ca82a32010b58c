package train

import (
	"slices"

	"bigmkl/internal/evaluate"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// checkTimes rejects times that are bounded on one side alone: any time beyond all of them would be as good.
func checkTimes(times, uppers []float64) error {
	above0 := func(t float64) bool { return t > 0 }
	if !slices.ContainsFunc(times, above0) && uppers == nil {
		return fail.New(fail.Input, "no event: all %d rows are censored", len(times)).
			WithHint("--event COLUMN of a table, or T for an event and T+ for none")
	}
	if !slices.ContainsFunc(times, func(t float64) bool { return t != 0 }) {
		return fail.New(fail.Input, "no lower bound: all %d times are upper bounds", len(times)).
			WithHint("a table has lower bounds in the column of --time, and upper ones in that of --time-upper")
	}
	return nil
}

// CensoringOf returns what a model keeps of the times of its training rows: dataset.Row.Target and Upper, where uppers is nil or all 0 if
// no row has an upper bound.
func CensoringOf(times, uppers []float64) (c model.Censoring) {
	if slices.ContainsFunc(uppers, func(t float64) bool { return t != 0 }) {
		return model.Censoring{Intervals: true}
	}
	c.Times, c.Shares = evaluate.Censoring(times)
	return c
}
