package kills

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// disturbed is a command that another disturbs: what it is to give, and what it keeps in files meanwhile.
type disturbed struct {
	name    string
	args    []string
	begin   func() // puts the files in place that it starts from
	result  string // the file that it writes; "" is standard output
	targets []string
	next    []string // what is run afterwards, undisturbed, to the same result; nil is nothing

	want []byte
	took time.Duration
}

// TestFilesAreTamperedWith removes, cuts short and replaces scratch files, checkpoints, models and files in the making at random
// moments: a command ends in time, with one line and the exit code of what is wrong, or with the very result of the
// undisturbed run.
func TestFilesAreTamperedWith(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.EveryKind)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 31))
	t.Setenv("TMPDIR", t.TempDir())
	f := commandtest.Folder{T: t, Path: t.TempDir()}
	cases := tamperedCases(t, f)
	for i := range cases {
		c := &cases[i]
		c.begin()
		start := time.Now()
		o := c.run(t, nil)
		c.took = time.Since(start)
		if o.Code != contract.ExitFine {
			t.Fatalf("%s, undisturbed: exit code %d\n%s", c.name, o.Code, o.Stderr)
		}
		c.want = c.output(t, o)
	}
	counts := map[string]int{}
	faults, total := 0, commandtest.Repeats(t, "BIGMKL_FAULTS", 5, 60)
	first := rng.IntN(len(cases)) // few faults do not come to every case
	for run := 0; faults < total; run++ {
		c := &cases[(first+run)%len(cases)]
		c.begin()
		v := &vandal{rng: rng, roots: c.targets, moments: moments(rng, c.took)}
		o := c.run(t, v)
		faults += len(v.done)
		outcome := c.judge(t, o, v)
		if len(v.done) > 0 {
			counts[c.name+": "+outcome]++
		}
		if c.next == nil {
			continue
		}
		again := *c
		again.args = c.next
		if o := again.run(t, nil); len(v.done) > 0 {
			counts[c.name+", then resumed: "+again.judge(t, o, v)]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%4d %s", counts[name], name)
	}
	t.Logf("%d faults", faults)
}

