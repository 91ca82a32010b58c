package metrics

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/metrics"
	"time"

	"bigmkl/internal/host"
)

// Model is a model in service.
type Model struct {
	Name    string
	Version int
	Digest  string // the SHA-256 of the file
	Since   time.Time
}

// Build is the version of the program and the commit of its sources, empty where nobody knows it.
type Build struct{ Version, Commit string }

// started is when this process began, to the time that it takes to start.
var started = time.Now()

// writeProcess writes what is known of the process, under the names that Prometheus has for it. Numbers that the system does
// not tell are left out.
func writeProcess(w io.Writer) {
	write := func(name, kind, help string, value float64) {
		if value > 0 {
			fmt.Fprintf(w, "# HELP %s %s\n# TYPE %[1]s %[3]s\n%[1]s %[4]v\n", name, help, kind, value)
		}
	}
	write("process_cpu_seconds_total", "counter", "Seconds that processors have worked for the process.", host.CPU().Seconds())
	write("process_resident_memory_bytes", "gauge", "Resident memory, mapped files included.", float64(host.RSS()))
	write("process_open_fds", "gauge", "Open files and sockets.", float64(host.OpenFiles()))
	write("process_start_time_seconds", "gauge", "When the process began.", float64(started.UnixMilli())/1000)
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(samples)
	write("go_goroutines", "gauge", "Goroutines.", float64(runtime.NumGoroutine()))
	write("go_heap_objects_bytes", "gauge", "Objects on the heap of Go.", count(samples[0]))
	write("go_memory_bytes", "gauge", "Memory that the runtime of Go has mapped.", count(samples[1]))
	write("go_gc_cycles_total", "counter", "Garbage collections.", count(samples[2]))
}

// count returns a whole number of the runtime.
func count(s metrics.Sample) float64 {
	if s.Value.Kind() != metrics.KindUint64 {
		return math.NaN()
	}
	return float64(s.Value.Uint64())
}
