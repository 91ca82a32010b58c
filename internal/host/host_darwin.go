package host

import (
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// readMemory returns the memory of the machine.
func readMemory() int64 {
	bytes, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(bytes)
}

// PeakRSS returns the largest resident set of this process so far in bytes.
func PeakRSS() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return usage.Maxrss
}

// RSSAnon returns the memory that the Go runtime has from the system in bytes. macOS does not tell
// anonymous memory from mapped files without calls of C, so arrays outside of the Go heap are not
// counted.
func RSSAnon() int64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.Sys - stats.HeapReleased)
}
