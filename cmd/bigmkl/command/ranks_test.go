package command

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"bigmkl/cluster"
	"bigmkl/cmd/bigmkl/contract"
)

// tryRanks runs a command line on several ranks of this process, and returns what each gave.
func tryRanks(size int, arguments func(rank int) []string) []outcome {
	ranks := cluster.Local(size)
	list := make([]outcome, size)
	var running sync.WaitGroup
	for rank := range size {
		running.Go(func() {
			var stdout, stderr bytes.Buffer
			code := tested.execute(context.Background(), ranks[rank], strings.NewReader(""), &stdout, &stderr, arguments(rank))
			list[rank] = outcome{code, stdout.String(), stderr.String()}
		})
	}
	running.Wait()
	return list
}

// TestRanks: several ranks write the model of one process, rank 0 alone has something to say, and
// verify confirms the model.
func TestRanks(t *testing.T) {
	f, data, test, _ := trained(t)
	several := f.file("several", threeClasses(60))
	for _, args := range [][]string{
		{"--kernels", "gauss:0.05..0.4/3,linear", "--norm", "4/3", "--test", test, data},
		{"--kernels", "gauss:0.1,poly:2", "--norm", "1", "--checkpoint", f.at("kept"), data},
		{"--kernels", "gauss:nn/2", "--norm", "inf", "--multiclass", "ovo", "--probability", several},
	} {
		args = append([]string{"train", "--quiet", "--json", "--threads", "1"}, args...)
		must(t, append(args, "-o", f.at("alone"))...)
		if err := os.RemoveAll(f.at("kept")); err != nil {
			t.Fatal(err)
		}
		want, _ := os.ReadFile(f.at("alone"))
		for size := 2; size <= 4; size++ {
			list := tryRanks(size, func(rank int) []string { return append(args[:len(args):len(args)], "-o", f.at("together")) })
			for rank, o := range list {
				if o.code != contract.ExitFine || rank > 0 && o.stdout+o.stderr != "" {
					t.Errorf("%d ranks, rank %d: code %d\n%s%s", size, rank, o.code, o.stdout, o.stderr)
				}
			}
			if got, err := os.ReadFile(f.at("together")); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%q: %d ranks write another model than one process: %v", args, size, err)
			}
			told := decode(t, list[0].stdout)["ranks"].([]any)
			if len(told) != size {
				t.Errorf("%d ranks are told of, not %d", len(told), size)
			}
			if err := os.RemoveAll(f.at("kept")); err != nil {
				t.Fatal(err)
			}
		}
		must(t, "verify", f.at("together"), args[len(args)-1])
	}
}

// TestPathOnRanks: several ranks write the models of a path that one process writes, across a change of the
// precision, and rank 0 tells of all ranks.
func TestPathOnRanks(t *testing.T) {
	f, data, _, _ := trained(t)
	args := []string{"train", "--quiet", "--json", "--threads", "1", "--kernels", "gauss:0.05..0.4/3,linear", "--path-norm", "1,4", "--path-C", "0.5,2", data}
	must(t, append(args, "-o", f.at("alone-%p-%C"))...)
	for size := 2; size <= 4; size++ {
		list := tryRanks(size, func(rank int) []string { return append(args[:len(args):len(args)], "-o", f.at("together-%p-%C")) })
		for rank, o := range list {
			if o.code != contract.ExitFine || rank > 0 && o.stdout+o.stderr != "" {
				t.Errorf("%d ranks, rank %d: code %d\n%s%s", size, rank, o.code, o.stdout, o.stderr)
			}
		}
		for _, point := range []string{"1-0.5", "1-2", "4-0.5", "4-2"} {
			want, _ := os.ReadFile(f.at("alone-" + point))
			if got, err := os.ReadFile(f.at("together-" + point)); err != nil || want == nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %d ranks write another model than one process: %v", point, size, err)
			}
		}
		if told := decode(t, list[0].stdout)["ranks"].([]any); len(told) != size {
			t.Errorf("%d ranks are told of, not %d", len(told), size)
		}
	}
}

