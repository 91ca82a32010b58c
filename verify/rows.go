package verify

import (
	"fmt"
	"io"
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/model"
)

// row is a training row to be computed.
type row struct {
	id   int
	x    []float32 // scaled; nil for a model of precomputed kernels
	y    float64
	cost float64 // factor of its loss, 0 if that is left out
	norm float64 // factor of g_m in V_m, 0 if that is left out
}

// batch is a few rows; those that count for V_m come first.
type batch struct {
	rows   []row
	inNorm int
}

// reader turns the data into batches and checks it against the model on the way.
type reader struct {
	m        *model.Model
	src      dataset.Source
	sample   *sample
	positive map[string]bool
	negative string // "" = all other labels
	size     int    // rows of a batch
	read     int
	support  int // the next support vector to come
	dense    []float32
	minimum  []float32 // least value of each feature, or 0 if that is less
	print    *fingerprint
	spread   *variances
	met      map[string]bool // labels that were read, of those that are positive
	lin      neumaier
	faults   faults
}

// laidOut tells whether points are laid out by feature: else the number of features is just a claim of the model's.
func laidOut(m *model.Model) bool { return m.HasVectors() && len(m.Support) > 0 }

func newReader(m *model.Model, src dataset.Source, s *sample) (*reader, error) {
	r := &reader{m: m, src: src, sample: s, positive: map[string]bool{}, met: map[string]bool{}, print: newFingerprint(m), spread: newVariances(m)}
	if !m.HasClasses() {
		return r.ready(), nil
	}
	labels := m.PositiveLabels
	if labels == nil {
		labels = []string{m.Positive, m.Negative}
	}
	for _, l := range labels {
		name, err := dataset.CanonicalLabel(l)
		if err != nil {
			return nil, fail.New(fail.Corrupt, "the model's classes: %w", err)
		}
		r.positive[name] = true
		r.negative = name
	}
	if m.PositiveLabels == nil {
		delete(r.positive, r.negative)
	} else {
		r.negative = ""
	}
	return r.ready(), nil
}

// ready sizes the batches.
func (r *reader) ready() *reader {
	m, s := r.m, r.sample
	// Depends on the problem alone, for the sums depend on it in their last bits.
	r.size = min(max(s.rows/16, 16), 256, max(1, 1<<24/max(1, m.Features)))
	if laidOut(m) {
		r.dense, r.minimum = make([]float32, m.Features), make([]float32, m.Features)
	}
	return r
}

// next gives a batch, io.EOF after the last one.
func (r *reader) next() (*batch, error) {
	var norm, rest []row
	for len(norm)+len(rest) < r.size && r.read < r.m.Points {
		one, err := r.one()
		if err == io.EOF {
			return nil, fail.New(fail.Input, "the data ends after %d rows, the model was trained on %d", r.read, r.m.Points).
				WithHint("verify reads the training data")
		}
		if err != nil {
			return nil, err
		}
		switch {
		case one.norm != 0:
			norm = append(norm, one)
		case one.cost != 0:
			rest = append(rest, one)
		}
	}
	if len(norm)+len(rest) == 0 {
		return nil, io.EOF
	}
	return &batch{append(norm, rest...), len(norm)}, nil
}

// one reads the next row.
func (r *reader) one() (row, error) {
	data, err := r.src.Next()
	if err != nil {
		return row{}, err
	}
	m, i := r.m, r.read
	if err := m.Sequences.Check(&data); err != nil {
		return row{}, err
	}
	r.read++
	out := row{id: i}
	if out.y, err = r.label(&data); err != nil {
		return row{}, err
	}
	c := costOf(m, out.y)
	if m.RowWeights && data.Weight != 0 {
		c *= data.Weight
	}
	if r.dense != nil {
		if err := m.Scaling.Dense(data, r.dense); err != nil {
			return row{}, err
		}
	}
	for j, v := range r.dense {
		r.minimum[j] = min(r.minimum[j], v)
	}
	if err := r.print.add(out.y, &data, m); err != nil {
		return row{}, err
	}
	r.spread.add(r.dense, m.Points)
	if s := r.support; s < len(m.Support) && int(m.Support[s]) == i {
		r.support++
		out.norm = r.sample.norm[s]
		r.checkSupport(s, out.y, c, &data)
	}
	if r.sample.takes(i) {
		out.cost = c * r.sample.lossScale
	}
	if r.dense != nil && (out.norm != 0 || out.cost != 0) {
		out.x = append([]float32(nil), r.dense...)
	}
	return out, nil
}

// label gives y.
func (r *reader) label(data *dataset.Row) (float64, error) {
	switch model.Labeling(r.m.Task) {
	case dataset.Ignored:
		return 1, nil
	case dataset.Targets:
		if !finite(data.Target) {
			return 0, fail.New(fail.Input, "the row has no target").At(data.File, data.Line, 1)
		}
		return data.Target, nil
	}
	name, err := dataset.CanonicalLabel(data.Label)
	if err != nil {
		return 0, fail.New(fail.Input, "%w", err).At(data.File, data.Line, 1)
	}
	if r.positive[name] {
		r.met[name] = true
		return 1, nil
	}
	if r.negative != "" && name != r.negative {
		return 0, fail.New(fail.Input, "label %q is neither of the model's classes %q and %q", name, r.m.Positive, r.m.Negative).
			At(data.File, data.Line, 1)
	}
	return -1, nil
}

// checkSupport compares support vector s with the training row it is said to be.
func (r *reader) checkSupport(s int, y, c float64, data *dataset.Row) {
	m, a := r.m, r.m.Alpha[s]
	place := fmt.Sprintf("row %d", r.read)
	if data.File != "" {
		place = fmt.Sprintf("row %d (%s:%d)", r.read, data.File, data.Line)
	}
	signed := m.Task == model.TaskClass || m.Task == model.TaskOneClass
	if !finite(a) || signed && a*y < 0 {
		r.faults.add("sign", "%s: alpha is %v for label %+g", place, a, y)
	}
	r.lin.add(linOf(m, y, a, c))
	if m.Task != model.TaskSquare && math.Abs(a) > c*(1+1e-12) {
		r.faults.add("box", "%s: |alpha| is %.17g, above its bound %.17g", place, math.Abs(a), c)
	}
	for j, v := range m.Vector(s) {
		if math.Float32bits(v) != math.Float32bits(r.dense[j]) {
			r.faults.add("vector", "%s: support vector %d has %v for feature %d, the data %v", place, s+1, v, j+1, r.dense[j])
			break
		}
	}
}

// checkEnd sees whether the data goes on where the model's does not, and whether all labels that count as positive occurred.
func (r *reader) checkEnd() error {
	for name := range r.positive {
		if !r.met[name] {
			r.faults.add("label", "no row has the positive label %q", name)
		}
	}
	if r.m.Limit > 0 && r.m.Points >= r.m.Limit {
		return nil
	}
	_, err := r.src.Next()
	if err == nil {
		r.faults.add("end", "the data goes on after the %d rows that the model was trained on", r.m.Points)
	}
	if err == io.EOF {
		return nil
	}
	return err
}
