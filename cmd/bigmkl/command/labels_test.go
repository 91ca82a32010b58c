package command

import (
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/model"
)

// TestLabels trains on genes of yeast with their functions.
func TestLabels(t *testing.T) {
	f := newFolder(t)
	test := realLines(t, "yeast-ml/yeast-ml.t.libsvm.gz", 0)
	train := every(realLines(t, "yeast-ml/yeast-ml.libsvm.gz", 0), 0, 3)
	got := object(t, contract.ExitFine, "train", "--quiet", "--json", "--multiclass", "labels", "--kernels", "gauss:auto/2,linear", "-o", f.at("m"), "--test", f.lines("test", test), f.lines("train", train))
	e := got["test"].(map[string]any)
	must(t, "predict", "-o", f.at("out"), f.at("m"), f.at("test"))
	m, err := model.Read(f.at("m"))
	if err != nil {
		t.Fatal(err)
	}
	known := firstWords(test)
	equal, wrong, sum, macro, areas := 0, 0, [3]int{}, 0.0, 0.0
	answers := f.answers("out")
	for i, a := range answers {
		var want []string
		for k, x := range a.decisions {
			if x > 0 {
				want = append(want, m.Classes[k])
			}
		}
		if text := strings.Join(want, ","); text != a.label && !(text == "" && a.label == "-") {
			t.Errorf("row %d is %s, by its decisions %s", i, a.label, text)
		}
		if a.label == known[i] {
			equal++
		}
	}
	for k, class := range m.Classes {
		c := [3]int{}
		var decisions []float64
		var has []bool
		for i, a := range answers {
			p, q := slices.Contains(strings.Split(a.label, ","), class), slices.Contains(strings.Split(known[i], ","), class)
			decisions, has = append(decisions, a.decisions[k]), append(has, q)
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
		macro += f1(c[0], c[1], c[2]) / float64(len(m.Classes))
		j := e["classes"].([]any)[k].(map[string]any)
		if want := area(decisions, has); math.Abs(j["auc"].(float64)-want) > 1e-6 {
			t.Errorf("AUC of %s is %v, want %v", class, j["auc"], want)
		}
		areas += j["auc"].(float64) / float64(len(m.Classes))
	}
	f.same("subset accuracy", e["subset_accuracy"], float64(equal)/float64(len(test)))
	f.same("Hamming loss", e["hamming_loss"], float64(wrong)/float64(len(test)*len(m.Classes)))
	f.same("micro F1", e["micro_f1"], f1(sum[0], sum[1], sum[2]))
	f.same("macro F1", e["macro_f1"], macro)
	f.same("macro AUC", e["macro_auc"], areas)
	if x := e["hamming_loss"].(float64); x > 0.22 {
		t.Errorf("Hamming loss %v", x)
	}
}

// TestSetsOfLabels: spellings of sets, and rows without any label, in training and in prediction.
func TestSetsOfLabels(t *testing.T) {
	f := newFolder(t)
	data := f.file("train", "3,1 1:1 2:0.1\n 1:0.1 2:-3\n3 1:-2 2:1\n1:0.2 2:-2\n+1,3.0 1:2\n1 1:3 2:-1\n")
	other := f.file("other", "1,3 1:1 2:0.1\n- 1:0.1 2:-3\n3 1:-2 2:1\n, 1:0.2 2:-2\n3,1 1:2\n1,1 1:3 2:-1\n")
	for _, name := range []string{data, other} {
		j := object(t, contract.ExitFine, "train", "--quiet", "--json", "--multiclass", "labels", "--kernels", "linear,gauss:1", "-C", "100", "--test", name, "-o", name+".m", name)
		if e := j["test"].(map[string]any); e["subset_accuracy"] != 1.0 || e["hamming_loss"] != 0.0 || e["micro_f1"] != 1.0 {
			t.Errorf("%v", e)
		}
	}
	if f.read("train.m") != f.read("other.m") {
		t.Error("other spellings give another model")
	}
	o := must(t, "predict", f.at("train.m"), data)
	if got := firstWords(strings.Split(strings.TrimSpace(o.stdout), "\n")); !slices.Equal(got, []string{"1,3", "-", "3", "-", "1,3", "1"}) {
		t.Errorf("predicted %q", got)
	}
	if got := object(t, contract.ExitFine, "predict", "--json", f.at("train.m"), f.file("bare", " 1:1\n2:3\n")); got["n"] != 2.0 || got["hamming_loss"] != nil {
		t.Errorf("without labels: %v", got)
	}
	// Of the two labels of the first row the model knows one: one of four answers, and of the fifth, is wrong.
	o = try("predict", "--json", f.at("train.m"), f.file("strange", "1,3,7 1:1 2:0.1\n3 1:-2 2:1\n"))
	e := decode(t, o.stdout)
	f.same("subset accuracy", e["subset_accuracy"], 0.5)
	f.same("Hamming loss", e["hamming_loss"], 1.0/5)
	f.same("micro F1", e["micro_f1"], f1(3, 3, 4))
	if !strings.Contains(o.stderr, "1 rows have labels that are none of the model's 2 labels") {
		t.Errorf("standard error %q", o.stderr)
	}
}

// TestLabelOfAllRows: a machine without support vectors beside one that has some.
func TestLabelOfAllRows(t *testing.T) {
	f := newFolder(t)
	for _, text := range []string{"1,3 1:1\n1 2:1\n1,3 1:0.5 2:1\n1 1:0.2\n", "1,3 1:1\n1,3 2:1\n"} {
		data := f.file("train", text)
		o := must(t, "train", "--quiet", "--multiclass", "labels", "--kernels", "linear,gauss:1", "-C", "100", "-o", f.at("m"), data)
		if !strings.Contains(o.stderr, "no kernel tells the classes apart: one class is predicted, in ") || !strings.Contains(o.stderr, " of 2 machines: 1") {
			t.Errorf("standard error %q", o.stderr)
		}
		e := object(t, contract.ExitFine, "predict", "--json", f.at("m"), data)
		f.same("subset accuracy", e["subset_accuracy"], 1)
		must(t, "inspect", f.at("m"))
	}
}
