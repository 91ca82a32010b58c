package command

import (
	"fmt"
	"io"
	"strings"
	"time"

	"bigmkl/internal/trial"
)

const (
	// trialTime is about how long a trial trains. A plan has to be much faster than the training that
	// it is about.
	trialTime = 6 * time.Second
	// trialShare is one over the share of the memory that the sample of a trial may take. The plan
	// itself needs memory for the rows and kernels of the trial trainings.
	trialShare = 16
)

// printTrial writes the trainings of a trial and what follows from them.
func printTrial(w io.Writer, e *trial.Estimate) error {
	// The runs are listed by growing number of rows.
	var runs []string
	for _, r := range e.Runs {
		runs = append(runs, fmt.Sprintf("%s %s", count(r.Rows, "row"), formatFine(r.Time)))
	}
	text := fmt.Sprintf("trial: %s\nThe training takes about %s, between %s and %s as a rule", strings.Join(runs, ", "),
		formatFine(e.Time), formatFine(e.Low), formatFine(e.High))
	if e.Exponent > 0 {
		text += fmt.Sprintf("; the time grows as n^%.1f", e.Exponent)
	}
	_, err := fmt.Fprintf(w, "\n%s\n", text)
	return err
}

// trialJSON is the estimate of a trial, in seconds: the expected time and a range around it. The time
// of n rows is extrapolated as n^Exponent.
type trialJSON struct {
	Seconds number `json:"seconds"`
	Low     number `json:"low_seconds"`
	High    number `json:"high_seconds"`
	// Exponent is null if a training had all rows.
	Exponent *number        `json:"exponent"`
	Runs     []trialRunJSON `json:"runs"`
}

// trialRunJSON is a training on some of the rows.
type trialRunJSON struct {
	// Iterations shows whether the time grows by iterations or by the time of each.
	Rows       int    `json:"rows"`
	Seconds    number `json:"seconds"`
	Iterations int    `json:"iterations"`
}

// newTrialJSON converts what a trial has found.
func newTrialJSON(e *trial.Estimate) *trialJSON {
	j := &trialJSON{Seconds: number(e.Time.Seconds()), Low: number(e.Low.Seconds()), High: number(e.High.Seconds())}
	if e.Exponent > 0 {
		x := number(e.Exponent)
		j.Exponent = &x
	}
	for _, r := range e.Runs {
		j.Runs = append(j.Runs, trialRunJSON{r.Rows, number(r.Time.Seconds()), r.Iterations})
	}
	return j
}
