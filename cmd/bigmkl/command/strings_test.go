package command

import (
	"bigmkl/cmd/bigmkl/contract"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestSequences: FASTA and a column of sequences give the same model, which predicts and verifies; labels may have a file of
// their own, the alphabet follows from the kernels, and a fault is one line with its place.
func TestSequences(t *testing.T) {
	f := newFolder(t)
	random := rand.New(rand.NewPCG(8, 0))
	var fasta, column, bare, labels strings.Builder
	for i := range 120 {
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
	data := f.file("a.fa", fasta.String())
	train := func(out string, more ...string) []string {
		return append([]string{"train", "--quiet", "--kernels", "wd:10,wd:3..5:shift=2,spectrum:3@1-40,spectrum:4:1", "-o", f.at(out)}, more...)
	}
	must(t, train("m", data)...)
	must(t, train("m2", f.file("a.txt", column.String()))...)
	must(t, train("m3", "--labels", f.file("labels", labels.String()), "--sequences", "dna", f.file("bare", bare.String()))...)
	if f.read("m") != f.read("m2") || f.read("m") != f.read("m3") {
		t.Error("the model depends on the form of the data")
	}
	must(t, "verify", f.at("m"), f.at("a.txt"))
	must(t, "verify", f.at("m"), f.at("bare"), "--labels", f.at("labels"))
	o := must(t, "predict", f.at("m"), data, "-o", f.at("out"))
	if !strings.Contains(o.stdout, "average precision 1") || strings.Count(f.read("out"), "\n") != 120 {
		t.Errorf("predictions: %s", o.stdout)
	}
	if o := must(t, "inspect", f.at("m")); !strings.Contains(o.stdout, "spectrum:4:1") || !strings.Contains(o.stdout, "wd:4:shift=2") {
		t.Errorf("inspect: %s", o.stdout)
	}
	must(t, "gram", "--quiet", "--kernels", "wd:10", "-o", f.at("K.npy"), data)
	must(t, "train", "--quiet", "--sequences", "dna", "--kernels", "precomputed:"+f.at("K.npy"), "-o", f.at("m4"), data)
	must(t, "train", "--quiet", "--sequences", "bytes", "-o", f.at("m5"), f.file("words", "1 to.be\n-1 or-not\n1 to,be\n-1 or*not\n"))
	must(t, "plan", "--quiet", "--kernels", "wd:10", data)
	if o := must(t, "align", "--quiet", "--kernels", "wd:10,spectrum:3..4", data); !strings.Contains(o.stdout, "spectrum:4") {
		t.Errorf("align: %s", o.stdout)
	}
	bad := f.file("bad", "1 ACGT\n-1 ACZT\n")
	for _, c := range []fault{
		{"letter", train("new", bad), contract.ExitInput, bad + ":2:6: \"Z\" is no letter of dna"},
		{"numbers", []string{"train", "--quiet", "-o", f.at("new"), data}, contract.ExitInput, data + ":1: this looks like sequences"},
		{"a column as numbers", []string{"train", "--quiet", "-o", f.at("new"), f.at("a.txt")}, contract.ExitInput, f.at("a.txt") + ":1:3: "},
		{"kernel of numbers", train("new", "--kernels", "gauss:1,wd:3", data), contract.ExitUsage, "kernel \"gauss:1\": the data are sequences"},
		{"scaling", train("new", "--scale", "minmax", data), contract.ExitUsage, "scaling minmax of sequences"},
		{"labels twice", train("new", "--labels", f.at("labels"), data), contract.ExitInput, data + ":1: the row has a label"},
		{"labels of nothing", train("new", "--task", "oneclass", "--labels", f.at("labels"), f.at("bare")), contract.ExitUsage, "a file of labels, where labels are not looked at"},
		{"labels overwritten", append(train("labels", "--labels", f.at("labels")+":1"), f.at("bare")), contract.ExitUsage, f.at("labels") + ": the result would replace"},
		{"standard input twice", train("new", "--labels", "-", "--row-weights", "-", f.at("bare")), contract.ExitUsage, "standard input cannot be two of"},
		{"align numbers", []string{"align", "--quiet", "--kernels", "linear,wd:3", data}, contract.ExitUsage, "kernel \"linear\": the data are sequences"},
		{"other data", []string{"predict", "--quiet", f.at("m"), bad}, contract.ExitInput, bad + ":2:6: "},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, f, c) })
	}
}

