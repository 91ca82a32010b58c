package ranks

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// sizes lists numbers of ranks, of which a case has one below level 1.
func sizes(t *testing.T, name string) []int { return testlevel.Some(t, name, 1, []int{2, 3, 4}) }

// TestRanks: several ranks write the model of one process, rank 0 alone prints, and
// verify confirms the model.
func TestRanks(t *testing.T) {
	f, data, test, _ := commandtest.Trained(t)
	several, bounded := f.File("several", commandtest.ThreeClasses(60)), strings.Builder{}
	// All events are in the first half, so the share of events, the default quantile, differs from rank to rank.
	censored := strings.Builder{}
	for i := range 120 {
		fmt.Fprintf(&censored, [2]string{"%g", "%g+"}[max(i%2, i/60)]+" 1:%d 2:%d\n", 1+float64(i%7)+float64(i%11)/9, i%7, i%11)
	}
	for i := range 120 {
		fmt.Fprintf(&bounded, [4]string{"%g", "%g+", "..%g", "1e-3..%g"}[i%4]+" 1:%d 2:%d\n", 1+float64(i%7)+float64(i%11)/9, i%7, i%11)
	}
	drugs, targets, pairs := commandtest.Pairs(t, f, 700, 20)
	objects := []string{"--objects", drugs, "--objects", targets}
	for _, args := range [][]string{
		append(slices.Clip(objects), "--kernels", "gauss:1@drug,linear@target,prod(gauss:1@drug,linear@target),prod(gauss:1@drug,gauss:auto@target)", pairs),
		{"--kernels", "gauss:0.1,linear", "--task", "survival", "--tau", "0.4", f.File("bounded", bounded.String())},
		{"--kernels", "gauss:0.1,linear", "--task", "survival", f.File("censored", censored.String())},
		{"--kernels", "gauss:0.05..0.4/3,linear", "--norm", "4/3", "--test", test, data},
		{"--kernels", "gauss:0.1,poly:2", "--norm", "1", "--checkpoint", f.At("kept"), data},
		{"--kernels", "gauss:nn/2", "--norm", "inf", "--multiclass", "ovo", "--probability", several},
	} {
		args = append([]string{"train", "--quiet", "--json", "--threads", "1"}, args...)
		commandtest.Must(t, append(args, "-o", f.At("alone"))...)
		if err := os.RemoveAll(f.At("kept")); err != nil {
			t.Fatal(err)
		}
		want, _ := os.ReadFile(f.At("alone"))
		for _, size := range sizes(t, args[len(args)-2]) {
			list := commandtest.TryRanks(size, func(rank int) []string { return append(args[:len(args):len(args)], "-o", f.At("together")) })
			for rank, o := range list {
				if o.Code != contract.ExitFine || rank > 0 && o.Stdout+o.Stderr != "" {
					t.Errorf("%d ranks, rank %d: code %d\n%s%s", size, rank, o.Code, o.Stdout, o.Stderr)
				}
			}
			if got, err := os.ReadFile(f.At("together")); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%q: %d ranks write another model than one process: %v", args, size, err)
			}
			told := commandtest.Decode(t, list[0].Stdout)["ranks"].([]any)
			if len(told) != size {
				t.Errorf("%d ranks are told of, not %d", len(told), size)
			}
			if err := os.RemoveAll(f.At("kept")); err != nil {
				t.Fatal(err)
			}
		}
		verify := []string{"verify", f.At("together"), args[len(args)-1]}
		if slices.Contains(args, "--objects") {
			verify = append(verify, objects...)
		}
		commandtest.Must(t, verify...)
	}
}

