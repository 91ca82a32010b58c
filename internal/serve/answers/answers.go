// Package answers writes predictions as the body of an HTTP answer: one object of JSON, or the array
// of decision values as .npy file.
//
// Purpose. Answer.Add takes the place of what prints a line for each row in the command predict.
// docs/JSON.md has the keys of the object.
//
// Invariants. Numbers of JSON have the fewest digits that give the same float64, and elements of the
// array are float64, so both hold every bit of a decision.
//
// Concurrency. An Answer belongs to one goroutine.
//
// Memory. An answer is in memory as a whole, because a row with an error must not follow others that
// were sent. Nothing else is allocated for a row whose label has occurred.
package answers

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"bigmkl/internal/conformal"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/float"
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// Answer collects predictions. Its fields are set before the first of them.
type Answer struct {
	Model *predict.Model
	// Digest names the model in the answer, and Contract is the version of the object.
	Digest   string
	Contract int
	// Strange is set once all rows were predicted.
	Strange Strange
	// Most is the number of bytes that the predictions may have.
	Most int64
	// Array asks for an array of decision values in place of JSON.
	Array bool
	// Regions makes an interval or a set of each row in JSON, unless it is nil.
	Regions *conformal.Regions

	rows int
	text []byte
	set  []int
	// labels holds the labels that have occurred, as JSON.
	labels map[string][]byte
}

// Strange counts what in the rows the model does not know.
type Strange struct {
	Words     int    // words that are none of the categories of their columns
	Sequences *int   // sequences that have no word in common with the training; nil where no kernel compares words
	Ignored   *int64 // values of features that no training row had; nil where those are an error
}

// InSequences returns the number of sequences, 0 for none.
func (s *Strange) InSequences() int {
	if s.Sequences == nil {
		return 0
	}
	return *s.Sequences
}

// Extras returns the number of values that were ignored, 0 for none.
func (s *Strange) Extras() int64 {
	if s.Ignored == nil {
		return 0
	}
	return *s.Ignored
}

// Add adds the prediction of a row. An answer that becomes too large is of class fail.Budget.
func (a *Answer) Add(p predict.Prediction) error {
	a.rows++
	switch several := p.Decisions; {
	case a.Array && several == nil:
		a.text = appendFloat64(a.text, p.Decision)
	case a.Array:
		for _, f := range several {
			a.text = appendFloat64(a.text, f)
		}
	default:
		a.addJSON(p)
	}
	if int64(len(a.text)) > a.Most {
		return fail.New(fail.Budget, "the answer would exceed %d bytes", a.Most).
			WithHint("send fewer rows in a request")
	}
	return nil
}

func appendFloat64(b []byte, f float64) []byte {
	bits := math.Float64bits(f)
	for range 8 {
		b, bits = append(b, byte(bits)), bits>>8
	}
	return b
}

// addJSON adds an object. Numbers have the fewest digits that give the same float64.
func (a *Answer) addJSON(p predict.Prediction) {
	if a.rows > 1 {
		a.text = append(a.text, ',')
	}
	a.text = append(a.text, '{')
	if p.Label != "" {
		a.text = append(a.quote(append(a.text, `"label":`...), p.Label), ',')
	}
	a.text = strconv.AppendFloat(append(a.text, `"decision":`...), p.Decision, 'g', -1, 64)
	a.addNumbers(`,"decisions":[`, p.Decisions)
	a.addNumbers(`,"probabilities":[`, p.Probabilities)
	if a.Regions != nil {
		a.addRegion(&p)
	}
	a.text = append(a.text, '}')
}

// quote appends a label as JSON.
func (a *Answer) quote(to []byte, label string) []byte {
	text, ok := a.labels[label]
	if !ok {
		text, _ = json.Marshal(label) // Texts have no errors.
		if a.labels == nil {
			a.labels = map[string][]byte{}
		}
		a.labels[strings.Clone(label)] = text
	}
	return append(to, text...)
}

// addRegion adds the interval of a row, or its set.
func (a *Answer) addRegion(p *predict.Prediction) {
	classes := a.Regions.Classes()
	if classes == nil {
		low, high := a.Regions.Interval(p)
		a.text = appendNumber(append(a.text, `,"low":`...), low)
		a.text = appendNumber(append(a.text, `,"high":`...), high)
		return
	}
	a.text = append(a.text, `,"set":[`...)
	a.set = a.Regions.Set(p, a.set[:0])
	for i, c := range a.set {
		if i > 0 {
			a.text = append(a.text, ',')
		}
		a.text = a.quote(a.text, classes[c])
	}
	a.text = append(a.text, ']')
}

// appendNumber appends a number, and null for what is infinite.
func appendNumber(to []byte, x float64) []byte {
	if !float.Finite(x) {
		return append(to, "null"...)
	}
	return strconv.AppendFloat(to, x, 'g', -1, 64)
}

// addNumbers adds an array behind its key, or nothing if it is empty.
func (a *Answer) addNumbers(key string, numbers []float64) {
	for i, x := range numbers {
		if i > 0 {
			key = ","
		}
		a.text = strconv.AppendFloat(append(a.text, key...), x, 'g', -1, 64)
	}
	if len(numbers) > 0 {
		a.text = append(a.text, ']')
	}
}

// Head returns what comes before the predictions, once all of them were added.
func (a *Answer) Head() []byte {
	m := a.Model
	if a.Array {
		return npy.FormatMatrix(a.rows, max(1, len(m.Classifiers)))
	}
	head := struct {
		Contract    int      `json:"contract"`
		Command     string   `json:"command"`
		Model       string   `json:"model"`
		Unknown     int      `json:"unknown"`
		Strange     *int     `json:"unknown_sequences,omitempty"`
		Ignored     *int64   `json:"ignored,omitempty"`
		Classes     []string `json:"classes,omitempty"`
		Classifiers []string `json:"machines,omitempty"`
		Coverage    float64  `json:"coverage,omitempty"`
		// Thresholds are as appendNumber writes them.
		Thresholds []json.RawMessage `json:"thresholds,omitempty"`
	}{Contract: a.Contract, Command: "serve", Model: a.Digest, Unknown: a.Strange.Words,
		Strange: a.Strange.Sequences, Ignored: a.Strange.Ignored}
	switch {
	case m.Several():
		head.Classes = m.Classes
	case model.ByMargin(m.Task):
		head.Classes = []string{m.Negative, m.Positive}
	}
	for k := range m.Classifiers {
		head.Classifiers = append(head.Classifiers, m.ShortName(k))
	}
	if a.Regions != nil {
		head.Coverage = a.Regions.Coverage()
		for _, t := range a.Regions.Thresholds() {
			head.Thresholds = append(head.Thresholds, appendNumber(nil, t))
		}
	}
	text, _ := json.Marshal(head) // Texts and numbers have no errors.
	return append(text[:len(text)-1], `,"predictions":[`...)
}

// Body returns the predictions and the end of the answer. Nothing may be added afterwards.
func (a *Answer) Body() []byte {
	if a.Array {
		return a.text
	}
	return append(a.text, "]}\n"...)
}
