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
	"bigmkl/cmd/bigmkl/demo"
	"bigmkl/dataset"
)

func TestPredictRoundTrip(t *testing.T) {
	f, _, test, path := trained(t)
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
	o := must(t, "predict", path, test)
	if o.stdout != want.String() {
		t.Errorf("lines on standard output\n%s\nfrom the library\n%s", o.stdout, want.String())
	}
	if !strings.Contains(o.stderr, "50 rows, accuracy ") {
		t.Errorf("no summary on standard error: %q", o.stderr)
	}
	o = must(t, "predict", path, test, "-o", f.at("out"))
	if f.read("out") != want.String() || !strings.HasPrefix(o.stdout, "50 rows, accuracy ") {
		t.Errorf("with -o, standard output is %q", o.stdout)
	}
	got := object(t, contract.ExitFine, "predict", "--json", path, test, "-o", f.at("out"), "--threads", "1")
	if got["n"] != 50.0 || math.Abs(got["accuracy"].(float64)-float64(right)/float64(rows)) > 1e-12 {
		t.Errorf("%v, %d of %d are right", got, right, rows)
	}
	if k := keys(got); !slices.Equal(k, []string{"accuracy", "auc", "average_precision", "command", "contract", "mcc", "model", "n"}) {
		t.Errorf("keys %v", k)
	}
	if auc := got["auc"].(float64); auc < 0.7 || auc > 1 {
		t.Errorf("AUC %v", auc)
	}
	must(t, "predict", path, test, "--quiet", "-o", "/dev/null")
	if o := must(t, "predict", path, test, "--quiet", "-o", "-"); o.stdout != want.String() || o.stderr != "" {
		t.Errorf("-o - gives other lines, or %q", o.stderr)
	}
}

func TestPredictWithoutLabels(t *testing.T) {
	f, _, _, path := trained(t)
	bare := f.file("bare.txt", "1:0.5 2:1\n3:2\n")
	got := object(t, contract.ExitFine, "predict", "--json", path, bare)
	if got["n"] != 2.0 || got["accuracy"] != nil || got["auc"] != nil {
		t.Errorf("%v", got)
	}
	one := f.file("one.txt", "1 1:0.5 2:1\n1 3:2\n")
	got = object(t, contract.ExitFine, "predict", "--json", path, one)
	if got["accuracy"] == nil || got["auc"] != nil {
		t.Errorf("one class only: %v", got)
	}
	strange := f.file("strange.txt", "1 1:0.5\n7 3:2\n2:1\n")
	o := must(t, "predict", path, strange)
	if !strings.Contains(o.stderr, "1 rows have labels") || !strings.Contains(o.stderr, "1 of 3 rows have no label") {
		t.Errorf("no warnings: %q", o.stderr)
	}
}

