package train

import (
	"slices"
	"strconv"

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

// middleTau is the median.
const middleTau = 0.5

// tauOfEvents returns the default quantile of times, for dataset.Row.Target and Upper of the rows: the share of the rows with an event, to two
// digits, and at most the median. Where most rows are censored, their median is far beyond all times, and the data do not determine it. Tau is
// then also where both sides of the loss have nearly equal weight: all rows cost 2 C tau above the function, and rows with an event
// 2 C (1 - tau) below it. Rows with upper bounds have the median.
func tauOfEvents(times, uppers []float64) float64 {
	if uppers != nil {
		return middleTau
	}
	events := 0
	for _, t := range times {
		if t > 0 {
			events++
		}
	}
	share, err := strconv.ParseFloat(strconv.FormatFloat(float64(events)/float64(len(times)), 'g', 2, 64), 64)
	if err != nil || !(share > 0) {
		return middleTau
	}
	return min(share, middleTau)
}

// takeTau sets the quantile, once, where it depends on the rows.
func (p *Problem) takeTau(tau float64) {
	if p.TauOfEvents && p.Tau == 0 {
		p.Tau = tau
	}
}
