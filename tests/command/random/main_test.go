// Package random draws command lines, runs them as processes that are killed, ended and resumed,
// and compares what they write.
package random

import (
	"testing"

	"bigmkl/cmd/bigmkl/command"
	"bigmkl/tests/commandtest"
)

func TestMain(m *testing.M) {
	commandtest.RunTests(m, commandtest.Program{Execute: command.Execute, Main: command.Main})
}
