package report

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the drawings in testdata again")

// drawings are the charts of testdata, by the names of their files.
func drawings() map[string]string {
	nan := math.NaN()
	lines := LineChart{Label: "a <b> & \"c\"", X: Axis{Name: "cost C", Log: true}, Y: Axis{Name: "accuracy"}, Lines: []Line{
		{Name: "p = 1", X: []float64{.01, .1, 1, 10}, Y: []float64{.5, .75, .82, .8}, Errors: []float64{.01, .02, 0, .03}, Marks: true},
		{Name: `<script>alert("1")</script>`, X: []float64{.01, .1, 1, 10}, Y: []float64{.6, nan, .7, .9}},
		{Name: "control\x00\x1b and \u202eturned and \xff", X: []float64{.01, 10}, Y: []float64{.6, .6}, Marks: true, NoLine: true},
		{Name: "a name that is so long that it needs a row of the legend for itself", X: []float64{1}, Y: []float64{.6}}}}
	gap := LineChart{Label: "gap", X: Axis{Name: "seconds"}, Y: Axis{Name: "gap", Log: true}, Rule: 1e-3, RuleName: "asked for",
		Lines: []Line{{X: []float64{0.013, 0.0155, 0.0193}, Y: []float64{.9, 2e-2, 7e-5}}}}
	roc := LineChart{Label: "ROC", X: Axis{Name: "x", From: 0, To: 1}, Y: Axis{Name: "y", From: 0, To: 1}, Diagonal: true,
		Lines: []Line{{X: []float64{0, 0, .5, 1}, Y: []float64{0, .5, .75, 1}}}}
	norms := LineChart{Label: "norms", X: normAxis([]float64{1, 4. / 3, 2, math.Inf(1)}), Y: Axis{Name: "nu"},
		Lines: []Line{{X: []float64{-1, -.75, -.5, 0}, Y: []float64{3, 2, 1, 2}, Marks: true}}}
	heat := HeatMap{Label: "confusion", Rows: []string{"<i>", "b"}, Columns: []string{"<i>", "b&c"}, RowTitle: "class", ColumnTitle: "predicted",
		Shades: [][]float64{{1, 0}, {.25, nan}}, Texts: [][]string{{"12", ""}, {"3", "9"}}}
	turned := heat
	turned.Columns, turned.Texts = []string{"a name longer than a cell", "b"}, nil
	return map[string]string{"lines": lines.SVG(), "gap": gap.SVG(), "roc": roc.SVG(), "norms": norms.SVG(),
		"empty": (&LineChart{Label: "nothing", Lines: []Line{{}}}).SVG(), "heat": heat.SVG(), "turned": turned.SVG(), "bar": string(bar(.4217).Drawing) + "\n"}
}

// TestDrawings compares every chart with its file.
func TestDrawings(t *testing.T) {
	for name, got := range drawings() {
		path := filepath.Join("testdata", name+".svg")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || got != string(want) {
			t.Errorf("%s differs from %s: %v (go test ./report -update writes it again)", name, path, err)
		}
		for _, bad := range []string{"NaN", "Inf", "<script", "\x00", "\u202e"} {
			if strings.Contains(got, bad) {
				t.Errorf("%s has %q", name, bad)
			}
		}
		wellFormed(t, name, got)
	}
}

// wellFormed fails unless a text is well-formed XML, and returns the values of all attributes.
func wellFormed(t *testing.T, name, text string) (attributes map[string][]string) {
	t.Helper()
	attributes = map[string][]string{}
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return attributes
		}
		if err != nil {
			t.Fatalf("%s is not well-formed: %v", name, err)
		}
		if e, ok := token.(xml.StartElement); ok {
			for _, a := range e.Attr {
				attributes[a.Name.Local] = append(attributes[a.Name.Local], a.Value)
			}
			attributes["<"] = append(attributes["<"], e.Name.Local)
		}
	}
}

