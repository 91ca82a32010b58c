// Package testmain runs the tests of a package with little work for the garbage collector and for disks.
package testmain

import (
	"os"
	"runtime/debug"
	"testing"

	"bigmkl/internal/testlevel"
)

// Run runs the tests of a package and ends the process, for its TestMain. Temporary folders of the tests are in memory
// where that can be: a disk makes each file wait that a test makes durable, and no test cuts the power. ext4 without a
// journal also passes over each inode that was freed a moment ago before it creates a file.
func Run(m *testing.M) {
	folder := memoryFolder(shared)
	if folder != "" {
		os.Setenv("TMPDIR", folder)
	}
	code := run(m)
	if folder != "" {
		os.RemoveAll(folder)
	}
	os.Exit(code)
}

// RunOnDisk does what Run does, and leaves temporary folders where the system has them, for tests about disks.
func RunOnDisk(m *testing.M) { os.Exit(run(m)) }

// run runs the tests of a package. The heap of a test is a few MiB, and the garbage collector would run all the time
// with the default of GOGC. It therefore waits for a larger heap, except in the long run and where GOGC is set.
func run(m *testing.M) int {
	if os.Getenv("GOGC") == "" && !testlevel.Reached(testlevel.ManyTimes) {
		debug.SetGCPercent(400)
	}
	return m.Run()
}
