//go:build !windows

package host

import (
	"syscall"
	"time"
)

// CPU returns the time that processors have worked for this process, or 0 if that is unknown.
func CPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
