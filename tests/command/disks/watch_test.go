//go:build linux

package disks

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"bigmkl/tests/commandtest"
)

// process is what a run of the program took at its peak, in bytes.
type process struct {
	commandtest.Outcome
	anonymous int64 // memory
	scratch   int64 // allocated blocks of its scratch files
	rows      int   // that were written to its standard input
	samples   int
}

// watched runs a command and samples it while it reads what write gives. scratch is the folder of its scratch files.
func watched(t *testing.T, c *exec.Cmd, scratch string, write func(io.Writer) (int, error)) *process {
	t.Helper()
	if commandtest.Anonymous(os.Getpid()) == 0 {
		t.Skip("/proc tells nothing of the memory of processes")
	}
	p := &process{}
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	written := make(chan int)
	go func() {
		n, _ := write(stdin) // a broken pipe shows in the exit code
		stdin.Close()
		written <- n
	}()
	ended := make(chan error)
	go func() { ended <- c.Wait() }()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-ended:
			running = false
		case <-tick.C:
			// A process that went on meanwhile would have files that were seen one after the other, and never at once.
			if stopProcess(c.Process.Pid) {
				p.anonymous = max(p.anonymous, commandtest.Anonymous(c.Process.Pid))
				p.scratch = max(p.scratch, blocksOf(c.Process.Pid, scratch))
				p.samples++
			}
			_ = syscall.Kill(c.Process.Pid, syscall.SIGCONT) // It may have ended.
		}
	}
	p.rows = <-written
	p.Code, p.Stdout, p.Stderr = c.ProcessState.ExitCode(), stdout.String(), stderr.String()
	return p
}

// stopped is CLD_STOPPED, the code of a child that has been stopped by a signal.
const stopped = 5

// stopProcess stops a process, and reports whether it stands still before it has ended.
func stopProcess(pid int) bool {
	if syscall.Kill(pid, syscall.SIGSTOP) != nil {
		return false
	}
	// The wait of exec.Cmd goes on beside this one, which leaves the state of the process where it is.
	var state unix.Siginfo
	for {
		err := unix.Waitid(unix.P_PID, pid, &state, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == nil && state.Code == stopped
		}
	}
}

// blocksOf is the disk space of the files of a process in a folder, each counted once: those that are seen there, those
// without a name that it has open, and those that it has mapped alone, which have all of their blocks.
func blocksOf(pid int, folder string) int64 {
	const unnamed = " (deleted)"
	sum, counted := int64(0), map[uint64]bool{}
	count := func(info fs.FileInfo) {
		if s := info.Sys().(*syscall.Stat_t); info.Mode().IsRegular() && !counted[s.Ino] {
			counted[s.Ino] = true
			sum += s.Blocks * 512
		}
	}
	_ = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if info, e := os.Lstat(path); err == nil && e == nil {
			count(info)
		}
		return nil
	})
	links := fmt.Sprintf("/proc/%d/fd", pid)
	names, _ := os.ReadDir(links)
	for _, n := range names {
		path := filepath.Join(links, n.Name())
		target, _ := os.Readlink(path)
		if strings.HasPrefix(target, folder) && strings.HasSuffix(target, unnamed) {
			if info, err := os.Stat(path); err == nil {
				count(info)
			}
		}
	}
	maps, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	for line := range strings.Lines(string(maps)) {
		line = strings.TrimSpace(line)
		if !strings.Contains(line, folder) || !strings.HasSuffix(line, unnamed) {
			continue
		}
		fields := strings.Fields(line)
		if inode, _ := strconv.ParseUint(fields[4], 10, 64); counted[inode] {
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		a, _ := strconv.ParseUint(from, 16, 64)
		b, _ := strconv.ParseUint(to, 16, 64)
		sum += int64(b - a)
	}
	return sum
}
