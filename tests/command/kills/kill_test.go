package kills

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestKilled kills runs at random moments, often several times in a row, and resumes them, with other threads and budgets each
// time: the model has the bytes of the one whose run was not disturbed.
func TestKilled(t *testing.T) {
	root := commandtest.DataFolder(t)
	at := func(name string) string { return filepath.Join(root, name, name+".libsvm.gz") }
	drugs, targets, pairs := commandtest.Pairs(t, commandtest.NewFolder(t), 6000, 90)
	problems := [][]string{
		{"--objects", drugs, "--objects", targets, "--kernels", "gauss:1@drug,linear@target,prod(gauss:1@drug,gauss:auto@target)", "--gap", "1e-6", pairs},
		{"--limit", "12000", at("a9a")},
		{"--limit", "3000", "--kernels", "gauss:auto/12,linear", "--norm", "1", "--positive", "0,2,4,6,8", at("mnist")},
		{"--kernels", "linear@each-feature,gauss:auto/5", "--norm", "inf", at("sonar")},
		{"--kernels", "gauss:auto/6 norm=centred,linear norm=centred", "--scale", "standard", "--gap", "1e-5", "--norm", "1", at("spambase")},
		{"--multiclass", "single", "--kernels", "gauss:auto/5", "--gap", "1e-4", "--norm", "1", "--limit", "2500", at("pendigits")},
		{"--multiclass", "single", "--scale", "standard", "--gating", "sigmoid", "--kernels", "gauss:auto,linear copies=2", "--gate-tol", "5e-2", "--limit", "1200", at("pendigits")},
		{"--task", "rkda", "--kernels", "gauss:auto/8", "--gap", "1e-4", "--limit", "6000", at("pendigits")},
		{"--task", "rkda", "--lambda", "joint", "--kernels", "gauss:auto/4,linear", "--gap", "1e-4", "--limit", "4000", at("pendigits")},
		{"--task", "med", "--scale", "standard", "-C", "1", "--kernels", "gauss:auto/3", "--restarts", "2", "--rounds", "2", at("pima")},
		{"--task", "mixture", "--scale", "standard", "--kernels", "gauss:auto/5,linear", "--gap", "1e-3", at("pima")},
		{"--scale", "standard", "--gap", "1e-5", "--conformal", "split:0.3,by-class", "--limit", "2500", at("spambase")},
		{"--scale", "standard", "--gap", "1e-5", "--conformal", "folds:2", "--limit", "2300", at("spambase")},
		{"--scale", "standard", "--gap", "1e-4", "--norm", "1", "--kernels", "linear cost=1,poly:2 cost=1.4142,gauss:auto cost=2", "--cost-power", "0.5", "--limit", "2000", at("spambase")},
		{"--scale", "standard", "--gap", "1e-5", "--weights", "rule:alignf", "--rule-sample", "500", "--limit", "2500", at("spambase")},
		{"--scale", "standard", "--gating", "softmax", "--kernels", "gauss:auto,linear copies=3", "--gate-floor", "1e-3", "--gate-tol", "5e-2", "--starts", "2", "--limit", "2300", at("spambase")},
		{"--scale", "standard", "--kernels", "proj(gauss:0.3,2),proj(poly:2,1),linear@1-5", "--gate-tol", "1e-2", "--starts", "2", at("pima")},
		{"--scale", "standard", "--gating", "sigmoid", "--gate-on", "kernel:gauss:auto*40", "--kernels", "gauss:auto,linear copies=2", "--gate-tol", "5e-2", "--limit", "2300", at("spambase")},
		{"--scale", "standard", "--multiclass", "ovr", "--one-gate", "--gating", "softmax", "--kernels", "gauss:auto,linear", "--gate-tol", "5e-2", "--limit", "600", at("pendigits")},
		{"--scale", "standard", "--multiclass", "ovr", "--one-gate", "--kernels", "proj(gauss:0.2,3)", "--gate-tol", "2e-2", "--limit", "800", at("pendigits")},
		{"--task", "svr", "-C", "1000", "--kernels", "gauss:auto/3", "--gap", "1e-4", "--limit", "1500", at("whitewine")}, // steps of all points
		{"--scale", "standard", "--gap", "1e-5", at("spambase")},
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 9))
	// Few kills reach only a few problems, and each seed draws others.
	rng.Shuffle(len(problems)-1, func(i, j int) { problems[i], problems[j] = problems[j], problems[i] })
	total, struck, resumed := commandtest.Kills(t), 0, 0
	for k, problem := range problems {
		// Few kills may all come before the first checkpoint: the last problem goes on for a while then.
		more := func() bool {
			last := k == len(problems)-1
			return struck < total*(k+1)/len(problems) || last && resumed == 0 && struck < total+20
		}
		if !more() {
			continue
		}
		f := commandtest.KillFolder(t)
		train := func(out string, more ...string) []string {
			return append(append([]string{"train", "--quiet", "-o", f.At(out)}, problem...), more...)
		}
		start := time.Now()
		commandtest.Must(t, train("whole")...)
		took := time.Since(start)
		want := sha256.Sum256([]byte(f.Read("whole")))
		for run := 0; more(); run++ {
			folder := f.At("checkpoints" + strconv.Itoa(run))
			for {
				every := time.Duration(rng.Int64N(int64(took / 4)))
				args := train("m", "--checkpoint", folder, "--checkpoint-every", max(every, 1).String(), "--resume", "--json",
					"--threads", strconv.Itoa(1+rng.IntN(3)), "--cache", []string{"auto", "always", "never"}[rng.IntN(3)])
				c, stderr := commandtest.Complaining(args...)
				var stdout bytes.Buffer
				c.Stdout = &stdout
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				kill := time.AfterFunc(time.Duration(rng.Int64N(int64(took*5/4)+1)), func() { c.Process.Kill() })
				err := c.Wait()
				kill.Stop()
				var exit *exec.ExitError
				if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
					struck++
					continue
				}
				if err != nil {
					t.Fatalf("%q: %v\n%s", args, err, stderr)
				}
				if at, _ := commandtest.Decode(t, stdout.String())["resumed_at"].(float64); at > 0 {
					resumed++
				}
				break
			}
			if got := sha256.Sum256([]byte(f.Read("m"))); got != want {
				t.Errorf("%q: another model after a kill", problem)
			}
			for _, name := range commandtest.List(t, folder) {
				if strings.Contains(name, ".tmp") {
					t.Errorf("%s is left in the folder of checkpoints", name)
				}
			}
			os.RemoveAll(folder)
		}
	}
	t.Logf("%d kills, %d runs ended after a resume", struck, resumed)
	if resumed == 0 {
		t.Error("no run was ever resumed")
	}
}

