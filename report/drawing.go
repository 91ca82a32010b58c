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

// drawing collects the elements of an SVG. Lengths are in units of the drawing, which is chartWidth
// wide and scales with the page.
type drawing struct{ b strings.Builder }

// chartWidth is the width of every chart. It is that of a large phone, so that letters of the size
// of the page need not shrink there by much.
const chartWidth = 480

// letterWidth estimates the width of a letter of a chart. It decides where texts are cut and how
// legends wrap, and need not be exact.
const letterWidth = 6.4

// newDrawing begins a drawing of a height. The label is what is read out in place of it, and axes are
// the numbers of axesOf, which the script of a page reads.
func newDrawing(height float64, label string, axes ...float64) *drawing {
	d := &drawing{}
	fmt.Fprintf(&d.b, `<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %s" role="img" aria-label="%s"`,
		chartWidth, coordinate(height), escape(label))
	if len(axes) > 0 {
		fmt.Fprintf(&d.b, ` data-axes="%s"`, strings.Trim(fmt.Sprint(axes), "[]"))
	}
	d.b.WriteString(">\n")
	return d
}

// close ends the drawing and returns its text.
func (d *drawing) close() string {
	d.b.WriteString("</svg>\n")
	return d.b.String()
}

// text writes a text. The anchor is start, middle or end.
func (d *drawing) text(x, y float64, anchor, class, s string) {
	fmt.Fprintf(&d.b, `<text x="%s" y="%s" text-anchor="%s" class="%s">%s</text>`+"\n", coordinate(x),
		coordinate(y), anchor, class, escape(s))
}

// upward writes a text that is turned by a quarter to the left.
func (d *drawing) upward(x, y float64, anchor, class, s string) {
	at := coordinate(x) + " " + coordinate(y)
	fmt.Fprintf(&d.b, `<text transform="translate(%s) rotate(-90)" text-anchor="%s" class="%s">%s</text>`+"\n",
		at, anchor, class, escape(s))
}

// line draws a line.
func (d *drawing) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(&d.b, `<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"/>`+"\n", coordinate(x1),
		coordinate(y1), coordinate(x2), coordinate(y2), class)
}

// path draws a line through points. It is interrupted at a point that is not finite.
func (d *drawing) path(x, y []float64, class string) {
	var p strings.Builder
	command := "M"
	for i := range x {
		if !float.Finite(x[i]) || !float.Finite(y[i]) {
			command = "M"
			continue
		}
		p.WriteString(command + coordinate(x[i]) + " " + coordinate(y[i]))
		command = "L"
	}
	if p.Len() > 0 {
		fmt.Fprintf(&d.b, `<path d="%s" class="%s"/>`+"\n", p.String(), class)
	}
}

// dot draws a mark.
func (d *drawing) dot(x, y, radius float64, class string) {
	fmt.Fprintf(&d.b, `<circle cx="%s" cy="%s" r="%s" class="%s"/>`+"\n", coordinate(x), coordinate(y),
		coordinate(radius), class)
}

// box draws a rectangle. The opacity, from 0 to 1, is the strength of its colour.
func (d *drawing) box(x, y, width, height, opacity float64, class string) {
	fmt.Fprintf(&d.b, `<rect x="%s" y="%s" width="%s" height="%s" fill-opacity="%s" class="%s"/>`+"\n", coordinate(x),
		coordinate(y), coordinate(width), coordinate(height), trim(opacity, 2), class)
}

// coordinate writes a length with one decimal, which is finer than a screen shows.
func coordinate(x float64) string { return trim(x, 1) }

// trim writes a number with so many decimals at most.
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

// number writes a number for people, with four digits.
func number(x float64) string {
	if x == 0 {
		return "0" // and not -0
	}
	if size := math.Abs(x); size >= 1e4 && size < 1e7 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// percent writes a share for people.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 1, 64) + " %" }

// mostText is the number of letters of a text of the data that a page shows.
const mostText = 300

// mostProse is the number of letters of a paragraph.
const mostProse = 3000

// prose makes a paragraph fit for a page.
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
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r >= 0xfffe && r&0xfffe == 0xfffe:
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
}

// cut keeps at most so many letters.
func cut(s string, most int) string {
	letters := []rune(s)
	if len(letters) <= most {
		return s
	}
	return string(letters[:most-1]) + "…"
}

// cutMiddle keeps at most so many letters, half of them at the end: names of kernels often differ
// there, in the name of their view.
func cutMiddle(s string, most int) string {
	letters := []rune(s)
	if len(letters) <= most {
		return s
	}
	return string(letters[:most-1-most/2]) + "…" + string(letters[len(letters)-most/2:])
}

// escape makes a text of the data a text of SVG.
func escape(s string) string { return html.EscapeString(clean(s)) }
