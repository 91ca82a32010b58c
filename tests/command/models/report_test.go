package models

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestReportOfAModel: the page of a model shows its certificate, its weights under the names of hostile views, test rows and the trace, which does not change
// the model; the same command gives the same page, and the command that it names gives the same model.
func TestReportOfAModel(t *testing.T) {
	f := commandtest.NewFolder(t)
	data, test := f.File("data", commandtest.Text(120, 1)), f.File("test", commandtest.Text(60, 2))
	views := f.File("views", "<script>alert(1)</script> 1 4\na&b\"c 5 9\n")
	args := []string{"train", "--quiet", "--probability", "--kernels", "gauss:auto/3@each-view", "--views", views, "-o"}
	commandtest.Must(t, append(args, f.At("m"), data)...)
	commandtest.Must(t, append(args, f.At("m2"), "--trace", f.At("trace"), data)...)
	if f.Read("m") != f.Read("m2") {
		t.Error("--trace changes the model")
	}
	commandtest.Must(t, "verify", f.At("m"), data)
	o := commandtest.Must(t, "align", "--json", "--quiet", "--kernels", "gauss:auto/3@each-view", "--views", views, data)
	align := f.File("align", o.Stdout)
	for _, out := range []string{"a.html", "b.html"} {
		commandtest.Must(t, "report", f.At("m"), "--test", test, "--trace", f.At("trace"), "--align", align, "--quiet", "-o", f.At(out))
	}
	page := f.Page("a.html")
	if page != f.Read("b.html") {
		t.Error("two pages of one model differ")
	}
	if o := commandtest.Must(t, "report", f.At("m"), "--test", test, "--trace", f.At("trace"), "--align", align, "--quiet", "-o", "-"); o.Stdout != page {
		t.Error("standard output has another page")
	}
	if strings.Contains(page, "Careful: th") {
		t.Error("the page warns of the trace or the alignments of its own model")
	}
	if strings.Count(page, "<script") != 1 || !strings.Contains(page, `<script type="module">`) {
		t.Error("the name of a view is markup")
	}
	f.Shows(page, "The optimal training objective is at least", "&lt;script&gt;alert(1)&lt;/script&gt;", "ROC:", "Precision and recall:",
		"Calibration:", "Confusion:", "relative duality gap", "block norm p", "support vectors", "bigmkl verify", "--views VIEWS.txt", "60 rows of", "of all 120 rows", "weights of kernels against iterations")
	// The first command that the page names trains the model again.
	o = commandtest.Must(t, "config", "--of", f.At("m"))
	commandtest.Must(t, "train", "--quiet", "--config", f.File("run.toml", o.Stdout), "-o", f.At("again"), data)
	if f.Read("again") != f.Read("m") {
		t.Error("the options of the model train another one")
	}
}

// TestReportOfASelection: the page of a folder of select has its cells and its best model; without a defined measure it has the cells alone.
func TestReportOfASelection(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(80, 1))
	commandtest.Must(t, "select", "--quiet", "--kernels", "gauss:auto/2,linear", "--grid-C", "0.1,1", "--grid-norm", "1,2", "--folds", "3", "--nested", "-o", f.At("s"), data)
	commandtest.Must(t, "verify", f.At("s/best.model"), data)
	commandtest.Must(t, "report", f.At("s"), "-o", f.At("s.html"))
	page := f.Page("s.html")
	f.Shows(page, "accuracy against C", "accuracy against the block norm p", "★", "this is what to expect of new rows", "corrected t test", "How well it predicts rows that were held out", "Each of 80 rows was predicted", "ROC:", "Calibration:", "The optimal training objective is at least",
		"bigmkl select --resume -o "+f.At("s")+" --kernels gauss:auto/2,linear --grid-C 0.1,1 --grid-norm 1,2 --folds 3 --nested "+data)
	values := f.Read("s/heldout.json")
	f.File("s/heldout.json", strings.Replace(values, `"rows": 80`, `"rows": 8`, 1))
	if o := commandtest.Try("report", f.At("s"), "-o", f.At("x.html")); o.Code != contract.ExitCorrupt || f.Exists("x.html") {
		t.Errorf("damaged values: exit code %d, %s", o.Code, o.Stderr)
	}
	f.File("s/heldout.json", values)
	table := f.Read("s/table.json")
	best := regexp.MustCompile(`"best": \d+`)
	f.File("s/table.json", best.ReplaceAllString(table, `"best": -1`))
	commandtest.Must(t, "report", f.At("s"), "-o", f.At("none.html"))
	f.Shows(f.Page("none.html"), "No combination has a defined accuracy")
	f.File("s/table.json", best.ReplaceAllString(table, `"best": 1000`))
	if o := commandtest.Try("report", f.At("s"), "-o", f.At("x.html")); o.Code != contract.ExitCorrupt || f.Exists("x.html") {
		t.Errorf("a damaged table: exit code %d, %s", o.Code, o.Stderr)
	}
}

