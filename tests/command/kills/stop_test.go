package kills

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/pipetest"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// labelled are the rows of text with other labels.
func labelled(n int, label func(i int) string) string {
	var b strings.Builder
	i := 0
	for line := range strings.Lines(commandtest.Text(n, 1)) {
		_, rest, _ := strings.Cut(line, " ")
		fmt.Fprintf(&b, "%s %s", label(i), rest)
		i++
	}
	return b.String()
}

// TestStoppedAnywhere: trainings of every task, solver and kind of classifiers, folds and paths
// included, that get SIGTERM or SIGINT at any moment end within ten seconds, by the signal or with
// the code of an interrupt, leave nothing behind, and either no model or one that verify agrees
// with. Those with checkpoints then go on to the bytes of the undisturbed run, however little time
// there was for the iteration in hand.
func TestStoppedAnywhere(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	data := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(data, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	two := write("two", commandtest.Text(700, 1))
	three := write("three", labelled(500, func(i int) string { return fmt.Sprint(i % 3) }))
	sets := write("sets", labelled(400, func(i int) string { return []string{"a", "b,c", "a,c"}[i%3] }))
	target := write("target", labelled(500, func(i int) string { return fmt.Sprint(i%5 - 2) }))
	slow := []string{"--gap", "1e-7", "--kernels", "gauss:auto/12,linear"}
	for k, c := range []struct {
		args []string
		kept bool // with checkpoints
	}{
		{append([]string{two, "--norm", "1"}, slow...), true},
		{append([]string{two}, slow...), true},
		{append([]string{two, "--norm", "inf"}, slow...), false},
		{append([]string{two, "--probability"}, slow...), false},
		{append([]string{two, "--solver", "wrapper"}, slow...), false},
		{append([]string{two, "--solver", "cpm", "--norm", "1"}, slow...), false},
		{append([]string{two, "--path-C", "0.1..10/4", "--path-norm", "1,2"}, slow...), false},
		{append([]string{target, "--task", "svr"}, slow...), true},
		{append([]string{target, "--task", "square"}, slow...), false},
		{append([]string{target, "--task", "square", "--solver", "lbfgs"}, slow...), true},
		{append([]string{two, "--task", "oneclass"}, slow...), true},
		{append([]string{three, "--multiclass", "ovr"}, slow...), true},
		{append([]string{three, "--multiclass", "ovo"}, slow...), true},
		{append([]string{sets, "--multiclass", "labels"}, slow...), true},
		{append([]string{three, "--multiclass", "ovr", "--one-theta"}, slow...), false},
		{append([]string{three, "--task", "rkda", "--norm", "1"}, slow...), true},
		{append([]string{three, "--multiclass", "single"}, slow...), true},
		{append([]string{three, "--task", "rkda", "--lambda", "joint"}, slow...), true},
		{append([]string{three, "--multiclass", "ovo", "--probability"}, slow...), false},
	} {
		name := strings.Join(c.args[1:len(c.args)-len(slow)], " ")
		t.Run(name, func(t *testing.T) {
			testlevel.Sample(t, 10, 4)
			rng := rand.New(rand.NewPCG(seed, uint64(k)))
			f := commandtest.NewFolder(t)
			out := "m"
			if strings.Contains(name, "--path") {
				out = "m-%p-%C"
			}
			train := func(out string, more ...string) *exec.Cmd {
				if !c.kept { // the model of a run that was stopped in single precision may claim more than that can show
					more = append(more, "--precision", "64")
				}
				return commandtest.NewProcess(append(append([]string{"train", "--quiet", "-o", f.At(out)}, c.args...), more...)...)
			}
			start := time.Now()
			whole := commandtest.Stop(t, train("whole"+out), syscall.SIGTERM, time.Hour)
			took := time.Since(start)
			if whole.Code != contract.ExitFine && whole.Code != contract.ExitStopped {
				t.Fatalf("exit code %d\n%s", whole.Code, whole.Stderr)
			}
			for run := range commandtest.Kills(t)/2 + 1 {
				keep := f.At(fmt.Sprint("checkpoints", run))
				more := []string{"--threads", fmt.Sprint(1 + rng.IntN(3))}
				if c.kept {
					more = append(more, "--checkpoint", keep)
				}
				for again := true; again; {
					now := more
					if left, _ := filepath.Glob(filepath.Join(keep, "checkpoint-*")); len(left) > 0 {
						now = append(now, "--resume")
					}
					cmd := train(out, now...)
					if rng.IntN(3) > 0 {
						cmd.Env = append(cmd.Env, commandtest.ShortGrace+"="+[]string{"1ns", "20ms"}[rng.IntN(2)])
					}
					s := commandtest.Stop(t, cmd, []syscall.Signal{syscall.SIGTERM, syscall.SIGINT}[rng.IntN(2)], time.Duration(rng.Int64N(int64(took)*11/10)))
					again = c.kept && s.Code != whole.Code
					switch s.Code {
					case -1: // before it had asked for signals
					case whole.Code:
					case contract.ExitInterrupted:
						if strings.Count(s.Stderr, "bigmkl: interrupted") != 1 {
							t.Errorf("%q", s.Stderr)
						}
						if !f.Exists(out) && out == "m" && !strings.Contains(s.Stderr, "no model is written") {
							t.Errorf("there is no model, and no word of it: %q", s.Stderr)
						}
					default:
						t.Fatalf("exit code %d\n%s", s.Code, s.Stderr)
					}
					models, _ := filepath.Glob(f.At("m*"))
					for _, m := range models {
						if !again {
							commandtest.Must(t, "verify", "--quiet", m, c.args[0])
						}
						if again || !c.kept {
							os.Remove(m)
						}
					}
				}
				if c.kept && f.Read(out) != f.Read("whole"+out) {
					t.Fatal("another model after it was stopped")
				}
			}
		})
	}
}

// slowly is rows that come one by one, without an end, to the standard input of a process.
func slowly(t *testing.T, c *exec.Cmd) {
	t.Helper()
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer stdin.Close()
		for i := 0; ; i++ {
			if _, err := fmt.Fprintf(stdin, "%+d 1:%d 2:1\n", 1-2*(i%2), i%10); err != nil {
				return
			}
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() { close(done) })
}

// TestStoppedBeforeTheFirstIteration: while rows come slowly, and while a thousand groups of
// kernels are normalised, a signal ends the process at once, and so does the limit of time, with a
// code of its own.
func TestStoppedBeforeTheFirstIteration(t *testing.T) {
	f := commandtest.NewFolder(t)
	many := f.File("many", commandtest.Text(6000, 1))
	groups := []string{many, "--kernels", "gauss:1@random:2*1000", "-o", f.At("m")}
	type stoppedEarly struct {
		name    string
		args    []string
		slow    bool
		message string
	}
	for _, c := range testlevel.Some(t, "", 1, []stoppedEarly{
		{"reading", []string{"-", "-o", f.At("m")}, true, "while the data were read: no model is written"},
		{"normalising", groups, false, "no model is written"},
	}) {
		t.Run(c.name, func(t *testing.T) {
			for _, with := range testlevel.Some(t, "", 1, []syscall.Signal{syscall.SIGTERM, syscall.SIGINT}) {
				cmd := commandtest.NewProcess(append([]string{"train", "--quiet"}, c.args...)...)
				if c.slow {
					slowly(t, cmd)
				}
				s := commandtest.Stop(t, cmd, with, time.Second)
				if s.Code != contract.ExitInterrupted || !strings.Contains(s.Stderr, "bigmkl: interrupted while ") || !strings.Contains(s.Stderr, c.message) || strings.Count(s.Stderr, "\n") != 1 {
					t.Errorf("%v: exit code %d, %q", with, s.Code, s.Stderr)
				}
			}
			cmd := commandtest.NewProcess(append([]string{"train", "--quiet", "--max-time", "1s"}, c.args...)...)
			if c.slow {
				slowly(t, cmd)
			}
			start := time.Now()
			s := commandtest.Stop(t, cmd, syscall.SIGKILL, time.Minute)
			if took := time.Since(start); s.Code != contract.ExitStopped || took > time.Second+commandtest.LongestStop || !strings.Contains(s.Stderr, "bigmkl: the time limit was reached while ") ||
				!strings.Contains(s.Stderr, c.message) || strings.Count(s.Stderr, "\n") != 1 {
				t.Errorf("exit code %d after %v, %q", s.Code, took, s.Stderr)
			}
			if f.Exists("m") {
				t.Error("a model of nothing")
			}
		})
	}
}

// TestStoppedCommands: the commands that train nothing end as soon, wherever they are.
func TestStoppedCommands(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(1500, 1))
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:auto/20,poly:2", "-o", f.At("model"), data)
	for _, args := range [][]string{
		{"gram", "--kernels", "gauss:auto/30", "-o", f.At("k-%d.npy"), data},
		{"align", "--kernels", "gauss:auto/30", data},
		{"predict", f.At("model"), data, "-o", f.At("predictions")},
		{"verify", f.At("model"), data},
		{"plan", "--kernels", "gauss:auto/30", data},
		{"select", "--quiet", "--kernels", "gauss:auto/10", "--grid-C", "1,10", "--limit", "500", "--no-baselines", "--folds", "2", "--resume", "-o", f.At("selection"), data},
		{"importance", "--quiet", "--kernels", "linear,gauss:auto", "--grid-C", "1", "--limit", "500", "--folds", "2", "--repeat", "1", "--resume", "-o", f.At("importance"), data},
	} {
		t.Run(args[0], func(t *testing.T) {
			testlevel.Sample(t, 4, 2)
			start := time.Now()
			if s := commandtest.Stop(t, commandtest.NewProcess(args...), syscall.SIGTERM, time.Hour); s.Code != contract.ExitFine {
				t.Fatalf("exit code %d\n%s", s.Code, s.Stderr)
			}
			took := time.Since(start)
			for range commandtest.Kills(t) {
				os.Remove(f.At("predictions"))
				os.RemoveAll(f.At("selection"))
				os.RemoveAll(f.At("importance"))
				s := commandtest.Stop(t, commandtest.NewProcess(args...), syscall.SIGTERM, time.Duration(rng.Int64N(int64(took))))
				if s.Code != contract.ExitFine && s.Code != -1 && (s.Code != contract.ExitInterrupted || !strings.Contains(s.Stderr, "bigmkl: interrupted")) {
					t.Errorf("exit code %d, %q", s.Code, s.Stderr)
				}
				if s.Code != contract.ExitFine && f.Exists("predictions") {
					t.Error("predictions of some rows")
				}
			}
		})
	}
}

