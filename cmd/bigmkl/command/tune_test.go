package command

import (
	"bigmkl/cmd/bigmkl/contract"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"
)

// tuned is a selection of one cell that is tuned.
func tuned(data, folder, kind string, more ...string) []string {
	return append([]string{"select", "--quiet", "--kernels", "gauss:0.05,linear,poly:2", "--norm", "2", "--grid-C", "1", "--folds", "3",
		"--no-baselines", "--tune", kind, "-o", folder, data}, more...)
}

// TestTune: threads, memory, disk and cache do not change the table or the model, which is that of train with the costs or the
// weights that the table names, and --resume finds it made.
func TestTune(t *testing.T) {
	f, data, _, _ := trained(t)
	for _, kind := range []string{"cost", "weights"} {
		o := must(t, tuned(data, f.at(kind), kind)...)
		for _, line := range []string{"\ntuned by a surface over ", "\n* point ", " at the first point: ", "\n  linear      ", "/best.model: trained on all rows"} {
			if !strings.Contains(o.stdout, line) {
				t.Errorf("no %q in\n%s", line, o.stdout)
			}
		}
		want := selected(t, f.at(kind))
		for k, more := range [][]string{{"--threads", "3"}, {"--cache", "never"}, {"--disk", "1MiB"}, {"--memory", "100MB"}} {
			folder := f.at(fmt.Sprintf("%s%d", kind, k))
			must(t, tuned(data, folder, kind, more...)...)
			if selected(t, folder) != want {
				t.Errorf("%s finds something else", more)
			}
		}
		got := object(t, contract.ExitFine, tuned(data, f.at(kind), kind, "--resume", "--json")...)
		if selected(t, f.at(kind)) != want {
			t.Error("--resume finds something else")
		}
		tuning := got["tuning"].(map[string]any)
		args := []string{"train", "--quiet", "--kernels", tuning["kernels"].(string), "-C", "1", "-o", f.at("m" + kind), data}
		if kind == "cost" {
			args = append(args, "--norm", "2")
		} else {
			var lines strings.Builder
			for _, w := range tuning["weights"].([]any) {
				fmt.Fprintln(&lines, w)
			}
			args = append(args, "--weights", f.file("fixed", lines.String()))
		}
		must(t, args...)
		if f.read("m"+kind) != f.read(kind+"/"+contract.BestFile) {
			t.Errorf("%s: the model is not that of train", kind)
		}
		must(t, "verify", f.at("m"+kind), data)
	}
}

// TestTuneOfParts: the run that joins the parts tunes, and finds what one run finds.
func TestTuneOfParts(t *testing.T) {
	f, data, _, _ := trained(t)
	must(t, tuned(data, f.at("whole"), "cost")...)
	must(t, tuned(data, f.at("a"), "cost", "--part", "1/2")...)
	must(t, tuned(data, f.at("b"), "cost", "--part", "2/2")...)
	must(t, tuned(data, f.at("joined"), "cost", "--merge", f.at("a"), "--merge", f.at("b"))...)
	if selected(t, f.at("joined")) != selected(t, f.at("whole")) {
		t.Error("two parts find something else")
	}
	for name, more := range map[string][]string{
		"and cost on 40 rows here": {"--tune-rows", "40"}, "and weights here": {"--tune", "weights"},
	} {
		o := try(tuned(data, f.at("whole"), "cost", append(more, "--resume")...)...)
		if o.code != contract.ExitUsage || !strings.Contains(o.stderr, name) {
			t.Errorf("%s: exit code %d, %q", name, o.code, o.stderr)
		}
	}
}

// TestTuneKilled: a tuning that is killed again and again ends with the table and the model of one that was not.
func TestTuneKilled(t *testing.T) {
	f := killFolder(t)
	data := f.file("data", text(200, 1))
	start := time.Now()
	must(t, tuned(data, f.at("whole"), "cost")...)
	took, want := time.Since(start), selected(t, f.at("whole"))
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 4))
	struck := 0
	for run := range kills(t) {
		folder := f.at(fmt.Sprint("s", run))
		for {
			c := newProcess(tuned(data, folder, "cost", "--resume", "--threads", fmt.Sprint(1+rng.IntN(3)))...)
			s := stop(t, c, syscall.SIGKILL, time.Duration(rng.Int64N(int64(took))))
			if s.signal == syscall.SIGKILL {
				struck++
				continue
			}
			if s.code != contract.ExitFine {
				t.Fatalf("exit code %d, %s", s.code, s.stderr)
			}
			break
		}
		if selected(t, folder) != want {
			t.Error("other bytes after kills")
		}
	}
	t.Logf("%d kills", struck)
}
