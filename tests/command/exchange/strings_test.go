package exchange

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestSequences: FASTA and a column of sequences give the same model, which predicts and verifies; labels may have a file of
// their own, the alphabet follows from the kernels, and a fault is one line with its place.
func TestSequences(t *testing.T) {
	f := commandtest.NewFolder(t)
	random := rand.New(rand.NewPCG(8, 0))
	var fasta, column, bare, labels strings.Builder
	for i := range 70 {
		text := make([]byte, 50)
		for k := range text {
			text[k] = "acgtACGTn"[random.IntN(9)]
		}
		label := fmt.Sprint(1 - 2*(i%2))
		if i%2 == 0 {
			copy(text[20:], "GATTACA")
		}
		fmt.Fprintf(&fasta, ">site%d label=%s\n%s\n%s\n", i, label, text[:30], text[30:])
		fmt.Fprintf(&column, "%s\t%s\n", label, text)
		fmt.Fprintf(&bare, "%s\n", text)
		fmt.Fprintf(&labels, "%s\n", label)
	}
	data := f.File("a.fa", fasta.String())
	train := func(out string, more ...string) []string {
		return append([]string{"train", "--quiet", "--kernels", "wd:10,wd:3..5:shift=2,spectrum:3@1-40,spectrum:4:1", "-o", f.At(out)}, more...)
	}
	commandtest.Must(t, train("m", data)...)
	commandtest.Must(t, train("m2", f.File("a.txt", column.String()))...)
	commandtest.Must(t, train("m3", "--labels", f.File("labels", labels.String()), "--sequences", "dna", f.File("bare", bare.String()))...)
	if f.Read("m") != f.Read("m2") || f.Read("m") != f.Read("m3") {
		t.Error("the model depends on the form of the data")
	}
	commandtest.Must(t, "verify", f.At("m"), f.At("a.txt"))
	commandtest.Must(t, "verify", f.At("m"), f.At("bare"), "--labels", f.At("labels"))
	o := commandtest.Must(t, "predict", f.At("m"), data, "-o", f.At("out"))
	if !strings.Contains(o.Stdout, "average precision 1") || strings.Count(f.Read("out"), "\n") != 70 {
		t.Errorf("predictions: %s", o.Stdout)
	}
	if o := commandtest.Must(t, "inspect", f.At("m")); !strings.Contains(o.Stdout, "spectrum:4:1") || !strings.Contains(o.Stdout, "wd:4:shift=2") {
		t.Errorf("inspect: %s", o.Stdout)
	}
	commandtest.Must(t, "gram", "--quiet", "--kernels", "wd:10", "-o", f.At("K.npy"), data)
	commandtest.Must(t, "train", "--quiet", "--sequences", "dna", "--kernels", "precomputed:"+f.At("K.npy"), "-o", f.At("m4"), data)
	commandtest.Must(t, "train", "--quiet", "--sequences", "bytes", "-o", f.At("m5"), f.File("words", "1 to.be\n-1 or-not\n1 to,be\n-1 or*not\n"))
	commandtest.Must(t, "plan", "--quiet", "--kernels", "wd:10", data)
	if o := commandtest.Must(t, "align", "--quiet", "--kernels", "wd:10,spectrum:3..4", data); !strings.Contains(o.Stdout, "spectrum:4") {
		t.Errorf("align: %s", o.Stdout)
	}
	bad := f.File("bad", "1 ACGT\n-1 ACZT\n")
	for _, c := range []commandtest.Fault{
		{Name: "letter", Args: train("new", bad), Code: contract.ExitInput, Want: bad + ":2:6: \"Z\" is no letter of dna"},
		{Name: "numbers", Args: []string{"train", "--quiet", "-o", f.At("new"), data}, Code: contract.ExitInput, Want: data + ":1: this looks like sequences"},
		{Name: "a column as numbers", Args: []string{"train", "--quiet", "-o", f.At("new"), f.At("a.txt")}, Code: contract.ExitInput, Want: f.At("a.txt") + ":1:3: "},
		{Name: "kernel of numbers", Args: train("new", "--kernels", "gauss:1,wd:3", data), Code: contract.ExitUsage, Want: "kernel \"gauss:1\": the data are sequences"},
		{Name: "scaling", Args: train("new", "--scale", "minmax", data), Code: contract.ExitUsage, Want: "scaling minmax of sequences"},
		{Name: "labels twice", Args: train("new", "--labels", f.At("labels"), data), Code: contract.ExitInput, Want: data + ":1: the row has a label"},
		{Name: "labels of nothing", Args: train("new", "--task", "oneclass", "--labels", f.At("labels"), f.At("bare")), Code: contract.ExitUsage, Want: "a file of labels, where labels are not looked at"},
		{Name: "labels overwritten", Args: append(train("labels", "--labels", f.At("labels")+":1"), f.At("bare")), Code: contract.ExitUsage, Want: f.At("labels") + ": the result would replace"},
		{Name: "standard input twice", Args: train("new", "--labels", "-", "--row-weights", "-", f.At("bare")), Code: contract.ExitUsage, Want: "standard input cannot be two of"},
		{Name: "align numbers", Args: []string{"align", "--quiet", "--kernels", "linear,wd:3", data}, Code: contract.ExitUsage, Want: "kernel \"linear\": the data are sequences"},
		{Name: "other data", Args: []string{"predict", "--quiet", f.At("m"), bad}, Code: contract.ExitInput, Want: bad + ":2:6: "},
	} {
		t.Run(c.Name, func(t *testing.T) { commandtest.Check(t, f, c) })
	}
}

