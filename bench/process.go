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

// spent is what a program took from start to end.
type spent struct {
	wall, cpu float64 // seconds
	peak      usage
}

// execute runs another program and gives its standard output.
func execute(ctx context.Context, name string, args ...string) (string, spent, error) {
	c := exec.CommandContext(ctx, name, args...)
	var out, complaints bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaints
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 5 * time.Second
	start := time.Now()
	if err := c.Start(); err != nil {
		return "", spent{}, err
	}
	watch := watchMemory(c.Process.Pid)
	err := c.Wait()
	s := spent{wall: time.Since(start).Seconds(), peak: watch.stop()}
	s.cpu = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	if err != nil {
		err = fmt.Errorf("%s: %w", name, errors.Join(err, errors.New(lastLine(complaints.String()))))
	}
	return out.String(), s, err
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
