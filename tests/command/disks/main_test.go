// Package disks runs commands on disks that are too small, watches their memory, and runs them in
// cgroups.
package disks

import (
	"testing"

	"bigmkl/cmd/bigmkl/command"
	"bigmkl/tests/commandtest"
)

func TestMain(m *testing.M) {
	commandtest.RunTests(m, commandtest.Program{Execute: command.Execute, Main: command.Main, OnDisk: true})
}
