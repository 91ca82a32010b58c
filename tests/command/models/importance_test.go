package models

import (
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
	"bigmkl/tests/commandtest"
)

// TestImportance: the output of the command, as text and as JSON, agrees with its file, and a run with --resume measures
// nothing again.
func TestImportance(t *testing.T) {
	f := commandtest.NewFolder(t)
	data, folder := f.File("data", commandtest.Text(60, 1)), f.At("i")
	o := commandtest.Must(t, commandtest.Measuring(data, folder)...)
	for _, text := range []string{"auc on the rows left out", "all sources", "a constant prediction 0.5000", "features 1-3", "features 4-6", "share of ||w||", "norm and C of the folds: p = "} {
		if !strings.Contains(o.Stdout, text) {
			t.Errorf("%q is not in\n%s", text, o.Stdout)
		}
	}
	first, err := os.ReadFile(filepath.Join(folder, "importance.json"))
	if err != nil {
		t.Fatal(err)
	}
	printed := commandtest.Object(t, contract.ExitFine, commandtest.Measuring(data, folder, "--resume", "--json")...)
	if again, _ := os.ReadFile(filepath.Join(folder, "importance.json")); string(again) != string(first) {
		t.Error("a run that resumes a complete one writes something else")
	}
	sources := printed["sources"].([]any)
	if len(sources) != 2 || len(printed["pairs"].([]any)) != 1 {
		t.Fatalf("%v", printed)
	}
	for _, s := range sources {
		x := s.(map[string]any)
		if !strings.Contains(o.Stdout, x["name"].(string)) || !strings.Contains(o.Stdout, x["finding"].(string)) || x["features"].(float64) != 3 {
			t.Errorf("%v is not in\n%s", x, o.Stdout)
		}
	}
}

// TestImportanceOfColumns: --each feature takes every column of a table for a source, a category with all of its words, under
// the name that it has there.
func TestImportanceOfColumns(t *testing.T) {
	f := commandtest.NewFolder(t)
	var b strings.Builder
	b.WriteString("age,blood type,noise,label\n")
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range 60 {
		y := i % 2
		b.WriteString(strings.Join([]string{fmt.Sprintf("%.4f", float64(50+20*y)+5*rng.NormFloat64()), []string{"a", "b", "ab"}[rng.IntN(2)+y*rng.IntN(2)], fmt.Sprintf("%.4f", rng.NormFloat64()), []string{"no", "yes"}[y]}, ",") + "\n")
	}
	data := f.File("t.csv", b.String())
	found := commandtest.Object(t, contract.ExitFine, "importance", "--quiet", "--each", "feature", "--grid-C", "1", "--norm", "2", "--repeat", "2", "--samples", "0", "--json", "-o", f.At("i"), data)
	var names []string
	for _, s := range found["sources"].([]any) {
		names = append(names, s.(map[string]any)["name"].(string))
	}
	if !slices.Equal(names, []string{"age", "blood_type", "noise"}) {
		t.Errorf("%q", names)
	}
	if got := found["sources"].([]any)[0].(map[string]any)["finding"]; got != "needed" {
		t.Errorf("age is %v", got)
	}
}

// TestImportanceOfDiscriminants: a task whose trainings share nothing is measured as well, and the folder has its options.
func TestImportanceOfDiscriminants(t *testing.T) {
	f := commandtest.NewFolder(t)
	args := []string{"importance", "--quiet", "--json", "--kernels", "linear@1-3,linear@4-6", "--task", "rkda", "--norm", "1", "--folds", "3", "--repeat", "1", "--samples", "2",
		"-o", f.At("i"), f.File("data", commandtest.Text(60, 1))}
	found := commandtest.Object(t, contract.ExitFine, append(args, "--lambda", "0.01")...)
	if len(found["costs"].([]any)) != 0 || found["measure"] != "accuracy" || len(found["sources"].([]any)) != 2 {
		t.Errorf("%v", found)
	}
	commandtest.Check(t, f, commandtest.Fault{Name: "another lambda", Args: append(args, "--lambda", "1", "--resume"), Code: contract.ExitUsage, Want: f.At("i") + ": the folder has another importance: lambda is 0.01 there and 1 here"})
}