// TestPathOnRanks: several ranks write the models of a path that one process writes, across a change of the
// precision, and rank 0 reports all ranks.
func TestPathOnRanks(t *testing.T) {
	f, data, _, _ := commandtest.Trained(t)
	args := []string{"train", "--quiet", "--json", "--threads", "1", "--kernels", "gauss:0.05..0.4/3,linear", "--path-norm", "1,4", "--path-C", "0.5,2", data}
	commandtest.Must(t, append(args, "-o", f.At("alone-%p-%C"))...)
	for _, size := range sizes(t, "") {
		list := commandtest.TryRanks(size, func(rank int) []string { return append(args[:len(args):len(args)], "-o", f.At("together-%p-%C")) })
		for rank, o := range list {
			if o.Code != contract.ExitFine || rank > 0 && o.Stdout+o.Stderr != "" {
				t.Errorf("%d ranks, rank %d: code %d\n%s%s", size, rank, o.Code, o.Stdout, o.Stderr)
			}
		}
		for _, point := range []string{"1-0.5", "1-2", "4-0.5", "4-2"} {
			want, _ := os.ReadFile(f.At("alone-" + point))
			if got, err := os.ReadFile(f.At("together-" + point)); err != nil || want == nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %d ranks write another model than one process: %v", point, size, err)
			}
		}
		if told := commandtest.Decode(t, list[0].Stdout)["ranks"].([]any); len(told) != size {
			t.Errorf("%d ranks are told of, not %d", len(told), size)
		}
	}
}

// TestInterruptedRank: a rank that is interrupted or comes to its time limit before all have joined ends all with one line
// and the exit code of that, whichever rank it is. It is not a bug.
func TestInterruptedRank(t *testing.T) {
	f, data, _, model := commandtest.Trained(t)
	ended, end := context.WithCancel(t.Context())
	end()
	for name, args := range map[string][]string{
		"train":   {"train", "--kernels", "linear", "-o", f.At("never"), data},
		"predict": {"predict", "-o", f.At("never"), model, data},
		"verify":  {"verify", model, data},
	} {
		for _, c := range []struct {
			struck, code int
			more         []string
		}{
			{0, contract.ExitInterrupted, nil}, {1, contract.ExitInterrupted, nil}, {2, contract.ExitInterrupted, nil},
			{2, contract.ExitStopped, []string{"--max-time", "1ns"}},
		} {
			if c.more != nil && name != "train" {
				continue
			}
			list := commandtest.TryRanksUnder(func(rank int) context.Context {
				if rank == c.struck && c.more == nil {
					return ended
				}
				return t.Context()
			}, 3, func(rank int) []string {
				if rank == c.struck {
					return append(slices.Clip(args), c.more...)
				}
				return args
			})
			text := "interrupted"
			if c.more != nil {
				text = "the time limit"
			}
			if name == "train" && c.struck > 0 {
				text = fmt.Sprintf("bigmkl: rank %d: %s", c.struck, text)
			}
			if o := list[0]; o.Code != c.code || !strings.Contains(o.Stderr, text) || strings.Count(o.Stderr, "\n") != 1 {
				t.Errorf("%s, rank %d: exit code %d, %s", name, c.struck, o.Code, o.Stderr)
			}
			if f.Exists("never") {
				t.Errorf("%s: there is a result", name)
			}
		}
	}
}

