package report

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A chart of a page can be a file of its own, for a paper: the same drawing on a canvas of gonum/plot, with fonts in it and the
// colours that the page has on white.

// Figure is a chart of a page.
type Figure struct {
	Name  string // of the section and, of several charts in it, their number
	chart *drawing
}

// Format is a format of figures.
type Format string

// These are the formats, which are the extensions of files as well.
const (
	SVG Format = "svg"
	PDF Format = "pdf"
)

// Columns are the widths of figures in millimetres: of one column of a journal, and of two. Journals
// differ by some millimetres, and a figure can be scaled by as much without harm.
var Columns = []float64{85, 175}

// Figures lists the charts of the page, in their order. Names are unique, because each section has its
// own identifier.
func (p *Page) Figures() (list []Figure) {
	for _, s := range p.sections {
		var charts []*drawing
		for _, b := range s.Blocks {
			for _, f := range b.Figures {
				charts = append(charts, f.Chart)
			}
		}
		for k, c := range charts {
			name := s.ID
			if len(charts) > 1 {
				name = fmt.Sprintf("%s-%d", s.ID, k+1)
			}
			list = append(list, Figure{name, c})
		}
	}
	return list
}

// Write writes the figure with a width in millimetres. Equal figures give equal bytes. A PDF has the letters of Western Latin; in
// the place of others it has a question mark. The same drawing serves the page and the paper, so a
// figure in a paper cannot differ from the report.
func (f Figure) Write(w io.Writer, format Format, width float64) error {
	// Letters shrink with the figure: at 85 mm a tick has 5.5 points.
	// k is the length of one unit of the drawing. Height follows from width, so a figure keeps
	// its proportions.
	k := vg.Length(width) * vg.Millimeter / chartWidth
	size := [2]vg.Length{k * chartWidth, k * vg.Length(f.chart.height)}
	var canvas vg.CanvasWriterTo
	p := painter{unit: k, height: f.chart.height, encode: func(s string) string { return s }}
	if format == PDF {
		canvas = vgpdf.New(size[0], size[1])
		p.encode = westernLatin
	} else {
		// Without its fonts a figure would look different on each computer.
		canvas = vgsvg.NewWith(vgsvg.UseWH(size[0], size[1]), vgsvg.EmbedFonts(true))
	}
	p.canvas = canvas
	for i := range f.chart.elements {
		p.paint(&f.chart.elements[i])
	}
	// The file goes through memory, because the date of a PDF is replaced in the finished bytes.
	// Offsets in its table of objects stay right, for both dates have the same length.
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(withoutDate(b.Bytes()))
	return err
}

