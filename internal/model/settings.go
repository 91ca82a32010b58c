package model

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// settings has the form of the JSON text of everything that is not a tensor.
type settings struct {
	Task        string      `json:"task"`
	Norm        jsonNorm    `json:"norm"`
	Regularizer Regularizer `json:"regularizer,omitzero"`
	C           float64     `json:"c"`
	CostWeight  *float64    `json:"cost_weight,omitempty"`
	LossSettings
	// Taus is there if the model has several quantiles.
	Taus       []float64 `json:"taus,omitempty"`
	Gap        float64   `json:"gap"`
	Precision  string    `json:"precision"`
	Double     bool      `json:"double"`
	Multiclass string    `json:"multiclass,omitzero"`
	Classes    []string  `json:"classes,omitempty"`
	// Certificates lists the kinds of the certificates of several classifiers.
	Certificates []string `json:"certificates,omitempty"`
	// Roundings lists Rounding of these certificates, unless it is 0 in all.
	Roundings      []float64 `json:"roundings,omitempty"`
	OneTheta       bool      `json:"one_theta,omitzero"`
	Positive       string    `json:"positive"`
	Negative       string    `json:"negative"`
	PositiveLabels []string  `json:"positive_labels,omitempty"`
	PositiveWeight float64   `json:"positive_weight"`
	NegativeWeight float64   `json:"negative_weight"`
	RowWeights     bool      `json:"row_weights"`
	PosteriorsOf   string    `json:"posteriors_of,omitzero"`
	Folds          int       `json:"folds,omitzero"`
	FoldsApart     bool      `json:"folds_apart,omitzero"`
	// Conformal is there if the model has calibration scores.
	Conformal *Conformal `json:"conformal,omitempty"`
	// IntervalCensored is set if training rows had upper bounds of times.
	IntervalCensored bool             `json:"interval_censored,omitzero"`
	Points           int              `json:"points"`
	Features         int              `json:"features"`
	Limit            int              `json:"limit"`
	Tuning           Tuning           `json:"tuning,omitzero"`
	Fingerprint      jsonHex          `json:"fingerprint"`
	Store            dataset.Layout   `json:"store"`
	Kernels          []string         `json:"kernels"`
	Views            []jsonView       `json:"views,omitempty"`
	Sequences        dataset.Alphabet `json:"sequences,omitzero"`
	Seed             uint64           `json:"seed"`
	Scaling          string           `json:"scaling"`
	ScalingChoice    string           `json:"scaling_choice,omitzero"`
	Impute           string           `json:"impute,omitzero"`
	Normalization    jsonNormal       `json:"normalization"`
	Bias             float64          `json:"bias"`
	Certificate      Certificate      `json:"certificate"`
	Family           *jsonFamily      `json:"family,omitempty"`
	// Costs is there if the specifications of the kernels name costs.
	Costs *Costs `json:"costs,omitempty"`
	// WeightRule is there if a rule has made the fixed weights.
	WeightRule *WeightRule `json:"weight_rule,omitempty"`
	// Discriminant is there if the task is rkda.
	Discriminant *Discriminant `json:"discriminant,omitempty"`
	// Stream is there if the training data are part of a stream.
	Stream *Stream `json:"stream,omitempty"`
	// Occurring is there if few of many features occur.
	Occurring *dataset.Occurring `json:"occurring,omitempty"`
	// Objects is there if rows name objects.
	Objects []jsonKind `json:"objects,omitempty"`
	// Columns is there if the training data were a table.
	Columns *dataset.Columns `json:"columns,omitempty"`
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

// jsonHex is a number of 64 bits that JSON shows as 16 hexadecimal digits, because readers with
// float64 numbers would lose bits.
type jsonHex uint64

var (
	_ encoding.TextMarshaler   = jsonHex(0)
	_ encoding.TextUnmarshaler = (*jsonHex)(nil)
)

// MarshalText writes the digits.
func (h jsonHex) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(h)), nil }

// UnmarshalText reads the digits.
func (h *jsonHex) UnmarshalText(b []byte) error {
	v, err := strconv.ParseUint(string(b), 16, 64)
	*h = jsonHex(v)
	return err
}

