package harness

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the CPU time of the calling thread. The goroutine must be locked to its thread, or
// the difference of two readings would be of two threads.
func threadTime() time.Duration { return clock(unix.CLOCK_THREAD_CPUTIME_ID) }

// ProcessTime returns the CPU time of this process.
func ProcessTime() time.Duration { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

// clock reads a clock of the system.
func clock(id int32) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		panic(err) // Every Linux has these clocks.
	}
	return time.Duration(t.Nano())
}

// ForgetPages drops what the page cache has of a file, so it is read from the disk. It is advice: dirty
// pages stay, so a file has to be synchronised before.
func ForgetPages(f *os.File) error {
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}

// DescribeFileSystem reports whether a folder lies in memory, where the figures do not describe a
// disk.
func DescribeFileSystem(dir string) string {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) == nil && s.Type == unix.TMPFS_MAGIC {
		return ", which lies in memory (tmpfs)"
	}
	return ""
}
