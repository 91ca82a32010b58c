package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/evaluate"
	"bigmkl/internal/fail"
	"bigmkl/model"
)

// score compares predictions with the classes of the rows, as far as those are known. It keeps 2 bytes a row and, as long as there are
// not too many, 9 for its decision value; of several machines what ballot says.
type score struct {
	model            *bigmkl.Model
	ballot           *ballot     // of several machines
	likelihood       *likelihood // nil without probabilities
	rows             int
	predicted, known []class
	decisions        []float64
	positive         []bool
	most             int             // decision values that are kept
	dropped          bool            // they were more
	errors           evaluate.Errors // of regression
	within           int             // rows that one class holds
}

// class is a label as the model sees it.
type class uint8

const (
	negative class = iota
	positive
	foreign // neither of the model's
)

func newScore(m *bigmkl.Model) *score {
	s := &score{model: m, most: mostDecisions}
	if m.Several() {
		s.ballot = newBallot(&m.Model)
	}
	return s
}

// bytesOfDecision is what a decision value takes that is kept: 9 bytes in lists that grow, twice, and its place in order.
const bytesOfDecision = 32

// keep limits what is kept of the rows.
func (s *score) keep(bytes int64) {
	s.most = int(min(mostDecisions, bytes/bytesOfDecision))
	if s.ballot != nil {
		s.ballot.most = s.most
	}
}

func (s *score) add(p bigmkl.Prediction) {
	s.rows++
	if p.Probabilities != nil {
		if s.likelihood == nil {
			s.likelihood = newLikelihood(&s.model.Model)
		}
		s.likelihood.add(p)
	}
	switch {
	case s.ballot != nil:
		s.ballot.add(p)
		return
	case s.model.Task == model.TaskOneClass:
		if p.Decision >= 0 {
			s.within++
		}
		return
	case !s.model.HasClasses():
		if !math.IsNaN(p.Target) {
			s.errors.Add(p.Decision, p.Target)
		}
		return
	case p.Known == "":
		return
	}
	s.predicted, s.known = append(s.predicted, s.class(p.Label)), append(s.known, s.class(p.Known))
	if s.dropped = s.dropped || len(s.decisions) >= s.most; s.dropped {
		s.decisions, s.positive = nil, nil
		return
	}
	s.decisions, s.positive = append(s.decisions, p.Decision), append(s.positive, p.Known == s.model.Positive)
}

func (s *score) class(label string) class {
	switch label {
	case s.model.Positive:
		return positive
	case s.model.Negative:
		return negative
	}
	return foreign
}

// evaluation is what is reported; figures that are not defined are null.
type evaluation struct {
	n       int
	figures []figure
	details []detail // which only --json shows
}

type detail struct {
	key   string
	value any
}

type figure struct {
	key, name string
	value     float64
}

// MarshalJSON gives an object.
func (e evaluation) MarshalJSON() ([]byte, error) {
	b := fmt.Appendf(nil, `{"n":%d`, e.n)
	for _, f := range e.figures {
		value, err := json.Marshal(number(f.value))
		if err != nil {
			return nil, err
		}
		b = fmt.Appendf(b, `,"%s":%s`, f.key, value)
	}
	for _, d := range e.details {
		value, err := json.Marshal(d.value)
		if err != nil {
			return nil, err
		}
		b = fmt.Appendf(b, `,"%s":%s`, d.key, value)
	}
	return append(b, '}'), nil
}

func (s *score) evaluation() evaluation {
	e := evaluation{n: s.rows}
	switch {
	case s.ballot != nil:
		e.figures, e.details = s.ballot.figures()
	case s.model.Task == model.TaskOneClass:
		e.figures = []figure{{"within", "share within", float64(s.within) / float64(s.rows)}}
	case !s.model.HasClasses():
		e.figures = []figure{{"rmse", "RMSE", s.errors.RMSE()}, {"mae", "MAE", s.errors.MAE()}, {"r2", "R2", s.errors.R2()}}
	default:
		e.figures = []figure{{"accuracy", "accuracy", evaluate.Accuracy(s.predicted, s.known)}, {"auc", "AUC", evaluate.AUC(s.decisions, s.positive)},
			{"average_precision", "average precision", evaluate.AveragePrecision(s.decisions, s.positive)}, {"mcc", "MCC", evaluate.MCC(s.predicted, s.known)}}
	}
	if s.likelihood != nil {
		e.figures = append(e.figures, s.likelihood.figures()...)
	}
	return e
}

// warnings about labels that make the figures doubtful.
func (s *score) warnings() []string {
	var out []string
	if s.dropped || s.ballot != nil && s.ballot.dropped {
		out = append(out, fmt.Sprintf("areas under curves are left out: more than the %d decision values that there is memory for", s.most))
	}
	if s.ballot != nil {
		return append(out, s.ballot.warnings(s.rows)...)
	}
	if n := s.errors.Len(); n > 0 && n < s.rows {
		out = append(out, fmt.Sprintf("%d of %d rows have no target: the errors are those of the others", s.rows-n, s.rows))
	}
	if n := len(s.known); n > 0 && n < s.rows {
		out = append(out, fmt.Sprintf("%d of %d rows have no label: the figures are those of the others", s.rows-n, s.rows))
	}
	strange := 0
	for _, k := range s.known {
		if k == foreign {
			strange++
		}
	}
	if strange > 0 {
		out = append(out, fmt.Sprintf("%d rows have labels that are neither %s nor %s: they count as wrong", strange, fail.Word(s.model.Negative), fail.Word(s.model.Positive)))
	}
	return out
}

func (e evaluation) String() string {
	text := fmt.Sprintf("%d rows", e.n)
	for _, f := range e.figures {
		if !math.IsNaN(f.value) && !math.IsInf(f.value, 0) {
			text += fmt.Sprintf(", %s %.4f", f.name, f.value)
		}
	}
	return text
}

// evaluateOn predicts a source for the sake of its score.
func evaluateOn(ctx context.Context, m *bigmkl.Model, src dataset.Source, o bigmkl.PredictOptions) (*score, error) {
	s := newScore(m)
	o.Left = s.keep
	err := m.Predict(ctx, src, o, func(p bigmkl.Prediction) error { s.add(p); return nil })
	return s, err
}
