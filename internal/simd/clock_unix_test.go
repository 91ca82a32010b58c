//go:build unix

package simd

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the processor time of the process. Rates by this time have a meaning on a computer with other work, too.
func cpuTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}
