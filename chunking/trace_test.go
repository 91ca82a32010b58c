package chunking_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	. "bigmkl/chunking"
	"bigmkl/internal/toy"
)

var update = flag.Bool("update", false, "write the traces in testdata/trace again")

// traceEnd parts a file of testdata/trace into the problem and the trace that belongs to it.
const traceEnd = "\n---\n"

// TestTrace runs the problems of testdata/trace and compares what happens iteration by iteration
// with what is written there. A change of the solver shows as a change of these files: run with
// -update and review the difference.
//
// A file has lines "norm P", "gap G", "start A1 A2 ..." (optional), one "kernel KIND VALUE" for
// each kernel, one "point Y COST X1 X2 ..." for each point, a line of three dashes, and the trace.
func TestTrace(t *testing.T) {
	files, err := filepath.Glob("testdata/trace/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no traces:", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			input, want, _ := strings.Cut(string(text), traceEnd)
			got := runTrace(t, input)
			if *update {
				if err := os.WriteFile(file, []byte(strings.TrimSuffix(input, "\n")+traceEnd+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("%s: the trace is\n%swant\n%s", file, got, want)
			}
		})
	}
}

// traced is a parsed problem of a trace.
type traced struct {
	toy.Problem
	norm, gap float64
	start     []float64
}

func runTrace(t *testing.T, input string) string {
	t.Helper()
	p := parseTrace(t, input)
	s, _, d := solverOf(&p.Problem, p.norm, p.gap)
	if p.start != nil {
		if err := s.Start(t.Context(), p.start); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%4s %4s %12s %12s %10s\n", "iter", "set", "primal", "dual", "gap")
	line := func(set int) {
		c := s.Progress().Certificate
		fmt.Fprintf(&out, "%4d %4d %12.5g %12.5g %10.4g\n", s.Progress().Iteration, set, c.Primal, c.Dual, c.RelativeGap)
	}
	line(0)
	status, err := NewDriver(s, Limits{Iterations: 60, Precision: Double, Record: func(Progress) error {
		line(d.Sets[len(d.Sets)-1])
		return nil
	}}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := s.Solution()
	fmt.Fprintf(&out, "%s\nbias  %.4g\n", status, r.Certificate.Bias)
	for _, v := range []struct {
		name string
		x    []float64
	}{{"theta", r.Theta}, {"alpha", r.Alpha}} {
		out.WriteString(v.name)
		for _, x := range v.x {
			fmt.Fprintf(&out, " %.3g", x)
		}
		out.WriteString("\n")
	}
	return out.String()
}

func parseTrace(t *testing.T, input string) *traced {
	t.Helper()
	p := &traced{}
	var x [][]float64
	type kernel struct {
		kind  string
		value float64
	}
	var kernels []kernel
	numbers := func(fields []string) []float64 {
		var r []float64
		for _, f := range fields {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				t.Fatal(err)
			}
			r = append(r, v)
		}
		return r
	}
	lines := bufio.NewScanner(strings.NewReader(input))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		switch rest := fields[1:]; fields[0] {
		case "norm":
			p.norm = numbers(rest)[0]
		case "gap":
			p.gap = numbers(rest)[0]
		case "start":
			p.start = numbers(rest)
		case "kernel":
			kernels = append(kernels, kernel{rest[0], numbers(rest[1:])[0]})
		case "point":
			v := numbers(rest)
			p.Y, p.Cost, x = append(p.Y, v[0]), append(p.Cost, v[1]), append(x, v[2:])
		default:
			t.Fatalf("line %q", lines.Text())
		}
	}
	for _, k := range kernels {
		switch k.kind {
		case "gauss":
			p.K = append(p.K, toy.Gauss(x, k.value))
		case "poly":
			p.K = append(p.K, toy.Poly(x, k.value))
		case "feature":
			p.K = append(p.K, toy.Linear(x, int(k.value)-1, int(k.value)))
		default:
			t.Fatalf("kernel %q", k.kind)
		}
	}
	return p
}
