package models

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// exportCases are trainings, and the formats besides JSON that can have the model. The data are in configFolder.
var exportCases = []struct{ data, flags, formats string }{
	{"two", "--kernels linear", "libsvm onnx"}, {"two", "--kernels linear,linear@1-4,linear@3-9 --scale standard", "libsvm onnx"}, {"two", "--kernels linear@2-5 --scale minmax --store sparse", "libsvm onnx"},
	{"two", "--kernels gauss:0.05", "libsvm onnx"}, {"two", "--kernels gauss:0.05 --scale global --normalize spherical", "libsvm onnx"}, {"two", "--kernels gauss:0.05 --scale minmax", "onnx"}, {"two", "--kernels gauss:0.05@1-5", "onnx"},
	{"two", "--kernels matern:1.5:auto/3,matern:2.5:0.1@2-7 --normalize spherical", "onnx"},
	{"two", "--kernels poly:3:0.1:0.5", "libsvm onnx"}, {"two", "--kernels poly:2:0.2:1@3-8 --scale global", "libsvm onnx"}, {"two", "--kernels sigmoid:0.01:0.1", "libsvm onnx"},
	{"two", "--kernels gauss:auto/5,linear,poly:2@1-4,sigmoid:0.001 --scale standard", "onnx"}, {"two", "--kernels gauss:auto/5 --class-weight 1=2 --probability --gap 1e-6", "onnx"},
	{"two", "--kernels laplace:0.1,intersection,prod(gauss:0.1@1-4,poly:2@5-9),pow(linear,3) --scale minmax", ""}, {"two", "--kernels linear,poly:2 --normalize spherical", ""}, {"two", "--kernels chi2:0.5 --scale minmax", ""},
	{"numbers", "--task svr --kernels gauss:0.1", "libsvm onnx"}, {"numbers", "--task square --kernels linear --scale standard", "libsvm onnx"}, {"two", "--task oneclass --kernels gauss:0.1 --nu 0.3", "libsvm onnx"},
	{"times", "--task cox --kernels gauss:0.5", "libsvm onnx"}, {"times", "--task survival --survival ranking --kernels gauss:0.5", "libsvm onnx"},
	{"classes", "--multiclass ovo --kernels gauss:0.5", "libsvm onnx"}, {"classes", "--multiclass ovo --kernels gauss:0.5,linear", "onnx"}, {"classes", "--multiclass ovr --kernels gauss:auto/3,poly:2", "onnx"},
	{"classes", "--multiclass ovr --one-theta --kernels gauss:0.5,linear", "onnx"}, {"sets", "--multiclass labels --kernels gauss:0.5,linear", "onnx"},
	{"classes", "--multiclass single --kernels gauss:0.5,linear", "onnx"},
	{"numbers", "--task quantile --tau 0.1,0.5,0.9 --kernels gauss:0.1,linear", "onnx"}, {"numbers", "--task quantile --tau 0.2,0.8 --kernels gauss:0.1", "onnx"},
	{"classes", "--task rkda --kernels gauss:0.5,linear", ""},
}

