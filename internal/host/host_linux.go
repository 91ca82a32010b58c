package host

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// readMemory reads nine files or more.
func readMemory() int64 { return memory("/") }

// memory returns the memory of the computer, or the least limit of the cgroups of this process. The
// argument root is the root of the file system.
func memory(root string) int64 {
	total, limit := field(filepath.Join(root, "proc/meminfo"), "MemTotal:"), cgroupLimit(root)
	if total == 0 || limit > 0 && limit < total {
		return limit
	}
	return total
}

// PeakRSS returns the largest resident set of this process so far in bytes.
func PeakRSS() int64 { return field("/proc/self/status", "VmHWM:") }

// RSSAnon returns the anonymous memory of this process in bytes.
func RSSAnon() int64 { return field("/proc/self/status", "RssAnon:") }

// field returns the value of a line "Name:  1234 kB" in bytes, or 0 if there is no such line.
func field(file, name string) int64 {
	f, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer f.Close()
	for scan := bufio.NewScanner(f); scan.Scan(); {
		if rest, ok := strings.CutPrefix(scan.Text(), name); ok {
			kb, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
			return kb << 10
		}
	}
	return 0
}
