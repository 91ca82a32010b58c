package command

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/dataset"
	"bigmkl/internal/demo"
	"bigmkl/tests/commandtest"
)

func TestProbability(t *testing.T) {
	f, data, test, plain := commandtest.Trained(t)
	o := commandtest.Must(t, "train", "--probability", "--quiet", "--kernels", "gauss:0.05,linear", "-o", f.At("p"), "--test", test, data)
	if v := commandtest.Must(t, "verify", "--quiet", f.At("p"), data); !strings.Contains(v.Stdout, "\nnot checked: sigmoids: ") {
		t.Errorf("verify does not say that probabilities are not checked: %s", v.Stdout)
	}
	if !strings.Contains(o.Stdout, "probabilities from 5 trainings without a fold: ") || !strings.Contains(o.Stdout, "Brier score 0.") {
		t.Errorf("summary %q", o.Stdout)
	}
	m, err := bigmkl.Load(f.At("p"))
	if err != nil {
		t.Fatal(err)
	}
	want, log, brier, n := "labels -1 1\n", 0.0, 0.0, 0.0
	src := dataset.FromSeq(demo.Rows(50, 2))
	defer src.Close()
	err = m.Predict(t.Context(), src, bigmkl.PredictOptions{Probability: true}, func(p bigmkl.Prediction) error {
		want += fmt.Sprintf("%s %.9g %.6g %.6g\n", p.Label, p.Decision, p.Probabilities[0], p.Probabilities[1])
		k := 0
		if p.Known == "1" {
			k = 1
		}
		log -= math.Log(p.Probabilities[k])
		brier += (1 - p.Probabilities[k]) * (1 - p.Probabilities[k])
		n++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if o := commandtest.Must(t, "predict", "--probability", f.At("p"), test); o.Stdout != want || !strings.Contains(o.Stderr, "log loss 0.") {
		t.Errorf("lines\n%s, want\n%s; %s", o.Stdout, want, o.Stderr)
	}
	if a, b := commandtest.Must(t, "predict", f.At("p"), test).Stdout, commandtest.Must(t, "predict", plain, test).Stdout; a != b {
		t.Error("other lines without --probability than of a model without")
	}
	got := commandtest.Object(t, contract.ExitFine, "predict", "--json", "--probability", f.At("p"), test)
	if math.Abs(got["log_loss"].(float64)-log/n) > 1e-12 || math.Abs(got["brier"].(float64)-brier/n) > 1e-12 {
		t.Errorf("%v, want %v and %v", got, log/n, brier/n)
	}
	if k := commandtest.Keys(commandtest.Object(t, contract.ExitFine, "predict", "--json", f.At("p"), test)); slices.Contains(k, "brier") {
		t.Errorf("keys %q without probabilities", k)
	}
	s := commandtest.Object(t, contract.ExitFine, "inspect", "--json", f.At("p"))
	if s["folds"] != 5.0 || s["sigmoid"].(map[string]any)["a"] != m.Sigmoids[0].A || s["sigmoid"].(map[string]any)["b"] != m.Sigmoids[0].B {
		t.Errorf("%v", s["sigmoid"])
	}
	if o := commandtest.Must(t, "inspect", f.At("p")); !strings.Contains(o.Stdout, fmt.Sprintf("A = %.6g, B = %.6g; from 5 folds", m.Sigmoids[0].A, m.Sigmoids[0].B)) {
		t.Errorf("%s", o.Stdout)
	}
	commandtest.Must(t, "verify", "--quiet", f.At("p"), data)
	commandtest.Must(t, "plan", "--quiet", "--probability", "--kernels", "linear", data)
	commandtest.Must(t, "train", "--quiet", "--probability", "--folds", "3", "--kernels", "linear", "-o", f.At("p3"), data)
	if got := commandtest.Object(t, contract.ExitFine, "inspect", "--json", f.At("p3")); got["folds"] != 3.0 {
		t.Errorf("%v", got["folds"])
	}
}

func TestProbabilityOfSeveral(t *testing.T) {
	f := commandtest.NewFolder(t)
	var rows strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(commandtest.Text(90, 1)), "\n") {
		_, x, _ := strings.Cut(line, " ")
		fmt.Fprintf(&rows, "%d %s 40:%d\n", i%3, x, i%3)
	}
	data := f.File("three.txt", rows.String())
	for _, kind := range []string{"ovr", "ovo", "labels"} {
		commandtest.Must(t, "train", "--quiet", "--probability", "--kernels", "gauss:0.05,linear", "--multiclass", kind, "-o", f.At(kind), data)
		lines := strings.Split(commandtest.Must(t, "predict", "--quiet", "--probability", f.At(kind), data).Stdout, "\n")
		if lines[0] != "labels 0 1 2" || len(lines) != 92 {
			t.Errorf("%s: %d lines after %q", kind, len(lines), lines[0])
		}
		words := map[string]int{"ovr": 5, "ovo": 5, "labels": 7}[kind]
		if n := len(strings.Fields(lines[1])); n != words {
			t.Errorf("%s: %d words in %q", kind, n, lines[1])
		}
		if n := len(strings.Fields(strings.Split(commandtest.Must(t, "predict", "--quiet", "--probability", "--decisions", f.At(kind), data).Stdout, "\n")[1])); n != 7 {
			t.Errorf("%s: %d words with all decisions", kind, n)
		}
		got := commandtest.Object(t, contract.ExitFine, "predict", "--json", "--probability", f.At(kind), data)
		if got["log_loss"].(float64) > 1 || got["brier"].(float64) > 0.6 {
			t.Errorf("%s: %v and %v", kind, got["log_loss"], got["brier"])
		}
		for _, a := range commandtest.Object(t, contract.ExitFine, "inspect", "--json", f.At(kind))["machines"].([]any) {
			if a.(map[string]any)["sigmoid"].(map[string]any)["a"].(float64) >= 0 {
				t.Errorf("%s: %v", kind, a)
			}
		}
		if o := commandtest.Must(t, "inspect", f.At(kind)); !strings.Contains(o.Stdout, "from 5 folds") || !strings.Contains(o.Stdout, "A ") {
			t.Errorf("%s: %s", kind, o.Stdout)
		}
		commandtest.Must(t, "inspect", "--class", "1", f.At(kind))
		commandtest.Must(t, "verify", "--quiet", f.At(kind), data)
	}
}

func TestProbabilityRefused(t *testing.T) {
	f, data, test, path := commandtest.Trained(t)
	train := func(more ...string) []string { return append([]string{"train", "-o", f.At("new"), data}, more...) }
	for _, c := range []commandtest.Fault{
		{Name: "folds alone", Args: train("--folds", "3"), Code: contract.ExitUsage, Want: "--folds has no effect without --probability"},
		{Name: "one fold", Args: train("--probability", "--folds", "1"), Code: contract.ExitUsage, Want: "--folds: 1 folds"},
		{Name: "no number", Args: train("--probability", "--folds", "x"), Code: contract.ExitUsage, Want: "--folds: "},
		{Name: "regression", Args: train("--probability", "--task", "svr"), Code: contract.ExitUsage, Want: "probabilities are for tasks with classes, and task svr"},
		{Name: "one class", Args: train("--probability", "--task", "oneclass"), Code: contract.ExitUsage, Want: "probabilities are for tasks with classes, and task oneclass"},
		{Name: "checkpoints", Args: train("--probability", "--checkpoint", f.At("c")), Code: contract.ExitUsage, Want: "probabilities cannot be combined with checkpoints"},
		{Name: "one theta", Args: train("--probability", "--multiclass", "ovr", "--one-theta"), Code: contract.ExitUsage, Want: "probabilities cannot be combined with one set of weights"},
		{Name: "path", Args: []string{"train", "-o", f.At("new") + "%C", data, "--probability", "--path-C", "1,2"}, Code: contract.ExitUsage, Want: "the models of a path have no probabilities"},
		{Name: "model without", Args: []string{"predict", "--probability", path, test, "-o", f.At("new")}, Code: contract.ExitUsage, Want: "the model gives no probabilities"},
	} {
		t.Run(c.Name, func(t *testing.T) { commandtest.Check(t, f, c) })
	}
}

// heldOutScores computes log loss and Brier score from the probabilities of rows in a file and the labels of the rows.
func heldOutScores(t *testing.T, posteriors, data string) (log, brier float64) {
	t.Helper()
	read := func(path string) []string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(b)), "\n")
	}
	list, rows := read(posteriors), read(data)
	if len(list) != len(rows) {
		t.Fatalf("%d probabilities of %d rows", len(list), len(rows))
	}
	for i, text := range list {
		p, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			t.Fatal(err)
		}
		if label, _, _ := strings.Cut(rows[i], " "); label != "1" {
			p = 1 - p
		}
		log, brier = log-math.Log(p)/float64(len(list)), brier+(1-p)*(1-p)/float64(len(list))
	}
	return log, brier
}

