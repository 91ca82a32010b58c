// Package harnesstest has what tests of experiments share: a session, and the program of their trainings.
package harnesstest

import (
	"io"
	"os"
	"testing"

	"bigmkl/bench/internal/harness"
	"bigmkl/internal/testmain"
)

// Main runs the tests of a package whose experiments train. The test binary serves as the program of a training.
// A training starts this binary with ChildName. It then trains in place of the tests.
func Main(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == harness.ChildName {
		os.Exit(harness.Run(harness.NewCommand(os.Stdin, os.Stdout, os.Stderr, nil)))
	}
	testmain.Run(m)
}

// NewSession returns a session with two threads that prints nothing and has scratch files in a folder of the test.
func NewSession(t *testing.T) *harness.Session {
	t.Helper()
	s := harness.NewSession(io.Discard, io.Discard)
	s.Scratch, s.Threads = t.TempDir(), 2
	return s
}
