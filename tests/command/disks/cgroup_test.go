//go:build linux

package disks

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// limited makes a memory cgroup below that of this process and skips the test where it cannot. What is run in it has to
// end before the test does.
func limited(t *testing.T, bytes int64) (folder string) {
	t.Helper()
	text, _ := os.ReadFile("/proc/self/cgroup")
	var limit string
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(parts) != 3:
		case parts[1] == "memory":
			folder, limit = filepath.Join("/sys/fs/cgroup/memory", parts[2]), "memory.limit_in_bytes"
		case parts[0] == "0" && folder == "":
			folder, limit = filepath.Join("/sys/fs/cgroup", parts[2]), "memory.max"
		}
	}
	if folder == "" {
		t.Skip("no cgroup")
	}
	own := folder
	folder = filepath.Join(own, fmt.Sprintf("bigmkl-test-%d", os.Getpid()))
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Skipf("no cgroup can be made: %v", err)
	}
	t.Cleanup(func() {
		// A process that has ended is still counted for a moment.
		var err error
		for range 100 {
			if err = os.Remove(folder); err == nil || errors.Is(err, os.ErrNotExist) {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("the cgroup stays behind: %v", err)
	})
	if err := os.WriteFile(filepath.Join(folder, limit), fmt.Append(nil, bytes), 0o644); err != nil {
		t.Skipf("no memory limit can be set: %v", err)
	}
	return folder
}

// inside makes a command enter a cgroup before it begins.
func inside(folder string, c *exec.Cmd) *exec.Cmd {
	const enter = `echo $$ > "$0/cgroup.procs" && exec "$@"`
	shell := exec.Command("/bin/sh", append([]string{"-c", enter, folder}, c.Args...)...)
	shell.Env = c.Env
	return shell
}

// TestInACgroup trains on more data than the memory that the process may have, file pages included.
func TestInACgroup(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.EveryKind)
	testlevel.Sample(t, 1, 3)
	const limit = 192 << 20
	f, scratch := commandtest.NewFolder(t), t.TempDir()
	var disk syscall.Statfs_t
	const tmpfs = 0x01021994
	if err := syscall.Statfs(scratch, &disk); err == nil && disk.Type == tmpfs {
		t.Skip("scratch files are in memory here")
	}
	group := limited(t, limit)
	data := commandtest.Cloud{Size: 500 << 20, D: 256, Each: 256, Digits: 3} // 220,000 points of 1 KiB

	small := commandtest.Cloud{Size: 1 << 20, D: 256, Each: 256, Digits: 3}
	plan := watched(t, inside(group, commandtest.NewProcess("plan", "--json", "--quiet", "-")), scratch, small.Write)
	if plan.Code != contract.ExitFine {
		t.Fatal(plan.Stderr)
	}
	if budget := commandtest.Decode(t, plan.Stdout)["memory"].(map[string]any)["budget_bytes"]; budget != float64(limit/10*7) {
		t.Errorf("the default budget is %v bytes", budget)
	}

	p := watched(t, inside(group, commandtest.NewProcess("train", "--memory", "128MiB", "--scratch", scratch, "--kernels", "gauss:auto/2", "-C", "0.01", "--gap", "1e-2",
		"--max-iter", "3", "--json", "--quiet", "-o", f.At("m"), "-")), scratch, data.Write)
	if p.Code != contract.ExitFine && p.Code != contract.ExitStopped {
		t.Fatalf("exit code %d\n%s", p.Code, p.Stderr)
	}
	report := commandtest.Decode(t, p.Stdout)
	t.Logf("%d rows, %d MiB of scratch files, %d MiB of anonymous memory, gap %v after %v iterations", p.rows, p.scratch>>20, p.anonymous>>20,
		report["relative_gap"], report["iterations"])
	if report["n"] != float64(p.rows) {
		t.Errorf("%v of %d rows", report["n"], p.rows)
	}
	if points := int64(p.rows) * 256 * 4; points < limit {
		t.Errorf("%d bytes of points are less than the limit: the test has lost its point", points)
	}
}
