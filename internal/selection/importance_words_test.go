package selection

import (
	"strings"
	"testing"

	"bigmkl/internal/datasettest"
)

// TestBestAlone: a source that is better than all sources is named if the test of the findings shows it, of several the best.
func TestBestAlone(t *testing.T) {
	t.Parallel()
	over := func(mean, relevant float64) Source {
		return Source{Name: "rna", Alone: Figure{Mean: 0.9}, OverAll: Worth{Figure: Figure{Mean: mean}, Relevant: relevant}, Finding: Needed}
	}
	s := &Importance{Measure: "auc", Rows: 150, Rope: 0.01, Whole: Figure{Mean: 0.7}}
	for want, sources := range map[int][]Source{-1: {over(0.2, 0.95), over(-0.1, 0)}, 1: {over(0.1, 0.99), over(0.2, 0.96), over(0.3, 0.5)}} {
		if s.Sources = sources; s.BestAlone() != want {
			t.Errorf("source %d, want %d", s.BestAlone(), want)
		}
		const text = "rna alone predicts better than all sources together: auc 0.9000 in place of 0.7000, a difference of more than 0.01 with probability 0.96."
		if got := s.DescribeBestAlone(); (want < 0) != (got == "") || want >= 0 && got != text {
			t.Error(got)
		}
	}
	if text := s.ExplainNoSign(); text != "" {
		t.Errorf("no source has no sign of use: %s", text)
	}
	s.Sources[0].Finding = NoSign
	if text := s.ExplainNoSign(); !strings.Contains(text, "150 rows show no use") {
		t.Error(text)
	}
}

// TestOverAll: of one strong source among noise, the difference from all sources is the difference of both figures.
func TestOverAll(t *testing.T) {
	t.Parallel()
	s, _, err := measureRows(t, t.Context(), fourSources(datasettest.Random(t, 33), 90), quick())
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range s.Sources {
		if d := x.OverAll.Mean - (x.Alone.Mean - s.Whole.Mean); d > 1e-12 || d < -1e-12 {
			t.Errorf("%s: %g over all, %g alone and %g of all", x.Name, x.OverAll.Mean, x.Alone.Mean, s.Whole.Mean)
		}
	}
}
