package commandtest

import (
	"regexp"
	"strings"
	"testing"
)

// Fault is a command line that must fail in one way.
type Fault struct {
	Name string
	Args []string
	Code int
	Want string // what the line on standard error starts with, after "bigmkl: "
}

// Check runs the command line and looks at its one line.
func Check(t *testing.T, f Folder, c Fault) {
	t.Helper()
	before := List(t, f.Path)
	o := Try(c.Args...)
	if o.Code != c.Code {
		t.Errorf("exit code %d, want %d: %s", o.Code, c.Code, o.Stderr)
	}
	if !strings.HasPrefix(o.Stderr, "bigmkl: "+c.Want) || strings.Count(o.Stderr, "\n") != 1 {
		t.Errorf("standard error %q, want a line that starts with %q", o.Stderr, "bigmkl: "+c.Want)
	}
	if o.Stdout != "" {
		t.Errorf("standard output %q", o.Stdout)
	}
	if after := List(t, f.Path); len(after) != len(before) {
		t.Errorf("files before %q, after %q", before, after)
	}
}

// EnoughBudget finds the budget that a rejection names: the least that is enough, or one that is where
// the run was counted without its points.
var EnoughBudget = regexp.MustCompile(`\((?:the least that is enough is )?--(memory|disk) ([0-9.]+[A-Za-z]*)` +
	`(?: is enough, and less may be)?\)`)

// The tests of the files hostile_*_test.go are a table of the worst that input can be, with a row for
// each case. This file has rows and kernels. The table leaves out what the program does not have: CSV
// files, folds of a cross-validation, a flag that ignores further features, and a size of the working
// set on the command line. Interrupts are in signal_test.go, options that make no sense in
// faults_test.go, and a matrix that is cut short during the training in changed_test.go of the
// library.

// Plain is a small problem that every kernel can learn, with both features in use.
const Plain = "1 1:1 2:0.5\n-1 1:-1 2:0.25\n1 1:2 2:-0.5\n-1 1:-2 2:0.75\n1 1:1.5\n-1 2:2\n"