// tamperedCases are commands that keep something in files. Each model of theirs is verified here.
func tamperedCases(t *testing.T, f commandtest.Folder) []disturbed {
	for _, name := range []string{"scratch", "out", "model"} {
		if err := os.Mkdir(f.At(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	data, classes, test := f.File("data", commandtest.Text(2500, 1)), f.File("classes", commandtest.ThreeClasses(300)), f.File("test", commandtest.Text(4000, 2))
	out, scratch, model, checkpoints := f.At("out/m"), f.At("scratch"), f.At("model/m"), f.At("checkpoints")
	cached := commandtest.SpillingTo(f, data, out, "--scratch", scratch, "--quiet")
	regimes := []struct {
		name, data string
		train      []string
	}{
		{"cached", data, cached},
		{"out of core", data, []string{"train", "--quiet", "--kernels", "gauss:auto/150", "-C", "0.1", "--gap", "1e-2",
			"--memory", "27MiB", "--cache", "always", "--scratch", scratch, "-o", out, data}},
		{"pairs", classes, []string{"train", "--quiet", "--multiclass", "ovo", "--kernels", "gauss:auto/3,laplace:0.5",
			"--gap", "1e-5", "--memory", "30MiB", "--cache", "always", "--scratch", scratch, "-o", out, classes}},
	}
	clear := func() {
		for _, name := range []string{scratch, f.At("out"), checkpoints} {
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{scratch, f.At("out")} {
			if err := os.Mkdir(name, 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	var cases []disturbed
	for _, r := range regimes {
		name, train := r.name, r.train
		clear()
		commandtest.Must(t, train...)
		commandtest.Must(t, "verify", "--quiet", out, r.data)
		cases = append(cases, disturbed{
			name: "train, " + name, args: train, begin: clear, result: out, targets: []string{scratch, f.At("out")},
		})
		kept := f.At("kept " + name)
		with := append(slices.Clone(train), "--checkpoint", checkpoints, "--checkpoint-every", "20ms")
		resume := append(slices.Clone(with), "--resume")
		short := append(slices.Clone(train), "--checkpoint", kept, "--checkpoint-every", "1ns", "--max-iter", "2")
		if o := commandtest.Try(short...); o.Code != contract.ExitStopped {
			t.Fatalf("%s: exit code %d, %s", name, o.Code, o.Stderr)
		}
		all := []string{scratch, f.At("out"), checkpoints}
		cases = append(cases,
			disturbed{
				name: "train with checkpoints, " + name, args: with, next: resume,
				begin: clear, result: out, targets: all,
			},
			disturbed{
				name: "resume, " + name, args: resume, next: resume, result: out, targets: all,
				begin: func() {
					clear()
					if err := os.CopyFS(checkpoints, os.DirFS(kept)); err != nil {
						t.Fatal(err)
					}
				},
			})
	}
	clear()
	sound := f.At("sound")
	commandtest.Must(t, append(cached, "-o", sound)...)
	withModel := func() {
		clear()
		f.Copy(sound, model)
	}
	tmp, models := os.TempDir(), f.At("model")
	return append(cases,
		disturbed{
			name: "predict", args: []string{"predict", "--quiet", model, test, "-o", out},
			begin: withModel, result: out, targets: []string{tmp, models, f.At("out")},
		},
		disturbed{
			name: "verify", args: []string{"verify", "--quiet", model, data},
			begin: withModel, targets: []string{tmp, models},
		},
		disturbed{
			name: "gram", args: []string{"gram", "--quiet", "--kernels", "gauss:0.1", data, "--scratch", scratch, "-o", out},
			begin: clear, result: out, targets: []string{tmp, scratch, f.At("out")},
		},
		disturbed{
			name: "align", args: []string{"align", "--quiet", "--kernels", "gauss:auto/20", data, "--scratch", scratch, "--json"},
			begin: clear, targets: []string{tmp, scratch},
		})
}

// output is what the command gave.
func (c *disturbed) output(t *testing.T, o commandtest.Outcome) []byte {
	t.Helper()
	if c.result == "" {
		if at := strings.Index(o.Stdout, `"seconds"`); at >= 0 {
			return []byte(o.Stdout[:at])
		}
		return []byte(o.Stdout)
	}
	b, err := os.ReadFile(c.result)
	if err != nil {
		t.Errorf("%s: no result: %v", c.name, err)
	}
	return b
}

// judge looks at what a run ended in, and words it.
func (c *disturbed) judge(t *testing.T, o commandtest.Outcome, v *vandal) string {
	t.Helper()
	var wrong []string
	for line := range strings.Lines(o.Stderr) {
		if !strings.HasPrefix(line, "bigmkl: warning: ") {
			wrong = append(wrong, line)
		}
	}
	switch o.Code {
	case contract.ExitFine:
		if len(wrong) > 0 {
			t.Errorf("%s after %q: %q", c.name, v.done, wrong)
		}
		if got := c.output(t, o); sha256.Sum256(got) != sha256.Sum256(c.want) {
			t.Errorf("%s after %q: another result, of %d bytes", c.name, v.done, len(got))
		}
		return "the right result"
	case contract.ExitInput, contract.ExitCorrupt, contract.ExitBudget:
		if len(wrong) != 1 || !strings.HasPrefix(wrong[0], "bigmkl: ") {
			t.Errorf("%s after %q: exit code %d, %q", c.name, v.done, o.Code, wrong)
		}
	default:
		t.Errorf("%s after %q: exit code %d\n%.3000s", c.name, v.done, o.Code, o.Stderr)
	}
	return fmt.Sprintf("exit code %d", o.Code)
}

// run runs the command as a process that has to end in time, disturbed by v unless that is nil.
func (c *disturbed) run(t *testing.T, v *vandal) commandtest.Outcome {
	t.Helper()
	p, stderr := commandtest.Complaining(c.args...)
	var stdout bytes.Buffer
	p.Stdout = &stdout
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	ended, quiet := make(chan struct{}), make(chan struct{})
	go func() {
		_ = p.Wait()
		close(ended)
	}()
	go func() {
		defer close(quiet)
		if v != nil {
			v.strike(ended)
		}
	}()
	// The machine may be busy with other tests; what the program itself waits for has its own, shorter end.
	select {
	case <-ended:
	case <-time.After(2*time.Minute + 20*c.took):
		_ = p.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
			t.Errorf("%s: ended by SIGTERM alone", c.name)
		case <-time.After(10 * time.Second):
			_ = p.Process.Signal(syscall.SIGQUIT)
			select {
			case <-ended:
			case <-time.After(10 * time.Second):
				_ = p.Process.Kill()
				<-ended
			}
			t.Errorf("%s: hangs, SIGTERM included\n%.20000s", c.name, stderr)
		}
	}
	<-quiet
	return commandtest.Outcome{Code: p.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String()}
}

// moments are times within a run, ascending.
func moments(rng *rand.Rand, took time.Duration) []time.Duration {
	var list []time.Duration
	for range 1 + rng.IntN(3) {
		list = append(list, time.Duration(rng.Float64()*1.1*float64(took)))
	}
	slices.Sort(list)
	return list
}