// TestReportOfATuning: the page has the points and the factors. A table whose points do not fit is damaged.
func TestReportOfATuning(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(80, 1))
	commandtest.Must(t, "select", "--quiet", "--kernels", "gauss:auto,linear", "--grid-C", "1", "--norm", "1", "--folds", "3", "--tune", "cost", "-o", f.At("s"), data)
	commandtest.Must(t, "verify", f.At("s/best.model"), data)
	commandtest.Must(t, "report", f.At("s"), "-o", f.At("s.html"))
	f.Shows(f.Page("s.html"), "accuracy of the points of the tuning", "The factors at the point that was trained", "The first 3 are the design")
	table := f.Read("s/table.json")
	f.File("s/table.json", strings.Replace(table, `"design": 3`, `"design": 300`, 1))
	if o := commandtest.Try("report", f.At("s"), "-o", f.At("x.html")); o.Code != contract.ExitCorrupt || f.Exists("x.html") {
		t.Errorf("a damaged table: exit code %d, %s", o.Code, o.Stderr)
	}
}

// TestReportOfOtherTasks: classifiers of several classes have a heat map, and a regression has
// residuals.
func TestReportOfOtherTasks(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Clusters(60, 4))
	for kind, want := range map[string]string{"ovr": "share of each kernel in each classifier", "ovo": "share of each kernel in each classifier"} {
		commandtest.Must(t, "train", "--quiet", "--multiclass", kind, "--kernels", "gauss:auto/2,linear", "--trace", f.At("trace"), "-o", f.At("m"), data)
		commandtest.Must(t, "verify", f.At("m"), data)
		commandtest.Must(t, "report", f.At("m"), "--test", data, "--trace", f.At("trace"), "--quiet", "-o", f.At("m.html"))
		f.Shows(f.Page("m.html"), want, "Confusion:", "Class by class", "classifiers were trained one after the other")
	}
	commandtest.Must(t, "train", "--quiet", "--multiclass", "ovr", "--one-theta", "--kernels", "gauss:auto/2,linear", "-o", f.At("m"), data)
	commandtest.Must(t, "report", f.At("m"), "--quiet", "-o", f.At("m.html"))
	f.Shows(f.Page("m.html"), "All classifiers have the same weights", "this model of several classifiers")
	commandtest.Must(t, "train", "--quiet", "--task", "svr", "--kernels", "gauss:auto/2,linear", "-o", f.At("r"), data)
	commandtest.Must(t, "verify", f.At("r"), data)
	commandtest.Must(t, "report", f.At("r"), "--test", data, "--quiet", "-o", f.At("r.html"))
	f.Shows(f.Page("r.html"), "Predictions against targets", "distribution of the residuals", "RMSE")
	commandtest.Must(t, "train", "--quiet", "--task", "quantile", "--tau", "0.1,0.9", "--kernels", "gauss:auto/2,linear", "-o", f.At("q"), data)
	commandtest.Must(t, "verify", f.At("q"), data)
	commandtest.Must(t, "report", f.At("q"), "--test", data, "--quiet", "-o", f.At("q.html"))
	f.Shows(f.Page("q.html"), "share of each kernel in each regressor", "There are 2 regressors", "Quantile by quantile", "share of targets below", "Predictions against targets")
	commandtest.Must(t, "train", "--quiet", "--task", "oneclass", "--kernels", "gauss:auto/2", "-o", f.At("o"), data)
	commandtest.Must(t, "verify", f.At("o"), data)
	commandtest.Must(t, "report", f.At("o"), "--test", data, "--quiet", "-o", f.At("o.html"))
	f.Shows(f.Page("o.html"), "share nu", "share within")
}

