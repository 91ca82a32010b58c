package commandtest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bigmkl/internal/cluster"
)

// NewProcess is a command line of the command as a process of its own.
func NewProcess(args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), "BIGMKL_TEST_AS_PROGRAM=1")
	return c
}

// HasSpilled reports whether a running process has the file of its row cache. The file has no name where the system allows that,
// but Linux lists the files that a process has open; elsewhere it lies in the folder of the run.
func HasSpilled(c *exec.Cmd, scratch string) bool {
	open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", c.Process.Pid))
	for _, link := range open {
		if path, err := os.Readlink(link); err == nil && strings.HasPrefix(filepath.Base(path), "bigmkl-cache-") {
			return true
		}
	}
	named, _ := filepath.Glob(filepath.Join(scratch, "bigmkl-run-*", "bigmkl-cache-*"))
	return len(named) > 0
}

// Cloud writes rows of size bytes in all: of so many of d features each, with numbers of so many digits, in two classes that
// overlap a little. Rows come from a pool.
type Cloud struct {
	Size    int64
	D, Each int
	Digits  int
}

func (c Cloud) Write(w io.Writer) (rows int, err error) {
	const pool = 3000
	rng := rand.New(rand.NewPCG(1, 2))
	var lines [][]byte
	for i := range pool {
		y := 1 - 2*(i%2)
		line := fmt.Appendf(nil, "%+d", y)
		for _, j := range c.features(rng) {
			line = fmt.Appendf(line, " %d:%.*g", j+1, c.Digits, rng.NormFloat64()+0.15*float64(y))
		}
		lines = append(lines, append(line, '\n'))
	}
	out := bufio.NewWriterSize(w, 1<<20)
	for written := int64(0); written < c.Size; rows++ {
		n, err := out.Write(lines[rows%pool])
		if err != nil {
			return rows, err
		}
		written += int64(n)
	}
	return rows, out.Flush()
}

// features chooses the features of a row, ascending.
func (c Cloud) features(rng *rand.Rand) []int {
	if c.Each == c.D {
		all := make([]int, c.D)
		for j := range all {
			all[j] = j
		}
		return all
	}
	list := rng.Perm(c.D)[:c.Each]
	slices.Sort(list)
	return list
}

// Complaining is a process whose standard error is kept.
func Complaining(args ...string) (*exec.Cmd, *bytes.Buffer) {
	c, stderr := NewProcess(args...), &bytes.Buffer{}
	c.Stderr = stderr
	return c, stderr
}

// Kills is how often runs are killed or stopped.
func Kills(t *testing.T) int { return Repeats(t, "BIGMKL_KILLS", 3, 20) }

// KillFolder is a folder for processes that are killed, which leave their scratch files.
func KillFolder(t *testing.T) Folder {
	t.Setenv("TMPDIR", t.TempDir())
	return Folder{t, t.TempDir()}
}

const (
	// shortGrace names the environment variable by which tests leave what is in hand less time than
	// users have.
	ShortGrace = "BIGMKL_TEST_GRACE"

	// longestStop is what is promised of a process that is asked to end.
	LongestStop = 10 * time.Second
)

// stopped is how a process ended.
type stopped struct {
	Code           int // -1 by a signal
	Signal         syscall.Signal
	stdout, Stderr string
	After          time.Duration // of the signal; 0 if it ended before
}

// Stop runs the program and sends it a signal once it has run for so long.
func Stop(t *testing.T, c *exec.Cmd, with syscall.Signal, at time.Duration) stopped {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	var s stopped
	var err error
	select {
	case err = <-ended:
	case <-time.After(at):
		start := time.Now()
		c.Process.Signal(with)
		select {
		case err = <-ended:
			s.After = time.Since(start)
		case <-time.After(LongestStop + 20*time.Second):
			c.Process.Signal(syscall.SIGQUIT) // which shows where it is
			<-ended
			t.Fatalf("%q has not ended %v after %v\n%s", c.Args[1:], time.Since(start), with, stderr.String())
		}
	}
	s.stdout, s.Stderr = stdout.String(), stderr.String()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		s.Code = exit.ExitCode()
		if status := exit.Sys().(syscall.WaitStatus); status.Signaled() {
			s.Signal = status.Signal()
		}
	} else if err != nil {
		t.Fatal(err)
	}
	if s.After > LongestStop {
		t.Errorf("%q ended %v after %v\n%s", c.Args[1:], s.After, with, s.Stderr)
	}
	return s
}

// TryRanks runs a command line on several ranks of this process, and returns what each gave.
func TryRanks(size int, arguments func(rank int) []string) []Outcome {
	return TryRanksUnder(func(int) context.Context { return context.Background() }, size, arguments)
}

// TryRanksUnder is TryRanks with a context for each rank.
func TryRanksUnder(contexts func(rank int) context.Context, size int, arguments func(rank int) []string) []Outcome {
	ranks := cluster.Local(size)
	list := make([]Outcome, size)
	var running sync.WaitGroup
	for rank := range size {
		running.Go(func() {
			var stdout, stderr bytes.Buffer
			code := tested.Execute(contexts(rank), ranks[rank], strings.NewReader(""), &stdout, &stderr, arguments(rank))
			checkPrinted(arguments(rank), stdout.String())
			list[rank] = Outcome{code, stdout.String(), stderr.String()}
		})
	}
	running.Wait()
	return list
}

// Anonymous is the anonymous memory of a process in bytes, 0 once it has ended.
func Anonymous(pid int) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := bytes.Cut(status, []byte("RssAnon:"))
	line, _, _ := bytes.Cut(rest, []byte("kB"))
	kib, _ := strconv.ParseInt(strings.TrimSpace(string(line)), 10, 64)
	return kib << 10
}
