package command

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// queries are rows of relevances from 0 to 3 in groups of ten, as libsvm text, as a table, and as text whose labels have the groups.
func queries(n int, seed uint64) (text, table, labels, bare string) {
	var a, b, c, d strings.Builder
	fmt.Fprintln(&b, "grade,query,x,y,z")
	rng := rand.New(rand.NewPCG(seed, 7))
	for i := range n {
		x := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		grade, group := math.Floor(min(max(2*math.Sin(x[0])+x[1]+0.2*rng.NormFloat64(), 0), 3)), i/10+1
		fmt.Fprintf(&a, "%g qid:%d 1:%.3f 2:%.3f 3:%.3f\n", grade, group, x[0], x[1], x[2])
		fmt.Fprintf(&b, "%g,%d,%.3f,%.3f,%.3f\n", grade, group, x[0], x[1], x[2])
		fmt.Fprintf(&c, "%g:%d\n", grade, group)
		fmt.Fprintf(&d, "1:%.3f 2:%.3f 3:%.3f\n", x[0], x[1], x[2])
	}
	return a.String(), b.String(), c.String(), d.String()
}

// TestRankRoundTrip trains on groups in three forms, which give the same scores, and uses the model.
func TestRankRoundTrip(t *testing.T) {
	f := commandtest.NewFolder(t)
	text, table, labels, bare := queries(200, 1)
	libsvm, csv, none := f.File("a.libsvm", text), f.File("a.csv", table), f.File("bare.libsvm", bare)
	other, _, _, _ := queries(100, 2)
	test := f.File("b.libsvm", other)
	train := func(out string, more ...string) map[string]any {
		return commandtest.Object(t, contract.ExitFine, append([]string{"train", "--quiet", "--json", "--task", "rank", "--kernels", "gauss:auto,linear", "-o", f.At(out)}, more...)...)
	}
	figures := train("l", "--test", test, libsvm)["test"].(map[string]any)
	for _, key := range []string{"ndcg", "ndcg_10", "map", "kendall"} {
		if x, ok := figures[key].(float64); !ok || x < 0.6 || x > 1 {
			t.Errorf("%s is %v", key, figures[key])
		}
	}
	train("t", "--label", "grade", "--group", "query", csv)
	train("s", "--labels", f.File("labels", labels), none)
	want := commandtest.Must(t, "predict", "--quiet", f.At("l"), libsvm).Stdout
	for _, args := range [][]string{{f.At("t"), csv}, {f.At("s"), none}, {f.At("l"), none}} {
		if o := commandtest.Must(t, append([]string{"predict", "--quiet"}, args...)...); o.Stdout != want {
			t.Errorf("%v predicts other scores", args)
		}
	}
	commandtest.Must(t, "verify", f.At("l"), libsvm)
	commandtest.Must(t, "verify", f.At("t"), csv)
	commandtest.Must(t, "verify", "--labels", f.At("labels"), f.At("s"), none)
	for _, to := range []string{"csv", "npz", "pack", "libsvm"} {
		packed := f.At("converted." + to)
		commandtest.Must(t, "convert", "--kind-of-labels", "relevances", "--to", to, "-o", packed, libsvm)
		commandtest.Must(t, "verify", f.At("l"), packed)
	}
	if o := commandtest.Must(t, "inspect", f.At("t")); !strings.Contains(o.Stdout, "a score, which orders the rows of a group") || !strings.Contains(o.Stdout, "groups in query") {
		t.Errorf("inspect prints %s", o.Stdout)
	}
	chosen := commandtest.Must(t, "select", "--quiet", "--task", "rank", "--kernels", "gauss:auto,linear", "--grid-C", "0.1,1", "--grid-norm", "2", "-o", f.At("chosen"), libsvm)
	if !strings.Contains(chosen.Stdout, "ndcg on the rows left out") {
		t.Errorf("select prints %s", chosen.Stdout)
	}
	commandtest.Must(t, "report", f.At("l"), "--test", test, "-o", f.At("page.html"))
	commandtest.Must(t, "export", "--to", "json", "-o", f.At("l.json"), f.At("l"))
}