// TestLastMoment: a process whose work does not look at its context ends all the same. What it
// waits for is somebody who opens the other end of a pipe.
func TestLastMoment(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.EveryKind)
	f := commandtest.NewFolder(t)
	pipetest.Make(t, f.At("pipe"))
	s := commandtest.Stop(t, commandtest.NewProcess("train", "-o", f.At("m"), f.At("pipe")), syscall.SIGTERM, time.Second)
	if s.Code != contract.ExitInterrupted || !strings.Contains(s.Stderr, "bigmkl: interrupted: the operation in progress did not end within") {
		t.Errorf("exit code %d after %v, %q", s.Code, s.After, s.Stderr)
	}
}

// TestFirstMoments: a signal to a process that has just begun ends it, by the signal or in order.
func TestFirstMoments(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(700, 1))
	for ms := range 30 {
		s := commandtest.Stop(t, commandtest.NewProcess("train", "--quiet", "-o", f.At("m"), "--gap", "1e-9", "--norm", "1", "--kernels", "gauss:auto/40", data), syscall.SIGTERM, time.Duration(ms)*time.Millisecond)
		if s.Signal != syscall.SIGTERM && s.Code != contract.ExitInterrupted {
			t.Errorf("after %d ms: exit code %d, %q", ms, s.Code, s.Stderr)
		}
	}
}
