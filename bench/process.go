package main

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

// programUsage is what another program needed from start to end.
type programUsage struct {
	// wall and cpu are in seconds.
	wall, cpu float64
	peak      memoryUsage
}

// runProgram runs another program and returns its standard output.
func runProgram(ctx context.Context, name string, args ...string) (string, programUsage, error) {
	c := exec.CommandContext(ctx, name, args...)
	var out, complaints bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaints
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 5 * time.Second
	start := time.Now()
	if err := c.Start(); err != nil {
		return "", programUsage{}, err
	}
	watch := watchMemory(c.Process.Pid)
	err := c.Wait()
	s := programUsage{wall: time.Since(start).Seconds(), peak: watch.stop()}
	s.cpu = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	if err != nil {
		err = fmt.Errorf("%s: %w", name,
			errors.Join(err, errors.New(lastLine(complaints.String()))))
	}
	return out.String(), s, err
}

// runInFolder runs a program in a folder and returns its output without the last line break.
func runInFolder(ctx context.Context, dir, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	var complaints strings.Builder
	c.Stderr = &complaints
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, args[0], err, lastLine(complaints.String()))
	}
	return strings.TrimRight(string(out), "\n"), nil
}

// lastLine returns the last line of a text.
func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
