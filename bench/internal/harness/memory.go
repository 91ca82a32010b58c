package harness

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// memoryUsage holds the peak memory of a process in bytes. Resident includes pages of mapped files,
// which the system can drop at any time. Anonymous memory is what the process really needs.
type memoryUsage struct{ Resident, anonymous int64 }

// memoryWatcher samples the memory of a process. The figure that the kernel keeps for a parent
// (rusage) cannot be used, because it includes pages that a child shared with the parent before it
// became another program.
// Other systems than Linux have no /proc, and all figures are then 0.
type memoryWatcher struct {
	end  chan struct{}
	peak chan memoryUsage
}

// sampleEvery is the time between two samples, each of which takes about 20 microseconds.
const sampleEvery = 10 * time.Millisecond

// watchMemory starts to sample the memory of a process.
func watchMemory(pid int) *memoryWatcher {
	// Both channels have no buffer: stop returns the peak only after the last sample.
	w := &memoryWatcher{make(chan struct{}), make(chan memoryUsage)}
	go func() {
		var peak memoryUsage
		tick := time.NewTicker(sampleEvery)
		defer tick.Stop()
		for {
			now := memoryOf(pid)
			peak.Resident, peak.anonymous = max(peak.Resident, now.Resident), max(peak.anonymous,
				now.anonymous)
			select {
			case <-w.end:
				w.peak <- peak
				return
			case <-tick.C:
			}
		}
	}()
	return w
}

// stop ends the sampling and returns the peaks.
func (w *memoryWatcher) stop() memoryUsage {
	close(w.end)
	return <-w.peak
}

// memoryOf reads the largest resident set so far and the current anonymous memory. Both are zero
// once the process has ended.
func memoryOf(pid int) memoryUsage {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	// The kernel keeps the peak of the resident set itself. It keeps no
	// peak of the anonymous memory, and the watcher samples it.
	return memoryUsage{statusField(status, "VmHWM:"), statusField(status, "RssAnon:")}
}

// statusField finds a line such as "VmHWM:   1234 kB" and returns its bytes.
func statusField(status []byte, name string) int64 {
	_, rest, found := bytes.Cut(status, []byte(name))
	if !found {
		return 0
	}
	line, _, _ := bytes.Cut(rest, []byte("kB"))
	// The unit kB of the kernel is 1,024 bytes.
	kib, _ := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
	return kib << 10
}