// TestSequenceTasks: every task learns from sequences, whose labels are what the task has, in any form and in a file of their own;
// norms over groups of kernels, starts from a model and plans take them, too.
func TestSequenceTasks(t *testing.T) {
	f := newFolder(t)
	random := rand.New(rand.NewPCG(9, 0))
	var fasta, column, bare, labels strings.Builder
	for i := range 150 {
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
	data, other, alone, own := f.file("a.fa", fasta.String()), f.file("a.txt", column.String()), f.file("bare", bare.String()), f.file("labels", labels.String())
	const kernels = "wd:6 group=places,wd:4:shift=2 group=places,spectrum:3 group=words prior=2"
	for _, task := range []string{"svr", "square"} {
		train := func(more ...string) []string {
			return append([]string{"train", "--quiet", "--task", task, "--kernels", kernels, "--group-norm", "3/2"}, more...)
		}
		must(t, train("-o", f.at("m"), data)...)
		must(t, train("-o", f.at("m2"), other)...)
		must(t, train("-o", f.at("m3"), "--labels", own+":2", alone)...)
		if f.read("m") != f.read("m2") || f.read("m") != f.read("m3") {
			t.Errorf("%s: the model depends on the form of the data", task)
		}
		must(t, "verify", f.at("m"), other)
		must(t, "verify", f.at("m"), alone, "--labels", own+":2")
		if e := object(t, contract.ExitFine, "predict", "--json", f.at("m"), data); e["r2"].(float64) < 0.8 {
			t.Errorf("%s: %v", task, e)
		}
		got := object(t, contract.ExitFine, append(train("--json", "--gap", "1e-5", "--init", f.at("m"), "-o", f.at("m4")), data)...)
		cold := object(t, contract.ExitFine, append(train("--json", "--gap", "1e-5", "-o", f.at("m5")), data)...)
		if got["iterations"].(float64) >= cold["iterations"].(float64) {
			t.Errorf("%s: %v iterations from a model, %v without", task, got["iterations"], cold["iterations"])
		}
		must(t, append([]string{"plan"}, train(data)[1:]...)...)
		must(t, train("--path-C", "0.5,2", "--test", other, "-o", f.at("path%C"), data)...)
		must(t, "verify", f.at("path0.5"), other)
		must(t, "verify", f.at("path2"), other)
	}
	for i, d := range []string{data, other, alone} {
		must(t, "train", "--quiet", "--task", "oneclass", "--nu", "0.2", "--kernels", "wd:6,spectrum:3", "-o", f.at(fmt.Sprint("one", i)), d)
		must(t, "verify", f.at(fmt.Sprint("one", i)), d)
	}
	if f.read("one0") != f.read("one1") || f.read("one0") != f.read("one2") {
		t.Error("labels have a part in one class")
	}
	j := object(t, contract.ExitFine, "inspect", "--json", f.at("one0"))
	if o := must(t, "inspect", f.at("one0")); j["sequences"] != "dna" || !strings.Contains(o.stdout, "sequences of dna, up to 40 letters") {
		t.Errorf("%v\n%s", j["sequences"], o.stdout)
	}
	must(t, "bound", f.at("one0"), f.at("one1"))
	bad := f.file("bad", "1.5 ACGT\nACGT\n")
	for _, c := range []fault{
		{"no target", []string{"train", "--quiet", "--task", "svr", "--kernels", "wd:3", "-o", f.at("new"), bad}, contract.ExitInput, bad + ":2: the row has no target"},
		{"target no number", []string{"train", "--quiet", "--task", "svr", "--kernels", "wd:3", "-o", f.at("new"), alone, "--labels", own}, contract.ExitInput, own + ":1:1: target \"s0\""},
		{"targets as classes", []string{"train", "--quiet", "--kernels", "wd:3", "-o", f.at("new"), bad}, contract.ExitInput, bad + ":1:1: label \"1.5\""},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, f, c) })
	}
}
