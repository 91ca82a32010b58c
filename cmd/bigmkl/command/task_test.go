package command

import (
	"bigmkl/cmd/bigmkl/contract"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// targets is text of n rows whose target is a smooth function of two features.
func targets(n int, seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 4))
	var b strings.Builder
	for range n {
		x, y := rng.NormFloat64(), rng.NormFloat64()
		fmt.Fprintf(&b, "%.6f 1:%.6f 2:%.6f\n", math.Sin(2*x)+0.5*y+0.05*rng.NormFloat64(), x, y)
	}
	return b.String()
}

// TestTasksRoundTrip trains, verifies, predicts and inspects for every task.
func TestTasksRoundTrip(t *testing.T) {
	f := newFolder(t)
	data, test := f.file("train", targets(300, 1)), f.file("test", targets(100, 2))
	for _, task := range []string{"svr", "square"} {
		got := object(t, contract.ExitFine, "train", "--quiet", "--json", "--task", task, "--kernels", "gauss:auto/5,linear", "-C", "10", "--test", test, "-o", f.at("m"), data)
		if r2 := got["test"].(map[string]any)["r2"].(float64); r2 < 0.9 {
			t.Errorf("%s: R2 %g", task, r2)
		}
		must(t, "verify", f.at("m"), data)
		o := must(t, "predict", "--quiet", f.at("m"), test)
		if lines := strings.Split(strings.TrimSpace(o.stdout), "\n"); len(lines) != 100 || strings.Contains(lines[0], " ") {
			t.Errorf("%s: %d lines such as %q", task, len(lines), lines[0])
		}
		if o := must(t, "inspect", f.at("m")); !strings.Contains(o.stdout, "a number") {
			t.Errorf("%s: %s", task, o.stdout)
		}
		if o := must(t, "predict", f.at("m"), f.file("bare", "1:1\n2:1\n"), "-o", f.at("out")); !strings.Contains(o.stdout, "2 rows") {
			t.Errorf("%s: rows without targets: %s", task, o.stdout)
		}
	}
	must(t, "train", "--quiet", "--task", "square", "--solver", "lbfgs", "--kernels", "gauss:auto/5,linear", "-o", f.at("m"), data)
	must(t, "verify", f.at("m"), data)
	o := must(t, "train", "--quiet", "--task", "oneclass", "--nu", "0.2", "-C", "3", "--kernels", "gauss:auto/3", "-o", f.at("m"), data)
	if !strings.Contains(o.stderr, "-C has no effect") {
		t.Errorf("standard error %q", o.stderr)
	}
	must(t, "verify", f.at("m"), data)
	e := object(t, contract.ExitFine, "predict", "--json", f.at("m"), data)
	if within := e["within"].(float64); within < 0.75 || within > 0.9 {
		t.Errorf("a share of %g is within", within)
	}
}

func TestTaskFaults(t *testing.T) {
	f := newFolder(t)
	good, two := f.file("good", targets(20, 1)), f.file("two", text(20, 1))
	train := func(more ...string) []string { return append([]string{"train", "--quiet", "-o", f.at("m")}, more...) }
	for _, c := range []fault{
		{"target no number", train("--task", "svr", f.file("words", "1.5 1:1\nhigh 1:2\n")), contract.ExitInput, f.at("words") + ":2:1: target \"high\""},
		{"target infinite", train("--task", "square", f.file("large", "1e999 1:1\n")), contract.ExitInput, f.at("large") + ":1:1: target"},
		{"no target", train("--task", "svr", f.file("none", "1.5 1:1\n1:2\n")), contract.ExitInput, f.at("none") + ":2: the row has no target"},
		{"epsilon without svr", train("--epsilon", "0.1", good), contract.ExitUsage, "--epsilon is an option of --task svr alone"},
		{"nu without one class", train("--nu", "0.1", "--task", "svr", good), contract.ExitUsage, "--nu is an option of --task oneclass alone"},
		{"nu of 1", train("--nu", "1", "--task", "oneclass", good), contract.ExitUsage, "--nu: "},
		{"quasi-Newton for classes", train("--solver", "lbfgs", good), contract.ExitUsage, "solver lbfgs is for duals without bounds"},
		{"quasi-Newton for a tube", train("--task", "svr", "--solver", "lbfgs", good), contract.ExitUsage, "solver lbfgs is for duals without bounds"},
		{"unknown solver", train("--solver", "newton", good), contract.ExitUsage, "--solver: "},
		{"C found for a hinge", train("-C", "joint", "--norm", "1", two), contract.ExitUsage, "C is found for squared losses alone"},
		{"C found for a tube", train("-C", "joint", "--norm", "1", "--task", "svr", good), contract.ExitUsage, "C is found for squared losses alone"},
		{"C found for one class", train("-C", "joint", "--norm", "1", "--task", "oneclass", good), contract.ExitUsage, "C is found for squared losses alone"},
		{"C found at another p", train("-C", "joint", "--task", "square", good), contract.ExitUsage, "C is found as a weight that sums to 1 with the others, which takes the block norm p = 1"},
		{"C found with the elastic net", train("-C", "joint", "--task", "square", "--elastic-net", "0.1", good), contract.ExitUsage, "C is found as a weight that sums to 1 with the others, which takes the block norm p = 1"},
		{"C found with fixed weights", train("-C", "joint", "--task", "square", "--weights", "rule:mse", good), contract.ExitUsage, "C is found as a weight that sums to 1 with the others, which takes the block norm p = 1"},
		{"C found by quasi-Newton", train("-C", "joint", "--task", "square", "--norm", "1", "--solver", "lbfgs", good), contract.ExitUsage, "C is found by solver chunking, and not lbfgs"},
		{"C found by cutting planes", train("-C", "joint", "--loss", "squared-hinge", "--norm", "1", "--solver", "cpm", two), contract.ExitUsage, "C is found by solver chunking, and not cpm"},
		{"C found for several machines", train("-C", "joint", "--loss", "squared-hinge", "--norm", "1", "--multiclass", "ovr", two), contract.ExitUsage, "C is found for one machine"},
		{"C found with probabilities", train("-C", "joint", "--loss", "squared-hinge", "--norm", "1", "--probability", two), contract.ExitUsage, "probabilities from folds, each of which would find another C"},
		{"C found with gates", train("-C", "joint", "--loss", "squared-hinge", "--norm", "1", "--gating", "regions:2", two), contract.ExitUsage, "C is found for kernels without gates"},
		{"C found with prior weights", train("-C", "joint", "--loss", "squared-hinge", "--norm", "1", "--kernels", "linear prior=2,poly:2", two), contract.ExitUsage, "prior= and cost= beside a C that is found"},
		{"C found with costs", train("-C", "joint", "--loss", "squared-hinge", "--norm", "1", "--kernels", "linear cost=2,poly:2", two), contract.ExitUsage, "prior= and cost= beside a C that is found"},
		{"C found on a path", []string{"train", "-o", f.at("m%p"), "-C", "joint", "--loss", "squared-hinge", "--path-norm", "1", two}, contract.ExitUsage, "C is found as a weight that sums to 1"},
		{"C no number", train("-C", "joined", good), contract.ExitUsage, "-C: "},
		{"plan of another solver", []string{"plan", "--task", "square", "--solver", "lbfgs", good}, contract.ExitUsage, "plan cannot predict how long --solver lbfgs takes"},
		{"classes in regression", train("--task", "svr", "--positive", "1", good), contract.ExitUsage, "positive labels make classes"},
		{"numbers as classes", train(good), contract.ExitInput, good + ":1:1: label"},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, f, c) })
	}
}
