package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl/internal/contexttest"
)

// selecting is a folder with data, and the command line of a short selection of them without its folder.
func selecting(t *testing.T) (f folder, args []string, data string) {
	f = newFolder(t)
	data = f.file("data", text(90, 1))
	return f, []string{"select", "--quiet", "--kernels", "gauss:0.05,linear@1-9", "--grid-norm", "1,4/3", "--grid-C", "0.1,1", "--folds", "3",
		"--threads", "1", data}, data
}

// content reads a file of a selection.
func content(t *testing.T, path ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestSelect: the table, the model of the best cell, and the object of --json.
func TestSelect(t *testing.T) {
	f, args, data := selecting(t)
	o := must(t, append(args, "--nested", "-o", f.at("sel"))...)
	for _, want := range []string{"accuracy on the rows left out", "over 3 folds of 90 rows", "p = 4/3", "plain sum, p = 2", " alone, the best of 2",
		"* best: ", "the selection itself", "best.model: trained on all rows"} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("%q is not in\n%s", want, o.stdout)
		}
	}
	must(t, "verify", f.at("sel/best.model"), data)
	again := object(t, exitFine, append(args, "--nested", "--resume", "--json", "-o", f.at("sel"))...)
	cells, arms := again["cells"].([]any), again["arms"].([]any)
	if len(arms) != 5 || len(cells) != 10 || again["model"] != f.at("sel/best.model") || again["missing"] != 0.0 {
		t.Errorf("%d arms and %d cells, model %v, %v missing", len(arms), len(cells), again["model"], again["missing"])
	}
	for name, c := range map[string]struct {
		task string
		rows string
		more []string
	}{
		"regression":    {"svr", grouped(60, 3, "svr"), []string{"--task", "svr", "--measure", "r2"}},
		"three classes": {"class", threeClasses(60), []string{"--multiclass", "ovr", "--folds", "2", "--repeat", "5"}},
		"labels":        {"class", grouped(60, 3, "labels"), []string{"--multiclass", "labels", "--splits", "4:0.3"}},
	} {
		rows := f.file(name, c.rows)
		got := object(t, exitFine, append([]string{"select", "--quiet", "--json", "--kernels", "gauss:0.05,linear", "--grid-C", "1,10", "-o", f.at(name + ".sel"), rows}, c.more...)...)
		if got["best"].(float64) < 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestSelectInterrupted ends selections at every place that looks, also in the midst of a training,
// a few more looks later each time, and goes on: the table and the model are those of a run that nobody disturbed.
func TestSelectInterrupted(t *testing.T) {
	f, args, _ := selecting(t)
	must(t, append(args, "-o", f.at("whole"))...)
	args = append(args, "--resume", "-o", f.at("sel"))
	ended := 0
	for looks := int64(1); ; looks += 1 + looks/8 {
		o := execute(contexttest.NewCountdown(looks), strings.NewReader(""), args...)
		if o.code == exitFine {
			break
		}
		if ended++; o.code != exitInterrupted || strings.Count(o.stderr, "\n") != 1 {
			t.Fatalf("exit code %d: %s", o.code, o.stderr)
		}
	}
	t.Logf("ended %d times", ended)
	for _, name := range []string{"table.json", "best.model"} {
		if content(t, f.at("whole"), name) != content(t, f.at("sel"), name) {
			t.Errorf("%s differs", name)
		}
	}
}

// TestSelectParts: parts that are joined give the table and the model of one run.
func TestSelectParts(t *testing.T) {
	f, args, _ := selecting(t)
	must(t, append(args, "-o", f.at("whole"))...)
	join := append(args, "-o", f.at("joined"))
	for _, part := range []string{"1/2", "2/2"} {
		folder := f.at("part" + part[:1])
		o := must(t, append(args, "--part", part, "-o", folder)...)
		if !strings.HasPrefix(o.stdout, "part "+part[:1]+" of 2 is done: ") {
			t.Errorf("part %s: %q", part, o.stdout)
		}
		join = append(join, "--merge", folder)
	}
	if o := try(join[:len(join)-2]...); o.code != exitInput || !strings.Contains(o.stderr, "are missing") {
		t.Errorf("without a part: %d, %s", o.code, o.stderr)
	}
	must(t, append(join, "--resume")...)
	for _, name := range []string{"table.json", "best.model"} {
		if content(t, f.at("whole"), name) != content(t, f.at("joined"), name) {
			t.Errorf("%s differs", name)
		}
	}
}

// TestSelectFaults: what is wrong with a command line is said at once, each on a line with a hint.
func TestSelectFaults(t *testing.T) {
	f, args, data := selecting(t)
	o := try("select", "--grid-norm", "1", "--norm", "2", "--folds", "3", "--splits", "3:0.2", "--part", "1/2", "--merge", "x", "-")
	if o.code != exitUsage || strings.Count(o.stderr, "\n") != 5 {
		t.Errorf("%d: %s", o.code, o.stderr)
	}
	for _, c := range []struct {
		code int
		args []string
	}{
		{exitUsage, []string{"select", "-o", f.at("a"), "--measure", "luck", data}},
		{exitUsage, []string{"select", "-o", f.at("a"), "--task", "oneclass", data}},
		{exitUsage, []string{"select", "-o", f.at("a"), "--part", "3/2", data}},
		{exitUsage, []string{"select", "-o", f.at("a"), "--splits", "3:1.2", data}},
		{exitUsage, []string{"select", "-o", f.at("a"), "--nested", "--splits", "3:0.2", data}},
		{exitUsage, []string{"select", "-o", f.at("a"), "--grid-norm", "1,2", "--elastic-net", "0.5", data}},
		{exitInput, []string{"select", "-o", f.at("a"), "--folds-file", f.file("few", "a\nb\n"), data}},
		{exitInput, []string{"select", "-o", f.at("a"), "--folds-file", f.file("blank", "a\n\n"), data}},
		{exitInput, []string{"select", "-o", f.at("a"), "--folds", "200", data}},
		{exitInput, []string{"select", "-o", f.at("a"), "--groups-file", f.at("nothing"), data}},
		{exitInput, []string{"select", "-o", f.at("a"), f.at("nothing")}},
		{exitInput, []string{"select", "-o", f.at("a"), f.file("three", threeClasses(30))}},
		{exitBudget, []string{"select", "-o", f.at("nowhere/a"), "--quiet", "--grid-C", "1", "--folds", "2", "--no-baselines", f.file("tiny", text(20, 3)), "--memory", "1MiB"}},
	} {
		o := try(append(c.args, "--quiet")...)
		if o.code != c.code || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%q: exit code %d, want %d: %s", c.args, o.code, c.code, o.stderr)
		}
	}
	must(t, append(args, "-o", f.at("sel"))...)
	if o := try(append(args, "-o", f.at("sel"))...); o.code != exitUsage || !strings.Contains(o.stderr, "--resume") {
		t.Errorf("the folder again: %d, %s", o.code, o.stderr)
	}
	if o := try(append(args, "--seed", "4", "--resume", "-o", f.at("sel"))...); o.code != exitUsage || !strings.Contains(o.stderr, "seed is 0 there and 4 here") {
		t.Errorf("another seed: %d, %s", o.code, o.stderr)
	}
}