// TestImportanceSharedOut: parts are joined to what one run finds, and a process that is killed and resumed finds it as well.
func TestImportanceSharedOut(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(60, 2))
	read := func(folder string) string {
		b, err := os.ReadFile(filepath.Join(folder, "importance.json"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	commandtest.Must(t, commandtest.Measuring(data, f.At("one"))...)
	want := read(f.At("one"))
	commandtest.Must(t, commandtest.Measuring(data, f.At("p1"), "--part", "1/2")...)
	if o := commandtest.Try(commandtest.Measuring(data, f.At("joined"), "--merge", f.At("p1"))...); o.Code != contract.ExitInput || !strings.Contains(o.Stderr, "1 of 3 steps are missing") {
		t.Errorf("a part is missing: exit code %d, %q", o.Code, o.Stderr)
	}
	commandtest.Must(t, commandtest.Measuring(data, f.At("p2"), "--part", "2/2")...)
	commandtest.Must(t, commandtest.Measuring(data, f.At("joined"), "--resume", "--merge", f.At("p1"), "--merge", f.At("p2"))...)
	if read(f.At("joined")) != want {
		t.Error("parts find something else than one run")
	}
}

// TestImportanceKilled kills a run at random moments until it ends: what it finds is what a run finds that was left alone.
func TestImportanceKilled(t *testing.T) {
	f := commandtest.KillFolder(t)
	data := f.File("data", commandtest.Text(60, 2))
	start := time.Now()
	commandtest.Stop(t, commandtest.NewProcess(commandtest.Measuring(data, f.At("one"))...), syscall.SIGKILL, time.Hour)
	took := time.Since(start)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for {
		s := commandtest.Stop(t, commandtest.NewProcess(commandtest.Measuring(data, f.At("killed"), "--resume")...), syscall.SIGKILL, took/4+time.Duration(rng.Int64N(int64(took))))
		if s.Code == contract.ExitFine {
			break
		}
	}
	want, err := os.ReadFile(filepath.Join(f.At("one"), "importance.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(filepath.Join(f.At("killed"), "importance.json")); string(got) != string(want) {
		t.Error("a run that was killed finds something else")
	}
}

// TestImportanceFaults: what cannot be measured is rejected, with the reason.
func TestImportanceFaults(t *testing.T) {
	f := commandtest.NewFolder(t)
	data, out, matrix := f.File("data", commandtest.Text(60, 1)), f.At("new"), f.At("K")
	commandtest.Must(t, "gram", "--quiet", "--kernels", "linear", "-o", matrix, data)
	with := func(args ...string) []string {
		return append([]string{"importance", "--quiet", "-o", out, data}, args...)
	}
	for _, c := range []commandtest.Fault{
		{Name: "no folder", Args: []string{"importance", data}, Code: contract.ExitUsage, Want: "no folder is named (-o FOLDER)"},
		{Name: "standard input", Args: []string{"importance", "-o", out, "-"}, Code: contract.ExitUsage, Want: "an importance reads its data more than once"},
		{Name: "one source", Args: with("--kernels", "linear@1-3,gauss:1@1-3"), Code: contract.ExitUsage, Want: "all kernels are one source"},
		{Name: "two lists", Args: with("--each", "feature", "--kernels", "linear"), Code: contract.ExitUsage, Want: "--each feature makes a list of kernels of its own"},
		{Name: "one class", Args: with("--task", "oneclass"), Code: contract.ExitUsage, Want: "one class has no figure"},
		{Name: "costs of discriminants", Args: with("--task", "rkda", "--grid-C", "1"), Code: contract.ExitUsage, Want: "costs to choose from with task rkda, which has no C"},
		{Name: "components", Args: with("--task", "med", "--norm", "1"), Code: contract.ExitUsage, Want: "task med takes no norm"},
		{Name: "a ridge", Args: with("--lambda", "1"), Code: contract.ExitUsage, Want: "lambda without task rkda"},
		{Name: "a matrix of all rows", Args: with("--task", "rkda", "--kernels", "precomputed:"+matrix+" group=a,linear"), Code: contract.ExitUsage,
			Want: "each training of task rkda reads its rows anew, and a precomputed matrix is one of all rows"},
		{Name: "no such figure", Args: with("--measure", "rmse"), Code: contract.ExitUsage, Want: `"rmse" is not a figure to measure by`},
		{Name: "no such source", Args: with("--each", "row"), Code: contract.ExitUsage, Want: `--each: unknown "row"`},
	} {
		commandtest.Check(t, f, c)
	}
	there := f.At("i")
	commandtest.Must(t, commandtest.Measuring(data, there)...)
	commandtest.Check(t, f, commandtest.Fault{Name: "there is one", Args: commandtest.Measuring(data, there), Code: contract.ExitUsage, Want: there + ": the folder has an importance already"})
	commandtest.Check(t, f, commandtest.Fault{Name: "another one", Args: commandtest.Measuring(data, there, "--resume", "--seed", "7"), Code: contract.ExitUsage, Want: there + ": the folder has another importance"})
}
