package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// usage is memory of a process at its peak, in bytes.
type memoryUsage struct{ resident, anonymous int64 }

// watcher samples the memory of a process. What the kernel keeps for a parent (rusage) will not do: it counts the pages
// that a child shared with the parent before it became another program.
type memoryWatcher struct {
	end  chan struct{}
	peak chan memoryUsage
}

// sampleEvery is the time between two looks at a process, which take some 20 microseconds.
const sampleEvery = 10 * time.Millisecond

func watchMemory(pid int) *memoryWatcher {
	w := &memoryWatcher{make(chan struct{}), make(chan memoryUsage)}
	go func() {
		var peak memoryUsage
		tick := time.NewTicker(sampleEvery)
		defer tick.Stop()
		for {
			now := memoryOf(pid)
			peak.resident, peak.anonymous = max(peak.resident, now.resident), max(peak.anonymous, now.anonymous)
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

// stop ends the watch.
func (w *memoryWatcher) stop() memoryUsage {
	close(w.end)
	return <-w.peak
}

// memoryOf reads the largest resident set so far and the anonymous memory now; zeros once the process has ended.
func memoryOf(pid int) memoryUsage {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return memoryUsage{statusField(status, "VmHWM:"), statusField(status, "RssAnon:")}
}

// statusField finds a line such as "VmHWM:   1234 kB".
func statusField(status []byte, name string) int64 {
	_, rest, found := bytes.Cut(status, []byte(name))
	if !found {
		return 0
	}
	line, _, _ := bytes.Cut(rest, []byte("kB"))
	kib, _ := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
	return kib << 10
}