// TestRanksThatCannot: what ranks cannot do together, and what one of them alone cannot do, ends all
// with one error, which rank 0 reports.
func TestRanksThatCannot(t *testing.T) {
	f, data, test, model := commandtest.Trained(t)
	train := []string{"train", "--quiet", "-o", f.At("never"), "--kernels", "gauss:0.05"}
	another := f.At("another")
	commandtest.Must(t, "train", "--quiet", "-o", another, "--kernels", "gauss:0.1", data)
	same := func(args ...string) func(int) []string { return func(int) []string { return args } }
	for name, c := range map[string]struct {
		arguments func(rank int) []string
		code      int
		said      string
	}{
		"another command":                 {same("inspect", model), contract.ExitUsage, "is for one process"},
		"training rows of standard input": {same("verify", model, "-"), contract.ExitUsage, "standard input"},
		"too few training rows":           {same("verify", model, f.File("half", beginOf(t, data, 20))), contract.ExitInput, "ends after 20 rows"},
		"too few training rows on rank 1": {func(rank int) []string {
			return []string{"verify", model, []string{data, f.At("half"), data}[rank]}
		}, contract.ExitInput, "rank 1: "},
		"other training rows on rank 2": {func(rank int) []string {
			return []string{"verify", model, []string{data, data, test}[rank]}
		}, contract.ExitInput, "rank 2"},
		"little memory on rank 1": {func(rank int) []string {
			return []string{"verify", "--memory", []string{"1GiB", "1MiB", "1GiB"}[rank], model, data}
		}, contract.ExitBudget, "rank 1: "},
		"rows of standard input": {same("predict", model, "-"), contract.ExitUsage, "standard input"},
		"a row that is none":     {same("predict", "-o", f.At("never"), model, f.File("broken", "1 1:1\n1 x\n")), contract.ExitInput, "broken:2"},
		"no model on rank 2": {func(rank int) []string {
			return []string{"predict", "-o", f.At("never"), []string{model, model, f.At("nothing")}[rank], data}
		}, contract.ExitInput, "rank 2: "},
		"another model on rank 1": {func(rank int) []string {
			return []string{"predict", "-o", f.At("never"), []string{model, another, model}[rank], data}
		}, contract.ExitCorrupt, "rank 1 would"},
		"no command": {same("trian"), contract.ExitUsage, "unknown command"},
		"a stream":   {same(append(train, "--stream", "--every", "10", data)...), contract.ExitUsage, "keep coming"},
		"another projection on rank 1": {func(rank int) []string {
			return []string{"train", "--quiet", "-o", f.At("never"), "--kernels", "proj(gauss:0.05,1)", "--norm", "2", "-C", []string{"1", "3", "1"}[rank], data}
		}, contract.ExitCorrupt, "rank 1 would train another model"},
		"no data for a projection on rank 2": {func(rank int) []string {
			return []string{"train", "--quiet", "-o", f.At("never"), "--kernels", "proj(gauss:0.05,1)", "--norm", "2", []string{data, data, f.At("nothing")}[rank]}
		}, contract.ExitInput, "rank 2: "},
		"standard input": {same(append(train, "-")...), contract.ExitUsage, "standard input"},
		"no data":        {same(append(train, f.At("nothing"))...), contract.ExitInput, "cannot open"},
		"no data on rank 1": {func(rank int) []string {
			return append(train[:len(train):len(train)], []string{data, f.At("nothing"), data}[rank])
		}, contract.ExitInput, "rank 1: "},
		"another path on rank 2": {func(rank int) []string {
			return []string{"train", "--quiet", "--kernels", "gauss:0.05", "--path-C", []string{"1,2", "1,2", "1,3"}[rank], "-o", f.At("never%C"), data}
		}, contract.ExitCorrupt, "rank 2 would train another model"},
		"another cost on rank 2": {func(rank int) []string {
			return append(train[:len(train):len(train)], "-C", []string{"1", "1", "2"}[rank], data)
		}, contract.ExitCorrupt, "rank 2 would train another model"},
	} {
		list := commandtest.TryRanks(3, c.arguments)
		for rank, o := range list {
			switch {
			case rank == 0 && (o.Code != c.code || !strings.Contains(o.Stderr, c.said) ||
				strings.Count(o.Stderr, "\n") != 1):
				t.Errorf("%s: code %d, said\n%s", name, o.Code, o.Stderr)
			case rank > 0 && (o.Code != contract.ExitFine || o.Stdout+o.Stderr != ""):
				t.Errorf("%s: rank %d: code %d, said\n%s%s", name, rank, o.Code, o.Stdout, o.Stderr)
			}
		}
		if _, err := os.Stat(f.At("never")); err == nil {
			t.Fatalf("%s: a model is written", name)
		}
	}
}

