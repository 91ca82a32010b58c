package report

import "math"

// HeatMap is a matrix of shaded cells.
type HeatMap struct {
	// Label describes in words what the matrix shows, for those who do not see it.
	Label         string
	Rows, Columns []string
	// RowTitle and ColumnTitle name what rows and columns are.
	RowTitle, ColumnTitle string
	// Shades holds a row of numbers from 0 to 1 for each row. The largest is the darkest. Numbers
	// outside of [0, 1] are drawn as the nearest end, and NaN as 0.
	Shades [][]float64
	// Texts are the texts of the cells, nil for nothing.
	Texts [][]string
}

// A heat map has its names on the left and at the top, where those wider than a cell are turned.
const (
	heatLeft   = 120
	heatLetter = 15 // letters of a name
	mostBoxes  = 30 // columns up to which empty cells are drawn
	turnedRoom = 10 // that a turned name takes
)

// SVG writes the matrix as a page has it.
func (h *HeatMap) SVG() string { return h.draw().svg() }

// draw draws the matrix.
func (h *HeatMap) draw() *drawing {
	// Cells share the width that the names leave. Few columns do not become wider than a number needs.
	width := min(56, float64(chartWidth-heatLeft-4)/float64(max(len(h.Columns), 1)))
	height := min(26, max(width, 14))
	longest := 0
	for _, name := range h.Columns {
		longest = max(longest, min(len([]rune(clean(name))), heatLetter))
	}
	// One name that is wider than its cell turns all of them, so names stand alike.
	heatTop, turned := 44., float64(longest)*letterWidth > width-2
	if turned {
		heatTop = 32 + letterWidth*float64(longest)
	}
	d := newDrawing(heatTop+height*float64(len(h.Rows))+8, h.Label)
	// The rows keep all their names, since a row is always high enough for one.
	every := int(math.Ceil(turnedRoom / width)) // Names that would overlap are left out.
	d.text(heatLeft-6, heatTop-8, "end", "name", h.RowTitle+" ↓")
	d.text(4, 16, "start", "name", h.ColumnTitle+" →")
	for j, name := range h.Columns {
		x := heatLeft + width*(float64(j)+.5)
		switch {
		case !turned:
			d.text(x, heatTop-6, "middle", "tick", name)
		case j%every == 0:
			d.upward(x+4, heatTop-6, "start", "tick", cutMiddle(clean(name), heatLetter))
		}
	}
	for i, name := range h.Rows {
		y := heatTop + height*float64(i)
		d.text(heatLeft-6, y+height/2+4, "end", "tick", cutMiddle(clean(name), heatLetter+2))
		for j, shade := range h.Shades[i] {
			x := heatLeft + width*float64(j)
			// The condition is false for NaN as well, which is drawn as an empty cell.
			if !(shade >= 0) {
				shade = 0
			}
			if shade == 0 && len(h.Columns) > mostBoxes {
				continue // Most cells of a large matrix are empty.
			}
			d.box(x, y, max(width-1, .5), height-1, min(shade, 1), "heat")
			// A number that does not fit its cell is left out. The shade still shows its size.
			if h.Texts == nil || width < letterWidth*float64(len(h.Texts[i][j])) {
				continue
			}
			class := "cell"
			// Dark cells have white letters.
			if shade > .5 {
				class = "cell on"
			}
			d.text(x+width/2, y+height/2+4, "middle", class, h.Texts[i][j])
		}
	}
	return d
}
