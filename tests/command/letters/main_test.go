// Package letters tests the programs of LIBSVM that the command has, beside those of LIBSVM where these are installed.
package letters

import (
	"testing"

	"bigmkl/cmd/bigmkl/command"
	"bigmkl/tests/commandtest"
)

func TestMain(m *testing.M) {
	commandtest.RunTests(m, commandtest.Program{Execute: command.Execute, Main: command.Main})
}
