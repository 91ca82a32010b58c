package models

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// tuned is a selection of one cell that is tuned.
func tuned(data, folder, kind string, more ...string) []string {
	return append([]string{"select", "--quiet", "--kernels", "gauss:0.05,linear,poly:2", "--norm", "2", "--grid-C", "1", "--folds", "3",
		"--no-baselines", "--tune", kind, "-o", folder, data}, more...)
}

// TestTune: threads, memory, disk and cache do not change the table or the model. The model equals the model of train with the costs or the
// weights that the table names. With --resume nothing is trained again.
func TestTune(t *testing.T) {
	f, data, _, _ := commandtest.Trained(t)
	for of, kind := range []string{"cost", "weights"} {
		o := commandtest.Must(t, tuned(data, f.At(kind), kind)...)
		for _, line := range []string{"\n* best that can be tuned: ", "\nThe best combination that can be tuned, ", "\ntuned by a surface over ", "\n* point ", " at the first point: ", "\n  linear      ", "/best.model: trained on all rows"} {
			if !strings.Contains(o.Stdout, line) {
				t.Errorf("no %q in\n%s", line, o.Stdout)
			}
		}
		want := commandtest.Selected(t, f.At(kind))
		for k, more := range [][]string{{"--threads", "3"}, {"--cache", "never"}, {"--disk", "1MiB"}, {"--memory", "100MB"}} {
			// Below the level of all kinds, one kind of tuning has the odd ones and the other the even ones.
			if !testlevel.Reached(testlevel.EveryKind) && (uint64(k+of)+testlevel.Seed)%2 > 0 {
				continue
			}
			folder := f.At(fmt.Sprintf("%s%d", kind, k))
			commandtest.Must(t, tuned(data, folder, kind, more...)...)
			if commandtest.Selected(t, folder) != want {
				t.Errorf("%s finds something else", more)
			}
		}
		got := commandtest.Object(t, contract.ExitFine, tuned(data, f.At(kind), kind, "--resume", "--json")...)
		if commandtest.Selected(t, f.At(kind)) != want {
			t.Error("--resume finds something else")
		}
		tuning := got["tuning"].(map[string]any)
		args := []string{"train", "--quiet", "--kernels", tuning["kernels"].(string), "-C", "1", "-o", f.At("m" + kind), data}
		if kind == "cost" {
			args = append(args, "--norm", "2")
		} else {
			var lines strings.Builder
			for _, w := range tuning["weights"].([]any) {
				fmt.Fprintln(&lines, w)
			}
			args = append(args, "--weights", f.File("fixed", lines.String()))
		}
		commandtest.Must(t, args...)
		if f.Read("m"+kind) != f.Read(kind+"/"+contract.BestFile) {
			t.Errorf("%s: the model is not that of train", kind)
		}
		commandtest.Must(t, "verify", f.At("m"+kind), data)
	}
}

// TestTuneOfParts: the run that joins the parts tunes, and finds what one run finds.
func TestTuneOfParts(t *testing.T) {
	f, data, _, _ := commandtest.Trained(t)
	commandtest.Must(t, tuned(data, f.At("whole"), "cost")...)
	commandtest.Must(t, tuned(data, f.At("a"), "cost", "--part", "1/2")...)
	commandtest.Must(t, tuned(data, f.At("b"), "cost", "--part", "2/2")...)
	commandtest.Must(t, tuned(data, f.At("joined"), "cost", "--merge", f.At("a"), "--merge", f.At("b"))...)
	if commandtest.Selected(t, f.At("joined")) != commandtest.Selected(t, f.At("whole")) {
		t.Error("two parts find something else")
	}
	for name, more := range map[string][]string{
		"and cost on 40 rows here": {"--tune-rows", "40"}, "and weights here": {"--tune", "weights"},
	} {
		o := commandtest.Try(tuned(data, f.At("whole"), "cost", append(more, "--resume")...)...)
		if o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, name) {
			t.Errorf("%s: exit code %d, %q", name, o.Code, o.Stderr)
		}
	}
}

// TestTuneKilled: a tuning that is killed again and again ends with the table and the model of one that was not.
func TestTuneKilled(t *testing.T) {
	f := commandtest.KillFolder(t)
	data := f.File("data", commandtest.Text(200, 1))
	start := time.Now()
	commandtest.Must(t, tuned(data, f.At("whole"), "cost")...)
	took, want := time.Since(start), commandtest.Selected(t, f.At("whole"))
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 4))
	struck := 0
	for run := range commandtest.Kills(t) {
		folder := f.At(fmt.Sprint("s", run))
		for {
			c := commandtest.NewProcess(tuned(data, folder, "cost", "--resume", "--threads", fmt.Sprint(1+rng.IntN(3)))...)
			s := commandtest.Stop(t, c, syscall.SIGKILL, time.Duration(rng.Int64N(int64(took))))
			if s.Signal == syscall.SIGKILL {
				struck++
				continue
			}
			if s.Code != contract.ExitFine {
				t.Fatalf("exit code %d, %s", s.Code, s.Stderr)
			}
			break
		}
		if commandtest.Selected(t, folder) != want {
			t.Error("other bytes after kills")
		}
	}
	t.Logf("%d kills", struck)
}
