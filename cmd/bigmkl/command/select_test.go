package command

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
)

// selecting is a selection of a few short trainings into a folder.
func selecting(data, folder string, more ...string) []string {
	return append([]string{"select", "--quiet", "--kernels", "gauss:0.05,linear", "--grid-norm", "1,4/3", "--grid-C", "0.1,1", "--folds", "3", "-o", folder, data}, more...)
}

// selected is what a selection leaves for others: the table and the model.
func selected(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range []string{"table.json", contract.BestFile} {
		b, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

// TestSelect: the text, the object and the table say the same, whatever the threads, and the model is that of train.
func TestSelect(t *testing.T) {
	f, data, _, _ := trained(t)
	o := must(t, selecting(data, f.at("a"), "--nested")...)
	for _, line := range []string{
		"accuracy on the rows left out, mean and standard error over 3 folds of 80 rows", "kernels ", "p = 1 ", "p = 4/3 ", "plain sum, p = 2 ", " alone, the best of 2 ", "\n* best: p = ",
		"\n  against plain sum, p = 2, C = ", "\n  the selection itself, on rows that had no part in it: ", "\n" + f.at("a/best.model") + ": trained on all rows, relative gap ", "\ngauss:0.05 ",
	} {
		if !strings.Contains(o.stdout, line) {
			t.Errorf("no %q in\n%s", line, o.stdout)
		}
	}
	if o.stderr != "" {
		t.Errorf("--quiet, and yet %q", o.stderr)
	}
	got := object(t, contract.ExitFine, selecting(data, f.at("b"), "--nested", "--threads", "3", "--json")...)
	if selected(t, f.at("a")) != selected(t, f.at("b")) {
		t.Error("three threads find something else")
	}
	best := got["cells"].([]any)[int(got["best"].(float64))].(map[string]any)
	mean := best["figures"].(map[string]any)["accuracy"].(map[string]any)
	if text := fmt.Sprintf("C = %.6g: accuracy %.4f ±%.4f\n", best["C"], mean["mean"], mean["error"]); !strings.Contains(o.stdout, text) {
		t.Errorf("no %q in\n%s", text, o.stdout)
	}
	var table map[string]any
	if err := json.Unmarshal([]byte(f.read("b/table.json")), &table); err != nil {
		t.Fatal(err)
	}
	for key, v := range table {
		if fmt.Sprint(got[key]) != fmt.Sprint(v) {
			t.Errorf("%s is %v in the table and %v in the object", key, v, got[key])
		}
	}
	arm := got["arms"].([]any)[int(best["arm"].(float64))].(map[string]any)
	must(t, "train", "--quiet", "--kernels", "gauss:0.05,linear", "--norm", fmt.Sprint(arm["norm"]), "-C", fmt.Sprint(best["C"]), "-o", f.at("m2"), data)
	if f.read("m2") != f.read("b/"+contract.BestFile) {
		t.Error("the model is not that of train")
	}
	must(t, "verify", got["model"].(string), data)
	several := f.file("several", threeClasses(60))
	o = must(t, "select", "--quiet", "--multiclass", "ovr", "--kernels", "linear", "--grid-C", "1", "--folds", "3", "-o", f.at("c"), several)
	j := object(t, contract.ExitFine, "inspect", "--json", f.at("c/"+contract.BestFile))
	if text := fmt.Sprintf("relative gap %.3g (asked", j["relative_gap"]); !strings.Contains(o.stdout, text) {
		t.Errorf("no %q in\n%s", text, o.stdout)
	}
	must(t, "verify", f.at("c/"+contract.BestFile), several)
}

// TestSelectGoesOn: parts, in a folder of their own or a common one, and --resume give the bytes of one run.
func TestSelectGoesOn(t *testing.T) {
	f, data, _, _ := trained(t)
	must(t, selecting(data, f.at("whole"))...)
	want := selected(t, f.at("whole"))
	if o := try(selecting(data, f.at("whole"))...); o.code != contract.ExitUsage || !strings.Contains(o.stderr, "--resume goes on with it") {
		t.Errorf("without --resume: exit code %d, %q", o.code, o.stderr)
	}
	must(t, selecting(data, f.at("whole"), "--resume")...)
	join := []string{}
	for _, part := range []string{"1/3", "2/3", "3/3"} {
		o := must(t, selecting(data, f.at("part"+part[:1]), "--part", part)...)
		if !strings.Contains(o.stdout, "part "+part[:1]+" of 3 is done: 5 of 15 chains") && !strings.Contains(o.stdout, ": 4 of 1") {
			t.Error(o.stdout)
		}
		got := object(t, contract.ExitFine, selecting(data, f.at("common"), "--part", part, "--json")...)
		if (got["missing"] == 0.0) != (part == "3/3") || (len(got["cells"].([]any)) > 0) != (part == "3/3") {
			t.Errorf("part %s: %v missing, %d cells", part, got["missing"], len(got["cells"].([]any)))
		}
		join = append(join, "--merge", f.at("part"+part[:1]))
	}
	must(t, selecting(data, f.at("joined"), join...)...)
	for _, folder := range []string{"whole", "common", "joined"} {
		if selected(t, f.at(folder)) != want {
			t.Errorf("%s: other bytes than those of one run", folder)
		}
		must(t, "verify", f.at(folder+"/"+contract.BestFile), data)
	}
	o := try(selecting(data, f.at("two"), join[:4]...)...)
	if o.code != contract.ExitInput || !strings.Contains(o.stderr, "chains of trainings are missing (name every part by --merge") || f.exists("two/table.json") {
		t.Errorf("without a part: exit code %d, %q", o.code, o.stderr)
	}
	if o := try(selecting(data, f.at("other"), "--merge", f.at("part1"), "--gap", "1e-2")...); o.code != contract.ExitUsage || !strings.Contains(o.stderr, f.at("part1")+": the folder has another selection: ") {
		t.Errorf("a part of another selection: exit code %d, %q", o.code, o.stderr)
	}
	if o := try(selecting(data, f.at("other"), "--merge", f.at("nowhere"))...); o.code != contract.ExitInput || !strings.Contains(o.stderr, f.at("nowhere")+": the folder has no selection") {
		t.Errorf("a part that is not there: exit code %d, %q", o.code, o.stderr)
	}
	if o := try(selecting(data, f.at("whole"), "--resume", "--seed", "3")...); o.code != contract.ExitUsage || !strings.Contains(o.stderr, "another selection") {
		t.Errorf("with another seed: exit code %d, %q", o.code, o.stderr)
	}
	chains := list(t, f.at("whole/chains"))
	f.file("whole/chains/"+chains[0], "{")
	if o := try(selecting(data, f.at("whole"), "--resume")...); o.code != contract.ExitCorrupt || !strings.Contains(o.stderr, chains[0]) {
		t.Errorf("a damaged chain: exit code %d, %q", o.code, o.stderr)
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
	f := newFolder(t)
	data := f.file("data", text(60, 1))
	must(t, selecting(data, f.at("whole"))...)
	want := selected(t, f.at("whole"))
	stride := 7
	for at := rand.IntN(stride); ; at += stride {
		os.RemoveAll(f.at("s"))
		ctx, cancel := context.WithCancel(context.Background())
		c := &cancelAt{at: at, cancel: cancel}
		restore := files.Inject(c)
		o := execute(ctx, strings.NewReader(""), selecting(data, f.at("s"))...)
		restore()
		cancel()
		if c.n <= at {
			break
		}
		if o.code != contract.ExitFine && (o.code != contract.ExitInterrupted || !strings.HasPrefix(o.stderr, "bigmkl: interrupted") || strings.Count(o.stderr, "\n") != 1) {
			t.Errorf("operation %d: exit code %d, %q", at, o.code, o.stderr)
		}
		must(t, selecting(data, f.at("s"), "--resume")...)
		if selected(t, f.at("s")) != want {
			t.Fatalf("operation %d: other bytes than those of one run", at)
		}
	}
}

// TestSelectInterruptedAtTheEnd: the training on all rows is interrupted in its steps. Its model is not that of the selection.
func TestSelectInterruptedAtTheEnd(t *testing.T) {
	f := newFolder(t)
	data := f.file("data", text(300, 1))
	args := []string{"select", "--kernels", "gauss:auto/20", "--norm", "1", "--gap", "1e-6", "--grid-C", "10", "--folds", "2", "--no-baselines", "-o", f.at("s"), data}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stderr := &lateCanceller{after: "2/2 trainings", cancel: cancel}
	code := run(ctx, strings.NewReader(""), &bytes.Buffer{}, stderr, args...)
	if code != contract.ExitInterrupted || !strings.Contains(stderr.String(), "bigmkl: interrupted in the training on all rows") || f.exists("s/"+contract.BestFile) {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	must(t, append(args, "--resume", "--quiet")...)
	args[slices.Index(args, f.at("s"))] = f.at("whole")
	must(t, append(args, "--quiet")...)
	if selected(t, f.at("s")) != selected(t, f.at("whole")) {
		t.Error("other bytes than those of one run")
	}
	must(t, "verify", f.at("s/"+contract.BestFile), data)
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
	f := killFolder(t)
	data := f.file("data", text(300, 1))
	start := time.Now()
	must(t, selecting(data, f.at("whole"), "--nested")...)
	took, want := time.Since(start), selected(t, f.at("whole"))
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 3))
	struck := 0
	for run := range kills(t) {
		folder := f.at(fmt.Sprint("s", run))
		for {
			c := newProcess(selecting(data, folder, "--nested", "--resume", "--threads", fmt.Sprint(1+rng.IntN(3)))...)
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

// TestSelectEnds: the codes of a selection without a best cell and of a model above its gap, as text and as an object.
func TestSelectEnds(t *testing.T) {
	f := newFolder(t)
	// In each of three folds all but one have the same class.
	rare := f.file("rare", "1 1:1\n1 1:2\n1 1:3\n1 1:4\n1 1:5\n-1 1:9\n")
	data := f.file("data", text(60, 1))
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no best":   {[]string{"--measure", "auc", "--folds", "3", "--kernels", "linear", rare}, "bigmkl: no combination has a defined auc in every fold\n"},
		"above gap": {[]string{"--max-iter", "2", "--gap", "1e-6", "--folds", "2", "--kernels", "gauss:0.05,linear", "--grid-C", "100", data}, "bigmkl: the iteration limit was reached at a relative gap of "},
	} {
		args := append([]string{"select", "--quiet", "-o", f.at(name)}, c.args...)
		for _, more := range []string{"--json", "--resume"} {
			o := try(append(args, more)...)
			if o.code != contract.ExitStopped || !strings.HasPrefix(o.stderr, c.want) || strings.Count(o.stderr, "\n") != 1 {
				t.Errorf("%s: exit code %d, %q", name, o.code, o.stderr)
			}
			if more == "--json" {
				if got := decode(t, o.stdout); (got["best"] == -1.0) != (name == "no best") || (got["model"] == nil) != (name == "no best") {
					t.Errorf("%s: best %v, model %v", name, got["best"], got["model"])
				}
			}
		}
	}
}

// TestSelectUsage: every fault of a command line is told at once, and nothing is made.
func TestSelectUsage(t *testing.T) {
	f, data, _, _ := trained(t)
	names, short, blank, latin, long := f.file("names", strings.Repeat("a\nb\nc\nd\n", 20)), f.file("short", "a\nb\n"), f.file("blank", "a\n\nb\n"),
		f.file("latin", "a\n\xe4\n"), f.file("long", "a\n"+strings.Repeat("x", 1<<17)+"\n")
	out := f.at("new")
	with := func(args ...string) []string { return append([]string{"select", "--quiet", "-o", out, data}, args...) }
	for _, c := range []fault{
		{"no folder", []string{"select", data}, contract.ExitUsage, "no folder is named (-o FOLDER)"},
		{"standard input", []string{"select", "-o", out, "-"}, contract.ExitUsage, "a selection reads its data more than once"},
		{"two kinds of folds", with("--folds", "3", "--splits", "4:0.2"), contract.ExitUsage, "--folds, --splits and --folds-file cannot be combined"},
		{"a grid and a norm", with("--grid-norm", "1,2", "--norm", "1"), contract.ExitUsage, "--grid-norm cannot be combined with --norm"},
		{"a grid of a net", with("--grid-norm", "1", "--elastic-net", "0.5"), contract.ExitUsage, "--elastic-net leaves no p to choose by --grid-norm"},
		{"a part that is merged", with("--part", "1/2", "--merge", out), contract.ExitUsage, "a part cannot be merged as it runs"},
		{"part 3 of 2", with("--part", "3/2"), contract.ExitUsage, "--part: \"3/2\" is not I/N, such as 2/8"},
		{"splits of all", with("--splits", "4:1"), contract.ExitUsage, "--splits: \"4:1\" is not N:SHARE"},
		{"nested splits", with("--splits", "4:0.2", "--nested"), contract.ExitUsage, "random splits overlap"},
		{"nested halves", with("--folds", "2", "--nested"), contract.ExitUsage, "a nested selection leaves two folds out at a time"},
		{"repeated splits", with("--splits", "4:0.2", "--repeat", "3"), contract.ExitUsage, "only folds that are drawn can be repeated"},
		{"another figure", with("--measure", "rmse"), contract.ExitUsage, "\"rmse\" is not a figure to select by (one of accuracy, auc, average_precision, mcc, sensitivity, specificity)"},
		{"one class", with("--task", "oneclass", "--measure", "accuracy"), contract.ExitUsage, "one class has no figure"},
		{"nothing to tune", with("--tune", "sums"), contract.ExitUsage, "--tune: "},
		{"one factor", with("--tune", "cost", "--kernels", "linear"), contract.ExitUsage, "a tuning of 1 factors: at least 2 and at most 12 (write group=NAME behind kernels"},
		{"13 factors", with("--tune", "cost", "--kernels", "gauss:1..2/13"), contract.ExitUsage, "a tuning of 13 factors: at least 2 and at most 12 (write group=NAME behind kernels"},
		{"costs and a tuning", with("--tune", "cost", "--kernels", "linear cost=2,gauss:1"), contract.ExitUsage, "cost= beside a tuning"},
		{"a power and a tuning", with("--tune", "cost", "--kernels", "linear,gauss:1", "--cost-power", "2"), contract.ExitUsage, "the tuning finds the costs of kernels"},
		{"a tuning of fixed weights", with("--tune", "cost", "--weights", short), contract.ExitUsage, "--tune cannot be combined with --weights"},
		{"tuned weights of another norm", with("--tune", "weights", "--norm", "1"), contract.ExitUsage, "tuned weights are those of a weighted sum"},
		{"a nested tuning", with("--tune", "cost", "--nested"), contract.ExitUsage, "a nested selection estimates what a choice of cells achieves"},
		{"rows without a tuning", with("--tune-rows", "5"), contract.ExitUsage, "rows of a tuning, and nothing is tuned"},
		{"no rows of a tuning", with("--tune", "cost", "--tune-rows", "0"), contract.ExitUsage, "--tune-rows: "},
		{"costs of two sources", with("--cost-base", "eigen", "--kernels", "linear cost=2,gauss:1"), contract.ExitUsage, "cost= beside costs that are counted (leave cost= out)"},
		{"another base of costs", with("--cost-base", "trace"), contract.ExitUsage, "--cost-base: "},
		{"powers without costs", with("--grid-cost-power", "0,1"), contract.ExitUsage, "powers of costs, and no kernel has a cost"},
		{"powers of two kinds", with("--grid-cost-power", "0,1", "--cost-base", "eigen", "--cost-power", "1"), contract.ExitUsage, "powers of costs to choose from, and one that is given (use one of them)"},
		{"powers below 0", with("--grid-cost-power=-1..1/3", "--cost-base", "eigen"), contract.ExitUsage, "--grid-cost-power: "},
		{"powers beyond numbers", with("--grid-cost-power", "1e4", "--cost-base", "eigen", "--kernels", "gauss:1e6"), contract.ExitUsage, "costs to the power 10000 leave kernel 1 an importance of 0"},
		{"powers and a tuning", with("--grid-cost-power", "0,1", "--cost-base", "eigen", "--tune", "cost"), contract.ExitUsage, "a tuning finds the costs of kernels by itself"},
		{"eigenvalues beyond memory", with("--cost-base", "eigen", "--kernels", "linear", "--memory", "1"), contract.ExitBudget, "a run of this shape takes "},
		{"a cost of 0", with("--grid-C", "0,1"), contract.ExitUsage, "--grid-C: "},
		{"more names than rows", with("--limit", "70", "--groups-file", short), contract.ExitInput, data + ": 2 names of groups for 70 rows"},
		{"an empty name", with("--folds-file", blank), contract.ExitInput, blank + ":2: the line is empty"},
		{"a name of other letters", with("--folds-file", latin), contract.ExitInput, latin + ":2: the name \"\\xe4\" is not UTF-8"},
		{"a name without end", with("--folds-file", long), contract.ExitInput, long + ":2: the line is too long for a name"},
		{"no names", with("--folds-file", "/dev/null"), contract.ExitInput, "/dev/null: the file has no lines"},
		{"folds of one row", with("--folds", "81"), contract.ExitInput, data + ": fold \"1.81\" has 0 of 80 rows (use fewer folds)"},
		{"the data as a folder", []string{"select", "--quiet", "-o", data, data}, contract.ExitInput, data},
		{"a kernel of nothing", with("--kernels", "linear", "--kernels", "gauss:1@x"), contract.ExitUsage, "kernel \"gauss:1@x\": there is no view \"x\""},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, f, c) })
	}
	o := try("select", "--part", "1/2", "--merge", "x", "--measure", "x", "--epsilon", "1", "--folds-file", names, "--repeat", "2")
	if o.code != contract.ExitUsage || strings.Count(o.stderr, "\n") != 6 || strings.Count(o.stderr, "bigmkl: ") != 6 {
		t.Errorf("six faults give\n%s", o.stderr)
	}
	// Names are those of the rows that are used.
	must(t, with("--limit", "60", "--folds-file", names, "--kernels", "linear", "--grid-C", "1", "--nested")...)
	must(t, "verify", f.at("new/"+contract.BestFile), f.file("first", strings.Join(strings.SplitAfter(text(80, 1), "\n")[:60], "")))
}

// TestSelectUnderEveryFault: of a new folder, and of one that has a part of the selection already. Whatever failed, --resume then
// finds what one run finds.
func TestSelectUnderEveryFault(t *testing.T) {
	f := newFolder(t)
	data := f.file("data", text(40, 1))
	sel, half := filepath.Join(t.TempDir(), "s"), filepath.Join(t.TempDir(), "half")
	args := []string{"select", "--quiet", "--resume", "--kernels", "linear,gauss:0.05", "--grid-C", "0.1,1", "--folds", "2", "--no-baselines", "-o", sel, data}
	must(t, append(slices.Clone(args), "-o", half, "--part", "1/2")...)
	// A tuning has measured all but the last points without one fold.
	tuning := append(slices.Clone(args), "--grid-C", "1", "--tune", "cost")
	most := filepath.Join(t.TempDir(), "most")
	must(t, append(slices.Clone(tuning), "-o", most)...)
	measured, _ := filepath.Glob(filepath.Join(most, "tuning", "*.json"))
	for _, name := range append(measured[len(measured)-2:], filepath.Join(most, "table.json"), filepath.Join(most, contract.BestFile)) {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		args  []string
		begin func() error
	}{
		"new":    {args, func() error { return os.RemoveAll(sel) }},
		"half":   {args, func() error { os.RemoveAll(sel); return os.CopyFS(sel, os.DirFS(half)) }},
		"tuning": {tuning, func() error { os.RemoveAll(sel); return os.CopyFS(sel, os.DirFS(most)) }},
	} {
		var want string
		args, begin := c.args, c.begin
		t.Run(name, func(t *testing.T) {
			everyFault(t, trial{
				folder: f, inputs: []string{data}, outputs: []string{"table.json", contract.BestFile},
				run: func() outcome {
					if err := begin(); err != nil {
						t.Fatal(err)
					}
					o := try(args...)
					for _, out := range []string{"table.json", contract.BestFile} {
						if b, err := os.ReadFile(filepath.Join(sel, out)); err == nil {
							f.file(out, string(b))
						}
					}
					for _, path := range []string{sel, filepath.Join(sel, "chains"), filepath.Join(sel, "tuning")} {
						entries, _ := os.ReadDir(path)
						for _, e := range entries {
							if strings.Contains(e.Name(), ".tmp") {
								t.Errorf("%s is left behind", e.Name())
							}
						}
					}
					return o
				},
				after: func() {
					must(t, args...)
					if got := selected(t, sel); want == "" {
						want = got
					} else if got != want {
						t.Error("--resume finds something else")
					}
				},
			})
		})
	}
}

// TestSelectAmongLists: lists of kernels may be files and matrices, beside others. Where a matrix of any list has changed, a
// selection does not go on.
func TestSelectAmongLists(t *testing.T) {
	f, data, _, _ := trained(t)
	matrix := func(kernel string) {
		must(t, "gram", "--quiet", "--kernels", kernel, "-o", f.at("K"), data)
	}
	matrix("gauss:0.05")
	specs := f.file("list", "gauss:0.05\nprod(linear,gauss:0.1)\n")
	args := func(folder string, lists ...string) []string {
		all := []string{"select", "--quiet", "--grid-C", "1", "--folds", "2", "-o", f.at(folder), data}
		for _, specs := range lists {
			all = append(all, "--kernels", specs)
		}
		return all
	}
	must(t, args("a", "@"+specs, "linear", "precomputed:"+f.at("K"))...)
	must(t, args("b", "gauss:0.05,prod(linear,gauss:0.1)", "linear", "precomputed:"+f.at("K"))...)
	if selected(t, f.at("a")) != selected(t, f.at("b")) {
		t.Error("a list in a file is another one")
	}
	must(t, args("c", "linear", "@"+specs)...)
	matrix("gauss:0.2")
	o := try(append(args("b", "gauss:0.05,prod(linear,gauss:0.1)", "linear", "precomputed:"+f.at("K")), "--resume")...)
	if o.code != contract.ExitUsage || !strings.Contains(o.stderr, "the folder has another selection: matrix 1 of list 3 is ") {
		t.Errorf("another matrix: exit code %d, %q", o.code, o.stderr)
	}
	if o := try(args("d", "linear", "@"+f.at("none"))...); o.code != contract.ExitInput || !strings.HasPrefix(o.stderr, "bigmkl: "+f.at("none")+": ") {
		t.Errorf("no list: exit code %d, %q", o.code, o.stderr)
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
	f, data, _, _ := trained(t)
	must(t, selecting(data, f.at("whole"))...)
	c := &copycat{t: t, paths: []string{f.at("s/selection.json"), f.at("s/table.json"), f.at("s/" + contract.BestFile)}}
	restore := files.Inject(c)
	o := try(selecting(data, f.at("s"))...)
	restore()
	if o.code != contract.ExitFine || c.replaced < 3 || selected(t, f.at("s")) != selected(t, f.at("whole")) {
		t.Errorf("exit code %d, %s, %d files were replaced", o.code, o.stderr, c.replaced)
	}
	must(t, "verify", f.at("s/"+contract.BestFile), data)
}
