// Package machine reads how much memory and disk the process may use, and how much it has used.
package machine

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Memory is the bytes of memory that this process may use: the machine's, or its cgroup's if that is less. 0 if unknown.
func Memory() int64 {
	limit := field("/proc/meminfo", "MemTotal:")
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if v, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && v > 0 && (limit == 0 || v < limit) {
			limit = v
		}
	}
	return limit
}

// PeakRSS is the largest resident set of this process so far, in bytes; RSSAnon its anonymous memory now.
func PeakRSS() int64 { return field("/proc/self/status", "VmHWM:") }

// RSSAnon is the anonymous memory of this process, in bytes.
func RSSAnon() int64 { return field("/proc/self/status", "RssAnon:") }

// FreeDisk is the bytes that an unprivileged process can still write to the file system of dir.
func FreeDisk(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * s.Bsize, nil
}

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
