package report

import (
	"fmt"
	"math"

	"bigmkl/internal/float"
)

// LineChart is a chart of lines over common axes.
type LineChart struct {
	// Label describes in words what the chart shows, for those who do not see it.
	Label string
	X, Y  Axis
	Lines []Line
	// Diagonal draws the line y = x.
	Diagonal bool
	// Rule draws a line across the chart at this height, and RuleName names it. It is not drawn if
	// it equals zero.
	Rule     float64
	RuleName string
}

// Line is one line of a chart. Points that are not finite interrupt it.
type Line struct {
	Name string
	X, Y []float64
	// Errors holds the half-length of an error bar at each point, nil for none.
	Errors []float64
	// Marks draws the points, and NoLine does not connect them.
	Marks, NoLine bool
}

// The plot leaves room for the numbers of the axes.
const (
	plotLeft   = 62
	plotRight  = chartWidth - 14
	plotTop    = 10
	plotBottom = 250
	axisRoom   = 44 // below the plot
	legendRow  = 18
	colours    = 8 // classes s0, s1, .. of the style sheet
	dashes     = 3 // classes d0, d1, .. of it
	// mostPoints is the number of points of a line that are drawn. The plot is 404 units wide, so more
	// points would hardly be seen.
	mostPoints = 300
)

// SVG writes the chart as a page has it.
func (c *LineChart) SVG() string { return c.draw().svg() }

// draw draws the chart.
func (c *LineChart) draw() *drawing {
	// The legend lies below the axes, so its rows decide the height of the drawing. It is
	// arranged before anything is drawn.
	x, y := c.scales()
	rows := c.legend()
	d := newDrawing(float64(plotBottom+axisRoom+legendRow*len(rows)), c.Label, axesOf(x, y)...)
	toX := func(v float64) float64 { return plotLeft + (plotRight-plotLeft)*x.place(v) }
	toY := func(v float64) float64 { return plotBottom - (plotBottom-plotTop)*y.place(v) }
	// The grid is drawn first, because later elements cover earlier ones.
	for _, t := range y.ticks {
		d.line(plotLeft, toY(t.At), plotRight, toY(t.At), "grid")
		d.text(plotLeft-6, toY(t.At)+4, "end", "tick", t.Text)
	}
	// the right end of the last text that was drawn
	room := math.Inf(-1) // Texts of ticks that would overlap are left out.
	for _, t := range x.ticks {
		at := toX(t.At)
		d.line(at, plotBottom, at, plotBottom+4, "axis")
		// The first label always has room. The tick of a label that is left out stays.
		if half := float64(len(t.Text)) * letterWidth / 2; at-half > room {
			d.text(at, plotBottom+17, "middle", "tick", t.Text)
			room = at + half
		}
	}
	d.line(plotLeft, plotBottom, plotRight, plotBottom, "axis")
	d.text((plotLeft+plotRight)/2, plotBottom+36, "middle", "name", c.X.Name)
	d.upward(14, (plotTop+plotBottom)/2, "middle", "name", c.Y.Name)
	if c.Diagonal {
		// The diagonal is drawn where both axes have a value, as the ends of the two differ in
		// general.
		low, high := max(x.low, y.low), min(x.high, y.high)
		if low < high { // The axes may have no value in common.
			d.line(toX(low), toY(low), toX(high), toY(high), "rule")
		}
	}
	// The name of the rule is below its line, and above it if there is no room.
	if at := toY(c.Rule); c.Rule != 0 && float.Finite(at) {
		d.line(plotLeft, at, plotRight, at, "rule")
		below := 13.
		if at+below > plotBottom { // The numbers of the axis are there.
			below = -5
		}
		d.text(plotLeft+4, at+below, "start", "tick", c.RuleName)
	}
	// A browser slows down with tens of thousands of points, and a chart of 400 units shows no more
	// than a few hundred.
	for k, l := range c.Lines {
		drawLine(d, l.thin(mostPoints), classOf(k), toX, toY)
	}
	for i, row := range rows {
		at := float64(plotBottom + axisRoom + legendRow*i + 8)
		for _, e := range row {
			d.line(e.x, at-4, e.x+18, at-4, "line "+classOf(e.line))
			d.text(e.x+23, at, "start", "tick", e.name)
		}
	}
	return d
}

