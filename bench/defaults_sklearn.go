package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// defaultsScript is the Python program that measures the methods of scikit-learn.
//
//go:embed defaults.py
var defaultsScript []byte

// findSklearn returns a Python that has scikit-learn, or "" if none has.
func findSklearn(ctx context.Context) string {
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(ctx, name, "-c", "import sklearn").Run() == nil {
			return name
		}
	}
	return ""
}

// runDefaultsOfSklearn returns the mean of each method over the splits.
func runDefaultsOfSklearn(ctx context.Context, s *session, python string, d *defaultsData, splits [][]bool, grid bool) (map[string]float64, error) {
	dir, err := os.MkdirTemp(s.scratch, "bigmkl-bench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	script, text, held := filepath.Join(dir, "defaults.py"), filepath.Join(dir, "rows.txt"), filepath.Join(dir, "held.json")
	if err := os.WriteFile(script, defaultsScript, 0o666); err != nil {
		return nil, err
	}
	if err := d.writeText(text); err != nil {
		return nil, err
	}
	numbers := make([][]int, len(splits))
	for k, split := range splits {
		for i, out := range split {
			if out {
				numbers[k] = append(numbers[k], i)
			}
		}
	}
	b, err := json.Marshal(numbers)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(held, b, 0o666); err != nil {
		return nil, err
	}
	s.progress.showNow("%s: scikit-learn", d.name)
	args := []string{script, text, held, d.task, fmt.Sprint(s.threads)}
	if grid {
		args = append(args, "grid")
	}
	c := exec.CommandContext(ctx, python, args...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("scikit-learn: %w", err)
	}
	var means map[string]float64
	return means, json.Unmarshal(out, &means)
}