// TestSelectUnderEveryFault lets each operation on a file fail in turn. A run that has failed goes on
// in its folder, and ends with what the undisturbed run has.
func TestSelectUnderEveryFault(t *testing.T) {
	f, args, data := selecting(t)
	args = append(args, "--no-baselines", "--grid-C", "1", "--folds", "2", "--resume")
	sel := filepath.Join(t.TempDir(), "sel")
	args = append(args, "-o", sel)
	var table, model string
	outputs := func() {
		f.file("table", content(t, sel, "table.json"))
		f.file("model", content(t, sel, "best.model"))
	}
	everyFault(t, trial{folder: f, inputs: []string{data}, outputs: []string{"table", "model"}, stdout: true,
		run: func() outcome {
			if err := os.RemoveAll(sel); err != nil {
				t.Fatal(err)
			}
			o := try(args...)
			if o.code == exitFine {
				outputs()
			}
			return o
		},
		after: func() {
			if o := try(args...); o.code != exitFine {
				t.Errorf("going on: exit code %d, %s", o.code, o.stderr)
				return
			}
			now, best := content(t, sel, "table.json"), content(t, sel, "best.model")
			if table == "" {
				table, model = now, best
			}
			if now != table || best != model {
				t.Error("what went on ends otherwise")
			}
		},
	})
}