// classOf returns the class of a line. Lines beyond the last colour begin with the first one again
// and are dashed, each time in another way. Colours and dashes together distinguish 8 * 4 lines. Dashes
// also help readers who do not see colours.
func classOf(line int) string {
	class := fmt.Sprintf("s%d", line%colours)
	if again := line / colours; again > 0 {
		class += fmt.Sprintf(" d%d", (again-1)%dashes)
	}
	return class
}

// axesOf lists what turns a place of the plot into values: its four sides, and of each axis both ends
// and 1 if it is logarithmic. The list is an attribute of the drawing, as numbers with spaces between
// them.
func axesOf(axes ...*scale) []float64 {
	list := []float64{plotLeft, plotRight, plotTop, plotBottom}
	for _, a := range axes {
		log := 0.
		if a.log {
			log = 1
		}
		list = append(list, a.low, a.high, log)
	}
	return list
}

// drawLine draws a line, its marks and its error bars.
func drawLine(d *drawing, l Line, class string, toX, toY func(float64) float64) {
	xs, ys := make([]float64, len(l.X)), make([]float64, len(l.X))
	for i := range l.X {
		xs[i], ys[i] = toX(l.X[i]), toY(l.Y[i])
	}
	if !l.NoLine {
		d.path(xs, ys, "line "+class)
	}
	for i := range xs {
		if !float.Finite(xs[i]) || !float.Finite(ys[i]) {
			continue
		}
		// The ends go through the scale one by one: on a logarithmic axis the two halves differ in
		// length, and a lower end below 0 has no place.
		if l.Errors != nil && l.Errors[i] > 0 {
			d.path([]float64{xs[i], xs[i]}, []float64{toY(l.Y[i] - l.Errors[i]), toY(l.Y[i] + l.Errors[i])}, "error "+class)
		}
		if l.Marks {
			d.dot(xs[i], ys[i], 3, "mark "+class)
		}
	}
}

// scales returns the scales that hold all points and the ends of their error bars.
func (c *LineChart) scales() (x, y *scale) {
	inf := math.Inf(1)
	lowX, highX, lowY, highY := inf, -inf, inf, -inf
	include := func(a Axis, v float64, low, high *float64) {
		// Points that the axis cannot show have no influence on its ends.
		if drawable(v, a.Log) {
			*low, *high = min(*low, v), max(*high, v)
		}
	}
	for _, l := range c.Lines {
		for i := range l.X {
			include(c.X, l.X[i], &lowX, &highX)
			e := 0.0
			if l.Errors != nil && float.Finite(l.Errors[i]) {
				e = l.Errors[i]
			}
			include(c.Y, l.Y[i]-e, &lowY, &highY)
			include(c.Y, l.Y[i]+e, &lowY, &highY)
		}
	}
	if c.Rule != 0 {
		include(c.Y, c.Rule, &lowY, &highY)
	}
	return newScale(c.X, lowX, highX), newScale(c.Y, lowY, highY)
}

// entry is a line of the legend and where it begins.
type entry struct {
	x    float64
	line int
	name string
}

// legend arranges the names of the lines in rows. One line alone needs none. A row ends where the next
// name would go beyond the right end.
func (c *LineChart) legend() (rows [][]entry) {
	if len(c.Lines) < 2 {
		return nil
	}
	at := math.Inf(1)
	for k, l := range c.Lines {
		name := cut(clean(l.Name), 40)
		// 23 units for the stroke and its gap, 16 between two names. Fonts of readers differ, so
		// the width of a text is an estimate.
		width := 23 + letterWidth*float64(len([]rune(name))) + 16
		if at+width > chartWidth {
			at, rows = plotLeft, append(rows, nil)
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], entry{at, k, name})
		at += width
	}
	return rows
}

// thin keeps at most so many points at equal distances in their list, and the last one.
func (l Line) thin(most int) Line {
	n := len(l.X)
	if n <= most {
		return l
	}
	// Equal distances in the list keep the shape of a curve, and need no choice that depends on values.
	thinned := Line{Name: l.Name, Marks: l.Marks, NoLine: l.NoLine}
	for k := range most {
		// integer places from 0 to n-1, both among them: the last point is where the training
		// ended
		i := k * (n - 1) / (most - 1)
		thinned.X, thinned.Y = append(thinned.X, l.X[i]), append(thinned.Y, l.Y[i])
		if l.Errors != nil {
			thinned.Errors = append(thinned.Errors, l.Errors[i])
		}
	}
	return thinned
}