// SettingsText returns the JSON text of everything in a model that is not an array, as it is in its
// file.
func SettingsText(m *Model) ([]byte, error) {
	s := settings{
		Task: m.Task, Norm: jsonNorm(m.Norm), Regularizer: m.Regularizer.scalars(), C: m.C,
		CostWeight: m.CostWeight, LossSettings: m.LossSettings, Taus: m.Taus, Gap: m.Gap, Precision: m.Precision, Double: m.Double,
		Positive: m.Positive, Negative: m.Negative, PositiveLabels: m.PositiveLabels,
		PositiveWeight: m.PositiveWeight, NegativeWeight: m.NegativeWeight,
		RowWeights: m.RowWeights, PosteriorsOf: m.PosteriorsOf,
		Folds: m.Folds, FoldsApart: m.FoldsApart, Points: m.Points, Features: m.Features, Limit: m.Limit, Tuning: m.Tuning,
		Fingerprint: jsonHex(m.Fingerprint), Store: m.Store,
		Kernels: m.Kernels, Sequences: m.Sequences, Seed: m.Seed, Scaling: m.Scaling.Kind, ScalingChoice: m.Scaling.Choice, Impute: m.Scaling.Impute,
		Normalization: jsonNormal{m.Normalization.Kind, m.Normalization.SampleSize},
		Bias:          m.Bias, Certificate: m.Certificate, Multiclass: m.Multiclass,
		Classes: m.Classes, OneTheta: m.OneTheta, Family: m.Family.scalars(), Columns: m.Columns,
		Costs: m.Costs, WeightRule: m.WeightRule.scalars(), Stream: m.Stream,
		Objects: objectSettings(m.Objects), Discriminant: m.Discriminant.scalars(), Occurring: m.Occurring, Conformal: m.Conformal,
		IntervalCensored: m.Censoring.Intervals,
	}
	for i := range m.Classifiers {
		c := &m.Classifiers[i].Certificate
		s.Certificates = append(s.Certificates, c.Kind)
		if c.Rounding != 0 && s.Roundings == nil {
			s.Roundings = make([]float64, len(m.Classifiers))
		}
		if s.Roundings != nil {
			s.Roundings[i] = c.Rounding
		}
	}
	for _, v := range m.Views {
		s.Views = append(s.Views, jsonView(v))
	}
	return encodeJSON(s)
}

// apply sets fields of a model from the JSON text. The weights must have been read, because
// they bound the number of specifications. The certificates of several classifiers have no values
// yet.
func (s *settings) apply(m *Model, text []byte) error {
	s.Store = dataset.LayoutDense // Old files do not name the store, which was always dense.
	if err := s.decode(text, len(m.Theta)); err != nil {
		return err
	}
	m.Task, m.Norm, m.C, m.Gap, m.Precision, m.Double = s.Task, float64(s.Norm), s.C, s.Gap,
		s.Precision, s.Double
	m.LossSettings, m.Taus, m.Multiclass, m.Classes, m.OneTheta = s.LossSettings, s.Taus, s.Multiclass, s.Classes, s.OneTheta
	m.Regularizer = s.Regularizer.withArrays(m.Regularizer)
	m.Positive, m.Negative, m.PositiveLabels = s.Positive, s.Negative, s.PositiveLabels
	m.PositiveWeight, m.NegativeWeight, m.RowWeights = s.PositiveWeight, s.NegativeWeight,
		s.RowWeights
	m.Censoring.Intervals = s.IntervalCensored
	m.PosteriorsOf, m.Folds, m.FoldsApart, m.Conformal = s.PosteriorsOf, s.Folds, s.FoldsApart, s.Conformal
	m.Points, m.Features, m.Limit, m.Tuning, m.Fingerprint, m.Store = s.Points, s.Features, s.Limit,
		s.Tuning, uint64(s.Fingerprint), s.Store
	m.Kernels, m.Sequences, m.Seed = s.Kernels, s.Sequences, s.Seed
	m.Scaling.Kind, m.Scaling.Choice, m.Scaling.Impute = s.Scaling, s.ScalingChoice, s.Impute
	m.Normalization.Kind, m.Normalization.SampleSize = s.Normalization.Kind,
		s.Normalization.SampleSize
	m.CostWeight, m.Occurring = s.CostWeight, s.Occurring
	m.Bias, m.Certificate, m.Columns, m.Costs = s.Bias, s.Certificate, s.Columns, s.Costs
	m.WeightRule, m.Stream, m.Discriminant = s.WeightRule, s.Stream, s.Discriminant
	m.Views = slices.Grow(m.Views, len(s.Views))
	for _, v := range s.Views {
		m.Views = append(m.Views, dataset.View(v))
	}
	var err error
	if m.Objects, err = objectsOf(s.Objects); err != nil {
		return err
	}
	if s.Family != nil {
		m.Family = &Family{Name: s.Family.Name, Settings: s.Family.Settings}
	}
	if s.Roundings != nil && len(s.Roundings) != len(s.Certificates) {
		return fail.New(fail.Corrupt, "the certificates do not fit together")
	}
	for i, kind := range s.Certificates {
		c := Certificate{Kind: kind}
		if s.Roundings != nil {
			c.Rounding = s.Roundings[i]
		}
		m.Classifiers = append(m.Classifiers, Classifier{Certificate: c})
	}
	return nil
}

