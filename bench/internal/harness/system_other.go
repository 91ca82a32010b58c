//go:build !linux

package harness

import (
	"os"
	"time"
)

// started gives a monotonic zero for the times below.
var started = time.Now()

// threadTime returns the time on the clock: the CPU time of a thread is read on Linux alone, so
// rates count the time of other processes, too.
func threadTime() time.Duration { return time.Since(started) }

// ProcessTime returns the time on the clock, as threadTime does.
func ProcessTime() time.Duration { return time.Since(started) }

// ForgetPages does nothing: outside Linux what was written is read back from memory.
func ForgetPages(*os.File) error { return nil }

// DescribeFileSystem reports nothing, because the kind of a file system is not asked for.
func DescribeFileSystem(string) string { return "" }
