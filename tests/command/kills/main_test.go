// Package kills kills and stops commands as processes, changes their files while they run, and
// cleans up after them.
package kills

import (
	"testing"

	"bigmkl/cmd/bigmkl/command"
	"bigmkl/tests/commandtest"
)

func TestMain(m *testing.M) {
	commandtest.RunTests(m, commandtest.Program{Execute: command.Execute, Main: command.Main})
}
