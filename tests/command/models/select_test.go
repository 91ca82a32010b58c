package models

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/files"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// TestSelect: the text, the object and the table have the same figures for any number of threads, and the model equals the model of train.
func TestSelect(t *testing.T) {
	f, data, _, _ := commandtest.Trained(t)
	o := commandtest.Must(t, commandtest.Selecting(data, f.At("a"), "--nested")...)
	for _, line := range []string{
		"accuracy on the rows left out, mean and standard error over 3 folds; 80 rows", "kernels ", "p = 1 ", "p = 4/3 ", "plain sum, p = 2 ", " alone, the best of 2 ", "\n* best: linear alone, C = 1: ",
		"\n  against plain sum, p = 2, C = ", "\n  the selection itself, on rows that had no part in it: ", "\n" + f.At("a/best.model") + ": trained on all rows, relative gap ", "\nlinear ",
		"\nThe best combination, linear alone, C = 1, is chosen; against plain sum, p = 2, C = 1, the best of another kind, the data show no difference",
		"\nIt is the simplest combination that is not shown to be worse than the best.\n",
	} {
		if !strings.Contains(o.Stdout, line) {
			t.Errorf("no %q in\n%s", line, o.Stdout)
		}
	}
	if o.Stderr != "" {
		t.Errorf("--quiet, and yet %q", o.Stderr)
	}
	got := commandtest.Object(t, contract.ExitFine, commandtest.Selecting(data, f.At("b"), "--nested", "--threads", "3", "--json")...)
	if commandtest.Selected(t, f.At("a")) != commandtest.Selected(t, f.At("b")) {
		t.Error("three threads find something else")
	}
	best := got["cells"].([]any)[int(got["best"].(float64))].(map[string]any)
	mean := best["figures"].(map[string]any)["accuracy"].(map[string]any)
	if text := fmt.Sprintf("C = %.6g: accuracy %.4f ±%.4f\n", best["C"], mean["mean"], mean["error"]); !strings.Contains(o.Stdout, text) {
		t.Errorf("no %q in\n%s", text, o.Stdout)
	}
	var table map[string]any
	if err := json.Unmarshal([]byte(f.Read("b/table.json")), &table); err != nil {
		t.Fatal(err)
	}
	for key, v := range table {
		if fmt.Sprint(got[key]) != fmt.Sprint(v) {
			t.Errorf("%s is %v in the table and %v in the object", key, v, got[key])
		}
	}
	arm := got["arms"].([]any)[int(best["arm"].(float64))].(map[string]any)
	commandtest.Must(t, "train", "--quiet", "--kernels", fmt.Sprint(arm["kernels"]), "--norm", fmt.Sprint(arm["norm"]), "-C", fmt.Sprint(best["C"]), "-o", f.At("m2"), data)
	if f.Read("m2") != f.Read("b/"+contract.BestFile) {
		t.Error("the model is not that of train")
	}
	commandtest.Must(t, "verify", got["model"].(string), data)
	several := f.File("several", commandtest.ThreeClasses(60))
	o = commandtest.Must(t, "select", "--quiet", "--multiclass", "ovr", "--kernels", "linear", "--grid-C", "1", "--folds", "3", "-o", f.At("c"), several)
	j := commandtest.Object(t, contract.ExitFine, "inspect", "--json", f.At("c/"+contract.BestFile))
	if text := fmt.Sprintf("relative gap %.3g (asked", j["relative_gap"]); !strings.Contains(o.Stdout, text) {
		t.Errorf("no %q in\n%s", text, o.Stdout)
	}
	commandtest.Must(t, "verify", f.At("c/"+contract.BestFile), several)
}

