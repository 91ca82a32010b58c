package report

import (
	"math"

	"bigmkl/internal/float"
)

// IntervalChart compares numbers of several things: a line for each, with a mark and an interval for each series. Series lie
// below each other within the line. It suits estimates with errors better than bars do, since bars have
// to begin at 0 and hide the lower half of an interval.
type IntervalChart struct {
	// Label describes in words what the chart shows, for those who do not see it.
	Label string
	X     Axis
	// Names are the names of the lines, from the top.
	Names  []string
	Series []Intervals
	// Band is shaded, from its first number to its second, and BandName states what it is. It is left out if both
	// are equal.
	Band     [2]float64
	BandName string
	// Zero draws a rule at 0.
	Zero bool
}

// Intervals is a series: a number for each line, and half of the length of its interval. A number that
// is not finite is not drawn: the source was not measured in this way.
type Intervals struct {
	Name           string
	Values, Halves []float64
}

// An interval chart has its names on the left.
const (
	intervalLeft   = 130
	intervalLetter = 18 // letters of a name
	seriesHeight   = 13
	lineGap        = 10
)

// SVG writes the chart as a page has it.
func (c *IntervalChart) SVG() string { return c.draw().svg() }

// draw draws the chart.
func (c *IntervalChart) draw() *drawing {
	x := c.scale()
	lineHeight := float64(seriesHeight*len(c.Series) + lineGap)
	// The height follows from the numbers of lines and series, so marks never overlap. All charts have one
	// width.
	bottom := plotTop + lineHeight*float64(len(c.Names))
	legend := float64(legendRow * (len(c.Series) + 1))
	if c.BandName == "" {
		legend -= legendRow
	}
	d := newDrawing(bottom+axisRoom+legend, c.Label)
	toX := func(v float64) float64 { return intervalLeft + (plotRight-intervalLeft)*x.place(v) }
	// The band is the hindmost element, so the grid and the marks stay visible on it.
	if low, high := toX(c.Band[0]), toX(c.Band[1]); c.Band[0] < c.Band[1] && float.Finite(low) && float.Finite(high) {
		d.box(low, plotTop, high-low, bottom-plotTop, 1, "band")
	}
	// room is where the last label ends. A label that would overlap it is left out, and its rule stays.
	room := math.Inf(-1)
	for _, t := range x.ticks {
		at := toX(t.At)
		d.line(at, plotTop, at, bottom+4, "grid")
		if half := float64(len(t.Text)) * letterWidth / 2; at-half > room {
			d.text(at, bottom+17, "middle", "tick", t.Text)
			room = at + half
		}
	}
	if at := toX(0); c.Zero && float.Finite(at) {
		d.line(at, plotTop, at, bottom, "rule")
	}
	d.line(intervalLeft, bottom, plotRight, bottom, "axis")
	d.text((intervalLeft+plotRight)/2, bottom+36, "middle", "name", c.X.Name)
	for k, name := range c.Names {
		top := plotTop + lineHeight*float64(k)
		if k > 0 {
			d.line(4, top, plotRight, top, "grid")
		}
		d.text(intervalLeft-8, top+lineHeight/2+4, "end", "name", cutMiddle(clean(name), intervalLetter))
		for j, s := range c.Series {
			c.mark(d, s, k, classOf(j), top+lineGap/2+seriesHeight*(float64(j)+.5), toX)
		}
	}
	for j, s := range c.Series {
		at := bottom + axisRoom + legendRow*float64(j) + 8
		d.line(intervalLeft, at-4, intervalLeft+18, at-4, "error "+classOf(j))
		shape(d, intervalLeft+9, at-4, j, "mark "+classOf(j))
		d.text(intervalLeft+26, at, "start", "tick", clean(s.Name))
	}
	if at := bottom + axisRoom + legendRow*float64(len(c.Series)) + 8; c.BandName != "" {
		d.box(intervalLeft, at-10, 18, 10, 1, "band")
		d.text(intervalLeft+26, at, "start", "tick", c.BandName)
	}
	return d
}

// mark draws a number of a series with its interval. The small strokes at both ends show where an
// interval ends, also on top of the grid.
func (c *IntervalChart) mark(d *drawing, s Intervals, k int, class string, y float64, toX func(float64) float64) {
	v, half := s.Values[k], s.Halves[k]
	if !drawable(v, c.X.Log) {
		return
	}
	if half > 0 && float.Finite(half) {
		low, high := toX(v-half), toX(v+half)
		d.path([]float64{low, high}, []float64{y, y}, "error "+class)
		for _, x := range []float64{low, high} {
			d.path([]float64{x, x}, []float64{y - 3, y + 3}, "error "+class)
		}
	}
	// The shape belongs to the series and not to the line, so it is found by the class of the series.
	for j := range c.Series {
		if classOf(j) == class {
			shape(d, toX(v), y, j, "mark "+class)
			return
		}
	}
}

// shape draws the mark of a series: colours alone do not tell series apart for everybody, nor on paper.
// There are three shapes for up to three series: a dot, a square and a diamond.
func shape(d *drawing, x, y float64, series int, class string) {
	switch series % 3 {
	case 0:
		d.dot(x, y, 3.5, class)
	case 1:
		d.box(x-3, y-3, 6, 6, 1, class)
	case 2:
		d.path([]float64{x - 4, x, x + 4, x, x - 4}, []float64{y, y - 4, y, y + 4, y}, class)
	}
}

// scale returns the scale that holds all intervals, the band and 0.
func (c *IntervalChart) scale() *scale {
	low, high := math.Inf(1), math.Inf(-1)
	include := func(v float64) {
		if drawable(v, c.X.Log) {
			low, high = min(low, v), max(high, v)
		}
	}
	for _, s := range c.Series {
		for k, v := range s.Values {
			half := s.Halves[k]
			if !float.Finite(half) {
				half = 0
			}
			include(v - half)
			include(v + half)
		}
	}
	if c.Band[0] < c.Band[1] {
		include(c.Band[0])
		include(c.Band[1])
	}
	if c.Zero {
		include(0)
	}
	return newScale(c.X, low, high)
}
