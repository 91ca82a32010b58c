package report

import (
	"fmt"
	"math"
	"slices"

	"bigmkl/internal/fail"
	"bigmkl/internal/selection"
)

// mostLines is the number of sources that a chart of an importance has.
const mostLines = 40

// AddImportance adds the importance of each source of data: gains, losses, redundancy and shares. It
// rejects files that make no sense.
func (p *Page) AddImportance(s *selection.Importance) error {
	for _, x := range s.Sources {
		// Permuted and Null are nil where they were not measured.
		for _, w := range []*selection.Worth{&x.Gain, &x.LeftOut, &x.OverAll, x.Permuted, x.Null} {
			if w != nil && (math.IsNaN(w.Mean) || math.IsInf(w.Mean, 0) || !(w.Error >= 0)) {
				return fail.New(fail.Corrupt, "the figures of source %s make no sense", fail.Quote(x.Name))
			}
		}
	}
	if s.Missing > 0 || len(s.Sources) == 0 {
		p.add("sources", "Which source matters", paragraph("The importance is not complete: %d of %d steps are missing.", s.Missing, s.Steps))
		return nil
	}
	// All charts and tables of the section have this order, the largest loss first.
	order := s.ByLoss()
	p.add("sources", "Which source matters", findingBlocks(s, order)...)
	if b := redundancyBlocks(s, order); b != nil {
		p.add("redundancy", "Which sources can replace each other", b...)
	}
	p.add("shares", "Shares of ||w||, which are not importance", shareBlocks(s, order)...)
	return nil
}

// The page states findings before numbers, and losses before shares. Readers take a share of
// ||w|| for the importance of a source, although noise has a share too. So shares come last,
// under a title that warns of this.

// findingBlocks describes the findings: in a sentence, in a chart, and in a sentence for each source.
func findingBlocks(s *selection.Importance, order []int) []block {
	better := "more is better"
	if s.Smaller {
		better = "less is better"
	}
	blocks := []block{{Lead: true, Text: s.Summary()},
		paragraph("All sources together have %s %s on rows that were held out of the training (%s); a constant prediction has %s. The figures are means over %d folds; there are %d rows, "+
			"with standard errors corrected for the rows that trainings share.", s.Measure, meanText(s.Whole), better, meanText(s.Nothing), len(s.Folds), s.Rows),
		{Figures: importanceCharts(s, order)}}
	for _, text := range []string{s.DescribeBestAlone(), s.ExplainNoSign()} {
		if text != "" {
			blocks = append(blocks, paragraph("%s", text))
		}
	}
	if s.Preparation == selection.PreparedShared {
		blocks = append(blocks, paragraph("Preparation was shared: %s. Figures may be a little too good, and no source could be permuted.", s.SharedBecause))
	}
	for _, k := range order {
		blocks = append(blocks, paragraph("%s", s.Describe(k)))
	}
	// The table repeats the numbers of the chart for readers who want to quote them.
	t := &table{Caption: "All figures, with standard errors", Head: []string{"source", "finding", s.Measure + " alone", "loss without it", "loss if permuted", "gain of noise"}}
	for _, k := range order {
		x := &s.Sources[k]
		t.Rows = append(t.Rows, []cell{{Text: x.Name}, {Text: x.Word()}, {Text: meanText(x.Alone)}, worthCell(&x.LeftOut), worthCell(x.Permuted), worthCell(x.Null)})
	}
	blocks = append(blocks, block{Table: t})
	if s.Unconverged > 0 {
		blocks = append(blocks, paragraph("%d of %d trainings ended above the gap that was asked for.", s.Unconverged, s.Trainings))
	}
	return blocks
}

// worthCell writes a difference with its sign, because losses below 0 are gains.
func worthCell(w *selection.Worth) cell {
	if w == nil {
		return cell{Text: "–"}
	}
	return cell{Text: fmt.Sprintf("%+.4f ± %.4f", w.Mean, w.Error)}
}

// interval is how many standard errors an interval of a chart has on either side: 95 % for many folds.
// It is the quantile 0.975 of the normal distribution.
const interval = 1.96

// intervalsOf returns a series of differences, NaN where a source has none. Intervals are normal: a
// mean plus and minus 1.96 standard errors.
func intervalsOf(name string, s *selection.Importance, order []int, of func(*selection.Source) *selection.Worth) Intervals {
	l := Intervals{Name: name}
	for _, k := range order {
		mean, half := math.NaN(), 0.0
		if w := of(&s.Sources[k]); w != nil {
			mean, half = w.Mean, interval*w.Error
		}
		l.Values, l.Halves = append(l.Values, mean), append(l.Halves, half)
	}
	return l
}