// TestSurvivalRanking trains a ranking of times and uses the model.
func TestSurvivalRanking(t *testing.T) {
	f := commandtest.NewFolder(t)
	data, test := f.File("a.csv", cohort(200, 1)), f.File("b.csv", cohort(100, 2))
	got := commandtest.Object(t, contract.ExitFine, "train", "--quiet", "--json", "--task", "survival", "--survival", "ranking", "--kernels", "gauss:auto/3", "--time", "months", "--event", "died",
		"-o", f.At("m"), "--test", test, data)
	figures := got["test"].(map[string]any)
	if c, u := figures["c_index"].(float64), figures["uno_c"].(float64); c < 0.85 || u < 0.85 || c > 1 || u > 1 {
		t.Errorf("C-indices %g and %g", c, u)
	}
	commandtest.Must(t, "verify", f.At("m"), data)
	o := commandtest.Must(t, "config", "--of", f.At("m"))
	if !strings.Contains(o.Stdout, "survival = 'ranking'") || !strings.Contains(o.Stdout, "task = 'survival'") {
		t.Errorf("config prints %s", o.Stdout)
	}
}

// TestRankFaults: what a ranking cannot be trained on is one line.
func TestRankFaults(t *testing.T) {
	f := commandtest.NewFolder(t)
	text, table, _, _ := queries(40, 3)
	good, csv := f.File("good", text), f.File("good.csv", table)
	train := func(more ...string) []string {
		return append([]string{"train", "--quiet", "--task", "rank", "--kernels", "linear", "-o", f.At("m")}, more...)
	}
	ranking := func(more ...string) []string {
		return append([]string{"train", "--quiet", "--task", "survival", "--survival", "ranking", "--kernels", "linear", "-o", f.At("m")}, more...)
	}
	var many strings.Builder // 600 rows of one group and of 600 relevances
	for i := range 600 {
		fmt.Fprintf(&many, "%d qid:1 1:%d\n", i, i%7)
	}
	for _, c := range []commandtest.Fault{
		{Name: "no group", Args: train(f.File("plain", "1 1:1\n0 1:2\n")), Code: contract.ExitInput, Want: f.At("plain") + ":1: the row has no group (the group is qid:NUMBER"},
		{Name: "no relevance", Args: train(f.File("bare", "1 qid:1 1:1\n1:2\n")), Code: contract.ExitInput, Want: f.At("bare") + ":2: the row has no relevance"},
		{Name: "a relevance below 0", Args: train(f.File("below", "1 qid:1 1:1\n-1 qid:1 1:2\n")), Code: contract.ExitInput, Want: f.At("below") + ":2:1: relevance \"-1\" is below 0"},
		{Name: "a relevance that is none", Args: train(f.File("nan", "1 qid:1 1:1\nnan qid:1 1:2\n")), Code: contract.ExitInput, Want: f.At("nan") + ":2:1: relevance \"nan\" is not a finite"},
		{Name: "an infinite relevance", Args: train(f.File("inf", "1 qid:1 1:1\n1e999 qid:1 1:2\n")), Code: contract.ExitInput, Want: f.At("inf") + ":2:1: relevance \"1e999\" is not a finite"},
		{Name: "a group without a name", Args: train("--label", "grade", "--group", "query", f.File("unnamed.csv", "grade,query,x\n1,a,2\n2,,3\n")), Code: contract.ExitInput, Want: f.At("unnamed.csv") + ":3: the row has no group"},
		{Name: "no column of groups", Args: train("--label", "grade", "--group", "q", csv), Code: contract.ExitInput, Want: f.At("good.csv") + ":1: no column is called \"q\""},
		{Name: "groups of labels", Args: train("--label", "grade", "--group", "grade", csv), Code: contract.ExitUsage, Want: "column \"grade\" has the groups and is the label"},
		{Name: "nothing to compare", Args: train(f.File("equal", "1 qid:1 1:1\n1 qid:1 1:2\n2 qid:2 1:3\n")), Code: contract.ExitInput, Want: f.At("equal") + ": no two of 3 rows are comparable: in every one of 2 groups"},
		{Name: "pairs beyond memory", Args: train("--memory", "15M", f.File("many", many.String())), Code: contract.ExitBudget, Want: "179700 pairs of rows of a group take 19.2 MiB of memory; --memory is 15 MiB"},
		{Name: "row weights", Args: train("--row-weights", f.File("weights", strings.Repeat("1\n2\n", 20)), good), Code: contract.ExitUsage, Want: "row weights with task rank"},
		{Name: "a start", Args: train("--init", good, good), Code: contract.ExitCorrupt, Want: f.At("good")},
		{Name: "gates", Args: train("--gating", "softmax", good), Code: contract.ExitUsage, Want: "a ranking cannot be combined with gates"},
		{Name: "a wrapper", Args: train("--solver", "wrapper", good), Code: contract.ExitUsage, Want: "a ranking needs solver chunking"},
		{Name: "a rule", Args: train("--weights", "rule:align", good), Code: contract.ExitUsage, Want: "a ranking cannot be combined with a rule for weights"},
		{Name: "probabilities", Args: train("--probability", good), Code: contract.ExitUsage, Want: "probabilities are for tasks with classes, and task rank has no classes"},
		{Name: "intervals", Args: train("--conformal", "split:0.3", good), Code: contract.ExitUsage, Want: "task rank has no intervals"},
		{Name: "a stream", Args: train("--stream", good), Code: contract.ExitUsage, Want: "no stream trains a ranking, whose pairs change with every row"},
		{Name: "groups without a ranking", Args: []string{"train", "--task", "svr", "--group", "query", "-o", f.At("m"), csv}, Code: contract.ExitUsage, Want: "--group is an option of --task rank alone"},
		{Name: "another kind of survival", Args: ranking("--survival", "cox", good), Code: contract.ExitUsage, Want: "--survival"},
		{Name: "survival of a rank", Args: train("--survival", "ranking", good), Code: contract.ExitUsage, Want: "--survival is an option of --task survival alone"},
		{Name: "residuals of a ranking", Args: ranking("--conformal", "split:0.3", good), Code: contract.ExitUsage, Want: "a ranking of times has no residuals (--survival regression)"},
		{Name: "residuals of hazards", Args: []string{"train", "--task", "cox", "--conformal", "split:0.3", "-o", f.At("m"), good}, Code: contract.ExitUsage, Want: "task cox has no intervals"},
		{Name: "bounds of hazards", Args: []string{"train", "--task", "cox", "--kernels", "linear", "-o", f.At("m"), f.File("bounds", "1..2 1:1\n3 1:2\n4 1:3\n")}, Code: contract.ExitInput,
			Want: f.At("bounds") + ": upper bounds of times in task cox"},
		{Name: "bounds of a ranking", Args: ranking(f.At("bounds")), Code: contract.ExitInput, Want: f.At("bounds") + ": upper bounds"},
		{Name: "a quantile of a ranking", Args: ranking("--tau", "0.3", good), Code: contract.ExitUsage, Want: "a ranking estimates no quantile"},
		{Name: "a tube of a ranking", Args: ranking("--epsilon", "0.3", good), Code: contract.ExitUsage, Want: "a ranking has no tube"},
		{Name: "an empty tube of a ranking", Args: ranking("--epsilon", "0", good), Code: contract.ExitUsage, Want: "a ranking has no tube"},
		{Name: "all censored", Args: ranking(f.File("censored", "1.5+ 1:1\n2+ 1:2\n")), Code: contract.ExitInput, Want: f.At("censored") + ": no two of 2 rows are comparable: no row has an event before"},
		{Name: "the event last", Args: ranking(f.File("last", "1.5+ 1:1\n2 1:2\n")), Code: contract.ExitInput, Want: f.At("last") + ": no two of 2 rows are comparable"},
	} {
		t.Run(c.Name, func(t *testing.T) { commandtest.Check(t, f, c) })
	}
	o := commandtest.Must(t, train(f.File("idle", "1 qid:1 1:1\n2 qid:1 1:2\n1 qid:2 1:3\n"))...)
	if !strings.Contains(o.Stderr, "warning: 1 of 2 groups have rows of one relevance only") {
		t.Errorf("no warning: %s", o.Stderr)
	}
}
