// Package exchange tests what other programs write and read: formats of data, rows that keep coming, the command serve,
// and the programs of LIBSVM that the command has, beside those of LIBSVM where these are installed.
package exchange

import (
	"testing"

	"bigmkl/cmd/bigmkl/command"
	"bigmkl/tests/commandtest"
)

func TestMain(m *testing.M) {
	commandtest.RunTests(m, commandtest.Program{Execute: command.Execute, Main: command.Main})
}
