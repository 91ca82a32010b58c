package bigmkl

import (
	"bigmkl/internal/fail"
	"bigmkl/train"
)

// The classes of errors. What a caller can do about an error is decided by its class, which
// errors.Is tells: errors.Is(err, bigmkl.ErrInput). The text of an error is for people, and names
// the file, line and column where there is one. An error of no class comes from the system or is
// that of a context.
var (
	ErrUsage   = fail.Usage   // an option or a kernel specification makes no sense
	ErrInput   = fail.Input   // the data cannot be used
	ErrCorrupt = fail.Corrupt // a model, checkpoint or other file of this program is damaged
	ErrVersion = fail.Version // a file of this program was written by a newer release
	ErrBudget  = fail.Budget  // memory, disk or file descriptors do not suffice
)

// Unfinished is the error of a run that was asked to end and has no model to show for it; errors.As
// finds it.
type Unfinished = train.Unfinished
