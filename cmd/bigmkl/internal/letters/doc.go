// Package letters has the programs of LIBSVM under their own letters: svm-train, svm-predict and
// svm-scale take the options of their namesakes, print the same lines on standard output, and read and
// write the same files. The training is done by this module, so it ends with a certified gap.
//
// A program that calls svm-train, such as svm-grid, calls it unchanged: see Install. What differs is
// listed in docs/FROM-LIBSVM.md: faults have the exit codes of the other commands, files appear whole or
// not at all, and an interrupted training writes no model, as the format has no room for its certificate.
package letters

import (
	"context"
	"io"

	"bigmkl/internal/fail"
)

// These are the names of the programs.
const (
	NameTrain   = "svm-train"
	NamePredict = "svm-predict"
	NameScale   = "svm-scale"
)

// Names lists them.
var Names = []string{NameTrain, NamePredict, NameScale}

// Process is what a program uses of the process that it runs in. All access to the process goes through
// it, so a program of LIBSVM can run as one of many requests, or in a test.
type Process struct {
	// Stdout takes results, and Stderr what is certified of them.
	Stdout, Stderr io.Writer
	// Warn writes a warning.
	Warn func(format string, args ...any)
	// Scratch returns a folder for scratch files.
	Scratch func() (string, error)
	// Check returns the error of a file that cannot be written, or that is also read.
	Check func(out string, in ...string) error
	// Target is called with the name of each file before it is written.
	Target func(path string)
	// LimitHeap keeps the heap within the memory of the computer until undo is called.
	LimitHeap func() (undo func())
	// Heap is told how many bytes the heap may take.
	Heap func(bytes int64)
}

// Unsure is the error of a model that was written with a larger gap than it had to reach.
type Unsure struct{ Message string }

// Error returns the message.
func (u *Unsure) Error() string { return u.Message }

// Run runs the program of a name with its arguments. Its errors have a class, are an Unsure, or come
// from ctx.
func Run(ctx context.Context, p *Process, name string, args []string) error {
	switch name {
	case NameTrain:
		return runTrain(ctx, p, args)
	case NamePredict:
		return runPredict(ctx, p, args)
	case NameScale:
		return runScale(ctx, p, args)
	}
	return fail.New(fail.Usage, "no program is called %s", fail.Quote(name))
}

// usage returns the error of a command line of a program.
func usage(program, format string, args ...any) error {
	return fail.New(fail.Usage, format, args...).WithHint("%s --help lists the options", program)
}