// TestExport: what each format holds of a model predicts what predict does, by evaluators that know the format alone.
func TestExport(t *testing.T) {
	f := commandtest.ConfigFolder(t)
	f.File("times", strings.ReplaceAll("\n"+f.Read("classes"), "\n0 ", "\n3 ")[1:]) // A time is above 0.
	svm, _ := exec.LookPath("svm-predict")
	for i, c := range exportCases {
		name := c.data + " " + c.flags
		m, data := f.At(fmt.Sprint("m", i)), f.At(c.data)
		commandtest.Must(t, append(append([]string{"train", "--quiet", "-o", m}, strings.Fields(c.flags)...), data)...)
		commandtest.Must(t, "verify", "--quiet", m, data)
		labels, want := predicted(t, m, data)
		for k := range want {
			if x, err := strconv.ParseFloat(labels[k], 64); err == nil && strings.Contains(c.flags, "--tau") {
				want[k] = append([]float64{x}, want[k]...) // A line of quantiles has no label.
			}
		}
		out := f.At("out.json")
		commandtest.Must(t, "export", "-o", out, m)
		j := commandtest.Decode(t, f.Read("out.json"))
		rows := numbersOf(f.Read(c.data), int(j["settings"].(map[string]any)["features"].(float64)))
		near(t, name+" as JSON", evaluateJSON(j, rows), want)
		for _, format := range []string{"libsvm", "onnx"} {
			out := f.At("out." + format)
			o := commandtest.Try("export", "-o", out, m)
			if !strings.Contains(c.formats, format) {
				if o.Code != contract.ExitUsage || f.Exists("out."+format) || !strings.Contains(o.Stderr, "--to json has all") {
					t.Errorf("%s as %s: exit code %d, %s", name, format, o.Code, o.Stderr)
				}
				continue
			}
			if o.Code != contract.ExitFine {
				t.Errorf("%s as %s: %s", name, format, o.Stderr)
				continue
			}
			if format == "onnx" {
				f.File(fmt.Sprintf("case%d.onnx", i), f.Read("out.onnx"))
				values, words, _ := evaluateONNX(t, f.Read("out.onnx"), rows)
				near(t, name+" as ONNX", values, want)
				commandtest.Must(t, "export", "--quiet", "--input", "float32", "-o", out, m)
				f.File(fmt.Sprintf("case%d-float32.onnx", i), f.Read("out.onnx"))
				single, _, _ := evaluateONNX(t, f.Read("out.onnx"), rows)
				near(t, name+" as ONNX of float32", single, want)
				if in := message(t, message(t, message(t, []byte(f.Read("out.onnx")))[7][0].([]byte))[11][0].([]byte)); inputKind(t, in) != 1 {
					t.Errorf("%s: the input is of type %d", name, inputKind(t, in))
				}
				if words != nil && !slices.Equal(words, labels) {
					t.Errorf("%s as ONNX: other labels", name)
				}
			} else {
				in := readSVM(f.Read("out.libsvm"))
				if scores := strings.Contains(c.flags, "--task cox") || strings.Contains(c.flags, "--task s"); scores != (in.kind == "epsilon_svr") {
					t.Errorf("%s as LIBSVM: svm_type %q", name, in.kind)
				}
				near(t, name+" as LIBSVM", in.evaluate(rows, nil), want)
				if svm != "" {
					comparePredict(t, svm, f, name, out, data, labels, want)
				}
			}
			os.Remove(out)
		}
	}
	// ONNX's own checker infers the types and shapes of all values.
	if python := commandtest.PythonWith("onnx"); python != "" {
		check := "import glob, onnx\nfor f in glob.glob('case*.onnx'): onnx.checker.check_model(onnx.load(f), full_check=True)\nprint(len(glob.glob('case*.onnx')))"
		c := exec.Command(python, "-c", check)
		c.Dir = f.Path
		if out, err := c.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) == "0" {
			t.Errorf("the checker of ONNX: %v\n%s", err, out)
		}
	} else {
		t.Log("no Python has onnx: its checker is not run")
	}
}

// TestExportOfAMatrix: a model of a precomputed kernel goes to LIBSVM, which takes the matrix.
func TestExportOfAMatrix(t *testing.T) {
	f := commandtest.ConfigFolder(t)
	commandtest.Must(t, "gram", "--quiet", "--kernels", "gauss:0.1", "--precision", "64", "-o", f.At("K.npy"), f.At("two"))
	commandtest.Must(t, "train", "--quiet", "--kernels", "precomputed:"+f.At("K.npy"), "-o", f.At("m"), f.At("two"))
	commandtest.Must(t, "export", "-o", f.At("m.libsvm"), f.At("m"))
	commandtest.Must(t, "export", "-o", f.At("m.json"), f.At("m"))
	if j := commandtest.Decode(t, f.Read("m.json")); j["vectors"] != nil || len(j["support"].([]any)) == 0 {
		t.Error("vectors of a precomputed kernel")
	}
	rows := numbersOf(f.Read("two"), 64)
	o := commandtest.Must(t, "predict", "--quiet", "--gram-test", f.At("K.npy"), f.At("m"), f.At("two"))
	_, want := lines(o.Stdout)
	got := readSVM(f.Read("m.libsvm")).evaluate(rows, func(row, support int) float64 { return math.Exp(-0.1 * squared(rows[row], rows[support])) })
	near(t, "a matrix as LIBSVM", got, want)
}

