package command

import (
	"bigmkl/cmd/bigmkl/contract"
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
)

// exportCases are trainings, and the formats besides JSON that hold the model. Data are those of configFolder.
var exportCases = []struct{ data, flags, formats string }{
	{"two", "--kernels linear", "libsvm onnx"}, {"two", "--kernels linear,linear@1-4,linear@3-9 --scale standard", "libsvm onnx"}, {"two", "--kernels linear@2-5 --scale minmax --store sparse", "libsvm onnx"},
	{"two", "--kernels gauss:0.05", "libsvm onnx"}, {"two", "--kernels gauss:0.05 --scale global --normalize spherical", "libsvm onnx"}, {"two", "--kernels gauss:0.05 --scale minmax", "onnx"}, {"two", "--kernels gauss:0.05@1-5", "onnx"},
	{"two", "--kernels poly:3:0.1:0.5", "libsvm onnx"}, {"two", "--kernels poly:2:0.2:1@3-8 --scale global", "libsvm onnx"}, {"two", "--kernels sigmoid:0.01:0.1", "libsvm onnx"},
	{"two", "--kernels gauss:auto/5,linear,poly:2@1-4,sigmoid:0.001 --scale standard", "onnx"}, {"two", "--kernels gauss:auto/5 --class-weight 1=2 --probability --gap 1e-6", "onnx"},
	{"two", "--kernels laplace:0.1,intersection,prod(gauss:0.1@1-4,poly:2@5-9),pow(linear,3) --scale minmax", ""}, {"two", "--kernels linear,poly:2 --normalize spherical", ""}, {"two", "--kernels chi2:0.5 --scale minmax", ""},
	{"numbers", "--task svr --kernels gauss:0.1", "libsvm onnx"}, {"numbers", "--task square --kernels linear --scale standard", "libsvm onnx"}, {"two", "--task oneclass --kernels gauss:0.1 --nu 0.3", "libsvm onnx"},
	{"classes", "--multiclass ovo --kernels gauss:0.5", "libsvm onnx"}, {"classes", "--multiclass ovo --kernels gauss:0.5,linear", "onnx"}, {"classes", "--multiclass ovr --kernels gauss:auto/3,poly:2", "onnx"},
	{"classes", "--multiclass ovr --one-theta --kernels gauss:0.5,linear", "onnx"}, {"sets", "--multiclass labels --kernels gauss:0.5,linear", "onnx"},
	{"classes", "--multiclass single --kernels gauss:0.5,linear", "onnx"},
	{"classes", "--task rkda --kernels gauss:0.5,linear", ""},
}

// TestExport: what each format holds of a model predicts what predict does, by evaluators that know the format alone.
func TestExport(t *testing.T) {
	f := configFolder(t)
	svm, _ := exec.LookPath("svm-predict")
	for i, c := range exportCases {
		name := c.data + " " + c.flags
		m, data := f.at(fmt.Sprint("m", i)), f.at(c.data)
		must(t, append(append([]string{"train", "--quiet", "-o", m}, strings.Fields(c.flags)...), data)...)
		must(t, "verify", "--quiet", m, data)
		labels, want := predicted(t, m, data)
		out := f.at("out.json")
		must(t, "export", "-o", out, m)
		j := decode(t, f.read("out.json"))
		rows := numbersOf(f.read(c.data), int(j["settings"].(map[string]any)["features"].(float64)))
		near(t, name+" as JSON", evaluateJSON(j, rows), want)
		for _, format := range []string{"libsvm", "onnx"} {
			out := f.at("out." + format)
			o := try("export", "-o", out, m)
			if !strings.Contains(c.formats, format) {
				if o.code != contract.ExitUsage || f.exists("out."+format) || !strings.Contains(o.stderr, "--to json has all") {
					t.Errorf("%s as %s: exit code %d, %s", name, format, o.code, o.stderr)
				}
				continue
			}
			if o.code != contract.ExitFine {
				t.Errorf("%s as %s: %s", name, format, o.stderr)
				continue
			}
			if format == "onnx" {
				f.file(fmt.Sprintf("case%d.onnx", i), f.read("out.onnx"))
				values, words := evaluateONNX(t, f.read("out.onnx"), rows)
				near(t, name+" as ONNX", values, want)
				if words != nil && !slices.Equal(words, labels) {
					t.Errorf("%s as ONNX: other labels", name)
				}
			} else {
				near(t, name+" as LIBSVM", readSVM(f.read("out.libsvm")).evaluate(rows, nil), want)
				if svm != "" {
					comparePredict(t, svm, f, name, out, data, labels, want)
				}
			}
			os.Remove(out)
		}
	}
	// ONNX's own checker infers the types and shapes of all values.
	if python := pythonWith("onnx"); python != "" {
		check := "import glob, onnx\nfor f in glob.glob('case*.onnx'): onnx.checker.check_model(onnx.load(f), full_check=True)\nprint(len(glob.glob('case*.onnx')))"
		c := exec.Command(python, "-c", check)
		c.Dir = f.path
		if out, err := c.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) == "0" {
			t.Errorf("the checker of ONNX: %v\n%s", err, out)
		}
	} else {
		t.Log("no Python has onnx: its checker is not run")
	}
}