// TestSequenceTasks: every task learns from sequences, whose labels are what the task has, in any form and in a file of their own;
// norms over groups of kernels, starts from a model and plans take them, too.
func TestSequenceTasks(t *testing.T) {
	f := commandtest.NewFolder(t)
	random := rand.New(rand.NewPCG(9, 0))
	var fasta, column, bare, labels strings.Builder
	for i := range 80 {
		text := make([]byte, 40)
		target := 0.1 * random.NormFloat64()
		for k := range text {
			text[k] = "ACGT"[random.IntN(4)]
		}
		if i%2 == 0 {
			copy(text[10:], "GATTACA")
			target += 1.5
		}
		fmt.Fprintf(&fasta, ">s%d label=%g\n%s\n", i, target, text)
		fmt.Fprintf(&column, "%g %s\n", target, text)
		fmt.Fprintf(&bare, "%s\n", text)
		fmt.Fprintf(&labels, "s%d,%g\n", i, target)
	}
	data, other, alone, own := f.File("a.fa", fasta.String()), f.File("a.txt", column.String()), f.File("bare", bare.String()), f.File("labels", labels.String())
	const kernels = "wd:6 group=places,wd:4:shift=2 group=places,spectrum:3 group=words prior=2"
	for _, task := range []string{"svr", "square"} {
		train := func(more ...string) []string {
			return append([]string{"train", "--quiet", "--task", task, "--kernels", kernels, "--group-norm", "3/2"}, more...)
		}
		commandtest.Must(t, train("-o", f.At("m"), data)...)
		commandtest.Must(t, train("-o", f.At("m2"), other)...)
		commandtest.Must(t, train("-o", f.At("m3"), "--labels", own+":2", alone)...)
		if f.Read("m") != f.Read("m2") || f.Read("m") != f.Read("m3") {
			t.Errorf("%s: the model depends on the form of the data", task)
		}
		commandtest.Must(t, "verify", f.At("m"), other)
		commandtest.Must(t, "verify", f.At("m"), alone, "--labels", own+":2")
		if e := commandtest.Object(t, contract.ExitFine, "predict", "--json", f.At("m"), data); e["r2"].(float64) < 0.8 {
			t.Errorf("%s: %v", task, e)
		}
		got := commandtest.Object(t, contract.ExitFine, append(train("--json", "--gap", "1e-5", "--init", f.At("m"), "-o", f.At("m4")), data)...)
		cold := commandtest.Object(t, contract.ExitFine, append(train("--json", "--gap", "1e-5", "-o", f.At("m5")), data)...)
		if got["iterations"].(float64) >= cold["iterations"].(float64) {
			t.Errorf("%s: %v iterations from a model, %v without", task, got["iterations"], cold["iterations"])
		}
		commandtest.Must(t, append([]string{"plan"}, train(data)[1:]...)...)
		commandtest.Must(t, train("--path-C", "0.5,2", "--test", other, "-o", f.At("path%C"), data)...)
		commandtest.Must(t, "verify", f.At("path0.5"), other)
		commandtest.Must(t, "verify", f.At("path2"), other)
	}
	for i, d := range []string{data, other, alone} {
		commandtest.Must(t, "train", "--quiet", "--task", "oneclass", "--nu", "0.2", "--kernels", "wd:6,spectrum:3", "-o", f.At(fmt.Sprint("one", i)), d)
		commandtest.Must(t, "verify", f.At(fmt.Sprint("one", i)), d)
	}
	if f.Read("one0") != f.Read("one1") || f.Read("one0") != f.Read("one2") {
		t.Error("labels have a part in one class")
	}
	j := commandtest.Object(t, contract.ExitFine, "inspect", "--json", f.At("one0"))
	if o := commandtest.Must(t, "inspect", f.At("one0")); j["sequences"] != "dna" || !strings.Contains(o.Stdout, "sequences of dna, up to 40 letters") {
		t.Errorf("%v\n%s", j["sequences"], o.Stdout)
	}
	commandtest.Must(t, "bound", f.At("one0"), f.At("one1"))
	bad := f.File("bad", "1.5 ACGT\nACGT\n")
	for _, c := range []commandtest.Fault{
		{Name: "no target", Args: []string{"train", "--quiet", "--task", "svr", "--kernels", "wd:3", "-o", f.At("new"), bad}, Code: contract.ExitInput, Want: bad + ":2: the row has no target"},
		{Name: "target no number", Args: []string{"train", "--quiet", "--task", "svr", "--kernels", "wd:3", "-o", f.At("new"), alone, "--labels", own}, Code: contract.ExitInput, Want: own + ":1:1: target \"s0\""},
		{Name: "targets as classes", Args: []string{"train", "--quiet", "--kernels", "wd:3", "-o", f.At("new"), bad}, Code: contract.ExitInput, Want: bad + ":1:1: label \"1.5\""},
	} {
		t.Run(c.Name, func(t *testing.T) { commandtest.Check(t, f, c) })
	}
}
