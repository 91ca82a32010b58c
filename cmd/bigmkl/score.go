package main

import (
	"context"
	"fmt"
	"math"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/evaluate"
)

// score compares predictions with the classes of the rows, as far as those are known. It keeps 11 bytes a row.
type score struct {
	model            *bigmkl.Model
	rows             int
	predicted, known []class
	decisions        []float64
	positive         []bool
}

// class is a label as the model sees it.
type class uint8

const (
	negative class = iota
	positive
	foreign // neither of the model's
)

func (s *score) add(p bigmkl.Prediction) {
	s.rows++
	if p.Known == "" {
		return
	}
	s.predicted, s.known = append(s.predicted, s.class(p.Label)), append(s.known, s.class(p.Known))
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

// evaluation is what is reported; values that are not defined are null.
type evaluation struct {
	N        int    `json:"n"`
	Accuracy number `json:"accuracy"`
	AUC      number `json:"auc"`
}

func (s *score) evaluation() evaluation {
	return evaluation{s.rows, number(evaluate.Accuracy(s.predicted, s.known)), number(evaluate.AUC(s.decisions, s.positive))}
}

// warnings about labels that make the figures doubtful.
func (s *score) warnings() []string {
	var out []string
	if n := len(s.known); n > 0 && n < s.rows {
		out = append(out, fmt.Sprintf("%d of %d rows have no label: accuracy and AUC are those of the others", s.rows-n, s.rows))
	}
	strange := 0
	for _, k := range s.known {
		if k == foreign {
			strange++
		}
	}
	if strange > 0 {
		out = append(out, fmt.Sprintf("%d rows have labels that are neither %q nor %q: they count as wrong", strange, s.model.Negative, s.model.Positive))
	}
	return out
}

func (e evaluation) String() string {
	text := fmt.Sprintf("%d rows", e.N)
	if a := float64(e.Accuracy); !math.IsNaN(a) {
		text += fmt.Sprintf(", accuracy %.4f", a)
	}
	if a := float64(e.AUC); !math.IsNaN(a) {
		text += fmt.Sprintf(", AUC %.4f", a)
	}
	return text
}

// evaluateOn predicts a source for the sake of its score.
func evaluateOn(ctx context.Context, m *bigmkl.Model, src dataset.Source, o bigmkl.PredictOptions) (*score, error) {
	s := &score{model: m}
	err := m.Predict(ctx, src, o, func(p bigmkl.Prediction) error { s.add(p); return nil })
	return s, err
}
