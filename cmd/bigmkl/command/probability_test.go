package command

import (
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

func TestProbability(t *testing.T) {
	f, data, test, plain := trained(t)
	o := must(t, "train", "--probability", "--quiet", "--kernels", "gauss:0.05,linear", "-o", f.at("p"), "--test", test, data)
	if !strings.Contains(o.stdout, "probabilities from 5 trainings without a fold: ") || !strings.Contains(o.stdout, "Brier score 0.") {
		t.Errorf("summary %q", o.stdout)
	}
	m, err := bigmkl.Load(f.at("p"))
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
	if o := must(t, "predict", "--probability", f.at("p"), test); o.stdout != want || !strings.Contains(o.stderr, "log loss 0.") {
		t.Errorf("lines\n%s, want\n%s; %s", o.stdout, want, o.stderr)
	}
	if a, b := must(t, "predict", f.at("p"), test).stdout, must(t, "predict", plain, test).stdout; a != b {
		t.Error("other lines without --probability than of a model without")
	}
	got := object(t, contract.ExitFine, "predict", "--json", "--probability", f.at("p"), test)
	if math.Abs(got["log_loss"].(float64)-log/n) > 1e-12 || math.Abs(got["brier"].(float64)-brier/n) > 1e-12 {
		t.Errorf("%v, want %v and %v", got, log/n, brier/n)
	}
	if k := keys(object(t, contract.ExitFine, "predict", "--json", f.at("p"), test)); slices.Contains(k, "brier") {
		t.Errorf("keys %q without probabilities", k)
	}
	s := object(t, contract.ExitFine, "inspect", "--json", f.at("p"))
	if s["folds"] != 5.0 || s["sigmoid"].(map[string]any)["a"] != m.Sigmoids[0].A || s["sigmoid"].(map[string]any)["b"] != m.Sigmoids[0].B {
		t.Errorf("%v", s["sigmoid"])
	}
	if o := must(t, "inspect", f.at("p")); !strings.Contains(o.stdout, fmt.Sprintf("A = %.6g, B = %.6g; from 5 folds", m.Sigmoids[0].A, m.Sigmoids[0].B)) {
		t.Errorf("%s", o.stdout)
	}
	must(t, "verify", "--quiet", f.at("p"), data)
	must(t, "plan", "--quiet", "--probability", "--kernels", "linear", data)
	must(t, "train", "--quiet", "--probability", "--folds", "3", "--kernels", "linear", "-o", f.at("p3"), data)
	if got := object(t, contract.ExitFine, "inspect", "--json", f.at("p3")); got["folds"] != 3.0 {
		t.Errorf("%v", got["folds"])
	}
}

func TestProbabilityOfSeveral(t *testing.T) {
	f := newFolder(t)
	var rows strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(text(90, 1)), "\n") {
		_, x, _ := strings.Cut(line, " ")
		fmt.Fprintf(&rows, "%d %s 40:%d\n", i%3, x, i%3)
	}
	data := f.file("three.txt", rows.String())
	for _, kind := range []string{"ovr", "ovo", "labels"} {
		must(t, "train", "--quiet", "--probability", "--kernels", "gauss:0.05,linear", "--multiclass", kind, "-o", f.at(kind), data)
		lines := strings.Split(must(t, "predict", "--quiet", "--probability", f.at(kind), data).stdout, "\n")
		if lines[0] != "labels 0 1 2" || len(lines) != 92 {
			t.Errorf("%s: %d lines after %q", kind, len(lines), lines[0])
		}
		words := map[string]int{"ovr": 5, "ovo": 5, "labels": 7}[kind]
		if n := len(strings.Fields(lines[1])); n != words {
			t.Errorf("%s: %d words in %q", kind, n, lines[1])
		}
		if n := len(strings.Fields(strings.Split(must(t, "predict", "--quiet", "--probability", "--decisions", f.at(kind), data).stdout, "\n")[1])); n != 7 {
			t.Errorf("%s: %d words with all decisions", kind, n)
		}
		got := object(t, contract.ExitFine, "predict", "--json", "--probability", f.at(kind), data)
		if got["log_loss"].(float64) > 1 || got["brier"].(float64) > 0.6 {
			t.Errorf("%s: %v and %v", kind, got["log_loss"], got["brier"])
		}
		for _, a := range object(t, contract.ExitFine, "inspect", "--json", f.at(kind))["machines"].([]any) {
			if a.(map[string]any)["sigmoid"].(map[string]any)["a"].(float64) >= 0 {
				t.Errorf("%s: %v", kind, a)
			}
		}
		if o := must(t, "inspect", f.at(kind)); !strings.Contains(o.stdout, "from 5 folds") || !strings.Contains(o.stdout, "A ") {
			t.Errorf("%s: %s", kind, o.stdout)
		}
		must(t, "inspect", "--machine", "1", f.at(kind))
		must(t, "verify", "--quiet", f.at(kind), data)
	}
}

func TestProbabilityRefused(t *testing.T) {
	f, data, test, path := trained(t)
	train := func(more ...string) []string { return append([]string{"train", "-o", f.at("new"), data}, more...) }
	for _, c := range []fault{
		{"folds alone", train("--folds", "3"), contract.ExitUsage, "--folds has no effect without --probability"},
		{"one fold", train("--probability", "--folds", "1"), contract.ExitUsage, "--folds: 1 folds"},
		{"no number", train("--probability", "--folds", "x"), contract.ExitUsage, "--folds: "},
		{"regression", train("--probability", "--task", "svr"), contract.ExitUsage, "probabilities of classes, and task svr"},
		{"one class", train("--probability", "--task", "oneclass"), contract.ExitUsage, "probabilities of classes, and task oneclass"},
		{"checkpoints", train("--probability", "--checkpoint", f.at("c")), contract.ExitUsage, "probabilities with checkpoints"},
		{"one theta", train("--probability", "--multiclass", "ovr", "--one-theta"), contract.ExitUsage, "probabilities from folds"},
		{"path", []string{"train", "-o", f.at("new") + "%C", data, "--probability", "--path-C", "1,2"}, contract.ExitUsage, "the models of a path have no probabilities"},
		{"model without", []string{"predict", "--probability", path, test, "-o", f.at("new")}, contract.ExitUsage, "the model gives no probabilities"},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, f, c) })
	}
}
