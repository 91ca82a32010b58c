//go:build unix

package simd

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is what the process has used, so that rates mean something on a machine that does other work too.
func cpuTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}
