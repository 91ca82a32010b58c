package report

import (
	"fmt"

	"bigmkl/internal/selection"
)

// tuningBlocks describes how the best combination was tuned: the points in the order in which they were
// measured, and the value of each factor at the point that is trained.
func tuningBlocks(s *selection.Selection) []block {
	t := s.Tuning
	first, best := &t.Points[0], &t.Points[t.Best]
	// A tuning moves the costs of the kernels in the norm, or weights that stay as they are in the training.
	what := "cost in the norm"
	if t.Kind == selection.TuneWeights {
		what = "fixed weight"
	}
	end := "The surface has then asked for a point that was measured before."
	if !t.Settled {
		end = "It has ended after its last step."
	}
	blocks := []block{
		paragraph("The best combination was tuned: a quadratic surface through the figures of %d points over the logarithms of each "+
			"factor's %s, trained on %d rows, says which point to measure next. %s Point %d is the one trained on all rows: "+
			"%s %s ± %s, where the first point, with all factors alike, has %s ± %s.",
			len(t.Points), what, t.Rows, end, t.Best+1, s.Measure, number(best.Figure.Mean), number(best.Figure.Error),
			number(first.Figure.Mean), number(first.Figure.Error)),
	}
	// A chart by number and not by factor shows a tuning of any number of factors.
	l := Line{Name: s.Measure, Marks: true}
	// Points are numbered from 1 on the page, as the text above does.
	for k, p := range t.Points {
		l.X, l.Y, l.Errors = append(l.X, float64(k+1)), append(l.Y, p.Figure.Mean), append(l.Errors, p.Figure.Error)
	}
	c := LineChart{Label: s.Measure + " of the points of the tuning", X: Axis{Name: "point"}, Y: Axis{Name: s.Measure}, Lines: []Line{l}}
	blocks = append(blocks, block{Figures: []figure{{Chart: c.draw(), Caption: fmt.Sprintf(
		"The measure at each point in the order of measuring. The first %d are the design, those behind them are the least points of the surface.", t.Design)}}})
	list := &table{Caption: "The factors at the point that was trained", Head: []string{"factor", what}}
	for k, name := range t.Factors {
		list.Rows = append(list.Rows, []cell{{Text: name}, {Text: number(best.Factors[k])}})
	}
	return append(blocks, block{Table: list})
}