// importanceCharts draws what each source is worth alone, beside the others, and as noise. The interval
// of the null shows how much noise of the same shape seems to gain.
func importanceCharts(s *selection.Importance, order []int) []figure {
	shown := order[:min(len(order), mostLines)]
	var names []string
	for _, k := range shown {
		names = append(names, s.Sources[k].Name)
	}
	// Differences have the sign of a gain: a positive number is in favour of the source, whether the
	// measure is large or small for a good model.
	c := IntervalChart{Label: "what each source is worth", X: Axis{Name: "difference of " + s.Measure}, Names: names, Zero: true,
		Band: [2]float64{-s.Rope, s.Rope}, BandName: "negligible (--rope)",
		Series: []Intervals{
			intervalsOf("alone: gain over a constant prediction", s, shown, func(x *selection.Source) *selection.Worth { return &x.Gain }),
			intervalsOf("left out: loss without it", s, shown, func(x *selection.Source) *selection.Worth { return &x.LeftOut }),
			intervalsOf("null: gain of its permuted copy, which is noise", s, shown, func(x *selection.Source) *selection.Worth { return x.Null }),
		}}
	if c.Band[0] == c.Band[1] {
		c.BandName = ""
	}
	caption := "For each source: the gain alone, the loss without it, and the gain of noise of the same shape in its place. Lines are intervals of 95 %. A source is needed if the interval of its loss lies beyond the shaded region."
	if len(order) > len(shown) {
		caption += fmt.Sprintf(" %d more sources are in the table.", len(order)-len(shown))
	}
	return []figure{{Chart: c.draw(), Caption: caption}}
}

// redundancyBlocks draws the redundancy of all pairs, nil if there are none. The redundancy of the
// sources a and b is L(ab) - L(a) - L(b), with the loss L of a training without them. It is symmetric,
// so the matrix is filled on both sides.
func redundancyBlocks(s *selection.Importance, order []int) []block {
	if len(s.Pairs) == 0 {
		return nil
	}
	var names []string
	for _, k := range order {
		names = append(names, s.Sources[k].Name)
	}
	most := 0.0
	for _, p := range s.Pairs {
		most = max(most, p.Redundancy.Mean)
	}
	m := HeatMap{Label: "redundancy of pairs of sources", Rows: names, Columns: names, RowTitle: "source", ColumnTitle: "source"}
	for range order {
		m.Shades, m.Texts = append(m.Shades, make([]float64, len(order))), append(m.Texts, make([]string, len(order)))
	}
	for _, p := range s.Pairs {
		a, b := slices.Index(order, p.First), slices.Index(order, p.Second)
		for _, at := range [][2]int{{a, b}, {b, a}} {
			// Shades are relative to the largest redundancy, but to no less than what is negligible:
			// noise stays pale. The last number keeps 0 / 0 out.
			m.Shades[at[0]][at[1]] = max(p.Redundancy.Mean, 0) / max(most, s.Rope, 1e-300)
			m.Texts[at[0]][at[1]] = fmt.Sprintf("%+.3f", p.Redundancy.Mean)
		}
	}
	blocks := []block{paragraph("If two sources have the same information, only the loss of both shows it. The matrix has the loss of %s without both sources, less the two losses of one source alone. "+
		"Above 0 each source replaces a part of the other. Independent sources may have a value above 0, too, because a measure such as AUC has a largest value; only the finding redundant names a substitute. "+
		"Below 0 the sources help each other.", s.Measure),
		{Figures: []figure{{Chart: m.draw(), Caption: "Redundancy of each two sources. Darker is more redundant."}}}}
	t := &table{Caption: "Pairs of which one source replaces the other", Head: []string{"pair", "loss without both", "redundancy"}}
	for _, p := range s.Substitutes() {
		t.Rows = append(t.Rows, []cell{{Text: s.Sources[p.First].Name + " and " + s.Sources[p.Second].Name}, worthCell(&p.LeftOut), worthCell(&p.Redundancy)})
	}
	if t.Rows != nil {
		blocks = append(blocks, block{Table: t})
	}
	return blocks
}

// shareBlocks shows the shares of ||w||, beside the shares of noise. The share of a source is the sum
// of ||w_m|| over its kernels, divided by the sum over all kernels.
func shareBlocks(s *selection.Importance, order []int) []block {
	t := &table{Head: []string{"source", "share of ||w||", "share of noise in its place", "features", "kernels"}}
	if s.Samples > 0 {
		t.Head = append(t.Head, "share on halves of the rows", "active at p = 1")
	}
	for _, k := range order {
		x := &s.Sources[k]
		noise := cell{Text: "–"}
		if x.NullShare != nil {
			noise.Text = percent(x.NullShare.Mean)
		}
		row := []cell{{Text: x.Name}, {Text: fmt.Sprintf("%s ± %s", percent(x.Share.Mean), percent(x.Share.Error))}, noise, {Text: fmt.Sprint(x.Features)}, {Text: fmt.Sprint(x.Kernels)}}
		if s.Samples > 0 {
			row = append(row, cell{Text: fmt.Sprintf("%s ± %s", percent(x.SampleShare.Mean), percent(x.SampleShare.Deviation))}, cell{Text: fmt.Sprintf("%.0f %%", 100*x.Active)})
		}
		t.Rows = append(t.Rows, row)
	}
	blocks := []block{paragraph("The share of ||w|| is the part of a source in the decision function. It is not the loss without the source: noise has a share as well, and redundant sources divide one share. " +
		"The third column has the share of a permuted copy of the source, which is noise of the same shape.")}
	if s.Samples > 0 {
		blocks = append(blocks, paragraph("The last two columns are of %d samples of half of %d rows: the mean and the standard deviation of the share, and in how many samples the source has any weight at p = 1, "+
			"which selects few kernels (stability selection).", s.Samples, s.SampleRows))
	}
	return append(blocks, block{Table: t})
}
