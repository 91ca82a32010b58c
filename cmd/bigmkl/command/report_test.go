package command

import (
	"bigmkl/cmd/bigmkl/contract"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
)

// page reads a page and fails unless it is well-formed XML.
func (f folder) page(name string) string {
	f.t.Helper()
	text := f.read(name)
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return text
		} else if err != nil {
			f.t.Fatalf("%s is not well-formed: %v", name, err)
		}
	}
}

// shows fails unless a page has all of these texts.
func (f folder) shows(page string, texts ...string) {
	f.t.Helper()
	for _, s := range texts {
		if !strings.Contains(page, s) {
			f.t.Errorf("the page does not show %q", s)
		}
	}
}

// TestReportOfAModel: the page of a model shows its certificate, its weights under the names of hostile views, test rows and the trace, which does not change
// the model; the same command gives the same page, and the command that it names gives the same model.
func TestReportOfAModel(t *testing.T) {
	f := newFolder(t)
	data, test := f.file("data", text(120, 1)), f.file("test", text(60, 2))
	views := f.file("views", "<script>alert(1)</script> 1 4\na&b\"c 5 9\n")
	args := []string{"train", "--quiet", "--probability", "--kernels", "gauss:auto/3@each-view", "--views", views, "-o"}
	must(t, append(args, f.at("m"), data)...)
	must(t, append(args, f.at("m2"), "--trace", f.at("trace"), data)...)
	if f.read("m") != f.read("m2") {
		t.Error("--trace changes the model")
	}
	must(t, "verify", f.at("m"), data)
	o := must(t, "align", "--json", "--quiet", "--kernels", "gauss:auto/3@each-view", "--views", views, data)
	align := f.file("align", o.stdout)
	for _, out := range []string{"a.html", "b.html"} {
		must(t, "report", f.at("m"), "--test", test, "--trace", f.at("trace"), "--align", align, "--quiet", "-o", f.at(out))
	}
	page := f.page("a.html")
	if page != f.read("b.html") {
		t.Error("two pages of one model differ")
	}
	if o := must(t, "report", f.at("m"), "--test", test, "--trace", f.at("trace"), "--align", align, "--quiet", "-o", "-"); o.stdout != page {
		t.Error("standard output has another page")
	}
	if strings.Contains(page, "Careful: th") {
		t.Error("the page warns of the trace or the alignments of its own model")
	}
	if strings.Count(page, "<script") != 1 || !strings.Contains(page, `<script type="module">`) {
		t.Error("the name of a view is markup")
	}
	f.shows(page, "No machine with these kernels can do better than", "&lt;script&gt;alert(1)&lt;/script&gt;", "ROC:", "Precision and recall:",
		"Calibration:", "Confusion:", "relative duality gap", "block norm p", "support vectors", "bigmkl verify", "--views VIEWS.txt", "60 rows of", "of all 120 rows", "weights of kernels against iterations")
	// The first command that the page names trains the model again.
	o = must(t, "config", "--of", f.at("m"))
	must(t, "train", "--quiet", "--config", f.file("run.toml", o.stdout), "-o", f.at("again"), data)
	if f.read("again") != f.read("m") {
		t.Error("the options of the model train another one")
	}
}

// TestReportOfASelection: the page of a folder of select has its cells and its best model; without a defined measure it has the cells alone.
func TestReportOfASelection(t *testing.T) {
	f := newFolder(t)
	data := f.file("data", text(80, 1))
	must(t, "select", "--quiet", "--kernels", "gauss:auto/2,linear", "--grid-C", "0.1,1,10", "--grid-norm", "1,2", "--folds", "3", "--nested", "-o", f.at("s"), data)
	must(t, "verify", f.at("s/best.model"), data)
	must(t, "report", f.at("s"), "-o", f.at("s.html"))
	page := f.page("s.html")
	f.shows(page, "accuracy against C", "accuracy against the block norm p", "★", "this is what to expect of new rows", "signed ranks", "No machine with these kernels",
		"bigmkl select --resume -o "+f.at("s")+" --kernels gauss:auto/2,linear --grid-C 0.1,1,10 --grid-norm 1,2 --folds 3 --nested "+data)
	table := f.read("s/table.json")
	best := regexp.MustCompile(`"best": \d+`)
	f.file("s/table.json", best.ReplaceAllString(table, `"best": -1`))
	must(t, "report", f.at("s"), "-o", f.at("none.html"))
	f.shows(f.page("none.html"), "No combination has a defined accuracy")
	f.file("s/table.json", best.ReplaceAllString(table, `"best": 1000`))
	if o := try("report", f.at("s"), "-o", f.at("x.html")); o.code != contract.ExitCorrupt || f.exists("x.html") {
		t.Errorf("a damaged table: exit code %d, %s", o.code, o.stderr)
	}
}

// TestReportOfATuning: the page has the points and the factors. A table whose points do not fit is damaged.
func TestReportOfATuning(t *testing.T) {
	f := newFolder(t)
	data := f.file("data", text(80, 1))
	must(t, "select", "--quiet", "--kernels", "gauss:auto,linear", "--grid-C", "1", "--norm", "1", "--folds", "3", "--tune", "cost", "-o", f.at("s"), data)
	must(t, "verify", f.at("s/best.model"), data)
	must(t, "report", f.at("s"), "-o", f.at("s.html"))
	f.shows(f.page("s.html"), "accuracy of the points of the tuning", "The factors at the point that was trained", "The first 3 are the design")
	table := f.read("s/table.json")
	f.file("s/table.json", strings.Replace(table, `"design": 3`, `"design": 300`, 1))
	if o := try("report", f.at("s"), "-o", f.at("x.html")); o.code != contract.ExitCorrupt || f.exists("x.html") {
		t.Errorf("a damaged table: exit code %d, %s", o.code, o.stderr)
	}
}