// TestHeldOutProbabilities: train has the scores of the probabilities that it writes, however the folds are prepared. select trains its
// choice with the same probabilities as train, and continues with the model of the folder only if that has them.
func TestHeldOutProbabilities(t *testing.T) {
	f, data, _, _ := commandtest.Trained(t)
	scores := func(o map[string]any) (log, brier float64) {
		s, ok := o["held_out_probabilities"].(map[string]any)
		if !ok {
			t.Fatalf("no scores in %v", o)
		}
		return s["log_loss"].(float64), s["brier"].(float64)
	}
	for _, more := range [][]string{nil, {"--shared-preparation"}} {
		list := append([]string{"train", "--json", "--probability", "--kernels", "gauss:0.05,linear", "--posteriors-out", f.At("list"), "-o", f.At("p"), data}, more...)
		log, brier := scores(commandtest.Object(t, contract.ExitFine, list...))
		if l, b := heldOutScores(t, f.At("list"), data); math.Abs(log-l) > 1e-6 || math.Abs(brier-b) > 1e-6 {
			t.Errorf("%q: log loss %v and Brier score %v, of the file %v and %v", more, log, brier, l, b)
		}
	}
	if o := commandtest.Object(t, contract.ExitFine, "train", "--json", "--kernels", "linear", "-o", f.At("plain"), data); o["held_out_probabilities"] != nil {
		t.Errorf("scores without probabilities: %v", o["held_out_probabilities"])
	}
	choose := []string{"select", "--kernels", "gauss:0.05,linear", "--grid-norm", "2", "--grid-C", "1", "--no-baselines", "-o", f.At("s"), data}
	commandtest.Must(t, append(choose, "--quiet")...)
	again := append(choose, "--resume", "--probability")
	log, brier := scores(commandtest.Object(t, contract.ExitFine, append(again, "--json")...))
	commandtest.Must(t, "train", "--quiet", "--probability", "--kernels", "gauss:0.05,linear", "--norm", "2", "--posteriors-out", f.At("list"), "-o", f.At("p"), data)
	if l, b := heldOutScores(t, f.At("list"), data); math.Abs(log-l) > 1e-6 || math.Abs(brier-b) > 1e-6 {
		t.Errorf("select: log loss %v and Brier score %v, of train %v and %v", log, brier, l, b)
	}
	commandtest.Must(t, "predict", "--quiet", "--probability", f.At("s")+"/best.model", data)
	if o := commandtest.Object(t, contract.ExitFine, append(again, "--json")...); o["held_out_probabilities"] != nil {
		t.Error("a model of the folder was trained again")
	}
	for _, more := range [][]string{{"--task", "svr"}, {"--task", "logistic"}, {"--size", "30"}} {
		list := append([]string{"select", "--probability", "--kernels", "linear", "-o", f.At("x"), data}, more...)
		if o := commandtest.Execute(t.Context(), nil, list...); o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, "probabilit") {
			t.Errorf("%q: %+v", more, o)
		}
	}
}

