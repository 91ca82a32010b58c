// Package host reads what the system says of itself and of this process: memory that may be used, memory in use, open
// files. It reads /proc and the like, which are no files of the user.
package host

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Memory is the bytes of memory that this process may use: the machine's, or the least limit of its cgroups if that is
// less. 0 if unknown.
func Memory() int64 { return memory("/") }

func memory(root string) int64 {
	total, limit := field(filepath.Join(root, "proc/meminfo"), "MemTotal:"), cgroupLimit(root)
	if total == 0 || limit > 0 && limit < total {
		return limit
	}
	return total
}

// Budget is the memory that a run takes unless it is told: 70 % of Memory, 4 GiB if that is unknown.
func Budget() int64 {
	if m := Memory() / 10 * 7; m > 0 {
		return m
	}
	return 4 << 30
}

// PeakRSS is the largest resident set of this process so far, in bytes; RSSAnon its anonymous memory now.
func PeakRSS() int64 { return field("/proc/self/status", "VmHWM:") }

// RSSAnon is the anonymous memory of this process, in bytes.
func RSSAnon() int64 { return field("/proc/self/status", "RssAnon:") }

// field reads a "Name:  1234 kB" line; 0 if there is none.
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