// TestReportOfOtherTasks: machines of several classes have a heat map, and a regression has residuals.
func TestReportOfOtherTasks(t *testing.T) {
	f := newFolder(t)
	data := f.file("data", clusters(60, 4))
	for kind, want := range map[string]string{"ovr": "share of each kernel in each machine", "ovo": "share of each kernel in each machine"} {
		must(t, "train", "--quiet", "--multiclass", kind, "--kernels", "gauss:auto/2,linear", "--trace", f.at("trace"), "-o", f.at("m"), data)
		must(t, "verify", f.at("m"), data)
		must(t, "report", f.at("m"), "--test", data, "--trace", f.at("trace"), "--quiet", "-o", f.at("m.html"))
		f.shows(f.page("m.html"), want, "Confusion:", "Class by class", "machines were trained one after the other")
	}
	must(t, "train", "--quiet", "--multiclass", "ovr", "--one-theta", "--kernels", "gauss:auto/2,linear", "-o", f.at("m"), data)
	must(t, "report", f.at("m"), "--quiet", "-o", f.at("m.html"))
	f.shows(f.page("m.html"), "All machines have the same weights", "These machines together")
	must(t, "train", "--quiet", "--task", "svr", "--kernels", "gauss:auto/2,linear", "-o", f.at("r"), data)
	must(t, "verify", f.at("r"), data)
	must(t, "report", f.at("r"), "--test", data, "--quiet", "-o", f.at("r.html"))
	f.shows(f.page("r.html"), "Predictions against targets", "distribution of the residuals", "RMSE")
	must(t, "train", "--quiet", "--task", "oneclass", "--kernels", "gauss:auto/2", "-o", f.at("o"), data)
	must(t, "verify", f.at("o"), data)
	must(t, "report", f.at("o"), "--test", data, "--quiet", "-o", f.at("o.html"))
	f.shows(f.page("o.html"), "share nu", "share within")
}

// TestFaultsOfReport: what cannot be reported is one error of its class, and no page is written.
func TestFaultsOfReport(t *testing.T) {
	f, data, _, model := trained(t)
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{contract.ExitUsage, "no file is named for the page", []string{model}},
		{contract.ExitUsage, "one model or selection, not 2", []string{model, model, "-o", f.at("x")}},
		{contract.ExitUsage, "--gram-test has no effect without --test", []string{model, "--gram-test", data, "-o", f.at("x")}},
		{contract.ExitUsage, "would replace an input file", []string{model, "-o", model}},
		{contract.ExitUsage, "would replace an input file", []string{model, "--test", data, "-o", data}},
		{contract.ExitInput, "not a line of a trace", []string{model, "--trace", data, "-o", f.at("x")}},
		{contract.ExitInput, "cannot open", []string{model, "--trace", f.at("none"), "-o", f.at("x")}},
		{contract.ExitInput, "not the alignments of kernels", []string{model, "--align", data, "-o", f.at("x")}},
		{contract.ExitUsage, "would replace an input file", []string{model, "--align", data, "-o", data}},
		{contract.ExitInput, "cannot open", []string{f.at("none"), "-o", f.at("x")}},
		{contract.ExitCorrupt, "", []string{data, "-o", f.at("x")}},
	} {
		o := try(append([]string{"report"}, c.args...)...)
		if o.code != c.code || !strings.Contains(o.stderr, c.says) || f.exists("x") {
			t.Errorf("%q: exit code %d, %s", c.args, o.code, o.stderr)
		}
	}
	if o := try("train", "--trace", f.file("t", "")+"/below", "-o", f.at("x"), data); o.code == contract.ExitFine || f.exists("x") {
		t.Errorf("a trace in no folder: exit code %d, %s", o.code, o.stderr)
	}
	if o := try("train", "--path-C", "1,2", "--trace", f.at("t"), "-o", f.at("m-%C"), data); o.code != contract.ExitUsage {
		t.Errorf("a path with a trace: exit code %d, %s", o.code, o.stderr)
	}
}

// TestContinuedTrace: a run that is resumed appends to the trace of the one before, of which it cuts off a part of a line.
func TestContinuedTrace(t *testing.T) {
	f := newFolder(t)
	data := f.file("data", text(300, 1))
	args := []string{"train", "--quiet", "--kernels", "gauss:auto/3", "--gap", "1e-6", "--checkpoint", f.at("points"), "--checkpoint-every", "0.001", "--trace", f.at("trace"), "-o", f.at("m"), data}
	if o := try(append(args, "--max-iter", "3")...); o.code != contract.ExitStopped {
		t.Fatalf("exit code %d, %s", o.code, o.stderr)
	}
	first := f.read("trace")
	if n := strings.Count(first, "\n"); n < 1 || !strings.HasSuffix(first, "\n") {
		t.Fatalf("%d lines", n)
	}
	f.file("trace", first+`{"machine":0,"itera`)
	must(t, append(args, "--resume")...)
	must(t, "verify", f.at("m"), data)
	if text := f.read("trace"); !strings.HasPrefix(text, first) || strings.Count(text, "\n") <= strings.Count(first, "\n") || strings.Contains(text, "itera{") {
		t.Errorf("the trace is\n%s", text)
	}
	must(t, "report", f.at("m"), "--trace", f.at("trace"), "-o", f.at("m.html"))
	f.shows(f.page("m.html"), "How the training went")
	if err := os.RemoveAll(f.at("points")); err != nil {
		t.Fatal(err)
	}
	must(t, "train", "--quiet", "--kernels", "gauss:auto/3", "--trace", f.at("trace"), "-o", f.at("m"), data)
	if text := f.read("trace"); strings.HasPrefix(text, first) {
		t.Error("a new run keeps the trace of another")
	}
}
