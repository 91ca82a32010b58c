package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/fail"
	"bigmkl/internal/selection"
)

// progressLines print the trainings of a selection or the readings of an importance, at most one line a
// second. These runs have hundreds of short trainings. Lines of their iterations would hide how far the
// whole run is.
type progressLines struct {
	// began is the start of the run, and shown the time of the last line.
	to    io.Writer
	quiet bool
	began time.Time
	shown time.Time
	done  int // of this run, without those that were there before
}

// show reports a training that is done. describe returns the line, which has the time left as a text.
// The time left assumes that the remaining trainings take as long as the mean of this run. The last
// line is always shown.
func (l *progressLines) show(p selection.Progress, describe func(left string) string) {
	l.done++
	if l.quiet || time.Since(l.shown) < time.Second && p.Done < p.Total {
		return
	}
	l.shown = time.Now()
	// Time left = mean time of a training so far x trainings that are left.
	left := time.Duration(float64(time.Since(l.began)) / float64(l.done) * float64(p.Total-p.Done))
	fmt.Fprintln(l.to, describe(formatTime(left)))
}

// describeProgress describes a training of a selection from so many lists of kernels.
func describeProgress(p selection.Progress, left string, banks int) string {
	// A tuning may settle early, so the number of trainings is a bound and no time is given.
	if p.Point > 0 {
		return fmt.Sprintf("tuning, %d of at most %d trainings: point %d without fold %s: %.4f", p.Done,
			p.Total, p.Point, fail.Label(p.Fold), p.Value)
	}
	return fmt.Sprintf("%d/%d trainings, %s left: %s, C = %.6g without fold %s: %.4f", p.Done, p.Total, left,
		nameArm(&p.Arm, banks), p.Cost, fail.Label(p.Fold), p.Value)
}

// describeReading describes a reading of an importance.
func describeReading(p selection.Progress, left string) string {
	// Shares of ||w|| are measured on samples of rows and not on folds.
	if p.Fold == "" {
		return fmt.Sprintf("%d/%d, %s left: %s", p.Done, p.Total, left, p.Reading)
	}
	return fmt.Sprintf("%d/%d, %s left: fold %s, %s: %.4f", p.Done, p.Total, left, fail.Label(p.Fold), p.Reading, p.Value)
}

// endOfFolder returns the error with which a selection or an importance ends. Its trainings or measurements,
// named by the word done, stay in its folder. The error lists the files that could not be kept. An
// interrupt is not a fault of these commands: the user can continue, and the message explains how.
func endOfFolder(err error, to *console, done string, files []string) error {
	if !errors.Is(err, context.Canceled) {
		return nameFiles(err, files)
	}
	// A full disk can be the reason why a result was not kept.
	for _, e := range splitJoined(err) {
		if !errors.Is(e, context.Canceled) {
			to.complain("warning: not all that was %s could be kept: %v", done, e)
		}
	}
	return &exitError{contract.ExitInterrupted, "interrupted: the folder keeps what was " + done + ", and --resume goes on"}
}
