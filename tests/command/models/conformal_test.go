package models

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestNamesInSets: names that could be taken for several, for none or for a quoted one are quoted as in JSON.
func TestNamesInSets(t *testing.T) {
	f := commandtest.NewFolder(t)
	names := []string{"a, b", "-", `c"d`, "e f"}
	var b strings.Builder
	b.WriteString("x,z,class\n")
	for i := range 120 {
		fmt.Fprintf(&b, "%g,%g,\"%s\"\n", float64(i%4)+.1*float64(i%7), float64(i%5), strings.ReplaceAll(names[i%4], `"`, `""`))
	}
	data := f.File("d.csv", b.String())
	commandtest.Must(t, "train", "--quiet", "--multiclass", "ovr", "--kernels", "linear", "--conformal", "split:0.4", "-o", f.At("m"), data)
	commandtest.Must(t, "verify", f.At("m"), data)
	// A coverage that takes more scores than there are holds all classes.
	line, _, _ := strings.Cut(commandtest.Must(t, "predict", "--quiet", "--coverage", "0.99", f.At("m"), data).Stdout, "\n")
	if want := ` "-","a, b","c\"d",e f`; !strings.HasSuffix(line, want) {
		t.Errorf("%q does not end in %q", line, want)
	}
}

// TestConformal: the lines of predict have intervals and sets, which agree with --json, and a model without scores is rejected.
func TestConformal(t *testing.T) {
	f := commandtest.NewFolder(t)
	data, several := f.File("data", commandtest.Text(80, 1)), f.File("several", commandtest.Clusters(90, 3))
	for name, args := range map[string][]string{
		"folds":    {"--conformal", "folds:4", data},
		"split":    {"--conformal", "split:0.4,by-class", "--limit", "70", data},
		"by class": {"--conformal", "by-class", "--multiclass", "ovr", several},
		"ovo":      {"--conformal", "folds:3", "--multiclass", "ovo", several},
	} {
		model, rows := f.At("m"), args[len(args)-1]
		commandtest.Must(t, append([]string{"train", "--quiet", "--kernels", "linear,gauss:0.1", "-o", model}, args...)...)
		commandtest.Must(t, "verify", model, rows)
		if o := commandtest.Must(t, "inspect", model); !strings.Contains(o.Stdout, "(predict --coverage)") {
			t.Errorf("%s: inspect says nothing of the scores\n%s", name, o.Stdout)
		}
		// The largest coverage with a bound is told: a little more has none.
		made := commandtest.Object(t, contract.ExitFine, "inspect", "--json", model)["calibration"].(map[string]any)
		largest := made["largest_coverage"].(float64)
		for _, c := range []struct {
			coverage float64
			warns    bool
		}{{largest, false}, {largest + 1e-6, true}} {
			o := commandtest.Must(t, "predict", "--quiet", "--coverage", fmt.Sprint(c.coverage), "-o", "/dev/null", model, rows)
			if strings.Contains(o.Stderr, "takes at least") != c.warns {
				t.Errorf("%s: coverage %g of %v: %s", name, c.coverage, made, o.Stderr)
			}
		}
		// The options of the model make it again.
		f.File("run.toml", commandtest.Must(t, "config", "--of", model).Stdout)
		commandtest.Must(t, "train", "--quiet", "--config", f.At("run.toml"), "-o", f.At("again"), rows)
		if f.Read("again") != f.Read("m") {
			t.Errorf("%s: the options of the model train another one", name)
		}
		said := commandtest.Object(t, contract.ExitFine, "predict", "--quiet", "--json", "--coverage", "0.8", "-o", f.At("out"), model, rows)["regions"].(map[string]any)
		sizes, lines := 0, 0
		for line := range strings.Lines(f.Read("out")) {
			words := strings.Fields(line)
			if lines++; words[2] != "-" {
				sizes += 1 + strings.Count(words[2], ",")
			}
		}
		if got := float64(sizes) / float64(lines); math.Abs(got-said["mean_size"].(float64)) > 1e-9 || said["held"].(float64) < .5 {
			t.Errorf("%s: sets of %g classes, %v", name, got, said)
		}
		// The page has the same figures for the same rows.
		page := commandtest.Must(t, "report", "--quiet", "--test", rows, "-o", "-", model).Stdout
		if want := fmt.Sprintf("<td>%.4f of %d rows</td>", said["held"], lines); !strings.Contains(page, want) || !strings.Contains(page, fmt.Sprintf("<td>%.4g</td>", said["mean_size"])) {
			t.Errorf("%s: the page has no %s", name, want)
		}
		os.Remove(f.At("again"))
		os.Remove(f.At("out"))
	}
	rows := f.File("rows", commandtest.Text(80, 2))
	commandtest.Must(t, "train", "--quiet", "--task", "svr", "--kernels", "linear", "--conformal", "split:0.5", "-o", f.At("m"), rows)
	commandtest.Must(t, "verify", f.At("m"), rows)
	commandtest.Must(t, "predict", "--quiet", "--coverage", "0.9", "-o", f.At("out"), f.At("m"), rows)
	for line := range strings.Lines(f.Read("out")) {
		var x [3]float64
		for k, word := range strings.Fields(line) {
			x[k], _ = strconv.ParseFloat(word, 64)
		}
		if !(x[1] < x[0] && x[0] < x[2]) {
			t.Fatalf("%q", line)
		}
	}
	// Too few scores for a coverage have no bound.
	o := commandtest.Must(t, "predict", "--coverage", "0.99", f.At("m"), rows)
	if !strings.Contains(o.Stderr, "takes at least 99 scores") || !strings.Contains(o.Stdout, "+Inf") {
		t.Errorf("%s", o.Stderr)
	}
	commandtest.Must(t, "train", "--quiet", "--kernels", "linear", "-o", f.At("plain"), data)
	commandtest.Must(t, "verify", f.At("plain"), data)
	for _, c := range []commandtest.Fault{
		{Name: "no scores", Args: []string{"predict", "--coverage", "0.9", "-o", f.At("none"), f.At("plain"), data}, Code: contract.ExitUsage, Want: f.At("plain") + ": the model has no calibration scores (train --conformal)"},
		{Name: "no coverage", Args: []string{"predict", "--coverage", "1", f.At("m"), data}, Code: contract.ExitUsage, Want: `--coverage: "1" is not a share`},
		{Name: "no such way", Args: []string{"train", "-o", f.At("none"), "--conformal", "half", data}, Code: contract.ExitUsage, Want: `--conformal: "half" is not folds:10`},
		{Name: "one class", Args: []string{"train", "-o", f.At("none"), "--conformal", "by-class", "--task", "oneclass", data}, Code: contract.ExitUsage, Want: "task oneclass has no intervals"},
		{Name: "a path", Args: []string{"train", "-o", f.At("none-%C"), "--conformal", "folds:3", "--path-C", "1,2", data}, Code: contract.ExitUsage, Want: "the models of a path have no calibration scores"},
	} {
		commandtest.Check(t, f, c)
	}
}