// TestRanksThatCannot: what ranks cannot do together, and what one of them alone cannot do, ends all
// with one error, which rank 0 tells.
func TestRanksThatCannot(t *testing.T) {
	f, data, test, model := trained(t)
	train := []string{"train", "--quiet", "-o", f.at("never"), "--kernels", "gauss:0.05"}
	another := f.at("another")
	must(t, "train", "--quiet", "-o", another, "--kernels", "gauss:0.1", data)
	same := func(args ...string) func(int) []string { return func(int) []string { return args } }
	for name, c := range map[string]struct {
		arguments func(rank int) []string
		code      int
		said      string
	}{
		"another command":                 {same("inspect", model), contract.ExitUsage, "is for one process"},
		"training rows of standard input": {same("verify", model, "-"), contract.ExitUsage, "standard input"},
		"too few training rows":           {same("verify", model, f.file("half", beginOf(t, data, 20))), contract.ExitInput, "ends after 20 rows"},
		"too few training rows on rank 1": {func(rank int) []string {
			return []string{"verify", model, []string{data, f.at("half"), data}[rank]}
		}, contract.ExitInput, "rank 1: "},
		"other training rows on rank 2": {func(rank int) []string {
			return []string{"verify", model, []string{data, data, test}[rank]}
		}, contract.ExitInput, "rank 2"},
		"little memory on rank 1": {func(rank int) []string {
			return []string{"verify", "--memory", []string{"1GiB", "1MiB", "1GiB"}[rank], model, data}
		}, contract.ExitBudget, "rank 1: "},
		"rows of standard input": {same("predict", model, "-"), contract.ExitUsage, "standard input"},
		"a row that is none":     {same("predict", "-o", f.at("never"), model, f.file("broken", "1 1:1\n1 x\n")), contract.ExitInput, "broken:2"},
		"no model on rank 2": {func(rank int) []string {
			return []string{"predict", "-o", f.at("never"), []string{model, model, f.at("nothing")}[rank], data}
		}, contract.ExitInput, "rank 2: "},
		"another model on rank 1": {func(rank int) []string {
			return []string{"predict", "-o", f.at("never"), []string{model, another, model}[rank], data}
		}, contract.ExitCorrupt, "rank 1 would"},
		"no command": {same("trian"), contract.ExitUsage, "unknown command"},
		"a stream":   {same(append(train, "--stream", "--every", "10", data)...), contract.ExitUsage, "keep coming"},
		"another projection on rank 1": {func(rank int) []string {
			return []string{"train", "--quiet", "-o", f.at("never"), "--kernels", "proj(gauss:0.05,1)", "--norm", "2", "-C", []string{"1", "3", "1"}[rank], data}
		}, contract.ExitCorrupt, "rank 1 would train another model"},
		"no data for a projection on rank 2": {func(rank int) []string {
			return []string{"train", "--quiet", "-o", f.at("never"), "--kernels", "proj(gauss:0.05,1)", "--norm", "2", []string{data, data, f.at("nothing")}[rank]}
		}, contract.ExitInput, "rank 2: "},
		"standard input": {same(append(train, "-")...), contract.ExitUsage, "standard input"},
		"no data":        {same(append(train, f.at("nothing"))...), contract.ExitInput, "cannot open"},
		"no data on rank 1": {func(rank int) []string {
			return append(train[:len(train):len(train)], []string{data, f.at("nothing"), data}[rank])
		}, contract.ExitInput, "rank 1: "},
		"another path on rank 2": {func(rank int) []string {
			return []string{"train", "--quiet", "--kernels", "gauss:0.05", "--path-C", []string{"1,2", "1,2", "1,3"}[rank], "-o", f.at("never%C"), data}
		}, contract.ExitCorrupt, "rank 2 would train another model"},
		"another cost on rank 2": {func(rank int) []string {
			return append(train[:len(train):len(train)], "-C", []string{"1", "1", "2"}[rank], data)
		}, contract.ExitCorrupt, "rank 2 would train another model"},
	} {
		list := tryRanks(3, c.arguments)
		for rank, o := range list {
			switch {
			case rank == 0 && (o.code != c.code || !strings.Contains(o.stderr, c.said) ||
				strings.Count(o.stderr, "\n") != 1):
				t.Errorf("%s: code %d, said\n%s", name, o.code, o.stderr)
			case rank > 0 && (o.code != contract.ExitFine || o.stdout+o.stderr != ""):
				t.Errorf("%s: rank %d: code %d, said\n%s%s", name, rank, o.code, o.stdout, o.stderr)
			}
		}
		if _, err := os.Stat(f.at("never")); err == nil {
			t.Fatalf("%s: a model is written", name)
		}
	}
}