// TestSelectGoesOn: parts, in a folder of their own or a common one, and --resume give the bytes of one run.
func TestSelectGoesOn(t *testing.T) {
	f, data, _, _ := commandtest.Trained(t)
	commandtest.Must(t, commandtest.Selecting(data, f.At("whole"))...)
	want := commandtest.Selected(t, f.At("whole"))
	if o := commandtest.Try(commandtest.Selecting(data, f.At("whole"))...); o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, "--resume goes on with it") {
		t.Errorf("without --resume: exit code %d, %q", o.Code, o.Stderr)
	}
	commandtest.Must(t, commandtest.Selecting(data, f.At("whole"), "--resume")...)
	join := []string{}
	for _, part := range []string{"1/3", "2/3", "3/3"} {
		o := commandtest.Must(t, commandtest.Selecting(data, f.At("part"+part[:1]), "--part", part)...)
		if !strings.Contains(o.Stdout, "part "+part[:1]+" of 3 is done: 5 of 15 chains") && !strings.Contains(o.Stdout, ": 4 of 1") {
			t.Error(o.Stdout)
		}
		got := commandtest.Object(t, contract.ExitFine, commandtest.Selecting(data, f.At("common"), "--part", part, "--json")...)
		if (got["missing"] == 0.0) != (part == "3/3") || (len(got["cells"].([]any)) > 0) != (part == "3/3") {
			t.Errorf("part %s: %v missing, %d cells", part, got["missing"], len(got["cells"].([]any)))
		}
		join = append(join, "--merge", f.At("part"+part[:1]))
	}
	commandtest.Must(t, commandtest.Selecting(data, f.At("joined"), join...)...)
	for _, folder := range []string{"whole", "common", "joined"} {
		if commandtest.Selected(t, f.At(folder)) != want {
			t.Errorf("%s: other bytes than those of one run", folder)
		}
		commandtest.Must(t, "verify", f.At(folder+"/"+contract.BestFile), data)
	}
	o := commandtest.Try(commandtest.Selecting(data, f.At("two"), join[:4]...)...)
	if o.Code != contract.ExitInput || !strings.Contains(o.Stderr, "chains of trainings are missing (name every part by --merge") || f.Exists("two/table.json") {
		t.Errorf("without a part: exit code %d, %q", o.Code, o.Stderr)
	}
	if o := commandtest.Try(commandtest.Selecting(data, f.At("other"), "--merge", f.At("part1"), "--gap", "1e-2")...); o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, f.At("part1")+": the folder has another selection: ") {
		t.Errorf("a part of another selection: exit code %d, %q", o.Code, o.Stderr)
	}
	if o := commandtest.Try(commandtest.Selecting(data, f.At("other"), "--merge", f.At("nowhere"))...); o.Code != contract.ExitInput || !strings.Contains(o.Stderr, f.At("nowhere")+": the folder has no selection") {
		t.Errorf("a part that is not there: exit code %d, %q", o.Code, o.Stderr)
	}
	if o := commandtest.Try(commandtest.Selecting(data, f.At("whole"), "--resume", "--seed", "3")...); o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, "another selection") {
		t.Errorf("with another seed: exit code %d, %q", o.Code, o.Stderr)
	}
	chains := commandtest.List(t, f.At("whole/chains"))
	f.File("whole/chains/"+chains[0], "{")
	if o := commandtest.Try(commandtest.Selecting(data, f.At("whole"), "--resume")...); o.Code != contract.ExitCorrupt || !strings.Contains(o.Stderr, chains[0]) {
		t.Errorf("a damaged chain: exit code %d, %q", o.Code, o.Stderr)
	}
}

// cancelAt ends a context at an operation of files.
type cancelAt struct {
	at, n  int
	cancel context.CancelFunc
}

func (c *cancelAt) Before(files.Op) error {
	if c.n == c.at {
		c.cancel()
	}
	c.n++
	return nil
}

func (c *cancelAt) Read(files.Op, []byte) {}

// TestSelectInterrupted: a run that is interrupted at any operation of files ends with the code of an interrupt and no model of
// a training that was not complete, and --resume finds what one run finds, to the byte.
func TestSelectInterrupted(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(60, 1))
	commandtest.Must(t, commandtest.Selecting(data, f.At("whole"))...)
	want := commandtest.Selected(t, f.At("whole"))
	stride := testlevel.Stride(29, 7)
	for at := rand.IntN(stride); ; at += stride {
		os.RemoveAll(f.At("s"))
		ctx, cancel := context.WithCancel(context.Background())
		c := &cancelAt{at: at, cancel: cancel}
		restore := files.Inject(c)
		o := commandtest.Execute(ctx, strings.NewReader(""), commandtest.Selecting(data, f.At("s"))...)
		restore()
		cancel()
		if c.n <= at {
			break
		}
		if o.Code != contract.ExitFine && (o.Code != contract.ExitInterrupted || !strings.HasPrefix(o.Stderr, "bigmkl: interrupted") || strings.Count(o.Stderr, "\n") != 1) {
			t.Errorf("operation %d: exit code %d, %q", at, o.Code, o.Stderr)
		}
		commandtest.Must(t, commandtest.Selecting(data, f.At("s"), "--resume")...)
		if commandtest.Selected(t, f.At("s")) != want {
			t.Fatalf("operation %d: other bytes than those of one run", at)
		}
	}
}

