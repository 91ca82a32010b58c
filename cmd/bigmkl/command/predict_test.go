package command

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/dataset"
	"bigmkl/internal/demo"
	"bigmkl/tests/commandtest"
)

func TestPredictRoundTrip(t *testing.T) {
	f, _, test, path := commandtest.Trained(t)
	m, err := bigmkl.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	right, rows := 0, 0
	src := dataset.FromSeq(demo.Rows(50, 2))
	defer src.Close()
	err = m.Predict(context.Background(), src, bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
		fmt.Fprintf(&want, "%s %.9g\n", p.Label, p.Decision)
		if rows++; p.Label == p.Known {
			right++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	o := commandtest.Must(t, "predict", path, test)
	if o.Stdout != want.String() {
		t.Errorf("lines on standard output\n%s\nfrom the library\n%s", o.Stdout, want.String())
	}
	if !strings.Contains(o.Stderr, "50 rows, accuracy ") {
		t.Errorf("no summary on standard error: %q", o.Stderr)
	}
	o = commandtest.Must(t, "predict", path, test, "-o", f.At("out"))
	if f.Read("out") != want.String() || !strings.HasPrefix(o.Stdout, "50 rows, accuracy ") {
		t.Errorf("with -o, standard output is %q", o.Stdout)
	}
	got := commandtest.Object(t, contract.ExitFine, "predict", "--json", path, test, "-o", f.At("out"), "--threads", "1")
	if got["n"] != 50.0 || math.Abs(got["accuracy"].(float64)-float64(right)/float64(rows)) > 1e-12 {
		t.Errorf("%v, %d of %d are right", got, right, rows)
	}
	if k := commandtest.Keys(got); !slices.Equal(k, []string{"accuracy", "auc", "average_precision", "command", "contract", "mcc", "model", "n"}) {
		t.Errorf("keys %v", k)
	}
	if auc := got["auc"].(float64); auc < 0.7 || auc > 1 {
		t.Errorf("AUC %v", auc)
	}
	commandtest.Must(t, "predict", path, test, "--quiet", "-o", "/dev/null")
	if o := commandtest.Must(t, "predict", path, test, "--quiet", "-o", "-"); o.Stdout != want.String() || o.Stderr != "" {
		t.Errorf("-o - gives other lines, or %q", o.Stderr)
	}
}

func TestPredictWithoutLabels(t *testing.T) {
	f, _, _, path := commandtest.Trained(t)
	bare := f.File("bare.txt", "1:0.5 2:1\n3:2\n")
	got := commandtest.Object(t, contract.ExitFine, "predict", "--json", path, bare)
	if got["n"] != 2.0 || got["accuracy"] != nil || got["auc"] != nil {
		t.Errorf("%v", got)
	}
	one := f.File("one.txt", "1 1:0.5 2:1\n1 3:2\n")
	got = commandtest.Object(t, contract.ExitFine, "predict", "--json", path, one)
	if got["accuracy"] == nil || got["auc"] != nil {
		t.Errorf("one class only: %v", got)
	}
	strange := f.File("strange.txt", "1 1:0.5\n7 3:2\n2:1\n")
	o := commandtest.Must(t, "predict", path, strange)
	if !strings.Contains(o.Stderr, "1 rows have labels") || !strings.Contains(o.Stderr, "1 of 3 rows have no label") {
		t.Errorf("no warnings: %q", o.Stderr)
	}
}

func TestGramRoundTrip(t *testing.T) {
	f, data, _, _ := commandtest.Trained(t)
	const specs = "gauss:0.05,linear@1-4,poly:2"
	commandtest.Must(t, "gram", "--quiet", "--kernels", specs, "--precision", "64", "-o", f.At("K%02d.npy"), data)
	var list []string
	gram := []string{"verify", "--json", f.At("pre"), data}
	for i := range 3 {
		file := f.At(fmt.Sprintf("K%02d.npy", i+1))
		list = append(list, "precomputed:"+file)
		gram = append(gram, "--gram", file)
	}
	common := []string{"--quiet", "--json", "--precision", "64", "--normalize", "none", data}
	direct := commandtest.Object(t, contract.ExitFine, append([]string{"train", "--kernels", specs, "-o", f.At("direct")}, common...)...)
	pre := commandtest.Object(t, contract.ExitFine, append([]string{"train", "--kernels", strings.Join(list, ","), "-o", f.At("pre")}, common...)...)
	for i, v := range direct["theta"].([]any) {
		if a, b := v.(float64), pre["theta"].([]any)[i].(float64); math.Abs(a-b) > 1e-9*a {
			t.Errorf("theta[%d] is %v, %v from the matrix", i, a, b)
		}
	}
	a, b := commandtest.Object(t, contract.ExitFine, gram...), commandtest.Object(t, contract.ExitFine, "verify", "--json", f.At("direct"), data)
	if x, y := a["primal"].(float64), b["primal"].(float64); math.Abs(x-y) > 1e-9*y {
		t.Errorf("verified primal values %v and %v", x, y)
	}
	// On the training data the training matrices are also the matrices of the test rows.
	args := []string{"predict", f.At("pre"), data}
	for i := range 3 {
		args = append(args, "--gram-test", f.At(fmt.Sprintf("K%02d.npy", i+1)))
	}
	if x, y := commandtest.Must(t, args...).Stdout, commandtest.Must(t, "predict", f.At("direct"), data).Stdout; !sameLabels(x, y) {
		t.Error("predictions differ")
	}
	if o := commandtest.Try("predict", f.At("pre"), data); o.Code != contract.ExitUsage {
		t.Errorf("predict without matrices: exit code %d", o.Code)
	}
}

// sameLabels compares the first words of lines.
func sameLabels(a, b string) bool {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	return slices.EqualFunc(x, y, func(v, w string) bool {
		p, _, _ := strings.Cut(v, " ")
		q, _, _ := strings.Cut(w, " ")
		return p == q
	})
}

func TestGramFiles(t *testing.T) {
	f, data, _, _ := commandtest.Trained(t)
	commandtest.Must(t, "gram", "--quiet", "--kernels", "linear", "-o", f.At("K.npy"), data)
	if s := f.Read("K.npy"); !strings.Contains(s[:128], "'<f4'") || !strings.Contains(s[:128], "(80, 80)") {
		t.Errorf("header %q", s[:128])
	}
	commandtest.Must(t, "gram", "--kernels", "linear", "--limit", "7", "-o", "/dev/null", data)
	if o := commandtest.Try("gram", "--kernels", "linear,poly:2", "-o", f.At("two.npy"), data); o.Code != contract.ExitUsage || f.Exists("two.npy") {
		t.Errorf("two kernels for one file: exit code %d, %q", o.Code, o.Stderr)
	}
}

func TestVerifySample(t *testing.T) {
	f, data, test, path := commandtest.Trained(t)
	got := commandtest.Object(t, contract.ExitFine, "verify", "--json", path, data)
	if k := commandtest.Keys(got); !slices.Equal(k, []string{"command", "contract", "converged", "dual", "faults", "gap", "primal", "relative_gap", "rows", "sampled", "unchecked", "untrained"}) {
		t.Errorf("keys %v", k)
	}
	if got["rows"] != 80.0 || got["sampled"] != false || len(got["faults"].([]any)) != 0 {
		t.Errorf("%v", got)
	}
	if got := commandtest.Object(t, contract.ExitFine, "verify", "--json", "--sample", "20", path, data); got["sampled"] != true {
		t.Errorf("with --sample: %v", got)
	}
	// As many rows, but other ones.
	other := f.File("other.txt", commandtest.Text(80, 9))
	o := commandtest.Try("verify", path, other)
	if o.Code != contract.ExitCorrupt || !strings.Contains(o.Stdout, "these are not the data that the model was trained on") || !strings.HasPrefix(o.Stderr, "bigmkl: "+path+": the model was trained on data of fingerprint ") {
		t.Errorf("other data: exit code %d\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
	if o := commandtest.Try("verify", path, test); o.Code != contract.ExitInput {
		t.Errorf("fewer rows: exit code %d", o.Code)
	}
}

func TestDemo(t *testing.T) {
	f := commandtest.NewFolder(t)
	o := commandtest.Must(t, "demo", "--quiet", "--data", f.At("demo"))
	for _, want := range []string{"converged", `View "noise" has the least weight`, "accuracy 0.9", "recomputed from the data, and the model file agrees"} {
		if !strings.Contains(o.Stdout, want) {
			t.Errorf("no %q in\n%s", want, o.Stdout)
		}
	}
	if o.Stderr != "" {
		t.Errorf("standard error: %q", o.Stderr)
	}
	// The commands that it prints do what it did.
	before := f.Read("demo/" + demo.ModelFile)
	n := 0
	for _, line := range strings.Split(o.Stdout, "\n") {
		if line, ok := strings.CutPrefix(line, "  bigmkl "); ok {
			args := strings.Fields(line)
			if i := slices.Index(args, "predictions.txt"); i >= 0 {
				args[i] = f.At("predictions.txt")
			}
			commandtest.Must(t, args...)
			n++
		}
	}
	if n != 3 || f.Read("demo/"+demo.ModelFile) != before {
		t.Errorf("%d commands, or another model", n)
	}
	if second := commandtest.Must(t, "demo", "--quiet").Stdout; !strings.HasPrefix(o.Stdout, second[:strings.Index(second, "\nThese commands do the same")]) {
		t.Error("the demo is not the same every time")
	}
}

// TestDemoSets: the data sets that --write writes are read, and their views are views of them.
func TestDemoSets(t *testing.T) {
	f := commandtest.NewFolder(t)
	o := commandtest.Must(t, "demo", "--write", f.At("sets"))
	at := func(name string) string { return f.At("sets/" + name) }
	for _, s := range demo.Sets {
		if !strings.Contains(o.Stdout, strings.Join(s.Files, ", ")) || !strings.Contains(f.Read("sets/"+demo.LicencesFile), s.Source) {
			t.Errorf("%q is not listed", s.Files)
		}
	}
	for _, args := range [][]string{
		{"plan", "--label", "disease", "--kernels", "gauss:auto@each-view", at("heart.csv")},
		{"plan", "--label", "disease", "--kernels", "gauss:auto@each-view", at("heart-new.csv")},
		{"plan", "--views", at("adverts.views.txt"), at("adverts.libsvm.gz")},
		{"plan", "--views", at("segments.views.txt"), "--multiclass", "ovr", at("segments.libsvm.gz")},
		{"plan", "--task", "svr", at("wine.libsvm.gz")},
		{"plan", "--kernels", "wd:5", at("sites.tsv.gz")},
		{"plan", "--kernels", "wd:5", at("sites-new.tsv")},
		{"plan", "--task", "survival", "--time", "months", "--event", "relapse", "--kernels", "gauss:auto@each-view", at("cohort.csv")},
		{"plan", "--task", "survival", "--time", "months", "--event", "relapse", at("cohort-new.csv")},
	} {
		commandtest.Must(t, args...)
	}
	if o := commandtest.Try("demo", "--write", f.At("a"), "--data", f.At("b")); o.Code != contract.ExitUsage {
		t.Errorf("--write beside --data: exit code %d", o.Code)
	}
}

// TestTruncatedModelsSaySo: a file that ends too early is called truncated, wherever it ends.
func TestTruncatedModelsSaySo(t *testing.T) {
	f, data, _, _ := commandtest.Trained(t)
	whole := f.Read("m")
	for _, n := range []int{0, 7, 8, 100, len(whole) / 2, len(whole) - 1} {
		o := commandtest.Try("predict", f.File("part", whole[:n]), data)
		if o.Code != contract.ExitCorrupt || !strings.Contains(o.Stderr, "truncated") {
			t.Errorf("%d of %d bytes: exit code %d, %q", n, len(whole), o.Code, o.Stderr)
		}
	}
}

// TestNumbersAsClasses: where labels look like numbers to predict, the tasks that predict numbers are named, and elsewhere they are not.
func TestNumbersAsClasses(t *testing.T) {
	f := commandtest.NewFolder(t)
	for text, said := range map[string]bool{"3 1:1\n4 1:2\n5 1:3\n": true, "-3 1:1\n4 1:2\n5 1:3\n": true, "0.5 1:1\n1.5 1:2\n": true, "a 1:1\nb 1:2\nc 1:3\n": false, "1 1:1\n2 1:2\nc 1:3\n": false} {
		o := commandtest.Try("train", "--quiet", "-o", f.At("m"), f.File("data", text))
		if o.Code != contract.ExitInput || said != strings.Contains(o.Stderr, "--task svr or square") {
			t.Errorf("%q: exit code %d, %q", text, o.Code, o.Stderr)
		}
	}
}
