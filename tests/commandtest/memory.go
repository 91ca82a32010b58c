package commandtest

import (
	"os"
	"testing"

	"bigmkl/internal/files"
	"bigmkl/internal/testlevel"
)

// RunTestsInMemory runs tests as RunTests does. Their temporary folders are in memory where that can be. A
// disk makes each file wait that a test makes durable, and no test cuts the power.
func RunTestsInMemory(m *testing.M, p Program) {
	register(p)
	folder := memoryFolder()
	if folder != "" {
		os.Setenv("TMPDIR", folder)
	}
	code := m.Run()
	if folder != "" {
		os.RemoveAll(folder)
	}
	os.Exit(code)
}

// InMemory does for one test what RunTestsInMemory does for all. It has to come before the first temporary
// folder of the test.
func InMemory(t *testing.T) {
	if folder := memoryFolder(); folder != "" {
		t.Setenv("TMPDIR", folder)
		t.Cleanup(func() { os.RemoveAll(folder) })
	}
}

// memoryFolder makes a folder of a file system in memory. It returns "" where there is none of some size, and
// in the long run, whose files are on the disk that users have.
func memoryFolder() string {
	// A run leaves the last GiB of a disk alone. Containers have a system of 64 MiB by default.
	const shared, least = "/dev/shm", 4 << 30
	if testlevel.Reached(testlevel.ManyTimes) {
		return ""
	}
	if free, _, err := files.Space(shared); err != nil || free < least {
		return ""
	}
	folder, err := os.MkdirTemp(shared, "bigmkl-tests-")
	if err != nil {
		return ""
	}
	return folder
}
