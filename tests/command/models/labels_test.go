package models

import (
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/model"
	"bigmkl/tests/commandtest"
)

// TestLabels trains on genes of yeast with their functions.
func TestLabels(t *testing.T) {
	f := commandtest.NewFolder(t)
	test := commandtest.RealLines(t, "yeast-ml/yeast-ml.t.libsvm.gz", 0)
	train := commandtest.Every(commandtest.RealLines(t, "yeast-ml/yeast-ml.libsvm.gz", 0), 0, 3)
	got := commandtest.Object(t, contract.ExitFine, "train", "--quiet", "--json", "--multiclass", "labels", "--kernels", "gauss:auto/2,linear", "-o", f.At("m"), "--test", f.Lines("test", test), f.Lines("train", train))
	e := got["test"].(map[string]any)
	commandtest.Must(t, "predict", "-o", f.At("out"), f.At("m"), f.At("test"))
	m, err := model.Read(f.At("m"))
	if err != nil {
		t.Fatal(err)
	}
	known := commandtest.FirstWords(test)
	equal, wrong, sum, macro, areas := 0, 0, [3]int{}, 0.0, 0.0
	answers := f.Answers("out")
	for i, a := range answers {
		var want []string
		for k, x := range a.Decisions {
			if x > 0 {
				want = append(want, m.Classes[k])
			}
		}
		if text := strings.Join(want, ","); text != a.Label && !(text == "" && a.Label == "-") {
			t.Errorf("row %d is %s, by its decisions %s", i, a.Label, text)
		}
		if a.Label == known[i] {
			equal++
		}
	}
	for k, class := range m.Classes {
		c := [3]int{}
		var decisions []float64
		var has []bool
		for i, a := range answers {
			p, q := slices.Contains(strings.Split(a.Label, ","), class), slices.Contains(strings.Split(known[i], ","), class)
			decisions, has = append(decisions, a.Decisions[k]), append(has, q)
			if p && q {
				c[0]++
			}
			if p {
				c[1]++
			}
			if q {
				c[2]++
			}
			if p != q {
				wrong++
			}
		}
		for i := range c {
			sum[i] += c[i]
		}
		macro += commandtest.F1(c[0], c[1], c[2]) / float64(len(m.Classes))
		j := e["classes"].([]any)[k].(map[string]any)
		if want := commandtest.Area(decisions, has); math.Abs(j["auc"].(float64)-want) > 1e-6 {
			t.Errorf("AUC of %s is %v, want %v", class, j["auc"], want)
		}
		areas += j["auc"].(float64) / float64(len(m.Classes))
	}
	f.Same("subset accuracy", e["subset_accuracy"], float64(equal)/float64(len(test)))
	f.Same("Hamming loss", e["hamming_loss"], float64(wrong)/float64(len(test)*len(m.Classes)))
	f.Same("micro F1", e["micro_f1"], commandtest.F1(sum[0], sum[1], sum[2]))
	f.Same("macro F1", e["macro_f1"], macro)
	f.Same("macro AUC", e["macro_auc"], areas)
	if x := e["hamming_loss"].(float64); x > 0.22 {
		t.Errorf("Hamming loss %v", x)
	}
}

// TestSetsOfLabels: spellings of sets, and rows without any label, in training and in prediction.
func TestSetsOfLabels(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("train", "3,1 1:1 2:0.1\n 1:0.1 2:-3\n3 1:-2 2:1\n1:0.2 2:-2\n+1,3.0 1:2\n1 1:3 2:-1\n")
	other := f.File("other", "1,3 1:1 2:0.1\n- 1:0.1 2:-3\n3 1:-2 2:1\n, 1:0.2 2:-2\n3,1 1:2\n1,1 1:3 2:-1\n")
	for _, name := range []string{data, other} {
		j := commandtest.Object(t, contract.ExitFine, "train", "--quiet", "--json", "--multiclass", "labels", "--kernels", "linear,gauss:1", "-C", "100", "--test", name, "-o", name+".m", name)
		if e := j["test"].(map[string]any); e["subset_accuracy"] != 1.0 || e["hamming_loss"] != 0.0 || e["micro_f1"] != 1.0 {
			t.Errorf("%v", e)
		}
	}
	if f.Read("train.m") != f.Read("other.m") {
		t.Error("other spellings give another model")
	}
	o := commandtest.Must(t, "predict", f.At("train.m"), data)
	if got := commandtest.FirstWords(strings.Split(strings.TrimSpace(o.Stdout), "\n")); !slices.Equal(got, []string{"1,3", "-", "3", "-", "1,3", "1"}) {
		t.Errorf("predicted %q", got)
	}
	if got := commandtest.Object(t, contract.ExitFine, "predict", "--json", f.At("train.m"), f.File("bare", " 1:1\n2:3\n")); got["n"] != 2.0 || got["hamming_loss"] != nil {
		t.Errorf("without labels: %v", got)
	}
	// The model has one of the two labels of the first row: one of four answers is wrong, and of the fifth.
	o = commandtest.Try("predict", "--json", f.At("train.m"), f.File("strange", "1,3,7 1:1 2:0.1\n3 1:-2 2:1\n"))
	e := commandtest.Decode(t, o.Stdout)
	f.Same("subset accuracy", e["subset_accuracy"], 0.5)
	f.Same("Hamming loss", e["hamming_loss"], 1.0/5)
	f.Same("micro F1", e["micro_f1"], commandtest.F1(3, 3, 4))
	if !strings.Contains(o.Stderr, "1 rows have labels that are none of the model's 2 labels") {
		t.Errorf("standard error %q", o.Stderr)
	}
}

// TestLabelOfAllRows: a classifier without support vectors beside one that has some.
func TestLabelOfAllRows(t *testing.T) {
	f := commandtest.NewFolder(t)
	for _, text := range []string{"1,3 1:1\n1 2:1\n1,3 1:0.5 2:1\n1 1:0.2\n", "1,3 1:1\n1,3 2:1\n"} {
		data := f.File("train", text)
		o := commandtest.Must(t, "train", "--quiet", "--multiclass", "labels", "--kernels", "linear,gauss:1", "-C", "100", "-o", f.At("m"), data)
		if !strings.Contains(o.Stderr, "no kernel tells the classes apart: one class is predicted, in ") || !strings.Contains(o.Stderr, " of 2 classifiers: 1") {
			t.Errorf("standard error %q", o.Stderr)
		}
		e := commandtest.Object(t, contract.ExitFine, "predict", "--json", f.At("m"), data)
		f.Same("subset accuracy", e["subset_accuracy"], 1)
		commandtest.Must(t, "inspect", f.At("m"))
	}
}