// TestSelectInterruptedAtTheEnd: the training on all rows is interrupted in its steps. Its model is not that of the selection.
func TestSelectInterruptedAtTheEnd(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(150, 1))
	args := []string{"select", "--kernels", "gauss:auto/20", "--norm", "1", "--gap", "1e-6", "--grid-C", "10", "--folds", "2", "--no-baselines", "-o", f.At("s"), data}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stderr := &lateCanceller{after: "2/2 trainings", cancel: cancel}
	code := commandtest.Run(ctx, strings.NewReader(""), &bytes.Buffer{}, stderr, args...)
	if code != contract.ExitInterrupted || !strings.Contains(stderr.String(), "bigmkl: interrupted in the training on all rows") || f.Exists("s/"+contract.BestFile) {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	commandtest.Must(t, append(args, "--resume", "--quiet")...)
	args[slices.Index(args, f.At("s"))] = f.At("whole")
	commandtest.Must(t, append(args, "--quiet")...)
	if commandtest.Selected(t, f.At("s")) != commandtest.Selected(t, f.At("whole")) {
		t.Error("other bytes than those of one run")
	}
	commandtest.Must(t, "verify", f.At("s/"+contract.BestFile), data)
}

// lateCanceller is standard error that ends a context at the first step after a text.
type lateCanceller struct {
	bytes.Buffer
	after  string
	cancel context.CancelFunc
}

func (c *lateCanceller) Write(p []byte) (int, error) {
	n, err := c.Buffer.Write(p)
	if _, rest, found := strings.Cut(c.String(), c.after); found && strings.Contains(rest, "step ") {
		c.cancel()
	}
	return n, err
}

