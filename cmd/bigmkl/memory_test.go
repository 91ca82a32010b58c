package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// anonymous is the anonymous memory of a process in bytes, 0 once it has ended.
func anonymous(pid int) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := bytes.Cut(status, []byte("RssAnon:"))
	line, _, _ := bytes.Cut(rest, []byte("kB"))
	kib, _ := strconv.ParseInt(strings.TrimSpace(string(line)), 10, 64)
	return kib << 10
}

// wide writes rows of many features with long numbers until they make up size bytes, and gives their number. Rows come from
// a pool, in two classes that overlap a little.
func wide(w io.Writer, size int64) (rows int, err error) {
	const features, pool = 256, 3000
	rng := rand.New(rand.NewPCG(1, 2))
	var lines [][]byte
	for i := range pool {
		y := 1 - 2*(i%2)
		line := fmt.Appendf(nil, "%+d", y)
		for j := range features {
			line = fmt.Appendf(line, " %d:%.17g", j+1, rng.NormFloat64()+0.15*float64(y))
		}
		lines = append(lines, append(line, '\n'))
	}
	for written := int64(0); written < size; rows++ {
		n, err := w.Write(lines[rows%pool])
		if err != nil {
			return rows, err
		}
		written += int64(n)
	}
	return rows, nil
}

// TestMemoryOfAStream trains on a stream ten times as long as the memory budget and watches what the process takes.
func TestMemoryOfAStream(t *testing.T) {
	if os.Getenv("BIGMKL_LONG") == "" {
		t.Skip("BIGMKL_LONG is not set")
	}
	if anonymous(os.Getpid()) == 0 {
		t.Skip("/proc tells nothing of the memory of processes")
	}
	folder := t.TempDir()
	program := filepath.Join(folder, "bigmkl")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const budget = 64 << 20
	c := exec.Command(program, "train", "--memory", "64MiB", "--scratch", folder, "--kernels", "gauss:auto/2", "-C", "0.01", "--max-time", "12s",
		"--gap", "1e-2", "--json", "--quiet", "-o", filepath.Join(folder, "model"), "-")
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	written := make(chan int)
	go func() {
		rows, _ := wide(stdin, 10*budget) // a broken pipe shows in the exit code
		stdin.Close()
		written <- rows
	}()
	ended := make(chan error)
	go func() { ended <- c.Wait() }()
	peak, samples := int64(0), 0
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for running := true; running; {
		select {
		case err = <-ended:
			running = false
		case <-tick.C:
			peak = max(peak, anonymous(c.Process.Pid))
			samples++
		}
	}
	rows := <-written
	if code := c.ProcessState.ExitCode(); code != exitFine && code != exitStopped {
		t.Fatalf("exit code %d, %v\n%s", code, err, stderr.String())
	}
	report := decode(t, stdout.String())
	t.Logf("%d rows, peak of %d MiB in %d samples, %v after %v iterations, gap %v, %vs of reading and %vs of training", rows, peak>>20, samples,
		report["status"], report["iterations"], report["relative_gap"], report["read_seconds"], report["train_seconds"])
	if report["n"] != float64(rows) {
		t.Errorf("n is %v of %d rows", report["n"], rows)
	}
	if report["status"] != "converged" && report["status"] != "time_limit" {
		t.Errorf("status %v", report["status"])
	}
	if limit := int64(budget + budget/10 + 64<<20); peak > limit || peak == 0 {
		t.Errorf("%d MiB of anonymous memory for a budget of %d MiB, at most %d MiB are fine", peak>>20, int64(budget)>>20, limit>>20)
	}
}