// TestScales: the ends hold the values, ticks lie between the ends, rise, and are neither missing nor too many.
func TestScales(t *testing.T) {
	for _, a := range []Axis{{}, {Whole: true}, {Log: true}, {From: 0, To: 1}} {
		for _, c := range [][2]float64{{0, 1}, {0.013, 0.0193}, {1, 1}, {0, 0}, {-3, 12345}, {1e-9, 1e-8}, {5e-7, 3e8}, {112.9, 134.2}, {0.78, 0.81}, {99, 101}, {11, 11}} {
			if a.Log && c[0] <= 0 {
				continue
			}
			s := newScale(a, c[0], c[1])
			if a.From == a.To && (s.low > c[0] || s.high < c[1]) || !(s.low < s.high) {
				t.Errorf("%+v %v: from %v to %v", a, c, s.low, s.high)
			}
			if n := len(s.ticks); n < 2 || n > mostTicks+2 {
				t.Errorf("%+v %v: %d ticks: %v", a, c, n, s.ticks)
			}
			for i, k := range s.ticks {
				p := s.place(k.At)
				if p < -1e-9 || p > 1+1e-9 || i > 0 && k.At <= s.ticks[i-1].At || a.Whole && k.At != math.Round(k.At) || len(k.Text) > 9 {
					t.Errorf("%+v %v: tick %v at %v", a, c, k, p)
				}
			}
		}
	}
}

func TestThin(t *testing.T) {
	l := Line{}
	for i := range 1000 {
		l.X, l.Y = append(l.X, float64(i)), append(l.Y, 1)
	}
	if s := l.thin(100); len(s.X) != 100 || s.X[0] != 0 || s.X[99] != 999 || len(s.Y) != 100 {
		t.Errorf("%d points from %v to %v", len(s.X), s.X[0], s.X[len(s.X)-1])
	}
}

// TestValuesOfOneSize: values that differ by rounding alone have an axis, and ticks that differ have texts that differ.
func TestValuesOfOneSize(t *testing.T) {
	for _, c := range [][2]float64{{1 - 1.2e-16, 1}, {.95, .9500000000000001}, {-7, -6.999999999}, {0, 5e-324}, {1e15, 1e15 + 1}, {-mostValue, mostValue}, {1234.01, 1234.05}, {123456.7, 123456.9}} {
		s := newScale(Axis{}, c[0], c[1])
		if !(s.low <= c[0] && c[1] <= s.high) || len(s.ticks) < 2 || len(s.ticks) > mostTicks {
			t.Fatalf("%v: from %v to %v, %d ticks", c, s.low, s.high, len(s.ticks))
		}
		for i, k := range s.ticks[1:] {
			if k.Text == s.ticks[i].Text {
				t.Errorf("%v: two ticks are %s", c, k.Text)
			}
		}
	}
}

// TestValuesWithoutPlace: values that are too large, rules below a logarithmic axis and a diagonal of axes that do not meet are not drawn.
func TestValuesWithoutPlace(t *testing.T) {
	big := LineChart{Rule: -1, Y: Axis{Log: true}, Lines: []Line{{X: []float64{1, 2, 3}, Y: []float64{1e-320, 1, 1.7e308}, Marks: true}}}
	apart := LineChart{Diagonal: true, Lines: []Line{{X: []float64{0, 1}, Y: []float64{5, 6}}}}
	for name, svg := range map[string]string{"big": big.SVG(), "apart": apart.SVG()} {
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") || strings.Contains(svg, `"rule"`) || strings.Count(svg, "<circle") > 1 {
			t.Errorf("%s: %s", name, svg)
		}
	}
}

// TestRuleAtTheBottom: the name of a rule does not stand among the numbers of the axis.
func TestRuleAtTheBottom(t *testing.T) {
	c := LineChart{Y: Axis{Log: true}, Rule: 1e-3, RuleName: "asked for", Lines: []Line{{X: []float64{1, 2}, Y: []float64{1, .1}}}}
	if svg := c.SVG(); !strings.Contains(svg, `y="245" text-anchor="start" class="tick">asked for<`) {
		t.Error(svg)
	}
}

// TestManyLines: no two of the lines of a chart look alike.
func TestManyLines(t *testing.T) {
	seen := map[string]bool{}
	for k := range colours * (dashes + 1) {
		if class := classOf(k); seen[class] {
			t.Errorf("line %d is %s, as another one", k, class)
		} else {
			seen[class] = true
		}
	}
	for k := range dashes {
		if class := fmt.Sprintf("svg .line.d%d ", k); !strings.Contains(styleText, class) {
			t.Errorf("the style sheet has no %s", class)
		}
	}
}

// TestNamesOfManyColumns: the names of 300 columns do not overlap.
func TestNamesOfManyColumns(t *testing.T) {
	h := HeatMap{Columns: make([]string, 300)}
	for j := range h.Columns {
		h.Columns[j] = fmt.Sprint("column ", j)
	}
	if n := strings.Count(h.SVG(), "rotate(-90)"); n < 10 || n*turnedRoom > chartWidth-heatLeft {
		t.Errorf("%d names", n)
	}
}