// TestFaultsOfReport: what cannot be reported is one error of its class, and no page is written.
func TestFaultsOfReport(t *testing.T) {
	f, data, _, model := commandtest.Trained(t)
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{contract.ExitUsage, "no file is named for the page", []string{model}},
		{contract.ExitUsage, "one model or selection, not 2", []string{model, model, "-o", f.At("x")}},
		{contract.ExitUsage, "--gram-test has no effect without --test", []string{model, "--gram-test", data, "-o", f.At("x")}},
		{contract.ExitUsage, "would replace an input file", []string{model, "-o", model}},
		{contract.ExitUsage, "would replace an input file", []string{model, "--test", data, "-o", data}},
		{contract.ExitInput, "not a line of a trace", []string{model, "--trace", data, "-o", f.At("x")}},
		{contract.ExitInput, "cannot open", []string{model, "--trace", f.At("none"), "-o", f.At("x")}},
		{contract.ExitInput, "not the alignments of kernels", []string{model, "--align", data, "-o", f.At("x")}},
		{contract.ExitUsage, "would replace an input file", []string{model, "--align", data, "-o", data}},
		{contract.ExitInput, "cannot open", []string{f.At("none"), "-o", f.At("x")}},
		{contract.ExitCorrupt, "", []string{data, "-o", f.At("x")}},
	} {
		o := commandtest.Try(append([]string{"report"}, c.args...)...)
		if o.Code != c.code || !strings.Contains(o.Stderr, c.says) || f.Exists("x") {
			t.Errorf("%q: exit code %d, %s", c.args, o.Code, o.Stderr)
		}
	}
	if o := commandtest.Try("train", "--trace", f.File("t", "")+"/below", "-o", f.At("x"), data); o.Code == contract.ExitFine || f.Exists("x") {
		t.Errorf("a trace in no folder: exit code %d, %s", o.Code, o.Stderr)
	}
	if o := commandtest.Try("train", "--path-C", "1,2", "--trace", f.At("t"), "-o", f.At("m-%C"), data); o.Code != contract.ExitUsage {
		t.Errorf("a path with a trace: exit code %d, %s", o.Code, o.Stderr)
	}
}

// TestContinuedTrace: a run that is resumed appends to the trace of the one before, of which it cuts off a part of a line.
func TestContinuedTrace(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(300, 1))
	args := []string{"train", "--quiet", "--kernels", "gauss:auto/3", "--gap", "1e-6", "--checkpoint", f.At("points"), "--checkpoint-every", "0.001", "--trace", f.At("trace"), "-o", f.At("m"), data}
	if o := commandtest.Try(append(args, "--max-iter", "3")...); o.Code != contract.ExitStopped {
		t.Fatalf("exit code %d, %s", o.Code, o.Stderr)
	}
	first := f.Read("trace")
	if n := strings.Count(first, "\n"); n < 1 || !strings.HasSuffix(first, "\n") {
		t.Fatalf("%d lines", n)
	}
	f.File("trace", first+`{"machine":0,"itera`)
	commandtest.Must(t, append(args, "--resume")...)
	commandtest.Must(t, "verify", f.At("m"), data)
	if text := f.Read("trace"); !strings.HasPrefix(text, first) || strings.Count(text, "\n") <= strings.Count(first, "\n") || strings.Contains(text, "itera{") {
		t.Errorf("the trace is\n%s", text)
	}
	commandtest.Must(t, "report", f.At("m"), "--trace", f.At("trace"), "-o", f.At("m.html"))
	f.Shows(f.Page("m.html"), "How the training went")
	if err := os.RemoveAll(f.At("points")); err != nil {
		t.Fatal(err)
	}
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:auto/3", "--trace", f.At("trace"), "-o", f.At("m"), data)
	if text := f.Read("trace"); strings.HasPrefix(text, first) {
		t.Error("a new run keeps the trace of another")
	}
}

// TestReportOfAnImportance: the page has a chart, a sentence for each source and the command, and --figures writes every chart as
// files of its own. A damaged file is rejected.
func TestReportOfAnImportance(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(60, 1))
	commandtest.Must(t, commandtest.Measuring(data, f.At("i"))...)
	commandtest.Must(t, "report", f.At("i"), "-o", f.At("i.html"), "--figures", f.At("figures"))
	page := f.Page("i.html")
	f.Shows(page, "Which source matters", "features 1-3", "features 4-6", "Redundancy of each two sources", "share of noise in its place", "bigmkl importance --resume -o "+f.At("i"))
	for _, name := range []string{"sources-85mm.svg", "sources-175mm.svg", "sources-85mm.pdf", "sources-175mm.pdf", "redundancy-85mm.pdf", "redundancy-175mm.svg"} {
		if len(f.Read("figures/"+name)) < 1000 {
			t.Errorf("%s is hardly a figure", name)
		}
	}
	if o := commandtest.Try("report", f.At("i"), "-o", f.At("x.html"), "--test", data); o.Code != contract.ExitUsage {
		t.Errorf("--test of an importance: exit code %d", o.Code)
	}
	text := f.Read("i/importance.json")
	f.File("i/importance.json", strings.Replace(text, `"first": 0`, `"first": 7`, 1))
	if o := commandtest.Try("report", f.At("i"), "-o", f.At("x.html")); o.Code != contract.ExitCorrupt || f.Exists("x.html") {
		t.Errorf("a damaged file: exit code %d, %s", o.Code, o.Stderr)
	}
	// Figures alone need no page.
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:auto/2,linear", "-o", f.At("m"), data)
	commandtest.Must(t, "verify", f.At("m"), data)
	commandtest.Must(t, "report", "--quiet", f.At("m"), "--test", data, "--figures", f.At("more"))
	if !f.Exists("more/test-1-85mm.pdf") {
		t.Error("no curve is written")
	}
}