// TestTerminated: SIGTERM writes a checkpoint and the model as it is, and ends with the code of an interrupt.
func TestTerminated(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(700, 1))
	train := func(out string, more ...string) []string {
		return append([]string{"train", "--gap", "1e-8", "--norm", "1", "--kernels", "gauss:auto/40", "-o", f.At(out), data}, more...)
	}
	commandtest.Must(t, append(train("whole"), "--quiet")...)
	c := commandtest.NewProcess(train("m", "--checkpoint", f.At("checkpoints"))...)
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Process.Kill()
	lines, last := bufio.NewScanner(stderr), ""
	for lines.Scan() {
		// The first line about a step shows that the run is under way.
		if last == "" && strings.HasPrefix(lines.Text(), "step ") {
			if err := c.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
		last = lines.Text()
	}
	err = c.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != contract.ExitInterrupted || !f.Exists("m") {
		t.Fatalf("%v, %s", err, last)
	}
	report := commandtest.Object(t, contract.ExitFine, append(train("m", "--checkpoint", f.At("checkpoints"), "--resume", "--json"), "--quiet")...)
	if at, _ := report["resumed_at"].(float64); !(at > 0 && at < report["iterations"].(float64)) {
		t.Errorf("resumed at iteration %v of %v", report["resumed_at"], report["iterations"])
	}
	if f.Read("m") != f.Read("whole") {
		t.Error("another model after SIGTERM")
	}
}
