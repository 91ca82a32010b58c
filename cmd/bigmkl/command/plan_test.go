package command

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// TestPlan: plan takes the arguments of train, has the same figures in text and JSON, and rejects what train rejects.
func TestPlan(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(300, 7))
	flags := []string{"--quiet", "--threads", "2", "--kernels", "gauss:auto/30,linear", "--norm", "1", "-C", "2", "--scale", "minmax", "-o", f.At("m"), data}
	args := func(command string, more ...string) []string {
		return append(append([]string{command}, more...), flags...)
	}

	o := commandtest.Must(t, args("plan")...)
	for _, want := range []string{"n = 300 rows", "M = 31 kernels in 2 groups", "memory", "disk", "the least that is enough", "time: "} {
		if !strings.Contains(o.Stdout, want) {
			t.Errorf("no %q in\n%s", want, o.Stdout)
		}
	}
	if f.Exists("m") {
		t.Error("plan has written a model")
	}
	j := commandtest.Decode(t, commandtest.Must(t, args("plan", "--json")...).Stdout)
	memory, disk := j["memory"].(map[string]any), j["disk"].(map[string]any)
	if j["n"] != 300.0 || j["kernels"] != 31.0 || j["groups"] != 2.0 || j["store"] != "dense" || len(memory["fixed"].([]any)) < 4 || len(disk["fixed"].([]any)) != 2 {
		t.Errorf("%v", j)
	}

	least := func(share map[string]any) string { return fmt.Sprintf("%.0f", share["least_bytes"]) }
	below := func(share map[string]any) string { return fmt.Sprintf("%.0f", share["least_bytes"].(float64)-1) }
	// With the least memory the gradients may lie on disk, which then takes more.
	j = commandtest.Decode(t, commandtest.Must(t, args("plan", "--json", "--memory", least(memory))...).Stdout)
	enough := []string{"--memory", least(memory), "--disk", least(j["disk"].(map[string]any))}
	commandtest.Must(t, args("plan", enough...)...)
	commandtest.Must(t, args("train", enough...)...)
	for _, c := range []struct{ flag, bytes, message string }{
		{"memory", below(memory), "the least that is enough is --memory "}, {"disk", below(disk), "the least that is enough is --disk "},
		{"disk", "1", "rows as they are read 4 to 12 for each value + 24 n = "}, {"disk", "0", "; --disk is 0 (the least that is enough is --disk "},
	} {
		var said [2]string
		for i, command := range []string{"plan", "train"} {
			o := commandtest.Try(args(command, "--"+c.flag, c.bytes)...)
			said[i] = o.Stderr
			if o.Code != contract.ExitBudget || !strings.Contains(o.Stderr, c.message) || strings.Count(o.Stderr, "\n") != 1 {
				t.Errorf("%s --%s %s: exit code %d, %s", command, c.flag, c.bytes, o.Code, o.Stderr)
			}
		}
		if said[0] != said[1] {
			t.Errorf("plan says %s, train says %s", said[0], said[1])
		}
	}
	if o := commandtest.Try("plan", "--norm", "0.5"); o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, "no data file") {
		t.Errorf("exit code %d: %s", o.Code, o.Stderr)
	}
}

// TestPlanOfAWideProjection: rows that a projection cannot keep in memory are rejected with a budget, which does.
func TestPlanOfAWideProjection(t *testing.T) {
	f := commandtest.NewFolder(t)
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "%d %d:1 %d:%d\n", 2*(i%2)-1, 1+i, 400_000+i, 1+i%3)
	}
	args := []string{"plan", "--kernels", "proj(gauss:0.5,2)", f.File("wide", b.String())}
	o := commandtest.Try(append(args, "--memory", "1MiB")...)
	named := regexp.MustCompile(`--memory (\S+) is enough`).FindStringSubmatch(o.Stderr)
	if o.Code != contract.ExitBudget || named == nil || !strings.Contains(o.Stderr, "rows before the projection 8 n d") {
		t.Fatalf("exit code %d, %s", o.Code, o.Stderr)
	}
	commandtest.Must(t, append(args, "--memory", named[1])...)
}

