package faults

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/files"
	"bigmkl/internal/files/faulty"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// trial is a command line that has to withstand faults of its files.
type trial struct {
	commandtest.Folder
	run     func() commandtest.Outcome
	inputs  []string // files of the user: where reading them fails, the input is at fault, not a resource
	outputs []string // files that it writes, by their names in the folder
	stdout  bool     // what it prints is the same every time
	after   func()   // what is to be tried when it has ended, without faults; nil for nothing
	struck  struck   // what similar trials have made fail; nil for nothing
	cheap   bool     // the run takes so little that each class of operations fails in each way
}

// struck has the classes of operations that trials of one test have made fail.
type struck map[string]bool

// everyFault runs the command line with operations failing, in each way in which file systems fail. .ci/long
// fails the first operation, then the second and so on, until none is left to fail. Below that, one operation of
// each class fails at least. A run either ends with one line and the exit code of the fault's class, or
// gives what the undisturbed run gives, which proves the fault harmless. Neither leaves a half-written or a
// needless file behind.
func everyFault(t *testing.T, c trial) {
	t.Helper()
	trace := &faulty.Trace{}
	want := c.attempt(t, trace)
	if want.Code != contract.ExitFine || len(want.written) != len(c.outputs) {
		t.Fatalf("undisturbed: exit code %d, %s", want.Code, want.Stderr)
	}
	full := faulty.FullDisk
	full.Name, full.Folder = "a full scratch disk", os.TempDir()
	all := append(slices.Clone(faulty.Faults), full)
	if testlevel.Reached(testlevel.ManyTimes) {
		c.everyOperation(t, all, want)
	} else {
		c.everyClass(t, all, trace, want)
	}
}

// everyOperation fails each operation in turn, or one in testlevel.Share.
func (c *trial) everyOperation(t *testing.T, all []faulty.Fault, want result) {
	t.Helper()
	for _, fault := range all {
		runs, harmless := 0, 0
		for at := int(testlevel.Seed % testlevel.Share); ; at += int(testlevel.Share) {
			failed, fine := c.strike(t, faulty.At(at, fault), fault, fmt.Sprint("operation ", at), want)
			if !failed {
				break
			}
			runs++
			if fine {
				harmless++
			}
		}
		t.Logf("%s: %d operations failed in turn, %d of them without harm", fault.Name, runs, harmless)
	}
}

// everyClass fails drawn operations of each class that no trial before has made fail, and of some others. In
// a plain go test that is one operation with one fault. In .ci/run it is two operations with each of two faults, and the
// first of them concerns all operations.
func (c *trial) everyClass(t *testing.T, all []faulty.Fault, trace *faulty.Trace, want result) {
	t.Helper()
	long := testlevel.Reached(testlevel.EveryKind)
	rarely, operations := 16, 1
	if long {
		rarely, operations = 5, 2
	}
	rng := drawing(t)
	runs, harmless, missed := 0, 0, 0
	counts := make([]map[string]int, len(all)) // of the operations of each class that each fault concerns
	for i, fault := range all {
		counts[i] = trace.Classes(fault)
	}
	classes := counts[0] // The first fault concerns all.
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		if c.struck[class] && rng.IntN(rarely) > 0 {
			continue
		}
		if c.struck != nil {
			c.struck[class] = true
		}
		var concern []int
		for i := range all {
			if counts[i][class] > 0 {
				concern = append(concern, i)
			}
		}
		if !c.cheap && len(concern) > 1 {
			concern = []int{concern[0], concern[1+rng.IntN(len(concern)-1)]}
			if !long {
				concern = concern[rng.IntN(2):][:1]
			}
		}
		for _, i := range concern {
			fault, n := all[i], counts[i][class]
			// The first and the last of many are often special: the one that begins something, and the one that finds its end. The end
			// of a file is the hardest case if it cannot be read.
			members := []int{0, n - 1, rng.IntN(n)}
			if reads := i == 0 && strings.HasPrefix(class, string(files.OpRead)+" "); !c.cheap && (!reads || !long) {
				at := rng.IntN(3)
				members = append(members[at:], members[:at]...)[:operations]
			}
			slices.Sort(members)
			for _, at := range slices.Compact(members) {
				failed, fine := c.strike(t, faulty.AtOf(at, class, fault), fault, fmt.Sprintf("operation %d of %d %s", at, n, class), want)
				runs++
				if !failed {
					missed++
				} else if fine {
					harmless++
				}
			}
		}
	}
	t.Logf("BIGMKL_SEED=%d: %d operations of %d classes failed in turn, %d of them without harm, and %d did not come",
		testlevel.Seed, runs-missed, len(classes), harmless, missed)
	if missed > runs/4 {
		t.Errorf("%d of %d operations did not come: the test has lost its point", missed, runs)
	}
}