func TestGramRoundTrip(t *testing.T) {
	f, data, _, _ := trained(t)
	const specs = "gauss:0.05,linear@1-4,poly:2"
	must(t, "gram", "--quiet", "--kernels", specs, "--precision", "64", "-o", f.at("K%02d.npy"), data)
	var list []string
	gram := []string{"verify", "--json", f.at("pre"), data}
	for i := range 3 {
		file := f.at(fmt.Sprintf("K%02d.npy", i+1))
		list = append(list, "precomputed:"+file)
		gram = append(gram, "--gram", file)
	}
	common := []string{"--quiet", "--json", "--precision", "64", "--normalize", "none", data}
	direct := object(t, contract.ExitFine, append([]string{"train", "--kernels", specs, "-o", f.at("direct")}, common...)...)
	pre := object(t, contract.ExitFine, append([]string{"train", "--kernels", strings.Join(list, ","), "-o", f.at("pre")}, common...)...)
	for i, v := range direct["theta"].([]any) {
		if a, b := v.(float64), pre["theta"].([]any)[i].(float64); math.Abs(a-b) > 1e-9*a {
			t.Errorf("theta[%d] is %v, %v from the matrix", i, a, b)
		}
	}
	a, b := object(t, contract.ExitFine, gram...), object(t, contract.ExitFine, "verify", "--json", f.at("direct"), data)
	if x, y := a["primal"].(float64), b["primal"].(float64); math.Abs(x-y) > 1e-9*y {
		t.Errorf("verified primal values %v and %v", x, y)
	}
	// On the training data the training matrices are those of the test rows.
	args := []string{"predict", f.at("pre"), data}
	for i := range 3 {
		args = append(args, "--gram-test", f.at(fmt.Sprintf("K%02d.npy", i+1)))
	}
	if x, y := must(t, args...).stdout, must(t, "predict", f.at("direct"), data).stdout; !sameLabels(x, y) {
		t.Error("predictions differ")
	}
	if o := try("predict", f.at("pre"), data); o.code != contract.ExitUsage {
		t.Errorf("predict without matrices: exit code %d", o.code)
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
	f, data, _, _ := trained(t)
	must(t, "gram", "--quiet", "--kernels", "linear", "-o", f.at("K.npy"), data)
	if s := f.read("K.npy"); !strings.Contains(s[:128], "'<f4'") || !strings.Contains(s[:128], "(80, 80)") {
		t.Errorf("header %q", s[:128])
	}
	must(t, "gram", "--kernels", "linear", "--limit", "7", "-o", "/dev/null", data)
	if o := try("gram", "--kernels", "linear,poly:2", "-o", f.at("two.npy"), data); o.code != contract.ExitUsage || f.exists("two.npy") {
		t.Errorf("two kernels for one file: exit code %d, %q", o.code, o.stderr)
	}
}

func TestVerifySample(t *testing.T) {
	f, data, test, path := trained(t)
	got := object(t, contract.ExitFine, "verify", "--json", path, data)
	if k := keys(got); !slices.Equal(k, []string{"command", "contract", "converged", "dual", "faults", "gap", "primal", "relative_gap", "rows", "sampled", "untrained"}) {
		t.Errorf("keys %v", k)
	}
	if got["rows"] != 80.0 || got["sampled"] != false || len(got["faults"].([]any)) != 0 {
		t.Errorf("%v", got)
	}
	if got := object(t, contract.ExitFine, "verify", "--json", "--sample", "20", path, data); got["sampled"] != true {
		t.Errorf("with --sample: %v", got)
	}
	// As many rows, but other ones.
	other := f.file("other.txt", text(80, 9))
	o := try("verify", path, other)
	if o.code != contract.ExitCorrupt || !strings.Contains(o.stdout, "these are not the data that the model was trained on") || !strings.HasPrefix(o.stderr, "bigmkl: "+path+": the model was trained on data of fingerprint ") {
		t.Errorf("other data: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	if o := try("verify", path, test); o.code != contract.ExitInput {
		t.Errorf("fewer rows: exit code %d", o.code)
	}
}

func TestDemo(t *testing.T) {
	f := newFolder(t)
	o := must(t, "demo", "--quiet", "--data", f.at("demo"))
	for _, want := range []string{"converged", `View "noise" has the least weight`, "accuracy 0.9", "the model is what it claims to be"} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("no %q in\n%s", want, o.stdout)
		}
	}
	if o.stderr != "" {
		t.Errorf("standard error: %q", o.stderr)
	}
	// The commands that it prints do what it did.
	before := f.read("demo/" + demo.ModelFile)
	n := 0
	for _, line := range strings.Split(o.stdout, "\n") {
		if line, ok := strings.CutPrefix(line, "  bigmkl "); ok {
			args := strings.Fields(line)
			if i := slices.Index(args, "predictions.txt"); i >= 0 {
				args[i] = f.at("predictions.txt")
			}
			must(t, args...)
			n++
		}
	}
	if n != 3 || f.read("demo/"+demo.ModelFile) != before {
		t.Errorf("%d commands, or another model", n)
	}
	if second := must(t, "demo", "--quiet").stdout; !strings.HasPrefix(o.stdout, second[:strings.Index(second, "\nThese commands do the same")]) {
		t.Error("the demo is not the same every time")
	}
}

// TestTruncatedModelsSaySo: a file that ends too early is called truncated, wherever it ends.
func TestTruncatedModelsSaySo(t *testing.T) {
	f, data, _, _ := trained(t)
	whole := f.read("m")
	for _, n := range []int{0, 7, 8, 100, len(whole) / 2, len(whole) - 1} {
		o := try("predict", f.file("part", whole[:n]), data)
		if o.code != contract.ExitCorrupt || !strings.Contains(o.stderr, "truncated") {
			t.Errorf("%d of %d bytes: exit code %d, %q", n, len(whole), o.code, o.stderr)
		}
	}
}

// TestNumbersAsClasses: where labels look like numbers to predict, the tasks that predict numbers are named, and elsewhere they are not.
func TestNumbersAsClasses(t *testing.T) {
	f := newFolder(t)
	for text, said := range map[string]bool{"3 1:1\n4 1:2\n5 1:3\n": true, "-3 1:1\n4 1:2\n5 1:3\n": true, "0.5 1:1\n1.5 1:2\n": true, "a 1:1\nb 1:2\nc 1:3\n": false, "1 1:1\n2 1:2\nc 1:3\n": false} {
		o := try("train", "--quiet", "-o", f.at("m"), f.file("data", text))
		if o.code != contract.ExitInput || said != strings.Contains(o.stderr, "--task svr or square") {
			t.Errorf("%q: exit code %d, %q", text, o.code, o.stderr)
		}
	}
}
