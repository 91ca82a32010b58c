package simd

import "time"

var started = time.Now()

// cpuTime is the time on the clock, which counts what others on the machine use as well.
func cpuTime() time.Duration { return time.Since(started) }