// TestPredictOnRanks: several ranks predict what one process does, to the byte, and rank 0 alone prints: models of one
// classifier and several, with gates, views, probabilities and matrices of kernels.
func TestPredictOnRanks(t *testing.T) {
	f, data, test, model := commandtest.Trained(t)
	several := f.File("several", commandtest.ThreeClasses(150))
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:nn/2,linear", "--multiclass", "ovr", "--probability", "-o", f.At("ovr"), several)
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:0.05,linear copies=2", "--gating", "softmax", "--gate-tol", "0.2", "-o", f.At("gated"), data)
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:0.05,linear", "--gating", "softmax", "--gate-on", "kernel:gauss:0.1*40", "--gate-tol", "0.2", "-o", f.At("landmarks"), data)
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:0.05,linear", "--gating", "sigmoid", "--gate-tol", "0.2", "--multiclass", "ovr", "-o", f.At("each"), several)
	commandtest.Must(t, "train", "--quiet", "--task", "med", "--restarts", "1", "--rounds", "1", "-C", "1", "--kernels", "gauss:0.05,linear", "-o", f.At("med"), data)
	commandtest.Must(t, "train", "--quiet", "--task", "mixture", "--restarts", "1", "--gap", "0.1", "--kernels", "gauss:0.05,linear", "-o", f.At("likelihood"), data)
	for name, args := range map[string][]string{
		"one":             {model, test},
		"few rows":        {model, f.File("few", "1 1:1\n-1 2:1\n")},
		"probabilities":   {"--probability", f.At("ovr"), several},
		"all classifiers": {"--decisions", f.At("ovr"), several},
		"gates":           {"--gates-out", f.At("gates"), f.At("gated"), data},
		"landmarks":       {"--gates-out", f.At("gates"), f.At("landmarks"), data},
		"gates of each":   {"--decisions", f.At("each"), several},
		"mixtures":        {"--kernel-weights", f.At("gates"), f.At("med"), data},
		"likelihoods":     {f.At("likelihood"), data},
	} {
		args = append([]string{"predict", "--threads", "1", "--json"}, args...)
		alone := commandtest.Must(t, append(args, "-o", f.At("alone"))...)
		want, _ := os.ReadFile(f.At("alone"))
		gates, _ := os.ReadFile(f.At("gates"))
		for _, size := range sizes(t, name) {
			for rank, o := range commandtest.TryRanks(size, func(int) []string { return append(args[:len(args):len(args)], "-o", f.At("together")) }) {
				if o.Code != contract.ExitFine || rank > 0 && o.Stdout+o.Stderr != "" || rank == 0 && o.Stdout != alone.Stdout {
					t.Errorf("%s, %d ranks, rank %d: code %d\n%s%s", name, size, rank, o.Code, o.Stdout, o.Stderr)
				}
			}
			if got, err := os.ReadFile(f.At("together")); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %d ranks predict other lines than one process: %v", name, size, err)
			}
			if got, _ := os.ReadFile(f.At("gates")); !bytes.Equal(got, gates) {
				t.Errorf("%s: %d ranks write other gates than one process", name, size)
			}
		}
	}
}