// TestPredictOnRanks: several ranks predict what one process does, to the byte, and rank 0 alone has something to say: of one machine
// and several, with gates, views, probabilities and matrices of kernels.
func TestPredictOnRanks(t *testing.T) {
	f, data, test, model := trained(t)
	several := f.file("several", threeClasses(300))
	must(t, "train", "--quiet", "--kernels", "gauss:nn/2,linear", "--multiclass", "ovr", "--probability", "-o", f.at("ovr"), several)
	must(t, "train", "--quiet", "--kernels", "gauss:0.05,linear copies=2", "--gating", "softmax", "--gate-tol", "0.2", "-o", f.at("gated"), data)
	must(t, "train", "--quiet", "--kernels", "gauss:0.05,linear", "--gating", "softmax", "--gate-on", "kernel:gauss:0.1*40", "--gate-tol", "0.2", "-o", f.at("landmarks"), data)
	must(t, "train", "--quiet", "--kernels", "gauss:0.05,linear", "--gating", "sigmoid", "--gate-tol", "0.2", "--multiclass", "ovr", "-o", f.at("each"), several)
	must(t, "train", "--quiet", "--task", "med", "--restarts", "1", "--rounds", "1", "-C", "1", "--kernels", "gauss:0.05,linear", "-o", f.at("med"), data)
	must(t, "train", "--quiet", "--task", "mixture", "--restarts", "1", "--gap", "0.1", "--kernels", "gauss:0.05,linear", "-o", f.at("likelihood"), data)
	for name, args := range map[string][]string{
		"one":           {model, test},
		"few rows":      {model, f.file("few", "1 1:1\n-1 2:1\n")},
		"probabilities": {"--probability", f.at("ovr"), several},
		"all machines":  {"--decisions", f.at("ovr"), several},
		"gates":         {"--gates-out", f.at("gates"), f.at("gated"), data},
		"landmarks":     {"--gates-out", f.at("gates"), f.at("landmarks"), data},
		"gates of each": {"--decisions", f.at("each"), several},
		"mixtures":      {"--kernel-weights", f.at("gates"), f.at("med"), data},
		"likelihoods":   {f.at("likelihood"), data},
	} {
		args = append([]string{"predict", "--threads", "1", "--json"}, args...)
		alone := must(t, append(args, "-o", f.at("alone"))...)
		want, _ := os.ReadFile(f.at("alone"))
		gates, _ := os.ReadFile(f.at("gates"))
		for size := 2; size <= 4; size++ {
			for rank, o := range tryRanks(size, func(int) []string { return append(args[:len(args):len(args)], "-o", f.at("together")) }) {
				if o.code != contract.ExitFine || rank > 0 && o.stdout+o.stderr != "" || rank == 0 && o.stdout != alone.stdout {
					t.Errorf("%s, %d ranks, rank %d: code %d\n%s%s", name, size, rank, o.code, o.stdout, o.stderr)
				}
			}
			if got, err := os.ReadFile(f.at("together")); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %d ranks predict other lines than one process: %v", name, size, err)
			}
			if got, _ := os.ReadFile(f.at("gates")); !bytes.Equal(got, gates) {
				t.Errorf("%s: %d ranks write other gates than one process", name, size)
			}
		}
	}
}

