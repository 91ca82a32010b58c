package command

import (
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/files"
	"bigmkl/internal/files/faulty"
	"bigmkl/internal/testlevel"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// faultStride is how far apart the operations are that a plain go test lets fail, and ciStride those of
// .ci/run.
const (
	faultStride = 5
	ciStride    = 3
)

// trial is a command line that has to withstand faults of its files.
type trial struct {
	folder
	run     func() outcome
	inputs  []string // files of the user: where reading them fails, the input is at fault, not a resource
	outputs []string // files that it writes, by their names in the folder
	stdout  bool     // what it prints is the same every time
	after   func()   // what is to be tried when it has ended, without faults; nil for nothing
}

// everyFault runs the command line with the first operation failing, then the second and so on, until
// none is left to fail, for each kind of fault. A plain go test fails one in faultStride operations, from
// one that is drawn on, .ci/run one in ciStride; .ci/long fails all. A run either ends with one line and the exit code of the
// fault's class, or gives what the undisturbed run gives, which proves the fault harmless. Neither
// leaves a half-written or a needless file behind.
func everyFault(t *testing.T, c trial) {
	t.Helper()
	want := c.attempt(t, nil)
	if want.code != contract.ExitFine || len(want.written) != len(c.outputs) {
		t.Fatalf("undisturbed: exit code %d, %s", want.code, want.stderr)
	}
	full := faulty.FullDisk
	full.Name, full.Folder = "a full scratch disk", os.TempDir()
	stride := faultStride
	switch {
	case testlevel.Reached(testlevel.ManyTimes):
		stride = 1
	case testlevel.Reached(testlevel.EveryKind):
		stride = ciStride
	}
	for _, fault := range append(slices.Clone(faulty.Faults), full) {
		runs, harmless, first := 0, 0, rand.IntN(stride)
		for at := first; ; at += stride {
			s := faulty.At(at, fault)
			got := c.attempt(t, s)
			struck := s.Struck()
			if len(struck) == 0 {
				if got.code != contract.ExitFine {
					t.Fatalf("%s: nothing was struck: exit code %d, %s", fault.Name, got.code, got.stderr)
				}
				break
			}
			runs++
			where := fmt.Sprintf("%s, operation %d (%s %s)", fault.Name, at, struck[0].Kind, struck[0].Path)
			if got.code == contract.ExitFine {
				harmless++
				c.same(t, where, got, want)
			} else {
				c.reported(t, where, got, want, fault, struck[0])
			}
			if c.after != nil {
				c.after()
			}
			if t.Failed() {
				t.Log(where)
				t.FailNow() // the others fail in the same way, as a rule
			}
		}
		t.Logf("%s: %d operations failed in turn, each %d. from operation %d on, %d of them without harm",
			fault.Name, runs, stride, first, harmless)
	}
}

// result is what a run left.
type result struct {
	outcome
	written map[string]string
}

// attempt runs the command line under an injector, or none, and checks that there is nothing but its output.
func (c *trial) attempt(t *testing.T, i files.Injector) result {
	t.Helper()
	for _, name := range c.outputs {
		os.Remove(c.at(name))
	}
	before := list(t, c.path)
	restore := func() {}
	if i != nil {
		restore = files.Inject(i)
	}
	r := result{c.run(), map[string]string{}}
	restore()
	for _, name := range list(t, c.path) {
		switch {
		case slices.Contains(c.outputs, name):
			r.written[name] = c.read(name)
		case !slices.Contains(before, name):
			t.Errorf("%s is left behind: exit code %d, %s", name, r.code, r.stderr)
		}
	}
	for _, name := range list(t, os.TempDir()) {
		t.Errorf("%s is left in the scratch folder: exit code %d, %s", name, r.code, r.stderr)
	}
	return r
}

func (c *trial) same(t *testing.T, where string, got, want result) {
	t.Helper()
	if !maps.Equal(got.written, want.written) {
		t.Errorf("%s: neither reported nor harmless", where)
	}
	if c.stdout && got.stdout != want.stdout {
		t.Errorf("%s: neither reported nor harmless: prints %q, not %q", where, got.stdout, want.stdout)
	}
}

func (c *trial) reported(t *testing.T, where string, got, want result, fault faulty.Fault, op files.Op) {
	t.Helper()
	code := contract.ExitBudget
	if errors.Is(fault.Err, syscall.EIO) && slices.Contains(c.inputs, op.Path) {
		code = contract.ExitInput
	}
	if got.code != code {
		t.Errorf("%s: exit code %d, want %d: %s", where, got.code, code, got.stderr)
	}
	if !strings.HasPrefix(got.stderr, "bigmkl: ") || strings.Count(got.stderr, "\n") != 1 || strings.Contains(got.stderr, "a bug") {
		t.Errorf("%s: standard error %q", where, got.stderr)
	}
	for name, content := range got.written { // a later file failed, or to make its name durable
		if content != want.written[name] {
			t.Errorf("%s: half of %s is there", where, name)
		}
	}
}

// fault is a command line that must fail in one way.
type fault struct {
	name string
	args []string
	code int
	want string // what the line on standard error starts with, after "bigmkl: "
}

// check runs the command line and looks at its one line.
func check(t *testing.T, f folder, c fault) {
	t.Helper()
	before := list(t, f.path)
	o := try(c.args...)
	if o.code != c.code {
		t.Errorf("exit code %d, want %d: %s", o.code, c.code, o.stderr)
	}
	if !strings.HasPrefix(o.stderr, "bigmkl: "+c.want) || strings.Count(o.stderr, "\n") != 1 {
		t.Errorf("standard error %q, want a line that starts with %q", o.stderr, "bigmkl: "+c.want)
	}
	if o.stdout != "" {
		t.Errorf("standard output %q", o.stdout)
	}
	if after := list(t, f.path); len(after) != len(before) {
		t.Errorf("files before %q, after %q", before, after)
	}
}
