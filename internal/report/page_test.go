package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/probability"
	"bigmkl/internal/selection"
)

// hostile are names that data may have.
var hostile = []string{"<script>alert(1)</script>", `"onload="x`, "</style></title>", "{{.}}", "a\x00b\x1b[2J\u202e\xff\ufffe", "https://example.org/x.js", strings.Repeat("long ", 200), "&lt;"}

// hostilePage is a page with every section, in which every text that comes from outside is hostile.
func hostilePage() *Page {
	p := New(hostile[0], hostile[1])
	s := &selection.Selection{Measure: "accuracy", Rows: 10, Folds: []string{"1"}, Best: 1,
		Arms:   []selection.Arm{{Kind: selection.Grid, Norm: 1}, {Kind: selection.Grid, Norm: selection.Norm(math.Inf(1))}, {Kind: selection.Single}},
		Nested: &selection.Figure{Mean: .5}}
	for k := range 6 {
		s.Cells = append(s.Cells, selection.Cell{Arm: k / 2, Cost: float64(1 + 9*(k%2)), Unconverged: k % 2, Figures: map[string]selection.Figure{"accuracy": {Mean: .1 * float64(k), Error: .1}}})
	}
	delete(s.Cells[0].Figures, "accuracy")
	s.Baselines = []selection.Comparison{{Kind: selection.Single, Cell: 4}}
	if err := p.AddSelection(s, hostile[:3]); err != nil {
		panic(err)
	}
	m := &model.Model{Task: model.TaskClass, Norm: 2, Gap: 1e-3, Decomposition: model.Decomposition{Multiclass: model.OneVsRest, Classes: hostile[:3]},
		Sigmoids: make([]probability.Sigmoid, 3)}
	for k := range 3 {
		m.Classifiers = append(m.Classifiers, model.Classifier{Positive: int32(k), Negative: model.Rest, Certificate: model.Certificate{Kind: "gap", Primal: 2, Dual: 1, RelativeGap: .5}})
	}
	p.AddCertificate(m)
	w := &Model{Model: m, By: "view", Classifiers: hostile[:3]}
	for i, name := range hostile {
		w.Parts = append(w.Parts, Weight{Name: name, Share: 1 / float64(i+1)})
	}
	w.Kernels = w.Parts
	for range 3 {
		w.Shares = append(w.Shares, []float64{.5, .5, 0, 0, 0, 0, 0, math.NaN()})
	}
	p.AddWeights(w)
	m.Conformal = &model.Conformal{Share: .2, Rows: 10, ByClass: true, Scores: []float64{-1, 0, 1, 1, 2}, Counts: []int32{2, 2, 1}, Unbounded: []int32{0, 0, 1}}
	h := newHeldOut(m)
	for i := range 90 {
		k := i % 3
		d := []float64{-1, -1, -1}
		d[(k+i/80)%3] = 1
		h.add(prediction(m, d, hostile[k]))
	}
	p.AddHeldOut(h, strings.Join(hostile, " "))
	p.AddRegions(m, h)
	p.AddBound([]float64{1, .5, 0}, 2)
	var facts, commands [][2]string
	for _, name := range hostile {
		facts, commands = append(facts, [2]string{name, name}), append(commands, [2]string{name, "bigmkl " + name + "\n" + name})
	}
	p.AddFacts(facts)
	p.AddCommands(commands...)
	return p
}