// TestExportUsage: what is wrong with the command line or with the model is said, and nothing is written.
func TestExportUsage(t *testing.T) {
	f, data, _, m := commandtest.Trained(t)
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:0.5", "-o", f.At("words"), f.File("words.txt", strings.ReplaceAll(strings.ReplaceAll(commandtest.Text(60, 1), "+1 ", "yes "), "-1 ", "no ")))
	halted(t, f, f.File("classes", commandtest.ThreeClasses(60)), "cut", bigmkl.Options{Multiclass: "ovo", Kernels: "gauss:0.5"}, 1)
	for _, c := range []struct {
		want string
		args []string
	}{
		{"cannot leave out classifiers that were never trained", []string{"-o", f.At("a.onnx"), f.At("cut")}}, {"cannot leave out classifiers that were never trained", []string{"-o", f.At("a.libsvm"), f.At("cut")}},
		{"no output file", []string{m}}, {"export takes one model, not 0", []string{"-o", f.At("a.json")}}, {"does not say its format", []string{"-o", f.At("a.txt"), m}}, {"unknown \"xml\"", []string{"--to", "xml", "-o", f.At("a"), m}},
		{"--input has no effect on json", []string{"--input", "float32", "-o", f.At("a.json"), m}},
		{"would replace an input", []string{"--to", "json", "-o", m, m}}, {"has one kernel, and here 2 have weights", []string{"-o", f.At("a.libsvm"), m}}, {"has integers for classes", []string{"-o", f.At("a.libsvm"), f.At("words")}},
	} {
		if o := commandtest.Try(append([]string{"export"}, c.args...)...); o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, c.want) {
			t.Errorf("%q: exit code %d, %s", c.args, o.Code, o.Stderr)
		}
	}
	if o := commandtest.Try("export", "-o", f.At("a.json"), data); o.Code != contract.ExitCorrupt {
		t.Errorf("no model: exit code %d", o.Code)
	}
	for _, name := range commandtest.List(t, f.Path) {
		if strings.HasPrefix(name, "a.") {
			t.Errorf("%s is written", name)
		}
	}
	// Names of columns go along.
	commandtest.Must(t, "train", "--quiet", "--label", "y", "--id", "name", "--kernels", "gauss:1", "-o", f.At("table"), commandtest.ConfigFolder(t).At("table"))
	commandtest.Must(t, "export", "-o", f.At("table.json"), f.At("table"))
	commandtest.Must(t, "export", "-o", f.At("table.onnx"), f.At("table"))
	names := []any{"n.1", "n.2", "word=a", "word=b", "word=c"}
	if j := commandtest.Decode(t, f.Read("table.json")); !slices.Equal(j["features"].([]any), names) || !strings.Contains(f.Read("table.onnx"), `["n.1","n.2","word=a","word=b","word=c"]`) {
		t.Errorf("features are %v", j["features"])
	}
	if o := commandtest.Must(t, "export", "--to", "json", "-o", "-", m); !strings.HasPrefix(o.Stdout, `{"contract":1,"command":"export"`) {
		t.Errorf("on standard output: %.60s", o.Stdout)
	}
}

