package bigmkl

import (
	"bigmkl/internal/fail"
	"bigmkl/internal/train"
)

// These are the classes of errors. The class decides what a caller can do about an error, and
// errors.Is(err, bigmkl.ErrInput) tests for it. The text of an error is for people, and names the
// file, line and column if they are known. An error without a class comes from the system or from a
// context.
var (
	ErrUsage   = fail.Usage   // An option or a kernel specification makes no sense.
	ErrInput   = fail.Input   // The data cannot be used.
	ErrCorrupt = fail.Corrupt // A model, checkpoint or other file of this program is damaged.
	ErrVersion = fail.Version // The file of this program is of another run or a newer release.
	ErrBudget  = fail.Budget  // Memory, disk or file descriptors do not suffice.
)

// Unfinished is the error of a run that was asked to end before there was a model. errors.As finds
// it.
type Unfinished = train.Unfinished
