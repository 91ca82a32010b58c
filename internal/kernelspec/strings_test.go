package kernelspec

import (
	"testing"

	"bigmkl/dataset"
)

// TestStringsDescribe: the name of a string kernel is a specification of the same kernel.
func TestStringsDescribe(t *testing.T) {
	c := Context{Features: 50, Sequences: dataset.DNA, Views: []dataset.View{{Name: "up", First: 1, Last: 20}}}
	b, err := Expand([]string{"wd:18..20", "wd:3:shift=7@up", "wd:4:shift=0", "spectrum:1..3@2-9+11", "spectrum:6:1", "spectrum:5:0", "precomputed:K", "prod(wd:3,pow(spectrum:2@up,2))"}, c)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"wd:18", "wd:19", "wd:20", "wd:3:shift=7@up", "wd:4", "spectrum:1@2-9+11", "spectrum:2@2-9+11", "spectrum:3@2-9+11", "spectrum:6:1", "spectrum:5", "precomputed:K", "prod(wd:3,pow(spectrum:2@up,2))"}
	if len(b.Kernels) != len(want) {
		t.Fatalf("%d kernels", len(b.Kernels))
	}
	for id, k := range b.Kernels {
		name := b.Describe(id)
		again, err := Expand([]string{name}, c)
		if err != nil || name != want[id] {
			t.Errorf("%s: described as %s, %v", want[id], name, err)
			continue
		}
		other := again.Kernels[0]
		k.Set, other.Set = 0, 0
		k.Index, other.Index = 0, 0 // products: the name determines all
		if k != other || again.Letters != dataset.DNA {
			t.Errorf("%s: %+v, again %+v", name, k, other)
		}
	}
	if !AskForSequences([]string{"precomputed:K", "wd:3"}) || !AskForSequences([]string{"prod(pow(wd:3,2),wd:4)"}) || AskForSequences([]string{"pow(linear,2)"}) || AskForSequences([]string{"gauss:1", "precomputed:wd:3"}) {
		t.Error("which kernels ask for sequences")
	}
}