// TestExportSaysWhatIsWritten: one line on standard error, none with --quiet, and warnings in both cases.
func TestExportSaysWhatIsWritten(t *testing.T) {
	f := commandtest.ConfigFolder(t)
	commandtest.Must(t, "train", "--quiet", "--probability", "--kernels", "gauss:0.1,linear", "-o", f.At("m"), f.At("two"))
	o := commandtest.Must(t, "export", "--to", "json", "-o", "-", f.At("m"))
	if !strings.HasPrefix(o.Stderr, "2 kernels and ") || !strings.HasSuffix(o.Stderr, " support vectors written, with probabilities\n") {
		t.Errorf("export says %q", o.Stderr)
	}
	o = commandtest.Must(t, "export", "--without-probability", "--to", "json", "-o", "-", f.At("m"))
	if !strings.HasSuffix(o.Stderr, " support vectors written\n") {
		t.Errorf("export without probabilities says %q", o.Stderr)
	}
	if o := commandtest.Must(t, "export", "--quiet", "-o", f.At("m.json"), f.At("m")); o.Stderr+o.Stdout != "" {
		t.Errorf("export --quiet says %q", o.Stderr+o.Stdout)
	}
}

// predicted returns the labels and the decision values of all classifiers.
func predicted(t *testing.T, m, data string) ([]string, [][]float64) {
	return lines(commandtest.Must(t, "predict", "--quiet", "--decisions", m, data).Stdout)
}

func lines(text string) (labels []string, values [][]float64) {
	for line := range strings.Lines(text) {
		var row []float64
		for i, word := range strings.Fields(line) {
			x, err := strconv.ParseFloat(word, 64)
			if i == 0 {
				labels = append(labels, word)
				if len(strings.Fields(line)) > 1 {
					continue
				}
			}
			if err == nil {
				row = append(row, x)
			}
		}
		values = append(values, row)
	}
	return labels, values
}

// numbersOf returns the rows of libsvm text, laid out.
func numbersOf(text string, d int) (rows [][]float64) {
	for line := range strings.Lines(text) {
		x := make([]float64, d)
		for _, word := range strings.Fields(line) {
			if j, v, ok := strings.Cut(word, ":"); ok {
				k, _ := strconv.Atoi(j)
				x[k-1], _ = strconv.ParseFloat(v, 64)
			}
		}
		rows = append(rows, x)
	}
	return rows
}

// near compares decision values, of which predict writes nine digits, to the bound that the documents state.
func near(t *testing.T, name string, got, want [][]float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, not %d", name, len(got), len(want))
	}
	for i := range want {
		if len(got[i]) != len(want[i]) {
			t.Fatalf("%s: %d values a row, not %d", name, len(got[i]), len(want[i]))
		}
		for k, f := range want[i] {
			if !(math.Abs(f-got[i][k]) <= 1e-4*(1+math.Abs(f))) {
				t.Errorf("%s: row %d: f = %v, not %v", name, i+1, got[i][k], f)
				return
			}
		}
	}
}

func squared(a, b []float64) (s float64) {
	for j := range a {
		s += (a[j] - b[j]) * (a[j] - b[j])
	}
	return s
}

// comparePredict runs LIBSVM's own svm-predict, which writes labels or the values of a regression.
func comparePredict(t *testing.T, svm string, f commandtest.Folder, name, model, data string, labels []string, want [][]float64) {
	out := f.At("svm.out")
	numbered := f.File("svm.data", integerLabels(f.Read(filepath.Base(data))))
	if b, err := exec.Command(svm, "-q", numbered, model, out).CombinedOutput(); err != nil {
		t.Errorf("%s: svm-predict: %v, %s", name, err, b)
		return
	}
	for i, word := range strings.Fields(f.Read("svm.out")) {
		x, _ := strconv.ParseFloat(word, 64)
		known, _ := strconv.ParseFloat(labels[i], 64)
		switch f := want[i][0]; {
		case strings.Contains(name, "--task s"), strings.Contains(name, "--task cox"):
			known = f
		case strings.Contains(name, "oneclass"):
			known = map[bool]float64{true: 1, false: -1}[f > 0]
		}
		if math.Abs(x-known) > 1e-4*(1+math.Abs(known)) {
			t.Errorf("%s: svm-predict says %v of row %d, not %v", name, x, i+1, known)
			return
		}
	}
}

// integerLabels leaves only rows that svm-predict reads: it does not read a plus.
func integerLabels(text string) string { return strings.ReplaceAll(text, "+1 ", "1 ") }