// decode reads the object field by field, and lists element by element, because a short text may
// represent many times its size. It rejects unknown fields, because each field of a version has a
// meaning that must not be missed.
func (s *settings) decode(text []byte, mostKernels int) error {
	known := reflect.VisibleFields(reflect.TypeOf(*s))
	known = slices.DeleteFunc(known, func(f reflect.StructField) bool { return f.Anonymous })
	fields := map[string]any{}
	for _, f := range known {
		name, _ := key(f)
		fields[name] = reflect.ValueOf(s).Elem().FieldByIndex(f.Index).Addr().Interface()
	}
	r := &slowly{text: text}
	d := json.NewDecoder(r)
	r.decoder = d
	d.DisallowUnknownFields()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return cmp.Or(err, errors.New("no object"))
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string)
		to, ok := fields[name]
		if !ok {
			return fmt.Errorf("unknown or repeated field %s", clip(name))
		}
		delete(fields, name)
		switch list := to.(type) {
		case *[]string:
			most := dataset.MaxClasses
			// Every classifier has at least one kernel.
			if name == "kernels" || name == "certificates" {
				most = mostKernels
			}
			*list, err = elements(d, 0, most, func(s string) bool { return s != "" })
		case *[]jsonView:
			const least = 30 // A view takes at least 30 bytes.
			*list, err = elements(d, len(text)/least, dataset.MaxViews,
				func(v jsonView) bool { return v.Name != "" })
		default:
			var raw json.RawMessage
			if err = d.Decode(&raw); err == nil {
				err = decodeWhole(raw, to)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %s", name, fail.Decoding(err))
		}
	}
	for _, f := range known {
		name, optional := key(f)
		// Old files do not name the store.
		if _, missing := fields[name]; missing && !optional && name != "store" {
			return fmt.Errorf("the field %s is missing", name)
		}
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("text after the settings")
	}
	return nil
}

// key returns the name of a field in JSON, and whether a file may lack it.
func key(f reflect.StructField) (name string, optional bool) {
	name, how, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name, how != "" || name == "" || name == "-"
}

// decodeWhole decodes a value into what to points to. An object that becomes a structure has to have each
// field that is always written, and no other field than the structure has.
func decodeWhole(raw []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	t := reflect.TypeOf(to).Elem()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || string(raw) == "null" {
		return nil
	}
	var there map[string]json.RawMessage
	if err := json.Unmarshal(raw, &there); err != nil {
		return err
	}
	for i := range t.NumField() {
		name, optional := key(t.Field(i))
		if _, ok := there[name]; !ok && !optional {
			return fmt.Errorf("the field %s is missing", name)
		}
	}
	return nil
}

// maxValue is the largest size in bytes of one value of the settings, such as a string.
const maxValue = 4 << 20

// slowly hands text to a decoder and fails at a value that is too long, because the decoder keeps a
// whole value before it looks at it.
type slowly struct {
	text    []byte
	at      int64
	decoder *json.Decoder
}

var _ io.Reader = (*slowly)(nil)

// Read returns the next bytes, or an error if the current value is too long.
func (s *slowly) Read(p []byte) (int, error) {
	if s.at == int64(len(s.text)) {
		return 0, io.EOF
	}
	if s.at-s.decoder.InputOffset() > maxValue {
		return 0, errors.New("a value is too long")
	}
	n := copy(p, s.text[s.at:])
	s.at += int64(n)
	return n, nil
}

// elements reads a list of at most `most` elements, each of which must pass the test. The argument
// likely is a guess of their number.
func elements[T any](d *json.Decoder, likely, most int, pass func(T) bool) ([]T, error) {
	switch t, err := d.Token(); {
	case err != nil:
		return nil, err
	case t == nil: // The list is null.
		return nil, nil
	case t != json.Delim('['):
		return nil, errors.New("no list")
	}
	out := make([]T, 0, min(likely, most))
	var x, none T
	for d.More() {
		x = none
		if err := d.Decode(&x); err != nil {
			return nil, err
		}
		if len(out) == most || !pass(x) {
			return nil, errors.New("too many elements, or empty ones")
		}
		out = append(out, x)
	}
	_, err := d.Token()
	return out, err
}
