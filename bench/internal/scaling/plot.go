package scaling

import (
	"fmt"
	"image/color"
	"io"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// curveFigure is a figure with curves side by side.
type curveFigure []curvePanel

// curvePanel plots a measure against a quantity. Both are positive.
type curvePanel struct {
	x, y string
	// xs ascend, as the values of a sweep do.
	xs, ys []float64
}

// Two panels side by side fit the width of a page.
const panelWidth, panelHeight = 12 * vg.Centimeter, 9 * vg.Centimeter

// write draws the curves as SVG on logarithmic axes, each with its fitted power law.
func (p curveFigure) write(w io.Writer) error {
	canvas := vgsvg.New(panelWidth*vg.Length(len(p)), panelHeight)
	area := draw.New(canvas)
	// Panels are in one row.
	tiles := draw.Tiles{Rows: 1, Cols: len(p), PadX: 5 * vg.Millimeter}
	for i, c := range p {
		panel, err := c.panel()
		if err != nil {
			return err
		}
		panel.Draw(tiles.At(area, i, 0))
	}
	_, err := canvas.WriteTo(w)
	return err
}

// panel draws one curve.
// The title has the exponent of the fit: measure ~ quantity^exponent.
func (c curvePanel) panel() (*plot.Plot, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = c.x, c.y
	// Growth by a power is a line on these axes, and its slope is the exponent.
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = decadeTicks{}, decadeTicks{}
	points := make(plotter.XYs, len(c.xs))
	for i := range points {
		points[i] = plotter.XY{X: c.xs[i], Y: c.ys[i]}
	}
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return nil, err
	}
	marks.Shape = draw.CircleGlyph{}
	p.Add(plotter.NewGrid(), line, marks)
	// Fewer than two points have no fit.
	if f := fitPower(c.xs, c.ys); f.points > 0 {
		p.Title.Text = fmt.Sprintf("%s ~ %s^%.2f", c.y, c.x, f.exponent)
		// On logarithmic axes a power law is a straight line, so its two ends are enough.
		first, last := c.xs[0], c.xs[len(c.xs)-1]
		law, err := plotter.NewLine(plotter.XYs{{X: first, Y: f.at(first)},
			{X: last, Y: f.at(last)}})
		if err != nil {
			return nil, err
		}
		law.Dashes, law.Color = []vg.Length{vg.Points(4), vg.Points(3)}, color.Gray{128}
		p.Add(law)
	}
	// A logarithmic axis must not have the length 0.
	widenAxis(&p.X)
	widenAxis(&p.Y)
	return p, nil
}

// decadeTicks labels 1, 2 and 5 of each decade. The ticks of the library label 1 of each decade alone,
// which leaves a short axis without a label.
type decadeTicks struct{}

// Ticks returns the marks between two positive numbers.
// The library marks 2 to 9 of each decade without a label.
func (decadeTicks) Ticks(least, most float64) []plot.Tick {
	list := plot.LogTicks{Prec: -1}.Ticks(least, most)
	for i, t := range list {
		if text := strconv.FormatFloat(t.Value, 'g', 6, 64); strings.Trim(text, "0.") == "2" ||
			strings.Trim(text, "0.") == "5" {
			list[i].Label = text
		}
	}
	return list
}

// widenAxis extends an axis by at least a tenth, so a constant can be drawn, too.
// Both ends move by the same factor, so the constant is in the middle.
func widenAxis(a *plot.Axis) {
	if a.Max < 1.1*a.Min {
		a.Min, a.Max = a.Min/1.1, a.Max*1.1
	}
}
