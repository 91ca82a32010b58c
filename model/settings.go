package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"bigmkl/dataset"
)

// settings is the JSON text of everything that is not a tensor.
type settings struct {
	Task           string         `json:"task"`
	Norm           jsonNorm       `json:"norm"`
	C              float64        `json:"c"`
	Gap            float64        `json:"gap"`
	Precision      string         `json:"precision"`
	Double         bool           `json:"double"`
	Positive       string         `json:"positive"`
	Negative       string         `json:"negative"`
	PositiveLabels []string       `json:"positive_labels,omitempty"`
	PositiveWeight float64        `json:"positive_weight"`
	NegativeWeight float64        `json:"negative_weight"`
	RowWeights     bool           `json:"row_weights"`
	Points         int            `json:"points"`
	Features       int            `json:"features"`
	Limit          int            `json:"limit"`
	Tuning         Tuning         `json:"tuning,omitzero"`
	Fingerprint    jsonHex        `json:"fingerprint"`
	Store          dataset.Layout `json:"store"`
	Kernels        []string       `json:"kernels"`
	Views          []jsonView     `json:"views,omitempty"`
	Seed           uint64         `json:"seed"`
	Scaling        string         `json:"scaling"`
	Normalization  jsonNormal     `json:"normalization"`
	Bias           float64        `json:"bias"`
	Certificate    Certificate    `json:"certificate"`
}

type jsonView struct {
	Name  string `json:"name"`
	First int    `json:"first"`
	Last  int    `json:"last"`
}

type jsonNormal struct {
	Kind       string `json:"kind"`
	SampleSize int    `json:"sample_size"`
}

// jsonNorm is p, a number or the word "inf".
type jsonNorm float64

// MarshalJSON writes p.
func (p jsonNorm) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(p), 1) {
		return []byte(`"inf"`), nil
	}
	return json.Marshal(float64(p))
}

// UnmarshalJSON reads p.
func (p *jsonNorm) UnmarshalJSON(b []byte) error {
	if string(b) == `"inf"` {
		*p = jsonNorm(math.Inf(1))
		return nil
	}
	return json.Unmarshal(b, (*float64)(p))
}

// jsonHex is 64 bits as 16 hexadecimal digits, which readers with float64 numbers keep whole.
type jsonHex uint64

// MarshalText writes the digits.
func (h jsonHex) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(h)), nil }

// UnmarshalText reads the digits.
func (h *jsonHex) UnmarshalText(b []byte) error {
	v, err := strconv.ParseUint(string(b), 16, 64)
	*h = jsonHex(v)
	return err
}

// settings gives the JSON text of the model.
func (m *Model) settings() ([]byte, error) {
	s := settings{
		Task: m.Task, Norm: jsonNorm(m.Norm), C: m.C, Gap: m.Gap, Precision: m.Precision, Double: m.Double,
		Positive: m.Positive, Negative: m.Negative, PositiveLabels: m.PositiveLabels,
		PositiveWeight: m.PositiveWeight, NegativeWeight: m.NegativeWeight, RowWeights: m.RowWeights,
		Points: m.Points, Features: m.Features, Limit: m.Limit, Tuning: m.Tuning, Fingerprint: jsonHex(m.Fingerprint), Store: m.Store,
		Kernels: m.Kernels, Seed: m.Seed, Scaling: m.Scaling.Kind,
		Normalization: jsonNormal{m.Normalization.Kind, m.Normalization.SampleSize},
		Bias:          m.Bias, Certificate: m.Certificate,
	}
	for _, v := range m.Views {
		s.Views = append(s.Views, jsonView(v))
	}
	return encodeJSON(s)
}

// applySettings sets the fields of the model from the JSON text. Unknown fields are refused: within one version of the
// format each has a meaning that must not be missed.
func (m *Model) applySettings(text []byte) error {
	s := settings{Store: dataset.LayoutDense} // the only one there was when files did not name it
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("text after the settings")
	}
	m.Task, m.Norm, m.C, m.Gap, m.Precision, m.Double = s.Task, float64(s.Norm), s.C, s.Gap, s.Precision, s.Double
	m.Positive, m.Negative, m.PositiveLabels = s.Positive, s.Negative, s.PositiveLabels
	m.PositiveWeight, m.NegativeWeight, m.RowWeights = s.PositiveWeight, s.NegativeWeight, s.RowWeights
	m.Points, m.Features, m.Limit, m.Tuning, m.Fingerprint, m.Store = s.Points, s.Features, s.Limit, s.Tuning, uint64(s.Fingerprint), s.Store
	m.Kernels, m.Seed, m.Scaling.Kind = s.Kernels, s.Seed, s.Scaling
	m.Normalization.Kind, m.Normalization.SampleSize = s.Normalization.Kind, s.Normalization.SampleSize
	m.Bias, m.Certificate = s.Bias, s.Certificate
	for _, v := range s.Views {
		m.Views = append(m.Views, dataset.View(v))
	}
	return nil
}

// encodeJSON is json.Marshal without the escapes for HTML.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// checkText refuses strings that JSON would change silently.
func (m *Model) checkText(f *faults) {
	all := append([]string{m.Positive, m.Negative}, m.PositiveLabels...)
	for _, v := range m.Views {
		all = append(all, v.Name)
	}
	for _, s := range append(all, m.Kernels...) {
		if !utf8.ValidString(s) {
			f.check(false, "%q is not UTF-8", s)
			return
		}
	}
}