// TestPlanOfAnImportance: a plan counts the trainings of an importance.
func TestPlanOfAnImportance(t *testing.T) {
	testlevel.Sample(t, 2, 1)
	f := commandtest.NewFolder(t)
	data, views := f.File("data", commandtest.Text(40, 9)), f.File("views", "one 1 2\ntwo 3 4\nthree 5 7\n")
	flags := []string{"--quiet", "--json", "--kernels", "gauss:auto@each-view", "--views", views, data}
	work := commandtest.Decode(t, commandtest.Must(t, append([]string{"plan", "--importance"}, flags...)...).Stdout)["importance"].(map[string]any)
	commandtest.Must(t, append([]string{"importance", "-o", f.At("i")}, flags...)...)
	folds := 0.0
	for _, name := range commandtest.List(t, f.At("i/steps")) {
		var step struct{ Readings []struct{ What string } }
		if err := json.Unmarshal([]byte(f.Read("i/steps/"+name)), &step); err != nil {
			t.Fatal(err)
		}
		trainings := 0.0
		for _, r := range step.Readings {
			if r.What != "permuted" {
				trainings++
			}
		}
		want := work["trainings"]
		if name == "samples.json" {
			want = work["samples"]
		} else {
			folds++
		}
		if trainings != want {
			t.Errorf("%s has %g trainings, and the plan %v", name, trainings, want)
		}
	}
	// In three inner folds C has four values for all sources and for each, and p two more.
	if work["sources"] != 3.0 || work["folds"] != folds || work["choices"] != 3.0*(4+2+3*4) {
		t.Errorf("%g folds, and %v", folds, work)
	}
	if s := work["seconds"].([]any); !(s[0].(float64) > 0 && s[0].(float64) < s[1].(float64)) {
		t.Errorf("it takes %v", s)
	}
	text := commandtest.Must(t, "plan", "--importance", "--kernels", "gauss:auto@each-view", "--views", views, data).Stdout
	if !strings.Contains(text, "\nan importance of 3 sources: 25 folds of ") {
		t.Error(text)
	}
	if o := commandtest.Try("plan", "--importance", "--kernels", "linear", data); o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, "all kernels are one source") {
		t.Errorf("exit code %d: %s", o.Code, o.Stderr)
	}
}

// TestPlanWithTrial: a trial of few rows trains on all of them, with the iterations of the training. Text and JSON report this,
// and files with a line for each row are rejected.
func TestPlanWithTrial(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(700, 9))
	flags := []string{"--quiet", "--kernels", "gauss:auto/2", "--threads", "1"}
	plan := commandtest.Object(t, contract.ExitFine, slices.Concat([]string{"plan", "--trial", "--json"}, flags, []string{data})...)
	trial := plan["trial"].(map[string]any)
	runs := trial["runs"].([]any)
	if last := runs[len(runs)-1].(map[string]any); len(runs) != 2 || last["rows"] != 700.0 || trial["exponent"] != nil || !(trial["low_seconds"].(float64) <= trial["seconds"].(float64)) {
		t.Errorf("%v", trial)
	}
	text := commandtest.Must(t, slices.Concat([]string{"plan", "--trial"}, flags, []string{data})...).Stdout
	if !strings.Contains(text, "\ntrial: 500 rows ") || !strings.Contains(text, ", 700 rows ") || !strings.Contains(text, "The training takes about ") {
		t.Error(text)
	}
	matrix := f.At("k.npy")
	rows := make([][]float64, 3)
	for i := range rows {
		rows[i] = make([]float64, 3)
		rows[i][i] = 1
	}
	if err := commandtest.WriteArray(matrix, rows); err != nil {
		t.Fatal(err)
	}
	few := f.File("few", "1 1:1\n-1 1:2\n1 1:3\n")
	if o := commandtest.Try("plan", "--trial", "--quiet", "--kernels", "precomputed:"+matrix, few); o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, "no trial on some of the rows: a precomputed matrix is one of all rows") {
		t.Errorf("exit code %d: %s", o.Code, o.Stderr)
	}
	if _, there := commandtest.Object(t, contract.ExitFine, slices.Concat([]string{"plan", "--json"}, flags, []string{data})...)["trial"]; there {
		t.Error("a trial that nobody asked for")
	}
}
