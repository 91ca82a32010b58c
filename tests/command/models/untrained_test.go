package models

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/dataset"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// halt interrupts a training at the first step of a classifier.
type halt struct {
	classifier int
	stop       func()
}

func (h halt) Record(e bigmkl.Event) error {
	if e.Classifier >= h.classifier {
		h.stop()
	}
	return nil
}

// halted writes the model of a training that was interrupted; classifier is the one in hand.
func halted(t *testing.T, f commandtest.Folder, data, out string, o bigmkl.Options, classifier int) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	src, err := dataset.Open([]string{data}, dataset.ReadOptions{Labels: o.Labeling()})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	o.Scratch, o.Recorder = t.TempDir(), halt{classifier, stop}
	m, _, err := bigmkl.Train(ctx, src, o)
	if err == nil {
		err = m.Save(t.Context(), f.At(out))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestUnconvergedModelsSaySo: every command that uses a model with a gap above the requested one reports this, and how many of its
// classifiers were never trained. It reports nothing about a converged model. Below level 1 a kind of training has two of these ends.
func TestUnconvergedModelsSaySo(t *testing.T) {
	f := commandtest.NewFolder(t)
	const classes = 6
	for _, c := range []struct {
		name        string
		o           bigmkl.Options
		classifiers int
	}{
		{"ovr", bigmkl.Options{Multiclass: "ovr"}, classes}, {"ovo", bigmkl.Options{Multiclass: "ovo"}, classes * (classes - 1) / 2}, {"labels", bigmkl.Options{Multiclass: "labels"}, classes},
		{"one-theta", bigmkl.Options{Multiclass: "ovr", OneTheta: true}, classes}, {"one-theta labels", bigmkl.Options{Multiclass: "labels", OneTheta: true}, classes},
		{"class", bigmkl.Options{Task: "class", Positive: []string{"1", "2"}}, 1}, {"svr", bigmkl.Options{Task: "svr"}, 1}, {"square", bigmkl.Options{Task: "square"}, 1},
		{"square by lbfgs", bigmkl.Options{Task: "square", Solver: "lbfgs", Kernels: "linear"}, 1},
		{"oneclass", bigmkl.Options{Task: "oneclass"}, 1}, {"wrapper", bigmkl.Options{Positive: []string{"1", "2"}, Solver: "wrapper"}, 1},
		{"cutting planes", bigmkl.Options{Positive: []string{"1", "2"}, Solver: "cpm"}, 1},
	} {
		kind := c.o.Task
		if c.o.Multiclass == "labels" {
			kind = "labels"
		}
		data, test := f.File("data", commandtest.Grouped(60, classes, kind)), f.File("test", commandtest.Grouped(36, classes, kind))
		if c.o.Kernels == "" {
			c.o.Kernels = "linear,gauss:1,gauss:8"
		}
		c.o.Gap = 1e-4
		limits := []string{"at the first", "one step", "never"}
		if c.classifiers > 1 {
			limits = append(limits, "at the third")
		}
		for _, when := range testlevel.Some(t, c.name, 2, limits) {
			o, classifier := c.o, math.MaxInt
			switch when {
			case "at the first":
				classifier = 0
			case "at the third":
				classifier = 2
			case "one step":
				o.MaxIterations = 1
			}
			halted(t, f, data, "m", o, classifier)
			m, err := model.Read(f.At("m"))
			if err != nil {
				t.Fatal(err)
			}
			name := c.name + ", interrupted " + when
			said := doubtOf(t, f, data, test, name)
			if m.Convergence().Reached() != (said == "") || when == "never" && said != "" {
				t.Errorf("%s: converged %v, said %q", name, m.Convergence().Reached(), said)
			}
			untrained := m.Convergence().Untrained()
			most := c.classifiers
			switch {
			case c.o.Task == "oneclass": // which starts at a point with support vectors
				most = 0
			case when == "at the third" && !c.o.OneTheta:
				most = c.classifiers - 2
			case when == "at the third" || when == "at the first" && c.classifiers == 1:
				most = c.classifiers
			case when == "one step" || when == "never":
				most = 0
			}
			if untrained > most || when == "at the third" && !c.o.OneTheta && untrained < most-1 {
				t.Errorf("%s: %d of %d classifiers are untrained, want %d", name, untrained, c.classifiers, most)
			}
			for _, want := range map[bool][]string{true: {"never trained"}, false: nil}[untrained > 0] {
				if !strings.Contains(said, want) || c.classifiers > 1 && !strings.Contains(said, fmt.Sprintf("; %d of %d classifiers w", untrained, c.classifiers)) {
					t.Errorf("%s: said %q", name, said)
				}
			}
		}
	}
}

// doubtOf gives the text of predict, inspect and verify about a model that is not converged. The three texts must be equal, also in JSON.
func doubtOf(t *testing.T, f commandtest.Folder, data, test, name string) string {
	t.Helper()
	const start = "the model is not converged: "
	m, err := model.Read(f.At("m"))
	if err != nil {
		t.Fatal(err)
	}
	pick := func(text string) string {
		var found []string
		for line := range strings.SplitSeq(text, "\n") {
			if i := strings.Index(line, start); i >= 0 {
				found = append(found, line[i:])
			}
		}
		if len(found) > 1 {
			t.Errorf("%s: %q", name, found)
		}
		return strings.Join(found, "; ")
	}
	said := pick(commandtest.Must(t, "predict", "--quiet", f.At("m"), test, "-o", f.At("out")).Stderr)
	for _, other := range []string{commandtest.Must(t, "inspect", f.At("m")).Stdout, commandtest.Must(t, "verify", "--quiet", f.At("m"), data).Stderr, commandtest.Must(t, "predict", "--quiet", "--json", f.At("m"), test).Stderr} {
		if got := pick(other); got != said {
			t.Errorf("%s: one says %q, another %q", name, said, got)
		}
	}
	predicted := commandtest.Object(t, contract.ExitFine, "predict", "--json", "--quiet", f.At("m"), test)["model"].(map[string]any)
	for command, got := range map[string]map[string]any{
		"predict": predicted, "inspect": commandtest.Object(t, contract.ExitFine, "inspect", "--json", f.At("m")), "verify": commandtest.Object(t, contract.ExitFine, "verify", "--json", "--quiet", f.At("m"), data),
	} {
		if got["converged"] != (said == "") || got["gap"] != m.Gap || got["untrained"] != float64(m.Convergence().Untrained()) {
			t.Errorf("%s: %s --json has %v, %v, %v", name, command, got["converged"], got["gap"], got["untrained"])
		}
	}
	return said
}

// TestAveragesLeaveUntrainedOut: means over classifiers use only the classifiers that were
// trained.
func TestAveragesLeaveUntrainedOut(t *testing.T) {
	f := commandtest.NewFolder(t)
	const classes, after = 5, 2
	for _, kind := range []string{"ovr", "labels"} {
		data := f.File("data", commandtest.Grouped(100, classes, kind))
		o := bigmkl.Options{Multiclass: kind, Kernels: "linear,gauss:1"}
		halted(t, f, data, "m", o, after)
		halted(t, f, data, "whole", o, math.MaxInt)
		part, whole := commandtest.Object(t, contract.ExitFine, "inspect", "--json", f.At("m")), commandtest.Object(t, contract.ExitFine, "inspect", "--json", f.At("whole"))
		untrained := int(part["untrained"].(float64))
		if untrained != classes-after && untrained != classes-after-1 {
			t.Fatalf("%s: %d of %d classifiers are untrained", kind, untrained, classes)
		}
		sums, trained := []float64{0, 0}, 0
		for k, v := range part["machines"].([]any) {
			a := v.(map[string]any)
			if a["trained"].(bool) != (k < classes-untrained) {
				t.Errorf("%s: classifier %d is trained: %v", kind, k+1, a["trained"])
			}
			if a["trained"].(bool) {
				trained++
				for id, x := range a["theta"].([]any) {
					sums[id] += x.(float64)
				}
			}
		}
		for _, v := range part["heaviest"].([]any) {
			h := v.(map[string]any)
			if want := sums[int(h["index"].(float64))] / float64(trained); math.Abs(h["theta"].(float64)-want) > 1e-12*want {
				t.Errorf("%s: theta %v, the mean of %d classifiers is %v", kind, h["theta"], trained, want)
			}
		}
		if o := commandtest.Must(t, "inspect", f.At("m")); !strings.Contains(o.Stdout, fmt.Sprintf("averages over the %d of %d classifiers that were trained", trained, classes)) || strings.Count(o.Stdout, "never trained\n") != untrained {
			t.Errorf("%s: %s", kind, o.Stdout)
		}
		if int(whole["untrained"].(float64)) != 0 {
			t.Errorf("%s: %v of the whole model are untrained", kind, whole["untrained"])
		}
		got := commandtest.Object(t, contract.ExitFine, "predict", "--json", "--quiet", f.At("m"), data)
		mean, n := 0.0, 0.0
		f1, labels := 0.0, 0.0
		for k, v := range got["classes"].([]any) {
			c := v.(map[string]any)
			if (c["auc"] == nil) != (k >= trained) {
				t.Errorf("%s: the area of class %d is %v", kind, k, c["auc"])
			}
			if k >= trained {
				if c["predicted"] != 0.0 {
					t.Errorf("%s: class %d is predicted by a classifier that was never trained", kind, k)
				}
				continue
			}
			mean, n = mean+c["auc"].(float64), n+1
			f1, labels = f1+c["f1"].(float64), labels+1
		}
		if x := got["macro_auc"].(float64); math.Abs(x-mean/n) > 1e-12 {
			t.Errorf("%s: macro AUC %v, the mean of those that there are is %v", kind, x, mean/n)
		}
		if x := got["macro_f1"].(float64); kind == "labels" && math.Abs(x-f1/labels) > 1e-12 {
			t.Errorf("%s: macro F1 %v, want %v", kind, x, f1/labels)
		}
		if bounds := commandtest.Object(t, contract.ExitFine, "bound", "--json", f.At("m")); bounds["machines"] != float64(trained) && trained > 1 {
			t.Errorf("%s: bounds of %v classifiers, %d were trained", kind, bounds["machines"], trained)
		}
	}
}

// TestEqualTargets: targets that are all equal are told as that, and C and epsilon of svr count no deviation that is
// what rounding left.
func TestEqualTargets(t *testing.T) {
	f := commandtest.NewFolder(t)
	for _, target := range []string{"5", "0.1", "-3.1", "1e+300", "0"} {
		var rows strings.Builder
		for i := range 133 {
			fmt.Fprintf(&rows, "%s 1:%d 2:%d\n", target, i, i*i%7)
		}
		data := f.File("data", rows.String())
		o := commandtest.Must(t, "train", "--quiet", "--task", "svr", "-o", f.At("m"), data)
		if !strings.Contains(o.Stdout, "\ndeviation of the targets 1: C = 1, epsilon = 0.1\n") {
			t.Errorf("targets %s:\n%s", target, o.Stdout)
		}
		if !strings.Contains(o.Stderr, "warning: all targets are equal, "+target) || strings.Contains(o.Stderr, "rows apart") {
			t.Errorf("targets %s:\n%s", target, o.Stderr)
		}
	}
}
