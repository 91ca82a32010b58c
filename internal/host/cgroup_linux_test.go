package host

import (
	"os"
	"path/filepath"
	"testing"
)

// plant writes a file system of the given files.
func plant(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestMemory(t *testing.T) {
	const (
		meminfo = "MemFree:        100 kB\nMemTotal:       1000 kB\n"
		v2      = "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
		v1      = "30 23 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n31 23 0:28 / /sys/fs/cgroup/memory rw shared:1 master:2 - cgroup cgroup rw,memory\n"
		none    = "9223372036854771712\n"
	)
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing known":  {nil, 0},
		"no cgroup":      {map[string]string{"proc/meminfo": meminfo}, 1000 << 10},
		"cgroup alone":   {map[string]string{"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": v2, "sys/fs/cgroup/memory.max": "4096\n"}, 4096},
		"v2, the parent": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a.slice/b/c\n", "proc/self/mountinfo": v2, "sys/fs/cgroup/a.slice/memory.max": "200000\n", "sys/fs/cgroup/a.slice/b/memory.max": "300000\n", "sys/fs/cgroup/a.slice/b/c/memory.max": "max\n"}, 200000},
		"v2, own":        {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a.slice/b\n", "proc/self/mountinfo": v2, "sys/fs/cgroup/a.slice/memory.max": "300000\n", "sys/fs/cgroup/a.slice/b/memory.max": "200000\n"}, 200000},
		"v2, throttled":  {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": v2, "sys/fs/cgroup/a/memory.max": "max\n", "sys/fs/cgroup/a/memory.high": "70000\n"}, 70000},
		"v2, none":       {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": v2, "sys/fs/cgroup/a/memory.max": "max\n"}, 1000 << 10},
		"v2, above all":  {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": v2, "sys/fs/cgroup/a/memory.max": "99999999\n"}, 1000 << 10},
		"v2, somebody else's": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": v2, "sys/fs/cgroup/b/memory.max": "4096\n"},
			1000 << 10},
		"v2, deleted":        {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b (deleted)\n", "proc/self/mountinfo": v2, "sys/fs/cgroup/a/memory.max": "5000\n"}, 5000},
		"v2, namespace":      {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "proc/self/mountinfo": v2, "sys/fs/cgroup/memory.max": "6000\n"}, 6000},
		"v2, out of its own": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/../other\n", "proc/self/mountinfo": v2, "sys/fs/cgroup/memory.max": "7000\n"}, 7000},
		"v2, elsewhere": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n",
			"proc/self/mountinfo": "31 23 0:28 / /my\\040cgroups rw - cgroup2 none rw\n", "my cgroups/a/memory.max": "8000\n"}, 8000},
		"v1, own":    {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "5:cpu:/x\n4:memory:/a/b\n0::/\n", "proc/self/mountinfo": v1, "sys/fs/cgroup/memory/memory.limit_in_bytes": none, "sys/fs/cgroup/memory/a/memory.limit_in_bytes": none, "sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": "9000\n"}, 9000},
		"v1, parent": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "4:hugetlb,memory:/a/b\n", "proc/self/mountinfo": v1, "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "10000\n", "sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": none}, 10000},
		"v1, none":   {map[string]string{"proc/self/cgroup": "4:memory:/\n", "proc/self/mountinfo": v1, "sys/fs/cgroup/memory/memory.limit_in_bytes": none}, 0},
		"v1, container": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/docker/1f\n",
			"proc/self/mountinfo": "9 8 0:1 /docker/1f /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "11000\n"}, 11000},
		"v1, inside a container": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/docker/1f/job\n",
			"proc/self/mountinfo":                            "9 8 0:1 /docker/1f /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":     "13000\n",
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": "12000\n"}, 12000},
		"both": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/a\n0::/b\n", "proc/self/mountinfo": v1 + "40 23 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "14000\n", "sys/fs/cgroup/unified/b/memory.max": "max\n"}, 14000},
		"nonsense": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::\nx\n4:memory\n", "proc/self/mountinfo": "a b\n - cgroup2\n\n" + v2, "sys/fs/cgroup/memory.max": "many\n"}, 1000 << 10},
	} {
		if got := memory(plant(t, c.files)); got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
	}
}

func TestMemoryHere(t *testing.T) {
	if Memory() <= 0 {
		t.Error("this machine's memory is not known")
	}
}
