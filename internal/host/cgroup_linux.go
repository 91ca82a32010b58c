package host

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// hierarchy is a cgroup hierarchy that can limit memory. It states how the hierarchy is mounted
// and which files hold limits in each of its folders.
type hierarchy struct {
	v2         bool
	root       string // root is the cgroup at the mount point, as /proc/self/cgroup would name it.
	mountPoint string
}

// These files hold limits of memory in bytes, or "max" for none. A process beyond memory.high is
// slowed down until it hardly makes progress.
var (
	limitsV1 = []string{"memory.limit_in_bytes"}
	limitsV2 = []string{"memory.max", "memory.high"}
)

// unlimited is the least value that means no limit. Version 1 uses the largest multiple of the page
// size in an int64.
const unlimited = math.MaxInt64 / 2

// cgroupLimit returns the least memory limit of the cgroups of this process, up to the root of each
// hierarchy, or 0 if there is none. The argument root is the root of the file system.
func cgroupLimit(root string) int64 {
	least := int64(0)
	for _, h := range hierarchies(root) {
		files := limitsV1
		if h.v2 {
			files = limitsV2
		}
		for _, folder := range h.folders(ownCgroup(root, h.v2)) {
			for _, file := range files {
				text, _ := os.ReadFile(filepath.Join(root, folder, file))
				v, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
				if err == nil && v > 0 && v < unlimited && (least == 0 || v < least) {
					least = v
				}
			}
		}
	}
	return least
}

// folders lists the folder of a cgroup and those above it, up to the mount point. If the mount
// shows another part of the hierarchy, such as the part of a container or of another namespace,
// it lists the mount point alone.
func (h *hierarchy) folders(cgroup string) []string {
	list := []string{h.mountPoint}
	below, err := filepath.Rel(h.root, cgroup)
	if err != nil || cgroup == "" || below == "." || below == ".." ||
		strings.HasPrefix(below, "../") {
		return list
	}
	for ; below != "."; below = filepath.Dir(below) {
		list = append(list, filepath.Join(h.mountPoint, below))
	}
	return list
}

// ownCgroup returns the cgroup of this process, or "" if there is none. It is in a line
// "0::/path" for version 2, and "4:memory:/path" for version 1.
func ownCgroup(root string, v2 bool) string {
	text, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) != 3 {
			continue
		}
		if v2 && parts[0] == "0" && parts[1] == "" || !v2 &&
			slices.Contains(strings.Split(parts[1], ","), "memory") {
			return strings.TrimSuffix(parts[2], " (deleted)")
		}
	}
	return ""
}

// hierarchies reads the list of mounts, whose lines have the form "32 31 0:29 /root /mount/point
// options - type source super-options" with any number of fields before the dash.
func hierarchies(root string) (list []hierarchy) {
	text, _ := os.ReadFile(filepath.Join(root, "proc/self/mountinfo"))
	for line := range strings.Lines(string(text)) {
		mount, fileSystem, _ := strings.Cut(strings.TrimSpace(line), " - ")
		m, f := strings.Fields(mount), strings.Fields(fileSystem)
		if len(m) < 5 || len(f) < 1 {
			continue
		}
		v2 := f[0] == "cgroup2"
		v1 := f[0] == "cgroup" && slices.Contains(strings.Split(f[len(f)-1], ","), "memory")
		if v1 || v2 {
			list = append(list, hierarchy{v2, unescape(m[3]), unescape(m[4])})
		}
	}
	return list
}

// unescape replaces the octal escapes of blanks in mountinfo.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace
