package command

import (
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/files"
	"bigmkl/internal/files/faulty"
	"bigmkl/internal/testlevel"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
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

// forgery is a model file taken apart, to be put together again with a checksum that is right: who writes hostile files can
// compute one as well.
type forgery struct {
	t        testing.TB
	settings map[string]any // numbers are json.Number
	names    []string       // tensors in file order
	shape    map[string][]int64
	dtype    map[string]string
	body     map[string][]byte
	text     string // instead of settings, if not ""
	extra    string // behind the tensors
}

// tensor is an entry of the header.
type tensor struct {
	Dtype   string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

func takeApart(t testing.TB, file string) *forgery {
	t.Helper()
	n := binary.LittleEndian.Uint64([]byte(file))
	head, body := file[8:8+n], file[8+n:]
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(head), &all); err != nil {
		t.Fatal(err)
	}
	var meta map[string]string
	if err := json.Unmarshal(all["__metadata__"], &meta); err != nil {
		t.Fatal(err)
	}
	f := &forgery{t: t, shape: map[string][]int64{}, dtype: map[string]string{}, body: map[string][]byte{}}
	d := json.NewDecoder(strings.NewReader(meta["model"]))
	d.UseNumber()
	if err := d.Decode(&f.settings); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"theta", "w_norms", "alpha", "normalizer", "sigmoids", "scaling_factor", "scaling_offset", "class_weights", "class_means", "machine_numbers", "centre_means", "vector_start", "centre_start", "machine_classes",
		"machine_support", "support", "vectors", "vector_index", "vector_value", "centre_rows", "centre_vectors", "centre_index", "centre_value"} {
		raw, ok := all[name]
		if !ok {
			continue
		}
		var e tensor
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		f.names = append(f.names, name)
		f.shape[name], f.dtype[name], f.body[name] = e.Shape, e.Dtype, []byte(body[e.Offsets[0]:e.Offsets[1]])
	}
	return f
}

// build gives the file.
func (f *forgery) build() string {
	text := f.text
	if text == "" {
		b, err := json.Marshal(f.settings)
		if err != nil {
			f.t.Fatal(err)
		}
		text = string(b)
	}
	quoted, _ := json.Marshal(text)
	var head, body bytes.Buffer
	version := 1
	if f.dtype["vector_start"] != "" {
		version = 2
	}
	if f.dtype["centre_means"] != "" {
		version = 6
	}
	// A text that a table gives in the place of the settings has the version of plain models.
	if _, columns := f.settings["discriminant"]; columns {
		if version = 5; f.settings["cost_weight"] != nil {
			version = 6
		}
	}
	fmt.Fprintf(&head, `{"__metadata__":{"format":"bigmkl","version":"%d","sha256":"%064d","model":%s}`, version, 0, quoted)
	for _, name := range f.names {
		at := int64(body.Len())
		body.Write(f.body[name])
		entry, _ := json.Marshal(tensor{f.dtype[name], f.shape[name], [2]int64{at, int64(body.Len())}})
		fmt.Fprintf(&head, `,"%s":%s`, name, entry)
	}
	head.WriteByte('}')
	b := binary.LittleEndian.AppendUint64(nil, uint64(head.Len()))
	b = append(append(append(b, head.Bytes()...), body.Bytes()...), f.extra...)
	sum := sha256.Sum256(b)
	hex.Encode(b[bytes.Index(b, []byte(strings.Repeat("0", 64))):], sum[:])
	return string(b)
}

// double sets element i of a tensor of F64.
func (f *forgery) double(name string, i int, v float64) {
	binary.LittleEndian.PutUint64(f.body[name][8*i:], math.Float64bits(v))
}

// zeros makes a tensor one of so many elements, all zero.
func (f *forgery) zeros(name string, dims ...int64) {
	n := map[string]int64{"F64": 8, "I64": 8, "F32": 4, "I32": 4}[f.dtype[name]]
	for _, d := range dims {
		n *= d
	}
	f.shape[name], f.body[name] = dims, make([]byte, n)
}

func (f *forgery) drop(name string) {
	for i, n := range f.names {
		if n == name {
			f.names = append(f.names[:i:i], f.names[i+1:]...)
			return
		}
	}
	f.t.Fatalf("no tensor %s", name)
}

// without leaves the model without support vectors, so that nothing in the file shows how many features there are.
func (f *forgery) without() {
	f.zeros("alpha", 0)
	f.zeros("support", 0)
	f.zeros("vectors", 0, 1)
}

// plain is a small problem that every kernel can learn, with both features in use.
const plain = "1 1:1 2:0.5\n-1 1:-1 2:0.25\n1 1:2 2:-0.5\n-1 1:-2 2:0.75\n1 1:1.5\n-1 2:2\n"

// kills is how often runs are killed or stopped.
func kills(t *testing.T) int { return repeats(t, "BIGMKL_KILLS", 3, 20) }

// killFolder is a folder for processes that are killed, which leave their scratch files.
func killFolder(t *testing.T) folder {
	t.Setenv("TMPDIR", t.TempDir())
	return folder{t, t.TempDir()}
}

// newProcess is a command line of the command as a process of its own.
func newProcess(args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), "BIGMKL_TEST_AS_PROGRAM=1")
	return c
}

const (
	// shortGrace names the environment variable by which tests leave what is in hand less time than
	// users have.
	shortGrace = "BIGMKL_TEST_GRACE"

	// longestStop is what is promised of a process that is asked to end.
	longestStop = 10 * time.Second
)

// stopped is how a process ended.
type stopped struct {
	code           int // -1 by a signal
	signal         syscall.Signal
	stdout, stderr string
	after          time.Duration // of the signal; 0 if it ended before
}

// stop runs the program and sends it a signal once it has run for so long.
func stop(t *testing.T, c *exec.Cmd, with syscall.Signal, at time.Duration) stopped {
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
			s.after = time.Since(start)
		case <-time.After(longestStop + 20*time.Second):
			c.Process.Signal(syscall.SIGQUIT) // which shows where it is
			<-ended
			t.Fatalf("%q has not ended %v after %v\n%s", c.Args[1:], time.Since(start), with, stderr.String())
		}
	}
	s.stdout, s.stderr = stdout.String(), stderr.String()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		s.code = exit.ExitCode()
		if status := exit.Sys().(syscall.WaitStatus); status.Signaled() {
			s.signal = status.Signal()
		}
	} else if err != nil {
		t.Fatal(err)
	}
	if s.after > longestStop {
		t.Errorf("%q ended %v after %v\n%s", c.Args[1:], s.after, with, s.stderr)
	}
	return s
}

// anonymous is the anonymous memory of a process in bytes, 0 once it has ended.
func anonymous(pid int) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := bytes.Cut(status, []byte("RssAnon:"))
	line, _, _ := bytes.Cut(rest, []byte("kB"))
	kib, _ := strconv.ParseInt(strings.TrimSpace(string(line)), 10, 64)
	return kib << 10
}
