package harness

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"bigmkl/internal/host"
	"bigmkl/internal/simd"
)

// environment records what a measurement depends on beside the program. A time without them cannot be
// compared with another time.
type environment struct {
	// Machine is the name of the processor, and Processor the number of processors.
	Machine   string `json:"machine"`
	Memory    int64  `json:"memory_bytes"`
	Processor int    `json:"processors"`
	// SIMD names the CPU features in use.
	SIMD    string `json:"simd"`
	Threads int    `json:"threads"`
	Go      string `json:"go"`
	Commit  string `json:"commit"`
	Date    string `json:"date"`
}

// newEnvironment reads the environment of this process.
// The date is UTC, so records of several computers can be ordered.
func newEnvironment(threads int) environment {
	return environment{
		Machine: processorName(), Memory: host.Memory(), Processor: runtime.NumCPU(),
		SIMD: simd.Level(), Threads: threads,
		Go: runtime.Version(), Commit: buildCommit(),
		Date: time.Now().UTC().Format("2006-01-02 15:04 UTC"),
	}
}

// String returns the environment as one line.
// The line is the head of every report.
func (e environment) String() string {
	return fmt.Sprintf("%s, %d processors, %.1f GiB; %s, %d threads, %s %s/%s, commit %s, %s",
		e.Machine, e.Processor, float64(e.Memory)/(1<<30),
		e.SIMD, e.Threads, e.Go, runtime.GOOS, runtime.GOARCH, e.Commit, e.Date)
}

// processorName returns the model of the CPU.
// Other systems than Linux have no such file.
func processorName() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	defer f.Close()
	for scan := bufio.NewScanner(f); scan.Scan(); {
		if name, ok := strings.CutPrefix(scan.Text(), "model name"); ok {
			return strings.TrimSpace(strings.TrimLeft(name, "\t :"))
		}
	}
	return "unknown processor"
}

// buildCommit returns the commit that the program was built from. It takes it from the build
// record, or from git in the current folder after go run, which leaves no record. A "+" follows if
// files differ from the commit.
func buildCommit() string {
	revision, modified := "", false
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				revision = s.Value
			case "vcs.modified":
				modified = s.Value == "true"
			}
		}
	}
	// The folder may be another repository, so this is for developers alone.
	if revision == "" {
		out, err := exec.Command("git", "rev-parse", "HEAD").Output()
		if err != nil {
			return "unknown"
		}
		revision = strings.TrimSpace(string(out))
		out, err = exec.Command("git", "status", "--porcelain").Output()
		modified = err == nil && len(out) > 0
	}
	// Twelve digits identify a commit, also in a large repository.
	revision = revision[:min(12, len(revision))]
	if modified {
		revision += "+"
	}
	return revision
}
