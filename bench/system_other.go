//go:build !linux

package main

import (
	"os"
	"time"
)

var started = time.Now()

// threadTime returns the time on the clock: the CPU time of a thread is not asked for outside Linux,
// so that rates count what others on the machine have used.
func threadTime() time.Duration { return time.Since(started) }

// processTime returns the time on the clock, as threadTime does.
func processTime() time.Duration { return time.Since(started) }

// forgetPages does nothing: outside Linux what was written is read back from memory.
func forgetPages(*os.File) error { return nil }

// describeFileSystem says nothing, because the kind of a file system is not asked for.
func describeFileSystem(string) string { return "" }
