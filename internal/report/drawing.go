package report

import (
	"bigmkl/internal/float"
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// drawing has the elements of a chart in the order in which they are painted: later ones cover earlier
// ones. Lengths are in units of the drawing, which is chartWidth wide. A page shows it as SVG with
// classes of its style sheet (see svg), and a figure of its own has fonts and colours in it (see
// Figure).
type drawing struct {
	height   float64
	label    string    // a screen reader reads it in place of the drawing
	axes     []float64 // the numbers of axesOf, which the script of a page reads
	elements []element
}

// element is a part of a drawing. Fields that its shape does not use are empty.
type element struct {
	shape   shapeKind
	x, y    []float64  // of a line two points, of a text, a dot and a box one
	size    [2]float64 // width and height of a box, radius of a dot
	opacity float64
	class   string // of the style sheet
	anchor  string // of a text: start, middle or end
	text    string
}

// shapeKind is the kind of an element.
type shapeKind uint8

const (
	textShape   shapeKind = iota
	upwardShape           // a text that is turned by a quarter to the left
	lineShape
	pathShape
	dotShape
	boxShape
)

// chartWidth is the width of every chart. It is the width of a large phone, so letters of the
// size of the page need not shrink there by much.
const chartWidth = 480

// letterWidth estimates the width of a letter of a chart. It decides where texts are cut and how
// legends wrap, and need not be exact. It is about half of the height of letters of 12 units, the usual
// mean of fonts without serifs.
const letterWidth = 6.4

// newDrawing begins a drawing of a height. A LineChart gives its axes, because a script may enlarge it.
// Other charts have none.
func newDrawing(height float64, label string, axes ...float64) *drawing {
	return &drawing{height: height, label: label, axes: axes}
}

// add adds an element.
func (d *drawing) add(e element) { d.elements = append(d.elements, e) }

// text writes a text. The anchor is start, middle or end.
func (d *drawing) text(x, y float64, anchor, class, s string) {
	d.add(element{shape: textShape, x: []float64{x}, y: []float64{y}, anchor: anchor, class: class, text: s})
}

// upward writes a text that is turned by a quarter to the left.
func (d *drawing) upward(x, y float64, anchor, class, s string) {
	d.add(element{shape: upwardShape, x: []float64{x}, y: []float64{y}, anchor: anchor, class: class, text: s})
}

// line draws a line.
func (d *drawing) line(x1, y1, x2, y2 float64, class string) {
	d.add(element{shape: lineShape, x: []float64{x1, x2}, y: []float64{y1, y2}, class: class})
}

// path draws a line through points. It is interrupted at a point that is not finite. One element has
// the whole line, so a curve of 300 points is one path in the file.
func (d *drawing) path(x, y []float64, class string) {
	d.add(element{shape: pathShape, x: x, y: y, class: class})
}

// dot draws a mark.
func (d *drawing) dot(x, y, radius float64, class string) {
	d.add(element{shape: dotShape, x: []float64{x}, y: []float64{y}, size: [2]float64{radius}, class: class})
}

// box draws a rectangle. The opacity, from 0 to 1, is the strength of its colour.
func (d *drawing) box(x, y, width, height, opacity float64, class string) {
	d.add(element{shape: boxShape, x: []float64{x}, y: []float64{y}, size: [2]float64{width, height}, opacity: opacity, class: class})
}

// svg writes the drawing for a page. Lengths are units of the view box. The style sheet scales the
// drawing to the width of its column.
func (d *drawing) svg() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %s" role="img" aria-label="%s"`,
		chartWidth, coordinate(d.height), escape(d.label))
	if len(d.axes) > 0 {
		// The script turns places on the screen into values with these numbers, to enlarge a part of
		// the chart.
		fmt.Fprintf(&b, ` data-axes="%s"`, strings.Trim(fmt.Sprint(d.axes), "[]"))
	}
	b.WriteString(">\n")
	for i := range d.elements {
		d.elements[i].svg(&b)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// svg writes an element.
func (e *element) svg(b *strings.Builder) {
	switch e.shape {
	case textShape:
		fmt.Fprintf(b, `<text x="%s" y="%s" text-anchor="%s" class="%s">%s</text>`+"\n", coordinate(e.x[0]),
			coordinate(e.y[0]), e.anchor, e.class, escape(e.text))
	case upwardShape:
		fmt.Fprintf(b, `<text transform="translate(%s %s) rotate(-90)" text-anchor="%s" class="%s">%s</text>`+"\n",
			coordinate(e.x[0]), coordinate(e.y[0]), e.anchor, e.class, escape(e.text))
	case lineShape:
		fmt.Fprintf(b, `<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"/>`+"\n", coordinate(e.x[0]),
			coordinate(e.y[0]), coordinate(e.x[1]), coordinate(e.y[1]), e.class)
	case pathShape:
		var p strings.Builder
		for _, piece := range e.pieces() {
			// M moves the pen without a line, so each piece of an interrupted path has one.
			command := "M"
			for _, i := range piece {
				p.WriteString(command + coordinate(e.x[i]) + " " + coordinate(e.y[i]))
				command = "L"
			}
		}
		if p.Len() > 0 {
			fmt.Fprintf(b, `<path d="%s" class="%s"/>`+"\n", p.String(), e.class)
		}
	case dotShape:
		fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="%s" class="%s"/>`+"\n", coordinate(e.x[0]), coordinate(e.y[0]),
			coordinate(e.size[0]), e.class)
	case boxShape:
		fmt.Fprintf(b, `<rect x="%s" y="%s" width="%s" height="%s" fill-opacity="%s" class="%s"/>`+"\n", coordinate(e.x[0]),
			coordinate(e.y[0]), coordinate(e.size[0]), coordinate(e.size[1]), trim(e.opacity, 2), e.class)
	}
}

// pieces lists the points of a path between those that are not finite. A piece is a list of the numbers
// of its points. A single point between two gaps is a piece of its own.
func (e *element) pieces() (list [][]int) {
	var piece []int
	for i := range e.x {
		if float.Finite(e.x[i]) && float.Finite(e.y[i]) {
			piece = append(piece, i)
			continue
		}
		if piece != nil {
			list, piece = append(list, piece), nil
		}
	}
	if piece != nil {
		list = append(list, piece)
	}
	return list
}

// coordinate writes a length with one decimal, which is finer than a screen shows. It also keeps files
// small and equal on all computers.
func coordinate(x float64) string { return trim(x, 1) }

// trim writes a number with so many decimals at most. Zeros at the end go, and -0 becomes 0.
func trim(x float64, decimals int) string {
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// number writes a number for people, with four digits. Most numbers of a page are estimates with
// errors. More digits would suggest an accuracy that they lack.
func number(x float64) string {
	if x == 0 {
		return "0" // and not -0
	}
	// Numbers of rows and the like are read more easily without an exponent.
	if size := math.Abs(x); size >= 1e4 && size < 1e7 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// percent writes a share for people.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 1, 64) + " %" }

// mostText is the number of letters of a text of the data that a page shows. A damaged file could have
// a name of megabytes.
const mostText = 300

// mostProse is the number of letters of a paragraph.
const mostProse = 3000

// prose makes a paragraph fit for a page. Paragraphs of the program contain names of the data, so they
// need the same care.
func prose(s string) string { return cut(strings.ReplaceAll(cleanLines(s), "\n", " "), mostProse) }

// clean makes a text of the data fit for a line of a page, and cuts a long one.
func clean(s string) string {
	return cut(strings.ReplaceAll(cleanLines(s), "\n", " "), mostText)
}

// cleanLines makes a text fit for a page: letters that XML forbids, or that turn the direction of
// what follows, become a sign in their place. It keeps the ends of lines.
func cleanLines(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		// Marks of direction could make a name read backwards, or exchange what follows it. The last
		// two code points of each plane are not characters, and XML forbids U+FFFE and U+FFFF.
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r >= 0xfffe && r&0xfffe == 0xfffe:
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
}

// cut keeps at most so many letters.
func cut(s string, most int) string {
	// Letters are counted and not bytes, so no letter is cut in two.
	letters := []rune(s)
	if len(letters) <= most {
		return s
	}
	return string(letters[:most-1]) + "…"
}

// cutMiddle keeps at most so many letters, half of them at the end: names of kernels often differ
// there, in the name of their view. The sign for the cut part counts as one letter.
func cutMiddle(s string, most int) string {
	letters := []rune(s)
	if len(letters) <= most {
		return s
	}
	return string(letters[:most-1-most/2]) + "…" + string(letters[len(letters)-most/2:])
}

// escape makes a text of the data a text of SVG.
func escape(s string) string { return html.EscapeString(clean(s)) }