// TestVerifyOnRanks: several ranks give the certificate of one process, to the bit, and find what it finds, of one classifier and
// several, gates, mixtures and samples.
func TestVerifyOnRanks(t *testing.T) {
	f, data, test, model := commandtest.Trained(t)
	several := f.File("several", commandtest.ThreeClasses(150))
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:nn/2,linear", "--multiclass", "ovr", "-o", f.At("ovr"), several)
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:nn/2,linear", "--task", "rkda", "-o", f.At("rkda"), several)
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:nn/2,linear", "--multiclass", "single", "-o", f.At("single"), several)
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:0.05,linear copies=2", "--gating", "softmax", "--gate-tol", "0.2", "-o", f.At("gated"), data)
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:0.05,linear", "--gating", "softmax", "--gate-on", "kernel:gauss:0.1*40", "--gate-tol", "0.2", "-o", f.At("landmarks"), data)
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:0.05,linear", "--gating", "sigmoid", "--gate-tol", "0.2", "--multiclass", "ovr", "-o", f.At("each"), several)
	commandtest.Must(t, "train", "--quiet", "--task", "med", "--restarts", "1", "--rounds", "1", "-C", "1", "--kernels", "gauss:0.05,linear", "-o", f.At("med"), data)
	commandtest.Must(t, "train", "--quiet", "--task", "mixture", "--restarts", "1", "--gap", "0.1", "--kernels", "gauss:0.05,linear", "-o", f.At("likelihood"), data)
	for name, args := range map[string][]string{
		"one":             {model, data},
		"other rows":      {model, test},
		"all classifiers": {f.At("ovr"), several},
		"sample":          {"--sample", "50", f.At("ovr"), several},
		"columns":         {f.At("rkda"), several},
		"contrasts":       {f.At("single"), several},
		"gates":           {f.At("gated"), data},
		"landmarks":       {f.At("landmarks"), data},
		"gates of each":   {f.At("each"), several},
		"mixtures":        {f.At("med"), data},
		"likelihoods":     {f.At("likelihood"), data},
	} {
		args = append([]string{"verify", "--quiet", "--threads", "2", "--json"}, args...)
		alone := commandtest.Try(args...)
		for _, size := range sizes(t, name) {
			for rank, o := range commandtest.TryRanks(size, func(int) []string { return args }) {
				if rank == 0 && o != alone || rank > 0 && (o.Code != contract.ExitFine || o.Stdout+o.Stderr != "") {
					t.Errorf("%s, %d ranks, rank %d: code %d\n%s%s\nand alone code %d\n%s%s", name, size, rank, o.Code, o.Stdout, o.Stderr,
						alone.Code, alone.Stdout, alone.Stderr)
				}
			}
		}
	}
}

// beginOf returns the first lines of a file.
func beginOf(t *testing.T, path string, count int) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	return strings.Join(lines[:count], "")
}

// TestPackOnRanks: ranks map a packed store, each compares its share with the checksums, and whichever finds damage, no
// model is written.
func TestPackOnRanks(t *testing.T) {
	const seed, ranks = 31, 3
	t.Logf("seed %d", seed)
	f, d := commandtest.NewFolder(t), commandtest.NewRows(seed, 2600, 320)
	store := f.At("d.pack")
	commandtest.Must(t, "convert", "--quiet", "-o", store, f.File("d.txt", d.Libsvm()))
	args := []string{"train", "--quiet", "--threads", "1", "--gap", "0.5", "--kernels", "linear", "--scale", "none", "-o"}
	train := func() []commandtest.Outcome {
		return commandtest.TryRanks(ranks, func(int) []string { return append(args[:len(args):len(args)], f.At("together"), store) })
	}
	commandtest.Must(t, append(args[:len(args):len(args)], f.At("alone"), store)...)
	good := f.Read("d.pack")
	for rank, o := range train() {
		if o.Code != contract.ExitFine || rank > 0 && o.Stdout+o.Stderr != "" {
			t.Fatalf("rank %d: code %d\n%s", rank, o.Code, o.Stderr)
		}
	}
	if f.Read("together") != f.Read("alone") {
		t.Error("ranks write another model than one process")
	}
	for k := range 3 { // a block for each rank
		if err := os.Remove(f.At("together")); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		bad := []byte(good)
		bad[len(bad)/2+(k-1)<<20] ^= 1
		f.File("d.pack", string(bad))
		list := train()
		if list[0].Code != contract.ExitCorrupt || !strings.Contains(list[0].Stderr, "the checksum of section") {
			t.Errorf("block %d: code %d\n%s", k, list[0].Code, list[0].Stderr)
		}
		if _, err := os.Stat(f.At("together")); !os.IsNotExist(err) {
			t.Errorf("block %d: there is a model (%v)", k, err)
		}
	}
}
