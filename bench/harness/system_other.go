//go:build !linux

package harness

import (
	"os"
	"time"
)

var started = time.Now()

// threadTime returns the time on the clock: the CPU time of a thread is read on Linux alone, so
// rates count the time of other processes, too.
func threadTime() time.Duration { return time.Since(started) }

// processTime returns the time on the clock, as threadTime does.
func processTime() time.Duration { return time.Since(started) }

// forgetPages does nothing: outside Linux what was written is read back from memory.
func forgetPages(*os.File) error { return nil }

// describeFileSystem reports nothing, because the kind of a file system is not asked for.
func describeFileSystem(string) string { return "" }
