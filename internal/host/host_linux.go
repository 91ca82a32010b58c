package host

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Memory returns the number of bytes of memory that this process may use: the memory of the
// computer, or the least limit of its cgroups. It is 0 if that is unknown.
func Memory() int64 { return memory("/") }

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