// strike runs the command line while operations fail, and reports whether one failed, and whether that was without
// harm.
func (c *trial) strike(t *testing.T, s *faulty.Strike, fault faulty.Fault, which string, want result) (failed, fine bool) {
	t.Helper()
	got := c.attempt(t, s)
	struck := s.Struck()
	if len(struck) == 0 {
		if got.Code != contract.ExitFine {
			t.Fatalf("%s, %s: nothing was struck: exit code %d, %s", fault.Name, which, got.Code, got.Stderr)
		}
		return false, true
	}
	where := fmt.Sprintf("%s, %s (%s %s)", fault.Name, which, struck[0].Kind, struck[0].Path)
	fine = got.Code == contract.ExitFine
	if fine {
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
	return true, fine
}

// inDrawnOrder returns the names of trials in an order that is drawn, as the first of similar ones has the most to do.
func inDrawnOrder[T any](t *testing.T, trials map[string]T) []string {
	names := slices.Sorted(maps.Keys(trials))
	drawing(t).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names
}

// drawing returns numbers that depend on the seed and on the test.
func drawing(t *testing.T) *rand.Rand {
	name := fnv.New64a()
	name.Write([]byte(t.Name()))
	return rand.New(rand.NewPCG(testlevel.Seed, name.Sum64()))
}

// result is what a run left.
type result struct {
	commandtest.Outcome
	written map[string]string
}

// attempt runs the command line under an injector, or none, and checks that there is nothing but its output.
func (c *trial) attempt(t *testing.T, i files.Injector) result {
	t.Helper()
	for _, name := range c.outputs {
		os.Remove(c.At(name))
	}
	before := commandtest.List(t, c.Path)
	restore := func() {}
	if i != nil {
		restore = files.Inject(i)
	}
	r := result{c.run(), map[string]string{}}
	restore()
	for _, name := range commandtest.List(t, c.Path) {
		switch {
		case slices.Contains(c.outputs, name):
			r.written[name] = c.Read(name)
		case !slices.Contains(before, name):
			t.Errorf("%s is left behind: exit code %d, %s", name, r.Code, r.Stderr)
		}
	}
	for _, name := range commandtest.List(t, os.TempDir()) {
		t.Errorf("%s is left in the scratch folder: exit code %d, %s", name, r.Code, r.Stderr)
	}
	return r
}

func (c *trial) same(t *testing.T, where string, got, want result) {
	t.Helper()
	if !maps.Equal(got.written, want.written) {
		t.Errorf("%s: neither reported nor harmless", where)
	}
	if c.stdout && got.Stdout != want.Stdout {
		t.Errorf("%s: neither reported nor harmless: prints %q, not %q", where, got.Stdout, want.Stdout)
	}
}

func (c *trial) reported(t *testing.T, where string, got, want result, fault faulty.Fault, op files.Op) {
	t.Helper()
	code := contract.ExitBudget
	if errors.Is(fault.Err, syscall.EIO) && slices.Contains(c.inputs, op.Path) {
		code = contract.ExitInput
	}
	if got.Code != code {
		t.Errorf("%s: exit code %d, want %d: %s", where, got.Code, code, got.Stderr)
	}
	if !strings.HasPrefix(got.Stderr, "bigmkl: ") || strings.Count(got.Stderr, "\n") != 1 || strings.Contains(got.Stderr, "a bug") {
		t.Errorf("%s: standard error %q", where, got.Stderr)
	}
	for name, content := range got.written { // a later file failed, or to make its name durable
		if content != want.written[name] {
			t.Errorf("%s: half of %s is there", where, name)
		}
	}
}