// TestSelectKilled kills runs at random moments and resumes them, with other threads each time.
func TestSelectKilled(t *testing.T) {
	f := commandtest.KillFolder(t)
	data := f.File("data", commandtest.Text(300, 1))
	start := time.Now()
	commandtest.Must(t, commandtest.Selecting(data, f.At("whole"), "--nested")...)
	took, want := time.Since(start), commandtest.Selected(t, f.At("whole"))
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 3))
	struck := 0
	for run := range commandtest.Kills(t) {
		folder := f.At(fmt.Sprint("s", run))
		for {
			c := commandtest.NewProcess(commandtest.Selecting(data, folder, "--nested", "--resume", "--threads", fmt.Sprint(1+rng.IntN(3)))...)
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

// TestSelectEnds: the codes of a selection without a best cell and of a model above its gap, as text and as an object.
func TestSelectEnds(t *testing.T) {
	f := commandtest.NewFolder(t)
	// In each of three folds all but one have the same class.
	rare := f.File("rare", "1 1:1\n1 1:2\n1 1:3\n1 1:4\n1 1:5\n-1 1:9\n")
	data := f.File("data", commandtest.Text(60, 1))
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no best":   {[]string{"--measure", "auc", "--folds", "3", "--kernels", "linear", rare}, "bigmkl: no combination has a defined auc in every fold\n"},
		"above gap": {[]string{"--max-iter", "2", "--gap", "1e-6", "--folds", "2", "--kernels", "gauss:0.05,linear", "--grid-C", "100", data}, "bigmkl: the iteration limit was reached at a relative gap of "},
	} {
		args := append([]string{"select", "--quiet", "-o", f.At(name)}, c.args...)
		for _, more := range []string{"--json", "--resume"} {
			o := commandtest.Try(append(args, more)...)
			if o.Code != contract.ExitStopped || !strings.HasPrefix(o.Stderr, c.want) || strings.Count(o.Stderr, "\n") != 1 {
				t.Errorf("%s: exit code %d, %q", name, o.Code, o.Stderr)
			}
			if more == "--json" {
				if got := commandtest.Decode(t, o.Stdout); (got["best"] == -1.0) != (name == "no best") || (got["model"] == nil) != (name == "no best") {
					t.Errorf("%s: best %v, model %v", name, got["best"], got["model"])
				}
			}
		}
	}
}

// TestSelectUsage: every fault of a command line is told at once, and nothing is made.
func TestSelectUsage(t *testing.T) {
	f, data, _, _ := commandtest.Trained(t)
	names, short, blank, latin, long := f.File("names", strings.Repeat("a\nb\nc\nd\n", 20)), f.File("short", "a\nb\n"), f.File("blank", "a\n\nb\n"),
		f.File("latin", "a\n\xe4\n"), f.File("long", "a\n"+strings.Repeat("x", 1<<17)+"\n")
	out := f.At("new")
	with := func(args ...string) []string { return append([]string{"select", "--quiet", "-o", out, data}, args...) }
	for _, c := range []commandtest.Fault{
		{Name: "no folder", Args: []string{"select", data}, Code: contract.ExitUsage, Want: "no folder is named (-o FOLDER)"},
		{Name: "standard input", Args: []string{"select", "-o", out, "-"}, Code: contract.ExitUsage, Want: "a selection reads its data more than once"},
		{Name: "two kinds of folds", Args: with("--folds", "3", "--splits", "4:0.2"), Code: contract.ExitUsage, Want: "--folds, --splits and --folds-file cannot be combined"},
		{Name: "a grid and a norm", Args: with("--grid-norm", "1,2", "--norm", "1"), Code: contract.ExitUsage, Want: "--grid-norm cannot be combined with --norm"},
		{Name: "a grid of a net", Args: with("--grid-norm", "1", "--elastic-net", "0.5"), Code: contract.ExitUsage, Want: "--elastic-net leaves no p to choose by --grid-norm"},
		{Name: "a part that is merged", Args: with("--part", "1/2", "--merge", out), Code: contract.ExitUsage, Want: "a part cannot be merged as it runs"},
		{Name: "part 3 of 2", Args: with("--part", "3/2"), Code: contract.ExitUsage, Want: "--part: \"3/2\" is not I/N, such as 2/8"},
		{Name: "splits of all", Args: with("--splits", "4:1"), Code: contract.ExitUsage, Want: "--splits: \"4:1\" has a share that is not between 0 and 1"},
		{Name: "one split", Args: with("--splits", "1:0.2"), Code: contract.ExitUsage, Want: "--splits: \"1:0.2\" has fewer than two splits"},
		{Name: "a share alone", Args: with("--splits", "0.2"), Code: contract.ExitUsage, Want: "--splits: \"0.2\" is not N:SHARE"},
		{Name: "nested splits", Args: with("--splits", "4:0.2", "--nested"), Code: contract.ExitUsage, Want: "random splits overlap"},
		{Name: "nested halves", Args: with("--folds", "2", "--nested"), Code: contract.ExitUsage, Want: "a nested selection leaves two folds out at a time"},
		{Name: "repeated splits", Args: with("--splits", "4:0.2", "--repeat", "3"), Code: contract.ExitUsage, Want: "only folds that are drawn can be repeated"},
		{Name: "another figure", Args: with("--measure", "rmse"), Code: contract.ExitUsage, Want: "\"rmse\" is not a figure to select by (one of accuracy, auc, average_precision, mcc, sensitivity, specificity)"},
		{Name: "one class", Args: with("--task", "oneclass", "--measure", "accuracy"), Code: contract.ExitUsage, Want: "one class has no figure"},
		{Name: "nothing to tune", Args: with("--tune", "sums"), Code: contract.ExitUsage, Want: "--tune: "},
		{Name: "one factor", Args: with("--tune", "cost", "--kernels", "linear"), Code: contract.ExitUsage, Want: "a tuning of 1 factors: at least 2 and at most 12 (write group=NAME behind kernels"},
		{Name: "13 factors", Args: with("--tune", "cost", "--kernels", "gauss:1..2/13"), Code: contract.ExitUsage, Want: "a tuning of 13 factors: at least 2 and at most 12 (write group=NAME behind kernels"},
		{Name: "costs and a tuning", Args: with("--tune", "cost", "--kernels", "linear cost=2,gauss:1"), Code: contract.ExitUsage, Want: "cost= beside a tuning"},
		{Name: "a power and a tuning", Args: with("--tune", "cost", "--kernels", "linear,gauss:1", "--cost-power", "2"), Code: contract.ExitUsage, Want: "the tuning finds the costs of kernels"},
		{Name: "a tuning of fixed weights", Args: with("--tune", "cost", "--weights", short), Code: contract.ExitUsage, Want: "--tune cannot be combined with --weights"},
		{Name: "tuned weights of another norm", Args: with("--tune", "weights", "--norm", "1"), Code: contract.ExitUsage, Want: "tuned weights are those of a weighted sum"},
		{Name: "a nested tuning", Args: with("--tune", "cost", "--nested"), Code: contract.ExitUsage, Want: "a nested selection estimates what a choice of cells achieves"},
		{Name: "rows without a tuning", Args: with("--tune-rows", "5"), Code: contract.ExitUsage, Want: "rows of a tuning, and nothing is tuned"},
		{Name: "no rows of a tuning", Args: with("--tune", "cost", "--tune-rows", "0"), Code: contract.ExitUsage, Want: "--tune-rows: "},
		{Name: "costs of two sources", Args: with("--cost-base", "eigen", "--kernels", "linear cost=2,gauss:1"), Code: contract.ExitUsage, Want: "cost= beside costs that are counted (leave cost= out)"},
		{Name: "another base of costs", Args: with("--cost-base", "trace"), Code: contract.ExitUsage, Want: "--cost-base: "},
		{Name: "powers without costs", Args: with("--grid-cost-power", "0,1"), Code: contract.ExitUsage, Want: "powers of costs, and no kernel has a cost"},
		{Name: "powers of two kinds", Args: with("--grid-cost-power", "0,1", "--cost-base", "eigen", "--cost-power", "1"), Code: contract.ExitUsage, Want: "powers of costs to choose from, and one that is given (use one of them)"},
		{Name: "powers below 0", Args: with("--grid-cost-power=-1..1/3", "--cost-base", "eigen"), Code: contract.ExitUsage, Want: "--grid-cost-power: "},
		{Name: "powers beyond numbers", Args: with("--grid-cost-power", "1e4", "--cost-base", "eigen", "--kernels", "gauss:1e6"), Code: contract.ExitUsage, Want: "costs to the power 10000 leave kernel 1 an importance of 0"},
		{Name: "powers and a tuning", Args: with("--grid-cost-power", "0,1", "--cost-base", "eigen", "--tune", "cost"), Code: contract.ExitUsage, Want: "a tuning finds the costs of kernels by itself"},
		{Name: "eigenvalues beyond memory", Args: with("--cost-base", "eigen", "--kernels", "linear", "--memory", "1"), Code: contract.ExitBudget, Want: "a run of this shape takes "},
		{Name: "a cost of 0", Args: with("--grid-C", "0,1"), Code: contract.ExitUsage, Want: "--grid-C: "},
		{Name: "more names than rows", Args: with("--limit", "70", "--groups-file", short), Code: contract.ExitInput, Want: data + ": 2 names of groups for 70 rows"},
		{Name: "an empty name", Args: with("--folds-file", blank), Code: contract.ExitInput, Want: blank + ":2: the line is empty"},
		{Name: "a name of other letters", Args: with("--folds-file", latin), Code: contract.ExitInput, Want: latin + ":2: the name \"\\xe4\" is not UTF-8"},
		{Name: "a name without end", Args: with("--folds-file", long), Code: contract.ExitInput, Want: long + ":2: the line is too long for a name"},
		{Name: "no names", Args: with("--folds-file", "/dev/null"), Code: contract.ExitInput, Want: "/dev/null: the file has no lines"},
		{Name: "a share of all rows", Args: with("--splits", "2:0.999"), Code: contract.ExitInput, Want: data + ": fold \"1\" has 80 of 80 rows (leave a smaller share out"},
		{Name: "folds of one row", Args: with("--folds", "81"), Code: contract.ExitInput, Want: data + ": fold \"1.81\" has 0 of 80 rows (use fewer folds)"},
		{Name: "the data as a folder", Args: []string{"select", "--quiet", "-o", data, data}, Code: contract.ExitInput, Want: data},
		{Name: "a kernel of nothing", Args: with("--kernels", "linear", "--kernels", "gauss:1@x"), Code: contract.ExitUsage, Want: "kernel \"gauss:1@x\": there is no view \"x\""},
	} {
		t.Run(c.Name, func(t *testing.T) { commandtest.Check(t, f, c) })
	}
	o := commandtest.Try("select", "--part", "1/2", "--merge", "x", "--measure", "x", "--epsilon", "1", "--folds-file", names, "--repeat", "2")
	if o.Code != contract.ExitUsage || strings.Count(o.Stderr, "\n") != 6 || strings.Count(o.Stderr, "bigmkl: ") != 6 {
		t.Errorf("six faults give\n%s", o.Stderr)
	}
	// There are names of the used rows alone.
	commandtest.Must(t, with("--limit", "60", "--folds-file", names, "--kernels", "linear", "--grid-C", "1", "--nested")...)
	commandtest.Must(t, "verify", f.At("new/"+contract.BestFile), f.File("first", strings.Join(strings.SplitAfter(commandtest.Text(80, 1), "\n")[:60], "")))
}

// TestSelectAmongLists: lists of kernels may be files and matrices, beside others. Where a matrix of any list has changed, a
// selection does not go on.
func TestSelectAmongLists(t *testing.T) {
	f, data, _, _ := commandtest.Trained(t)
	matrix := func(kernel string) {
		commandtest.Must(t, "gram", "--quiet", "--kernels", kernel, "-o", f.At("K"), data)
	}
	matrix("gauss:0.05")
	specs := f.File("list", "gauss:0.05\nprod(linear,gauss:0.1)\n")
	args := func(folder string, lists ...string) []string {
		all := []string{"select", "--quiet", "--grid-C", "1", "--folds", "2", "-o", f.At(folder), data}
		for _, specs := range lists {
			all = append(all, "--kernels", specs)
		}
		return all
	}
	commandtest.Must(t, args("a", "@"+specs, "linear", "precomputed:"+f.At("K"))...)
	commandtest.Must(t, args("b", "gauss:0.05,prod(linear,gauss:0.1)", "linear", "precomputed:"+f.At("K"))...)
	if commandtest.Selected(t, f.At("a")) != commandtest.Selected(t, f.At("b")) {
		t.Error("a list in a file is another one")
	}
	commandtest.Must(t, args("c", "linear", "@"+specs)...)
	matrix("gauss:0.2")
	o := commandtest.Try(append(args("b", "gauss:0.05,prod(linear,gauss:0.1)", "linear", "precomputed:"+f.At("K")), "--resume")...)
	if o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, "the folder has another selection: matrix 1 of list 3 is ") {
		t.Errorf("another matrix: exit code %d, %q", o.Code, o.Stderr)
	}
	if o := commandtest.Try(args("d", "linear", "@"+f.At("none"))...); o.Code != contract.ExitInput || !strings.HasPrefix(o.Stderr, "bigmkl: "+f.At("none")+": ") {
		t.Errorf("no list: exit code %d, %q", o.Code, o.Stderr)
	}
}

