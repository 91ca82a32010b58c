package heldout

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"bigmkl/bench/internal/harness"
)

// defaultsScript is the Python program that measures the methods of other libraries.
//
//go:embed defaults.py
var defaultsScript []byte

// peerFigures are what another library reaches on the splits of a data set.
type peerFigures struct {
	// Figures has a figure for each split, in their order.
	Method  string    `json:"method"`
	Figures []float64 `json:"figures"`
	// Seconds is the processor time of one split.
	Seconds float64 `json:"cpu_seconds"`
}

// findPeers returns a Python that has scikit-learn, or "" if none has or no method needs it. Notes
// state what is absent, and what the versions are.
func findPeers(ctx context.Context, s *harness.Session, r *harness.Report, methods []string) (python string, err error) {
	// Without such a method no interpreter is looked for, since its imports take seconds.
	if !slices.ContainsFunc(defaultsMethods, func(m defaultsMethod) bool { return m.options == nil && slices.Contains(methods, m.name) }) {
		return "", nil
	}
	// The package of Debian serves the interpreter of Debian alone.
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if versions, err := runPeers(ctx, name, s.Scratch); err == nil {
			r.Note("beside: %s", strings.TrimSpace(versions))
			return name, nil
		}
	}
	r.Note("no Python has scikit-learn (apt-get install python3-sklearn): its columns are absent")
	return "", ctx.Err()
}

// measurePeers returns what other libraries reach, by the names of their methods. The files hand the
// same rows and splits to Python, so all methods are measured on the same test rows.
func measurePeers(ctx context.Context, s *harness.Session, python string, d *defaultsData, splits [][]bool, methods []string) (map[string]peerFigures, error) {
	// No figures are not an error.
	if python == "" {
		return nil, nil
	}
	// Rows and splits are files, because they are too long for a command line.
	dir, err := os.MkdirTemp(s.Scratch, "bigmkl-bench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	text, held := filepath.Join(dir, "rows.txt"), filepath.Join(dir, "held.json")
	if err := d.writeText(text); err != nil {
		return nil, err
	}
	if err := writeHeld(held, splits); err != nil {
		return nil, err
	}
	s.Progress.ShowNow("%s: scikit-learn", d.name)
	// One process measures all methods of the set.
	out, err := runPeers(ctx, python, dir, append([]string{text, held, d.task, strconv.Itoa(s.Threads)}, methods...)...)
	if err != nil {
		return nil, err
	}
	return parsePeers(out)
}

// runPeers runs the script of other libraries.
func runPeers(ctx context.Context, python, dir string, args ...string) (string, error) {
	return runScript(ctx, dir, python, defaultsScript, args...)
}

// runScript writes a Python program into a folder, runs it, and returns what it prints. The program is
// embedded in the binary, so a run does not depend on the folder of the sources.
func runScript(ctx context.Context, dir, python string, text []byte, args ...string) (string, error) {
	script, err := os.CreateTemp(dir, "bigmkl-bench-*.py")
	if err != nil {
		return "", err
	}
	defer os.Remove(script.Name())
	_, err = script.Write(text)
	if e := script.Close(); err == nil {
		err = e
	}
	if err != nil {
		return "", err
	}
	out, _, err := harness.RunProgram(ctx, python, append([]string{script.Name()}, args...)...)
	return out, err
}

// writeHeld writes the numbers of the rows that each split holds out. Row numbers count from 0, in the
// order of the text.
func writeHeld(path string, splits [][]bool) error {
	// A list of numbers is shorter than marks of all rows.
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
		return err
	}
	return os.WriteFile(path, b, 0o666)
}

// parsePeers parses one line of JSON for each method.
func parsePeers(out string) (map[string]peerFigures, error) {
	found := map[string]peerFigures{}
	// A line that is not JSON is a message of Python, which becomes the error.
	for line := range strings.Lines(out) {
		var f peerFigures
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			return nil, fmt.Errorf("scikit-learn printed %q: %w", harness.LastLine(line), err)
		}
		found[f.Method] = f
	}
	return found, nil
}
