package harness

import (
	"os"
	"testing"

	"bigmkl/internal/testmain"
)

// TestMain makes the test binary serve as the program of a training.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == ChildName {
		os.Exit(Run(NewCommand(os.Stdin, os.Stdout, os.Stderr, nil)))
	}
	testmain.Run(m)
}