// copycat replaces some files, as soon as they have their names, by others with the same content, as another process does that
// has come to the same moment.
type copycat struct {
	t        *testing.T
	paths    []string
	replaced int
}

func (c *copycat) Before(op files.Op) error {
	for _, path := range c.paths {
		if op.Kind != files.OpSyncFolder || op.Path != filepath.Dir(path) {
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			continue // It is written later.
		}
		if err := os.WriteFile(path+".other", b, 0o600); err != nil {
			c.t.Error(err)
		}
		if err := os.Rename(path+".other", path); err != nil {
			c.t.Error(err)
		}
		c.replaced++
	}
	return nil
}

func (c *copycat) Read(files.Op, []byte) {}

// TestSelectBeside: parts that share a folder and write the same at the same moment do not disturb each other.
func TestSelectBeside(t *testing.T) {
	f, data, _, _ := commandtest.Trained(t)
	commandtest.Must(t, commandtest.Selecting(data, f.At("whole"))...)
	c := &copycat{t: t, paths: []string{f.At("s/selection.json"), f.At("s/table.json"), f.At("s/" + contract.BestFile)}}
	restore := files.Inject(c)
	o := commandtest.Try(commandtest.Selecting(data, f.At("s"))...)
	restore()
	if o.Code != contract.ExitFine || c.replaced < 3 || commandtest.Selected(t, f.At("s")) != commandtest.Selected(t, f.At("whole")) {
		t.Errorf("exit code %d, %s, %d files were replaced", o.Code, o.Stderr, c.replaced)
	}
	commandtest.Must(t, "verify", f.At("s/"+contract.BestFile), data)
}
