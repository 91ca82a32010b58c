package report

import (
	"bytes"
	"fmt"
	"image/color"
	"regexp"
	"strings"
	"testing"
)

// TestFigures: every chart of a page is a well-formed SVG and a PDF with its font in it, the same bytes each time, at both widths.
func TestFigures(t *testing.T) {
	t.Parallel()
	pages := map[string]*Page{"hostile": hostilePage(), "importance": New("", "")}
	if err := pages["importance"].AddImportance(someImportance("rna", "\u03b2-cat\u00e9nine ±", "日本語")); err != nil {
		t.Fatal(err)
	}
	for page, p := range pages {
		figures := p.Figures()
		names := map[string]bool{}
		if len(figures) < 2 {
			t.Fatalf("%s: %d figures", page, len(figures))
		}
		for k, f := range figures {
			if names[f.Name] {
				t.Errorf("%s: two figures %s", page, f.Name)
			}
			names[f.Name] = true
			if testing.Short() && k > 2 {
				continue
			}
			for _, width := range Columns {
				for _, format := range []Format{SVG, PDF} {
					var a, b bytes.Buffer
					if err := f.Write(&a, format, width); err != nil {
						t.Fatal(err)
					}
					if err := f.Write(&b, format, width); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
						t.Errorf("%s %s %s differs from itself: %v", page, f.Name, format, err)
					}
					text := a.String()
					points := fmt.Sprintf("%.2f", width/25.4*72)
					switch format {
					case SVG:
						wellFormed(t, f.Name, strings.TrimPrefix(text, `<?xml version="1.0"?>`))
						if !strings.Contains(text, "font/ttf") || !strings.Contains(text, `width="`+points[:5]) {
							t.Errorf("%s %s: no font, or not %s points wide: %.200s", page, f.Name, points, text)
						}
					case PDF:
						if !strings.HasPrefix(text, "%PDF-") || !strings.Contains(text, "/FontFile2") || !regexp.MustCompile(`/MediaBox \[0 0 `+points).MatchString(text) {
							t.Errorf("%s %s: no PDF with a font, or not %s points wide", page, f.Name, points)
						}
					}
				}
			}
		}
	}
}

// TestStylesOfFigures: figures have the colours of the style sheet, and a colour of an opacity is mixed with white.
func TestStylesOfFigures(t *testing.T) {
	t.Parallel()
	if c := colourOf("s0"); c != (color.NRGBA{0, 0x67, 0xa5, 255}) {
		t.Errorf("%v", c)
	}
	if c := colourOf("paper"); c != (color.NRGBA{255, 255, 255, 255}) {
		t.Errorf("%v", c)
	}
	if s := styleOf("line s1 d0"); s.stroke != colourOf("s1") || s.width != 2 || len(s.dashes) != 2 || s.fill.A != 0 {
		t.Errorf("%+v", s)
	}
	if s := styleOf("mark s2"); s.fill != colourOf("s2") || s.width != 0 {
		t.Errorf("%+v", s)
	}
	if c := onWhite(color.NRGBA{0, 100, 200, 255}, .5); c != (color.NRGBA{128, 178, 228, 255}) {
		t.Errorf("%v", c)
	}
	for _, m := range regexp.MustCompile(`svg (?:rect)?\.(\w+)[ ,{]`).FindAllStringSubmatch(styleText, -1) {
		if name := m[1]; name != "chart" && name != "bar" && name != "name" {
			if s := styleOf(name); s.fill == styleOf("").fill && s.width == 0 && s.size == 12 && s.dashes == nil && name != "mark" {
				t.Errorf("figures have no style %s", name)
			}
		}
	}
}
