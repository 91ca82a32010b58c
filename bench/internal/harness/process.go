package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// programUsage is what another program needed from start to end. A training has the same three figures,
// so one table can have both.
// Peak is sampled, so a short peak may be missed.
type programUsage struct {
	// Wall and cpu are in seconds.
	Wall, CPU float64
	Peak      memoryUsage
}

// RunProgram runs another program and returns its standard output. Standard output is kept in memory,
// as such programs print a few lines. An error ends with the last line of standard error, which usually
// names the cause.
func RunProgram(ctx context.Context, name string, args ...string) (string, programUsage, error) {
	c := exec.CommandContext(ctx, name, args...)
	var out, complaints bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaints
	// Programs that catch an interrupt remove their files. After WaitDelay the process is killed.
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 5 * time.Second
	start := time.Now()
	if err := c.Start(); err != nil {
		return "", programUsage{}, err
	}
	watch := watchMemory(c.Process.Pid)
	// The watcher cannot read a process that has ended. The last sample before counts.
	err := c.Wait()
	s := programUsage{Wall: time.Since(start).Seconds(), Peak: watch.stop()}
	// It includes all threads and the children that have ended.
	s.CPU = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	if err != nil {
		err = fmt.Errorf("%s: %w", name,
			errors.Join(err, errors.New(LastLine(complaints.String()))))
	}
	return out.String(), s, err
}

// RunInFolder runs a program in a folder and returns its output without the last line break. It serves
// short programs such as git, whose time and memory do not matter.
func RunInFolder(ctx context.Context, dir, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	var complaints strings.Builder
	c.Stderr = &complaints
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, args[0], err, LastLine(complaints.String()))
	}
	return strings.TrimRight(string(out), "\n"), nil
}

// LastLine returns the last line of a text.
func LastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
