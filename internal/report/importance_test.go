package report

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"bigmkl/internal/fail"
	"bigmkl/internal/selection"
)

// someImportance is an importance of sources with the given names.
func someImportance(names ...string) *selection.Importance {
	s := &selection.Importance{Measure: "auc", Rows: 100, Folds: []string{"1.1", "1.2"}, Rope: .01, Samples: 5, SampleRows: 100,
		Nothing: selection.Figure{Mean: .5, Folds: 2}, Whole: selection.Figure{Mean: .8, Error: .02, Folds: 2}}
	findings := []selection.Finding{selection.Needed, selection.Redundant, selection.Helps, selection.NoSign, selection.UndecidedYet}
	for k, name := range names {
		w := selection.Worth{Figure: selection.Figure{Mean: .1 / float64(k+1), Error: .01, Folds: 2}, Above: .99, Relevant: .9, Negligible: .1}
		x := selection.Source{Name: name, Kernels: 2, Features: 3, Gain: w, LeftOut: w, Finding: findings[k%len(findings)], RowsNeeded: 1234}
		if k%2 == 0 {
			x.Permuted, x.Null, x.NullShare = &w, &w, &selection.Figure{Mean: .1}
		}
		if x.Finding == selection.Redundant {
			x.With = names[0]
		}
		s.Sources = append(s.Sources, x)
		for a := range k {
			s.Pairs = append(s.Pairs, selection.SourcePair{First: a, Second: k, LeftOut: w, Redundancy: w, Redundant: a == 0})
		}
	}
	return s
}

// TestImportancePage: the page is well-formed for any names, and has each finding in words.
func TestImportancePage(t *testing.T) {
	t.Parallel()
	p := New("sources", "")
	if err := p.AddImportance(someImportance(hostile...)); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, "the page", b.String())
	for _, bad := range []string{"\x00", "\x1b", "\u202e", "NaN", "<script>alert"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	p = New("sources", "")
	s := someImportance("rna", "meth", "clin", "mirna", "age")
	s.Sources[0].Alone.Mean, s.Sources[0].OverAll = 0.9, selection.Worth{Figure: selection.Figure{Mean: .1, Error: .01, Folds: 2}, Relevant: .99}
	if err := p.AddImportance(s); err != nil {
		t.Fatal(err)
	}
	b.Reset()
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Needed: rna. Of help: clin. Redundant: meth. Undecided at 100 rows: age. Without a sign of use: mirna.", "rna is needed:", "rna alone predicts better than all sources together: auc 0.9000 in place of 0.8000", "No sign of use means that 100 rows", "meth is redundant with rna:",
		"clin helps:", "mirna shows no sign of use:", "age is undecided at 100 rows", "About 1200 rows would decide it", "redundancy of pairs of sources", "negligible", "Shares of ||w||, which are not importance"} {
		if !strings.Contains(b.String(), text) {
			t.Errorf("the page does not say %q", text)
		}
	}
}

// TestImportanceThatCannotBe: an importance that is not complete is a page that reports this, and figures that make no sense are a
// damaged file.
func TestImportanceThatCannotBe(t *testing.T) {
	t.Parallel()
	p := New("", "")
	if err := p.AddImportance(&selection.Importance{Missing: 2, Steps: 5}); err != nil || !strings.Contains(p.sections[0].Blocks[0].Text, "2 of 5 steps are missing") {
		t.Error(err)
	}
	s := someImportance("a", "b")
	s.Sources[0].Null.Mean = math.NaN()
	if err := New("", "").AddImportance(s); !errors.Is(err, fail.Corrupt) {
		t.Error(err)
	}
}

// TestIntervalChart: marks and intervals lie where their numbers are.
func TestIntervalChart(t *testing.T) {
	t.Parallel()
	c := IntervalChart{Label: "x", X: Axis{Name: "x", From: -1, To: 1}, Names: []string{"a", "b"}, Zero: true, Band: [2]float64{-.5, .5}, BandName: "band",
		Series: []Intervals{{"one", []float64{0, math.NaN()}, []float64{.5, 1}}, {"two", []float64{1, -1}, []float64{0, math.Inf(1)}}}}
	svg := c.SVG()
	wellFormed(t, "the chart", svg)
	middle := coordinate((intervalLeft + plotRight) / 2)
	if !strings.Contains(svg, `<circle cx="`+middle+`"`) || strings.Count(svg, "<circle") != 2 { // one of them in the legend
		t.Errorf("the mark of 0 is not in the middle, %s:\n%s", middle, svg)
	}
	quarter, wide := coordinate(intervalLeft+(plotRight-intervalLeft)/4.), coordinate((plotRight-intervalLeft)/2.)
	if !strings.Contains(svg, `<rect x="`+quarter+`" y="10" width="`+wide+`"`) {
		t.Errorf("the band does not begin at %s:\n%s", quarter, svg)
	}
}