// TestVerifyOnRanks: several ranks give the certificate of one process, to the bit, and find what it finds, of one machine and several,
// gates, mixtures and samples.
func TestVerifyOnRanks(t *testing.T) {
	f, data, test, model := trained(t)
	several := f.file("several", threeClasses(300))
	must(t, "train", "--quiet", "--kernels", "gauss:nn/2,linear", "--multiclass", "ovr", "-o", f.at("ovr"), several)
	must(t, "train", "--quiet", "--kernels", "gauss:nn/2,linear", "--task", "rkda", "-o", f.at("rkda"), several)
	must(t, "train", "--quiet", "--kernels", "gauss:nn/2,linear", "--multiclass", "single", "-o", f.at("single"), several)
	must(t, "train", "--quiet", "--kernels", "gauss:0.05,linear copies=2", "--gating", "softmax", "--gate-tol", "0.2", "-o", f.at("gated"), data)
	must(t, "train", "--quiet", "--kernels", "gauss:0.05,linear", "--gating", "softmax", "--gate-on", "kernel:gauss:0.1*40", "--gate-tol", "0.2", "-o", f.at("landmarks"), data)
	must(t, "train", "--quiet", "--kernels", "gauss:0.05,linear", "--gating", "sigmoid", "--gate-tol", "0.2", "--multiclass", "ovr", "-o", f.at("each"), several)
	must(t, "train", "--quiet", "--task", "med", "--restarts", "1", "--rounds", "1", "-C", "1", "--kernels", "gauss:0.05,linear", "-o", f.at("med"), data)
	must(t, "train", "--quiet", "--task", "mixture", "--restarts", "1", "--gap", "0.1", "--kernels", "gauss:0.05,linear", "-o", f.at("likelihood"), data)
	for name, args := range map[string][]string{
		"one":           {model, data},
		"other rows":    {model, test},
		"all machines":  {f.at("ovr"), several},
		"sample":        {"--sample", "50", f.at("ovr"), several},
		"columns":       {f.at("rkda"), several},
		"contrasts":     {f.at("single"), several},
		"gates":         {f.at("gated"), data},
		"landmarks":     {f.at("landmarks"), data},
		"gates of each": {f.at("each"), several},
		"mixtures":      {f.at("med"), data},
		"likelihoods":   {f.at("likelihood"), data},
	} {
		args = append([]string{"verify", "--quiet", "--threads", "2", "--json"}, args...)
		alone := try(args...)
		for size := 2; size <= 4; size++ {
			for rank, o := range tryRanks(size, func(int) []string { return args }) {
				if rank == 0 && o != alone || rank > 0 && (o.code != contract.ExitFine || o.stdout+o.stderr != "") {
					t.Errorf("%s, %d ranks, rank %d: code %d\n%s%s\nand alone code %d\n%s%s", name, size, rank, o.code, o.stdout, o.stderr,
						alone.code, alone.stdout, alone.stderr)
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
	f, d := newFolder(t), newRows(seed, 2600, 320)
	store := f.at("d.pack")
	must(t, "convert", "--quiet", "-o", store, f.file("d.txt", d.libsvm()))
	args := []string{"train", "--quiet", "--threads", "1", "--gap", "0.5", "--kernels", "linear", "--scale", "none", "-o"}
	train := func() []outcome {
		return tryRanks(ranks, func(int) []string { return append(args[:len(args):len(args)], f.at("together"), store) })
	}
	must(t, append(args[:len(args):len(args)], f.at("alone"), store)...)
	good := f.read("d.pack")
	for rank, o := range train() {
		if o.code != contract.ExitFine || rank > 0 && o.stdout+o.stderr != "" {
			t.Fatalf("rank %d: code %d\n%s", rank, o.code, o.stderr)
		}
	}
	if f.read("together") != f.read("alone") {
		t.Error("ranks write another model than one process")
	}
	for k := range 3 { // a block for each rank
		if err := os.Remove(f.at("together")); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		bad := []byte(good)
		bad[len(bad)/2+(k-1)<<20] ^= 1
		f.file("d.pack", string(bad))
		list := train()
		if list[0].code != contract.ExitCorrupt || !strings.Contains(list[0].stderr, "the checksum of section") {
			t.Errorf("block %d: code %d\n%s", k, list[0].code, list[0].stderr)
		}
		if _, err := os.Stat(f.at("together")); !os.IsNotExist(err) {
			t.Errorf("block %d: there is a model (%v)", k, err)
		}
	}
}
