package main

import (
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
	bad := f.file("bad", "1 ACGT\n-1 ACZT\n")
	for _, c := range []fault{
		{"letter", train("new", bad), exitInput, bad + ":2:6: \"Z\" is no letter of dna"},
		{"numbers", []string{"train", "--quiet", "-o", f.at("new"), data}, exitInput, data + ":1: this looks like sequences"},
		{"a column as numbers", []string{"train", "--quiet", "-o", f.at("new"), f.at("a.txt")}, exitInput, f.at("a.txt") + ":1:3: "},
		{"kernel of numbers", train("new", "--kernels", "gauss:1,wd:3", data), exitUsage, "kernel \"gauss:1\": the data are sequences"},
		{"scaling", train("new", "--scale", "minmax", data), exitUsage, "scaling minmax of sequences"},
		{"labels twice", train("new", "--labels", f.at("labels"), data), exitInput, data + ":1: the row has a label"},
		{"other data", []string{"predict", "--quiet", f.at("m"), bad}, exitInput, bad + ":2:6: "},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, f, c) })
	}
}
