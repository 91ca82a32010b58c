package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"sync"
)

// Page is a page that is being put together, a section at a time. Sections follow in the order in
// which they are added.
type Page struct {
	title, subtitle string
	sections        []section
}

// New begins a page. Both texts may hold anything. Texts are escaped as the page is written.
func New(title, subtitle string) *Page { return &Page{title: title, subtitle: subtitle} }

// section is a part of a page with a heading of its own.
type section struct {
	// ID is the anchor of the section, which links of the navigation and names of figures use.
	ID, Title string
	Blocks    []block
}

// block is a paragraph, commands, figures side by side, or a table. One field is set, beside Lead.
type block struct {
	Text    string
	Lead    bool // the paragraph is the one to read if one reads no other
	Code    string
	Figures []figure
	Table   *table
}

// figure is a chart with a caption that explains it.
type figure struct {
	Chart   *drawing
	Caption string
	// Zoom lets a browser enlarge a part of the drawing, which is a LineChart.
	Zoom bool
}

// table is a table whose rows begin with their names.
type table struct {
	Caption string
	Head    []string
	Rows    [][]cell
	More    string // what was left out
}

// cell is a cell of a table: a text or, if it is not empty, a drawing of this package.
type cell struct {
	Text, Class string
	Drawing     template.HTML
}

//go:embed page.html
var pageText string

//go:embed style.css
var styleText string

// pageTemplate escapes every text by its place in the page. Drawings are the exception; their texts
// are escaped as they are drawn.
// Only a command that writes a page parses it.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{"clean": clean, "code": cleanLines, "prose": prose}).
		Parse(pageText))
})

//go:embed zoom.js
var zoomText string

// policy forbids the page everything but the style sheet that it holds and its script, if there is
// one. Both are known by their hashes. The policy is a second protection: an error in the escaping of a
// text would still not run a script.
func policy(script string) string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; "
	}
	// A text of the data that came through the escaping could neither run a script nor load anything.
	allowed := "default-src 'none'; style-src" + hash(styleText)
	if script != "" {
		allowed += "script-src" + hash(script)
	}
	return allowed + "base-uri 'none'; form-action 'none'"
}

// script returns the script of the page, "" if no chart needs one. A page without a zoomable chart has
// no script at all, and its policy allows none.
func (p *Page) script() string {
	for _, s := range p.sections {
		for _, b := range s.Blocks {
			if slices.ContainsFunc(b.Figures, func(f figure) bool { return f.Zoom }) {
				return zoomText
			}
		}
	}
	return ""
}

// Write writes the page as HTML that is well-formed XML. Equal pages give equal bytes.
func (p *Page) Write(w io.Writer) error {
	// The page is written at once, so a fault of the template leaves no half page.
	var b bytes.Buffer
	script := p.script()
	err := pageTemplate().Execute(&b, map[string]any{
		"Policy": policy(script), "Title": p.title, "Subtitle": p.subtitle, "Sections": p.sections,
		// Both are the program's own. Their hashes are of these very bytes.
		"Style": template.CSS(styleText), "Script": template.JS(script),
	})
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// add adds a section. The identifier is a word of the program's own.
func (p *Page) add(id, title string, blocks ...block) {
	p.sections = append(p.sections, section{id, title, blocks})
}

// AddCommands adds commands with a word about each. Lines of a command may be long.
func (p *Page) AddCommands(commands ...[2]string) {
	var blocks []block
	for _, c := range commands {
		blocks = append(blocks, block{Text: c[0]}, block{Code: c[1]})
	}
	p.add("commands", "How to get the same again", blocks...)
}

// AddFacts adds a table of names and values.
func (p *Page) AddFacts(facts [][2]string) {
	t := &table{}
	for _, f := range facts {
		t.Rows = append(t.Rows, []cell{{Text: f[0]}, {Text: f[1], Class: "words"}})
	}
	p.add("options", "Options and sizes", block{Table: t})
}

// paragraph returns a block of text.
func paragraph(format string, args ...any) block { return block{Text: fmt.Sprintf(format, args...)} }

// Drawing returns the chart as it goes into the page.
func (f figure) Drawing() template.HTML { return template.HTML(f.Chart.svg()) }

// bar returns a cell with a bar whose length is a share from 0 to 1. An SVG has its length as an
// attribute. A length in a style attribute would be against the policy of the page.
func bar(share float64) cell {
	if !(share >= 0) {
		share = 0
	}
	return cell{Class: "bar", Drawing: template.HTML(fmt.Sprintf(
		`<svg class="bar" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">`+
			`<rect width="%s" height="8"/></svg>`, coordinate(100*min(share, 1))))}
}