// TestExportOfAMatrix: a model of a precomputed kernel goes to LIBSVM, which takes the matrix.
func TestExportOfAMatrix(t *testing.T) {
	f := configFolder(t)
	must(t, "gram", "--quiet", "--kernels", "gauss:0.1", "--precision", "64", "-o", f.at("K.npy"), f.at("two"))
	must(t, "train", "--quiet", "--kernels", "precomputed:"+f.at("K.npy"), "-o", f.at("m"), f.at("two"))
	must(t, "export", "-o", f.at("m.libsvm"), f.at("m"))
	must(t, "export", "-o", f.at("m.json"), f.at("m"))
	if j := decode(t, f.read("m.json")); j["vectors"] != nil || len(j["support"].([]any)) == 0 {
		t.Error("vectors of a precomputed kernel")
	}
	rows := numbersOf(f.read("two"), 64)
	o := must(t, "predict", "--quiet", "--gram-test", f.at("K.npy"), f.at("m"), f.at("two"))
	_, want := lines(o.stdout)
	got := readSVM(f.read("m.libsvm")).evaluate(rows, func(row, support int) float64 { return math.Exp(-0.1 * squared(rows[row], rows[support])) })
	near(t, "a matrix as LIBSVM", got, want)
}

// TestExportUsage: what is wrong with the command line or with the model is said, and nothing is written.
func TestExportUsage(t *testing.T) {
	f, data, _, m := trained(t)
	must(t, "train", "--quiet", "--kernels", "gauss:0.5", "-o", f.at("words"), f.file("words.txt", strings.ReplaceAll(strings.ReplaceAll(text(60, 1), "+1 ", "yes "), "-1 ", "no ")))
	halted(t, f, f.file("classes", threeClasses(60)), "cut", bigmkl.Options{Multiclass: "ovo", Kernels: "gauss:0.5"}, 1)
	for _, c := range []struct {
		want string
		args []string
	}{
		{"cannot leave out machines that were never trained", []string{"-o", f.at("a.onnx"), f.at("cut")}}, {"cannot leave out machines that were never trained", []string{"-o", f.at("a.libsvm"), f.at("cut")}},
		{"no output file", []string{m}}, {"export takes one model, not 0", []string{"-o", f.at("a.json")}}, {"does not say its format", []string{"-o", f.at("a.txt"), m}}, {"unknown \"xml\"", []string{"--to", "xml", "-o", f.at("a"), m}},
		{"would replace an input", []string{"--to", "json", "-o", m, m}}, {"has one kernel, and here 2 have weights", []string{"-o", f.at("a.libsvm"), m}}, {"has integers for classes", []string{"-o", f.at("a.libsvm"), f.at("words")}},
	} {
		if o := try(append([]string{"export"}, c.args...)...); o.code != contract.ExitUsage || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%q: exit code %d, %s", c.args, o.code, o.stderr)
		}
	}
	if o := try("export", "-o", f.at("a.json"), data); o.code != contract.ExitCorrupt {
		t.Errorf("no model: exit code %d", o.code)
	}
	for _, name := range list(t, f.path) {
		if strings.HasPrefix(name, "a.") {
			t.Errorf("%s is written", name)
		}
	}
	// Names of columns go along.
	must(t, "train", "--quiet", "--label", "y", "--id", "name", "--kernels", "gauss:1", "-o", f.at("table"), configFolder(t).at("table"))
	must(t, "export", "-o", f.at("table.json"), f.at("table"))
	must(t, "export", "-o", f.at("table.onnx"), f.at("table"))
	names := []any{"n.1", "n.2", "word=a", "word=b", "word=c"}
	if j := decode(t, f.read("table.json")); !slices.Equal(j["features"].([]any), names) || !strings.Contains(f.read("table.onnx"), `["n.1","n.2","word=a","word=b","word=c"]`) {
		t.Errorf("features are %v", j["features"])
	}
	if o := must(t, "export", "--to", "json", "-o", "-", m); !strings.HasPrefix(o.stdout, `{"contract":1,"command":"export"`) {
		t.Errorf("on standard output: %.60s", o.stdout)
	}
}

// predicted returns the labels and the decision values of all machines.
func predicted(t *testing.T, m, data string) ([]string, [][]float64) {
	return lines(must(t, "predict", "--quiet", "--decisions", m, data).stdout)
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
func comparePredict(t *testing.T, svm string, f folder, name, model, data string, labels []string, want [][]float64) {
	out := f.at("svm.out")
	numbered := f.file("svm.data", integerLabels(f.read(filepath.Base(data))))
	if b, err := exec.Command(svm, "-q", numbered, model, out).CombinedOutput(); err != nil {
		t.Errorf("%s: svm-predict: %v, %s", name, err, b)
		return
	}
	for i, word := range strings.Fields(f.read("svm.out")) {
		x, _ := strconv.ParseFloat(word, 64)
		known, _ := strconv.ParseFloat(labels[i], 64)
		switch f := want[i][0]; {
		case strings.Contains(name, "--task s"):
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
