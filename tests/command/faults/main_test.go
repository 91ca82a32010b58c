// Package faults makes operations on files fail below every command, one after the other. The
// faults are of the whole process, so its tests run one after the other.
package faults

import (
	"testing"

	"bigmkl/cmd/bigmkl/command"
	"bigmkl/tests/commandtest"
)

func TestMain(m *testing.M) {
	commandtest.RunTests(m, commandtest.Program{Execute: command.Execute, Main: command.Main})
}
