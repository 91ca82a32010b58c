package thesis

import (
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"bigmkl/bench/internal/harness"
)

// toyFigure plots the test error against the sparsity, with a line for each norm.
// Each row is one sparsity, with the mean error of each norm.
type toyFigure []toyRow

// write draws the figure as SVG.
func (f toyFigure) write(w io.Writer) error {
	p, err := f.plot()
	if err != nil {
		return err
	}
	// The size fits the width of a page.
	canvas := vgsvg.New(16*vg.Centimeter, 11*vg.Centimeter)
	p.Draw(draw.New(canvas))
	_, err = canvas.WriteTo(w)
	return err
}

// plot builds the figure, with the layout of Figure 5.2 of the thesis. The Bayes error is the
// least that any classifier can reach.
// Errors are in percent, and sparsities are names on the axis, since their steps are not even.
func (f toyFigure) plot() (*plot.Plot, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "features without information", "test error (%)"
	p.Y.Min = 0
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	var names []string
	lines := make([]bars, len(toyNorms))
	for i, row := range f {
		names = append(names, row.Sparsity)
		// The order of the means is the order of toyNorms.
		for k, m := range []harness.MeanOfRuns{row.One, row.FourThirds, row.Two, row.Four, row.Inf} {
			l := &lines[k]
			l.XYs = append(l.XYs, plotter.XY{X: float64(i), Y: m.Mean})
			// The bars have the length of a standard error on both sides.
			l.YErrors = append(l.YErrors, struct{ Low, High float64 }{m.Error, m.Error})
		}
	}
	for k, l := range lines {
		line, marks, err := plotter.NewLinePoints(l.XYs)
		if err != nil {
			return nil, err
		}
		// Line, marks and bars of a norm have one colour. The marks differ too, for prints without colours.
		errors, err := plotter.NewYErrorBars(l)
		if err != nil {
			return nil, err
		}
		line.Color, marks.Color, errors.Color = plotutil.Color(k), plotutil.Color(k), plotutil.Color(k)
		marks.Shape, line.Width = plotutil.Shape(k), vg.Points(1.5)
		p.Add(line, marks, errors)
		p.Legend.Add("p = "+toyNorms[k], line, marks)
	}
	// The Bayes error does not depend on the sparsity, so it is a level line.
	bayes, err := plotter.NewLine(plotter.XYs{{X: 0, Y: bayesError()},
		{X: float64(len(f) - 1), Y: bayesError()}})
	if err != nil {
		return nil, err
	}
	bayes.Dashes, bayes.Color = []vg.Length{vg.Points(4), vg.Points(3)}, color.Gray{96}
	p.Add(bayes)
	p.Legend.Add("Bayes error", bayes)
	p.NominalX(names...)
	return p, nil
}

// bars is a line with standard errors. It implements the interfaces of the plot library for points and
// for their errors.
type bars struct {
	plotter.XYs
	plotter.YErrors
}
