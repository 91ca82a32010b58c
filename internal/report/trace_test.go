package report

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/train"
)

// counter counts the events that it is told of.
type counter int

func (c *counter) Record(train.Event) error { *c++; return nil }

// TestTraceComesBack: what a recorder writes is read again, folds are counted apart, and the next recorder is told of all.
func TestTraceComesBack(t *testing.T) {
	var b bytes.Buffer
	var told counter
	r := &Recorder{To: &b, Next: &told}
	for k := range 3 {
		for i := range 5 {
			e := train.Event{Classifier: k, Classifiers: 3, Iteration: i + 1, Primal: 10, Dual: math.Inf(-1), Gap: math.NaN(), Target: 1e-3, Active: 2, Kernels: 4, Theta: []float64{float64(i), 0, 1, 0}, Elapsed: time.Duration(10*k+i) * time.Second}
			if i > 0 {
				e.Dual, e.Gap = 5, .5
			}
			for fold := range 2 {
				e.Fold = fold
				if err := r.Record(e); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	trace, err := ReadTrace(&b, "f")
	if err != nil {
		t.Fatal(err)
	}
	classifiers := trace.classifiers()
	if trace.total != 15 || trace.folds != 15 || told != 30 || len(classifiers) != 3 || len(classifiers[2]) != 5 || classifiers[2][4].Seconds != 24 {
		t.Errorf("%d iterations, %d of folds, %d told, classifiers %+v", trace.total, trace.folds, told, classifiers)
	}
	if i := classifiers[0][0]; i.Gap != nil || i.Dual != nil || *i.Primal != 10 {
		t.Errorf("%+v", i)
	}
	p := New("t", "s")
	if err := p.AddTrace(trace, &model.Model{}, []string{"a", "b"}); !errors.Is(err, fail.Input) {
		t.Errorf("the trace of another model: %v", err)
	}
	m := &model.Model{Decomposition: model.Decomposition{Classifiers: make([]model.Classifier, 3)}}
	for k := range m.Classifiers {
		m.Classifiers[k].Certificate.Primal = 10
	}
	if err := p.AddTrace(trace, m, []string{"a", "b", "third<", "d"}); err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := p.Write(&page); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	if strings.Contains(text, "Careful: ") {
		t.Error("the page warns of the trace of the model")
	}
	m.Classifiers[1].Certificate.Primal = 11
	if err := p.AddTrace(trace, m, []string{"a", "b", "c", "d"}); err != nil {
		t.Fatal(err)
	}
	if s := p.sections[1].Blocks[0].Text; !strings.HasPrefix(s, "Careful: ") || !strings.Contains(s, "30, and that of the model is 31") {
		t.Errorf("of the trace of another training the page says %s", s)
	}
	m.OneTheta, m.Certificate.Primal = true, trace.primal()
	if primalOf(m) != 30 {
		t.Errorf("classifiers with one theta have the primal value %v", primalOf(m))
	}
	attributes := wellFormed(t, "the page", text)
	if !strings.Contains(text, "third&lt;") || !strings.Contains(text, "weights of kernels against iterations") {
		t.Error("the page does not show the weights")
	}
	// The page has one script, the program's own, and its policy allows that by its hash.
	_, rest, _ := strings.Cut(text, `<script type="module">`)
	script, after, _ := strings.Cut(rest, "</script>")
	if script != zoomText || strings.Contains(after, "<script") || !slices.Contains(attributes["content"], policy(zoomText)) {
		t.Errorf("the script of the page is %q, its policy among %q", script, attributes["content"])
	}
}

// TestWeightsOfTrace: a line has the weights of few kernels, and none if one of them is not a number.
func TestWeightsOfTrace(t *testing.T) {
	for _, c := range []struct {
		theta []float64
		want  int
	}{{[]float64{1, 0}, 2}, {nil, 0}, {make([]float64, MostTraced), MostTraced}, {make([]float64, MostTraced+1), 0}, {[]float64{1, math.NaN()}, 0}} {
		var b bytes.Buffer
		if err := (&Recorder{To: &b}).Record(train.Event{Iteration: 1, Kernels: max(len(c.theta), 1), Theta: c.theta}); err != nil {
			t.Fatal(err)
		}
		trace, err := ReadTrace(&b, "f")
		if err != nil {
			t.Fatal(err)
		}
		if got := trace.points[0].Theta; len(got) != c.want {
			t.Errorf("%d weights: the trace has %d", len(c.theta), len(got))
		}
	}
}

// lineOfTrace is a line of a trace.
func lineOfTrace(classifier, iteration int, seconds float64) string {
	return fmt.Sprintf(`{"machine":%d,"iteration":%d,"kernels":3,"gap":0.5,"target":0.1,"seconds":%g}`+"\n", classifier, iteration, seconds)
}

// TestContinuedTrace: a run that was killed and resumed does some iterations again, which count once; its time continues from the last one that counts.
func TestContinuedTrace(t *testing.T) {
	text := lineOfTrace(0, 1, 1) + lineOfTrace(0, 2, 2) + lineOfTrace(1, 1, 3) + lineOfTrace(1, 2, 4) + lineOfTrace(0, 2, 1) + lineOfTrace(1, 1, 2) + lineOfTrace(1, 2, 5) + `{"machine":1,"itera`
	trace, err := ReadTrace(strings.NewReader(text), "f")
	if err != nil {
		t.Fatal(err)
	}
	var got string
	for k, of := range trace.classifiers() {
		for _, i := range of {
			got += fmt.Sprintf("%d:%d@%g ", k, i.Iteration, i.Seconds)
		}
	}
	if want := "0:1@1 0:2@2 1:1@3 1:2@6 "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestLongTraces are thinned, and keep their first and last iteration.
func TestLongTraces(t *testing.T) {
	var b strings.Builder
	const n = 3*mostIterations + 7
	for i := range n {
		b.WriteString(lineOfTrace(0, i+1, float64(i)))
	}
	trace, err := ReadTrace(strings.NewReader(b.String()), "f")
	if err != nil {
		t.Fatal(err)
	}
	of := trace.classifiers()[0]
	if len(trace.points) >= mostIterations || of[0].Iteration != 1 || of[len(of)-1].Iteration != n {
		t.Errorf("%d points from %d to %d", len(trace.points), of[0].Iteration, of[len(of)-1].Iteration)
	}
}

// TestFilesThatAreNoTrace: another file is a fault of the input, with its line.
func TestFilesThatAreNoTrace(t *testing.T) {
	for text, line := range map[string]int{"": 0, "{\"machine\":0}\n": 1, lineOfTrace(0, 1, 1) + "1 2:3\n": 2, strings.Repeat("x", mostLine+1) + "\n": 1, "{}": 0,
		lineOfTrace(0, 1, 1) + strings.Replace(lineOfTrace(1, 1, 1), `"kernels":3`, `"kernels":2,"theta":[1,1]`, 1): 2} {
		_, err := ReadTrace(strings.NewReader(text), "f")
		var e *fail.Error
		if !errors.Is(err, fail.Input) || !errors.As(err, &e) || e.Line != line || e.File != "f" {
			t.Errorf("%.20q: %v, want a fault of line %d", text, err, line)
		}
	}
}