// TestPage: a page is well-formed, the same every time, names nothing outside of itself, and holds no text of the data as markup.
func TestPage(t *testing.T) {
	var a, b bytes.Buffer
	if err := hostilePage().Write(&a); err != nil {
		t.Fatal(err)
	}
	if err := hostilePage().Write(&b); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Errorf("a page differs from itself: %v", err)
	}
	text := a.String()
	attributes := wellFormed(t, "the page", text)
	for _, e := range attributes["<"] {
		if slices.Contains([]string{"script", "link", "img", "iframe", "object", "a:href", "base", "form", "image", "use"}, e) {
			t.Errorf("the page has an element %s", e)
		}
	}
	for name, values := range attributes {
		if strings.HasPrefix(name, "on") || name == "src" || name == "style" {
			t.Errorf("the page has an attribute %s: %q", name, values)
		}
	}
	for _, to := range attributes["href"] {
		if !strings.HasPrefix(to, "#") || !slices.Contains(attributes["id"], to[1:]) {
			t.Errorf("the page refers to %q", to)
		}
	}
	for _, n := range []string{"&lt;script&gt;alert(1)&lt;/script&gt;", "&amp;lt;", "{{.}}"} {
		if !strings.Contains(text, n) {
			t.Errorf("the page does not show %s", n)
		}
	}
	for _, bad := range []string{"\x00", "\x1b", "\u202e", "url(", "@import", "ZgotmplZ", "NaN"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, id := range []string{"selection", "certificate", "weights", "test", "bound", "options", "commands"} {
		if !slices.Contains(attributes["id"], id) {
			t.Errorf("the page has no section %s", id)
		}
	}
	// The policy allows the style sheet as the page has it, and nothing else.
	_, rest, _ := strings.Cut(text, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	if !slices.Contains(attributes["content"], want) {
		t.Errorf("the policy is none of %q", attributes["content"])
	}
}

// TestCertificateInWords: what is said of a certificate depends on what it proves.
func TestCertificateInWords(t *testing.T) {
	for _, c := range []struct {
		m    model.Model
		want string
	}{
		{model.Model{Gap: 1e-2, Certificate: model.Certificate{Kind: "gap", Primal: 100, Dual: 99.5, RelativeGap: .005}}, "objective is at least 99.5; this model reaches 100 (within 0.5 %)"},
		{model.Model{Gap: 1e-3, Certificate: model.Certificate{Kind: "gap", Primal: 100, Dual: 99.5, RelativeGap: .005}}, "the model is not converged"},
		{model.Model{Gap: 1e-2, Certificate: model.Certificate{Kind: "stationary", Primal: 1, RelativeGap: .005}}, "not a proof"},
	} {
		var all strings.Builder
		for _, b := range certificateBlocks(&c.m) {
			all.WriteString(b.Text + "\n")
		}
		if !strings.Contains(all.String(), c.want) {
			t.Errorf("no %q in\n%s", c.want, all.String())
		}
	}
}

// TestDamagedSelections: a table whose numbers do not fit each other is a damaged file, and not a crash.
func TestDamagedSelections(t *testing.T) {
	whole := func() *selection.Selection {
		return &selection.Selection{Measure: "accuracy", Arms: []selection.Arm{{Kind: selection.Grid, Norm: 1}, {Kind: selection.Grid, Norm: 2}},
			Cells: []selection.Cell{{Arm: 0, Cost: 1}, {Arm: 1, Cost: 1}}, Best: 1, Baselines: []selection.Comparison{{Cell: 0}},
			Pairs: []selection.Pair{{First: 0, Second: 1, P: 0.5}}, Problems: []selection.Problem{{Name: "a", Cells: make([]selection.Figure, 2)}}}
	}
	names := []string{"a", "b"}
	if err := New("", "").AddSelection(whole(), names); err != nil {
		t.Fatal(err)
	}
	for i, damage := range []func(*selection.Selection){
		func(s *selection.Selection) { s.Best = 2 }, func(s *selection.Selection) { s.Cells[1].Arm = 7 }, func(s *selection.Selection) { s.Arms = nil },
		func(s *selection.Selection) { s.Cells = s.Cells[:1] }, func(s *selection.Selection) { s.Cells = nil }, func(s *selection.Selection) { s.Baselines[0].Cell = -1 },
		func(s *selection.Selection) { s.Arms[0].Norm = 0 }, func(s *selection.Selection) { s.Cells[0].Cost = 0 },
		func(s *selection.Selection) { s.Pairs[0].Second = 2 }, func(s *selection.Selection) { s.Pairs[0].First = -1 }, func(s *selection.Selection) { s.Problems[0].Cells = nil },
	} {
		s := whole()
		damage(s)
		if err := New("", "").AddSelection(s, names); !errors.Is(err, fail.Corrupt) {
			t.Errorf("damage %d: %v", i, err)
		}
	}
}

// TestBestAgainstNorm: a cell without a figure is never the best of its norm, also where less is better.
func TestBestAgainstNorm(t *testing.T) {
	s := &selection.Selection{Measure: "RMSE", Smaller: true, Rows: 10, Folds: []string{"1"}, Best: 0}
	for k := range 2 {
		s.Arms = append(s.Arms, selection.Arm{Kind: selection.Grid, Norm: selection.Norm(k + 1)})
		s.Cells = append(s.Cells, selection.Cell{Arm: k, Cost: 1, Figures: map[string]selection.Figure{"RMSE": {Mean: .5}}}, selection.Cell{Arm: k, Cost: 2})
	}
	charts := selectionCharts(s, []string{"a", "b"})
	if n := strings.Count(string(charts[1].Drawing()), "<circle"); n != 2 {
		t.Errorf("%d of 2 norms have a best figure", n)
	}
}