// dates are the dates of a PDF.
var dates = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/(CreationDate|ModDate) \(D:[0-9]{14}`) })

// withoutDate replaces the dates of a PDF by a fixed one of the same length. Equal figures then
// give equal bytes on any day, and the offsets of the PDF stay right.
func withoutDate(b []byte) []byte {
	return dates().ReplaceAllFunc(b, func(match []byte) []byte {
		// The capacity ends before the date, so append copies and leaves the bytes of the input as
		// they are.
		return append(match[:len(match)-14:len(match)-14], "20000101000000"...)
	})
}

// westernLatin writes a text in code page 1252, in which the library embeds fonts. Names in other
// scripts are better written as SVG.
func westernLatin(s string) string {
	var b strings.Builder
	for _, r := range s {
		if c, ok := charmap.Windows1252.EncodeRune(r); ok {
			b.WriteByte(c)
		} else {
			b.WriteByte('?')
		}
	}
	return b.String()
}

// painter paints elements on a canvas, whose origin is the lower left corner. A drawing has its origin
// at the upper left corner with y downwards, as SVG has it. A canvas has y upwards.
type painter struct {
	canvas vg.Canvas
	unit   vg.Length // of the drawing
	height float64
	encode func(string) string
}

// at returns a point of the drawing on the canvas.
func (p *painter) at(x, y float64) vg.Point {
	return vg.Point{X: p.unit * vg.Length(x), Y: p.unit * vg.Length(p.height-y)}
}

// paint paints an element.
func (p *painter) paint(e *element) {
	s := styleOf(e.class)
	switch e.shape {
	case textShape, upwardShape:
		p.write(e, s)
	// A path with points that are not finite has several pieces.
	case lineShape, pathShape:
		for _, piece := range e.pieces() {
			var path vg.Path
			for n, i := range piece {
				if n == 0 {
					path.Move(p.at(e.x[i], e.y[i]))
				} else {
					path.Line(p.at(e.x[i], e.y[i]))
				}
			}
			p.trace(path, s)
		}
	case dotShape:
		var path vg.Path
		centre, radius := p.at(e.x[0], e.y[0]), p.unit*vg.Length(e.size[0])
		// Arc continues the path from its start, at angle 0.
		path.Move(vg.Point{X: centre.X + radius, Y: centre.Y})
		path.Arc(centre, radius, 0, 2*math.Pi)
		path.Close()
		p.trace(path, s)
	case boxShape:
		s.fill = onWhite(s.fill, e.opacity)
		var path vg.Path
		path.Move(p.at(e.x[0], e.y[0]))
		path.Line(p.at(e.x[0]+e.size[0], e.y[0]))
		path.Line(p.at(e.x[0]+e.size[0], e.y[0]+e.size[1]))
		path.Line(p.at(e.x[0], e.y[0]+e.size[1]))
		path.Close()
		p.trace(path, s)
	}
}

// onWhite returns the opaque colour that a colour of the given opacity has on white. The formats
// would mix transparent colours differently.
func onWhite(c color.NRGBA, opacity float64) color.NRGBA {
	mix := func(x uint8) uint8 { return uint8(math.Round(255 + opacity*(float64(x)-255))) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), c.A}
}

// trace fills a path and draws its line, as far as the style has either.
func (p *painter) trace(path vg.Path, s style) {
	if s.fill.A > 0 {
		p.canvas.SetColor(s.fill)
		p.canvas.Fill(path)
	}
	if s.width > 0 {
		p.canvas.SetColor(s.stroke)
		p.canvas.SetLineWidth(p.unit * vg.Length(s.width))
		var dashes []vg.Length
		for _, d := range s.dashes {
			dashes = append(dashes, p.unit*vg.Length(d))
		}
		p.canvas.SetLineDash(dashes, 0)
		p.canvas.Stroke(path)
	}
}

// fonts has the font of all texts. Liberation Sans has the metrics of Arial and a free licence, so it
// may be embedded.
var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

// write writes a text.
func (p *painter) write(e *element, s style) {
	text := strings.TrimRight(strings.Map(func(r rune) rune {
		if strings.ContainsRune("↓→", r) { // no font of the library has arrows
			return -1
		}
		return r
	}, clean(e.text)), " ")
	face := fonts().Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, p.unit*vg.Length(s.size))
	// The width is measured before the text is encoded, because the font has the letters and not the
	// bytes of the code page. An anchor at the start has no shift.
	shift := map[string]vg.Length{"middle": .5, "end": 1}[e.anchor] * face.Width(text)
	p.canvas.SetColor(s.fill)
	text = p.encode(text)
	if e.shape == textShape {
		at := p.at(e.x[0], e.y[0])
		at.X -= shift
		p.canvas.FillString(face, at, text)
		return
	}
	// Push keeps the state of the canvas, which Pop restores behind the turned text.
	p.canvas.Push()
	p.canvas.Translate(p.at(e.x[0], e.y[0]))
	p.canvas.Rotate(math.Pi / 2)
	p.canvas.FillString(face, vg.Point{X: -shift}, text)
	p.canvas.Pop()
}

// style is how an element is painted.
type style struct {
	stroke, fill color.NRGBA
	width        float64 // of a line, 0 for none
	dashes       []float64
	size         float64 // of letters
}

// styleOf returns the style of classes, as style.css has it on white. TestStylesOfFigures compares the
// colours of both.
func styleOf(class string) style {
	s := style{fill: colourOf("ink"), size: 12}
	none := color.NRGBA{}
	// Classes are applied in their order, as "line s0": the first gives the width and the second the
	// colour.
	for name := range strings.FieldsSeq(class) {
		switch name {
		case "tick":
			s.fill, s.size = colourOf("soft"), 11
		case "cell":
			s.size = 11
		case "on":
			s.fill = color.NRGBA{255, 255, 255, 255}
		case "grid":
			s.fill, s.stroke, s.width = none, colourOf("rule"), .7
		case "axis":
			s.fill, s.stroke, s.width = none, colourOf("soft"), 1
		case "rule":
			s.fill, s.stroke, s.width, s.dashes = none, colourOf("soft"), 1, []float64{4, 4}
		case "line":
			s.fill, s.width = none, 2
		case "error":
			s.fill, s.width = none, 1.2
		case "mark":
			s.width = 0
		case "heat":
			s.fill, s.stroke, s.width = colourOf("heat"), colourOf("rule"), .5
		case "band":
			s.fill = colourOf("rule")
		case "count":
			s.fill = colourOf("s0")
		case "d0":
			s.dashes = []float64{7, 3}
		case "d1":
			s.dashes = []float64{2, 3}
		case "d2":
			s.dashes = []float64{8, 3, 2, 3}
		default: // the colour of a series
			if c := colourOf(name); c != none {
				s.stroke = c
				// A series without a line is a mark, whose area has the colour.
				if s.width == 0 {
					s.fill = c
				}
			}
		}
	}
	return s
}

// palette has the colours of style.css on white, by their names.
var palette = sync.OnceValue(func() map[string]color.NRGBA {
	colours := map[string]color.NRGBA{}
	// The first rule of the style sheet has the colours on white. A later one has the colours of a
	// dark screen.
	root, _, _ := strings.Cut(styleText, "}")
	for _, m := range regexp.MustCompile(`--(\w+): #([0-9a-f]+)`).FindAllStringSubmatch(root, -1) {
		hex := m[2]
		// #abc is short for #aabbcc.
		if len(hex) == 3 {
			hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
		}
		if n, err := strconv.ParseUint(hex, 16, 32); err == nil {
			colours[m[1]] = color.NRGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 255}
		}
	}
	return colours
})

// colourOf returns a colour of the style sheet, none if it has no such name.
func colourOf(name string) color.NRGBA { return palette()[name] }