// TestProbabilityOfGroups: --groups-file holds the rows of a group out together, which rows without information show.
func TestProbabilityOfGroups(t *testing.T) {
	f := commandtest.NewFolder(t)
	var rows, names strings.Builder
	for g := range 30 {
		for range 6 {
			fmt.Fprintf(&rows, "%d 1:%d 2:%d\n", 1-2*(g%2), g*7%30, g*11%30)
			fmt.Fprintf(&names, "patient %d\n", g)
		}
	}
	data, groups, short := f.File("rows", rows.String()), f.File("groups", names.String()), f.File("short", "a\nb\n")
	loss := func(more ...string) float64 {
		args := append([]string{"train", "--quiet", "--json", "--probability", "--kernels", "gauss:1", "-C", "10", "-o", f.At("m"), data}, more...)
		return commandtest.Object(t, contract.ExitFine, args...)["held_out_probabilities"].(map[string]any)["log_loss"].(float64)
	}
	if alone, together := loss(), loss("--groups-file", groups); alone > 0.2 || together < 0.6 {
		t.Errorf("log loss %g of rows held out one by one, %g of groups", alone, together)
	}
	for _, c := range []commandtest.Fault{
		{Name: "without folds", Args: []string{"--groups-file", groups}, Code: contract.ExitUsage, Want: "--groups-file has no effect without --probability or --conformal"},
		{Name: "a split", Args: []string{"--groups-file", groups, "--conformal", "split:0.2"}, Code: contract.ExitUsage, Want: "a share of rows that are held out divides groups"},
		{Name: "too few names", Args: []string{"--groups-file", short, "--probability"}, Code: contract.ExitInput, Want: data + ": 2 names of groups for 180 rows"},
		{Name: "too few names of scores", Args: []string{"--groups-file", short, "--conformal", "folds:3"}, Code: contract.ExitInput, Want: data + ": 2 names of groups for 180 rows"},
		{Name: "no file", Args: []string{"--groups-file", f.At("none"), "--probability"}, Code: contract.ExitInput, Want: f.At("none") + ": cannot open"},
	} {
		c.Args = append([]string{"train", "--quiet", "-o", f.At("new"), data}, c.Args...)
		commandtest.Check(t, f, c)
	}
	if o := commandtest.Try("train", "--quiet", "--probability", "--groups-file", groups, "-o", groups, data); o.Code != contract.ExitUsage || f.Read("groups") != names.String() {
		t.Errorf("a model in place of the names: exit code %d, %s", o.Code, o.Stderr)
	}
}
