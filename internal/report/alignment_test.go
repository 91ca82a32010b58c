package report

import (
	"errors"
	"strings"
	"testing"

	"bigmkl/internal/fail"
)

// TestAlignments: the page lists kernels by their alignment with the labels, and pairs; one that is not defined is a dash.
func TestAlignments(t *testing.T) {
	a, err := ReadAlignments(strings.NewReader(`{"n": 9, "sample": 4, "kernels": [{"labels": 0.25}, {"labels": null}, {"labels": 0.5}],
		"matrix": [[1, null, 0.75], [null, null, null], [0.75, null, 1]]}`), "f")
	if err != nil {
		t.Fatal(err)
	}
	p := New("", "")
	if err := p.AddAlignments(a, []string{"a"}, []string{"a"}); !errors.Is(err, fail.Input) {
		t.Errorf("alignments of other kernels: %v", err)
	}
	names := []string{"a", "b<", "c"}
	if err := p.AddAlignments(a, names, names); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	wellFormed(t, "the page", text)
	rows := text[strings.Index(text, "<tbody>"):]
	if c, first, last := strings.Index(rows, ">c<"), strings.Index(rows, ">a<"), strings.Index(rows, "b&lt;"); !(0 < c && c < first && first < last) {
		t.Errorf("the kernels are not in order: %s", rows)
	}
	for _, want := range []string{"0.5000", "0.2500", "–", "0.75", "4 of 9 rows", "alignment of each pair"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
}

// TestFilesThatAreNoAlignments: another file is a fault of the input.
func TestFilesThatAreNoAlignments(t *testing.T) {
	for _, text := range []string{"", "1 2:3", "{}", `{"kernels": [{"labels": 1}], "matrix": [[1], [1]]}`, `{"kernels": [{}], "matrix": [[1, 2]]}`, `{"kernels": []}`, `{"kernels": [{"labels": 1e300}]}`,
		`{"kernels": [{}], "matrix": [[-2]]}`} {
		if _, err := ReadAlignments(strings.NewReader(text), "f"); !errors.Is(err, fail.Input) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestAlignmentsOfOtherKernels: the page has a note if the kernels differ from the kernels of the model.
func TestAlignmentsOfOtherKernels(t *testing.T) {
	for spec, warned := range map[string]bool{"gauss:1": false, "poly:<2>": true} {
		p := New("", "")
		a := &Alignments{Kernels: []AlignedKernel{{Spec: spec}}}
		if err := p.AddAlignments(a, []string{"gauss:1"}, []string{"g"}); err != nil {
			t.Fatal(err)
		}
		if text := p.sections[0].Blocks[0].Text; strings.HasPrefix(text, "Careful: ") != warned {
			t.Errorf("%s: %s", spec, text)
		}
	}
}
