package faults

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/files"
	"bigmkl/internal/files/faulty"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// faultStride is how far apart the operations are that a plain go test lets fail, and ciStride those of
// .ci/run.
const (
	faultStride = 5
	ciStride    = 3
)

// trial is a command line that has to withstand faults of its files.
type trial struct {
	commandtest.Folder
	run     func() commandtest.Outcome
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
	if want.Code != contract.ExitFine || len(want.written) != len(c.outputs) {
		t.Fatalf("undisturbed: exit code %d, %s", want.Code, want.Stderr)
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
				if got.Code != contract.ExitFine {
					t.Fatalf("%s: nothing was struck: exit code %d, %s", fault.Name, got.Code, got.Stderr)
				}
				break
			}
			runs++
			where := fmt.Sprintf("%s, operation %d (%s %s)", fault.Name, at, struck[0].Kind, struck[0].Path)
			if got.Code == contract.ExitFine {
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

// spilling is a training that reads every kind of file and spills rows to disk: with the least memory that does, and
// as much more as that takes.
func spilling(t *testing.T) (f commandtest.Folder, args, inputs []string) {
	t.Helper()
	f = commandtest.NewFolder(t)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(commandtest.Text(200, 2)))
	z.Close()
	weights := f.File("weights", strings.Repeat("1\n2\n", 150))
	inputs = []string{f.File("train-1", commandtest.Text(100, 1)), f.File("train-2.gz", packed.String()), weights, f.File("views", "ring 1 10\nall 1 30\n"),
		f.File("kernels", "gauss:0.05\nlaplace:0.1@ring\nlinear\ngauss:0.5@4+5\n"), f.File("test", commandtest.Text(20, 3))}
	args = []string{"train", "--quiet", "--json", "--threads", "2", "--cache", "always", "--disk", "256MiB", "--gap", "1e-2", "--row-weights", weights,
		"--views", inputs[3], "--kernels", "@" + inputs[4], "--test", inputs[5], "-o", f.At("m"), "--theta-out", f.At("theta"), inputs[0], inputs[1]}
	step := 256 << 10
	for memory := 8 << 20; memory < 64<<20; memory += step {
		tight := append(slices.Clone(args), "--memory", strconv.Itoa(memory))
		o := commandtest.Try(tight...)
		switch {
		case o.Code == contract.ExitBudget:
			continue
		case o.Code != contract.ExitFine:
			t.Fatalf("exit code %d, %s", o.Code, o.Stderr)
		case step > 32<<10: // the first that does: from here on in small steps
			memory, step = memory-step, 32<<10
			continue
		}
		if cached := commandtest.Decode(t, o.Stdout)["cache"].(map[string]any); cached["disk_hits"].(float64) > 30 {
			return f, tight, inputs
		}
	}
	t.Fatal("no budget makes rows spill and come back")
	return
}

func TestTrainUnderEveryFault(t *testing.T) {
	f, args, inputs := spilling(t)
	everyFault(t, trial{Folder: f, run: func() commandtest.Outcome { return commandtest.Try(args...) }, inputs: inputs, outputs: []string{"m", "theta"}})
}

func TestOtherCommandsUnderEveryFault(t *testing.T) {
	f, data, test, model := commandtest.Trained(t)
	commandtest.Must(t, "gram", "--quiet", "--kernels", "gauss:0.05", "-o", f.At("K"), data)
	commandtest.Must(t, "gram", "--quiet", "--kernels", "gauss:0.05", "--precision", "64", "-o", f.At("K64"), data)
	commandtest.Must(t, "train", "--quiet", "--kernels", "precomputed:"+f.At("K"), "-o", f.At("m2"), data)
	d := commandtest.NewRows(6, 40, 3)
	y, array, sparse, table := f.File("y.npy", d.Words()), f.File("x.npy", d.Columns(0, 3, true)), f.File("s.npz", commandtest.Archive(d.Sparse())),
		f.File("d.csv", d.Csv(",", nil))
	options := f.File("run.toml", "kernels = 'linear'\n")
	for name, c := range map[string]struct{ args, outputs []string }{
		"array":          {[]string{"train", "--quiet", "--kernels", "linear", "--labels", y, "-o", f.At("out"), array}, []string{"out"}},
		"sparse array":   {[]string{"train", "--quiet", "--kernels", "linear", "-o", f.At("out"), sparse}, []string{"out"}},
		"table":          {[]string{"train", "--quiet", "--kernels", "linear", "-o", f.At("out"), table}, []string{"out"}},
		"convert":        {[]string{"convert", "--quiet", "-o", f.At("out.npz"), table}, []string{"out.npz"}},
		"predict":        {[]string{"predict", model, test, "-o", f.At("out")}, []string{"out"}},
		"predict, JSON":  {[]string{"predict", "--json", model, test}, nil},
		"verify":         {[]string{"verify", model, data}, nil},
		"verify, matrix": {[]string{"verify", f.At("m2"), data, "--gram", f.At("K")}, nil},
		"inspect":        {[]string{"inspect", "--all", model}, nil},
		"bound":          {[]string{"bound", model, model}, nil},
		"export":         {[]string{"export", "-o", f.At("out.json"), model}, []string{"out.json"}},
		"export, ONNX":   {[]string{"export", "-o", f.At("out.onnx"), model}, []string{"out.onnx"}},
		"config":         {[]string{"config", "--of", model}, nil},
		"options":        {[]string{"train", "--quiet", "--config", options, "-o", f.At("out"), data}, []string{"out"}},
		"gram":           {[]string{"gram", "--quiet", "--kernels", "gauss:0.05,linear", "-o", f.At("out%d"), data}, []string{"out1", "out2"}},
		"align":          {[]string{"align", "--quiet", "--kernels", "gauss:0.05,precomputed:" + f.At("K"), "--sample", "9", "-o", f.At("out"), data}, []string{"out"}},
		"warm start":     {[]string{"train", "--quiet", "--kernels", "gauss:0.05,linear", "--init", model, "-o", f.At("out"), data}, []string{"out"}},
		"discriminant":   {[]string{"train", "--quiet", "--task", "rkda", "--lambda", "joint", "--kernels", "gauss:0.05,linear", "-o", f.At("out"), data}, []string{"out"}},
		"mixture":        {[]string{"train", "--quiet", "--task", "med", "--restarts", "2", "-C", "1", "--kernels", "gauss:0.05,linear", "-o", f.At("out"), data}, []string{"out"}},
		"likelihood":     {[]string{"train", "--quiet", "--task", "mixture", "--restarts", "2", "--gap", "1e-2", "--kernels", "gauss:0.05,linear", "-o", f.At("out"), data}, []string{"out"}},
		"gates":          {[]string{"train", "--quiet", "--kernels", "gauss:0.05,linear copies=2", "--gating", "softmax", "--gate-tol", "0.2", "-o", f.At("out"), data}, []string{"out"}},
		"landmark gates": {[]string{"train", "--quiet", "--kernels", "gauss:0.05,linear copies=2", "--gating", "softmax", "--gate-on", "kernel:gauss:0.1*5", "--gate-tol", "0.2", "-o", f.At("out"), data}, []string{"out"}},
		"single, gates":  {[]string{"train", "--quiet", "--kernels", "gauss:0.05,linear copies=2", "--gating", "softmax", "--gate-tol", "0.2", "--multiclass", "single", "-o", f.At("out"), data}, []string{"out"}},
		"projections":    {[]string{"train", "--quiet", "--scale", "standard", "--kernels", "proj(gauss:0.05,2),linear", "--gate-tol", "0.2", "-o", f.At("out"), data}, []string{"out"}},
		"centred":        {[]string{"train", "--quiet", "--kernels", "gauss:0.05 norm=centred,linear norm=centred", "-o", f.At("out"), data}, []string{"out"}},
		"single machine": {[]string{"train", "--quiet", "--kernels", "gauss:0.05,linear", "--multiclass", "single", "-o", f.At("out"), data}, []string{"out"}},
		"matrix":         {[]string{"train", "--quiet", "--kernels", "precomputed:" + f.At("K64"), "-o", f.At("out"), data}, []string{"out"}},
	} {
		t.Run(name, func(t *testing.T) {
			everyFault(t, trial{
				Folder: f, run: func() commandtest.Outcome { return commandtest.Try(c.args...) }, stdout: c.args[0] != "train",
				inputs: []string{options, y, array, sparse, table, data, test, model, f.At("m2"), f.At("K"), f.At("K64")}, outputs: c.outputs,
			})
		})
	}
}

// TestRandomFaults: many operations fail in one run; cleaning up may fail as well, so that files may be left behind.
func TestRandomFaults(t *testing.T) {
	f, args, _ := spilling(t)
	commandtest.Must(t, args...)
	want := f.Read("m")
	draws := uint64(40)
	if testlevel.Reached(testlevel.ManyTimes) {
		draws = 150
	}
	codes := map[int]int{}
	for seed := range draws {
		for _, name := range append(commandtest.List(t, os.TempDir()), "m", "theta") {
			os.RemoveAll(filepath.Join(os.TempDir(), name))
			os.Remove(f.At(name))
		}
		fault := faulty.Faults[seed%uint64(len(faulty.Faults))]
		fault.Lasting = false
		restore := files.Inject(faulty.Random(fault, 0.02, seed))
		o := commandtest.Try(args...)
		restore()
		codes[o.Code]++
		if o.Code != contract.ExitFine && o.Code != contract.ExitInput && o.Code != contract.ExitBudget || strings.Contains(o.Stderr, "a bug") {
			t.Errorf("seed %d, %s: exit code %d, %s", seed, fault.Name, o.Code, o.Stderr)
		}
		if f.Exists("m") && f.Read("m") != want || o.Code == contract.ExitFine && !f.Exists("m") {
			t.Errorf("seed %d, %s: another model", seed, fault.Name)
		}
	}
	t.Logf("exit codes %v", codes)
	for _, name := range commandtest.List(t, f.Path) {
		if strings.Contains(name, ".tmp") {
			os.Remove(f.At(name))
		}
	}
	for _, name := range commandtest.List(t, os.TempDir()) {
		os.RemoveAll(filepath.Join(os.TempDir(), name))
	}
}

// TestFlippedModel: no byte of a model can change unnoticed, be it as it is read or in the file, which predict maps.
func TestFlippedModel(t *testing.T) {
	f, data, test, model := commandtest.Trained(t)
	good := f.Read("m")
	size := int64(len(good))
	stride := int64(97)
	if testlevel.Reached(testlevel.ManyTimes) {
		stride = 13
	}
	for k := int64(0); k < size; k += stride {
		flip := faulty.NewFlip(model, k)
		restore := files.Inject(flip)
		o := commandtest.Try("train", "--init", model, "-o", f.At("out"), data)
		restore()
		if !flip.Done() || o.Code != contract.ExitCorrupt || !strings.HasPrefix(o.Stderr, "bigmkl: "+model+": ") || strings.Count(o.Stderr, "\n") != 1 || f.Exists("out") {
			t.Errorf("byte %d of %d: exit code %d, %s", k, size, o.Code, o.Stderr)
		}
		bad := []byte(good)
		bad[k] ^= 0x10
		flipped := f.File("flipped", string(bad))
		o = commandtest.Try("predict", flipped, test, "-o", f.At("out"))
		if o.Code != contract.ExitCorrupt || !strings.HasPrefix(o.Stderr, "bigmkl: "+flipped+": ") || strings.Count(o.Stderr, "\n") != 1 || f.Exists("out") {
			t.Errorf("byte %d of %d in the file: exit code %d, %s", k, size, o.Code, o.Stderr)
		}
	}
}

// rot changes a byte of every so many blocks that the row cache reads back.
type rot struct {
	every int64
	n     atomic.Int64
}

func (r *rot) Before(files.Op) error { return nil }

func (r *rot) Read(op files.Op, p []byte) {
	if !strings.Contains(op.Path, "bigmkl-cache-") {
		return
	}
	if n := r.n.Add(1); n%r.every == 0 {
		p[n%int64(len(p))] ^= 1
	}
}

// TestFlippedRows: rows that come back damaged from disk are counted and computed again, and change no bit of the model.
func TestFlippedRows(t *testing.T) {
	f, args, _ := spilling(t)
	commandtest.Must(t, args...)
	want := f.Read("m")
	for _, every := range []int64{1, 7, 30} {
		restore := files.Inject(&rot{every: every})
		got := commandtest.Object(t, contract.ExitFine, args...)
		restore()
		damaged := got["cache"].(map[string]any)["damaged"].(float64)
		if warnings := fmt.Sprint(got["warnings"]); damaged == 0 || !strings.Contains(warnings, "damaged") {
			t.Errorf("every %d. block changed, %v rows damaged, warnings %s", every, damaged, warnings)
		}
		if f.Read("m") != want {
			t.Errorf("every %d. block changed: another model", every)
		}
	}
}
