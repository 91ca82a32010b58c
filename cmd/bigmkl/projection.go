package main

import (
	"fmt"
	"math"
	"strings"

	"bigmkl/dataset"
	"bigmkl/model"
	"bigmkl/projection"
)

// provenForProjection follows the gap of a model on projected features: nothing is proven of the best
// projection.
const provenForProjection = "proven for this projection"

// projects reports whether the kernels of a training are a projection.
func projects(kernels string) bool { return strings.HasPrefix(kernels, projection.Prefix) }

// describeProjection describes the projection of a model in a line. It returns "" if there is none.
func describeProjection(m *model.Model) string {
	p := m.Projection()
	if p == nil {
		return ""
	}
	what := fmt.Sprintf("%s on %s", count(p.Features, "feature"), count(p.Columns, "direction"))
	if p.Columns == 0 {
		what = fmt.Sprintf("scales of %s", count(p.Features, "feature"))
	}
	return fmt.Sprintf("%s: %s, learned in %s and %s, stationary to %.3g", p.Kernel, what,
		count(p.Steps, "step"), count(p.Trials, "trial"), p.Stationarity)
}

// projectionJSON describes the projection of a model.
type projectionJSON struct {
	Kernel   string `json:"kernel"`
	Features int    `json:"features"`
	// Columns is the number of directions, 0 where features are scaled.
	Columns int `json:"columns"`
	// Proven says what the gap of the model is a proof of.
	Proven       string `json:"proven"`
	Stationarity number `json:"stationarity"`
	Steps        int    `json:"steps"`
	Trials       int    `json:"trials"`
	// Shares has the part of each feature in the projection, of sum 1: the squares of its row of W.
	// It is there in inspect alone.
	Shares []number `json:"shares,omitempty"`
}

// newProjectionJSON returns nil for a model without a projection.
func newProjectionJSON(m *model.Model, shares bool) *projectionJSON {
	p := m.Projection()
	if p == nil {
		return nil
	}
	j := &projectionJSON{
		Kernel: p.Kernel, Features: p.Features, Columns: p.Columns, Proven: provenForProjection,
		Stationarity: number(p.Stationarity), Steps: p.Steps, Trials: p.Trials,
	}
	if shares {
		j.Shares = numbers(sharesOf(p))
	}
	return j
}

// sharesOf returns the part of each feature in a projection.
func sharesOf(p *model.Projection) []float64 {
	shares, total := make([]float64, p.Features), 0.0
	width := max(1, p.Columns)
	for k, w := range p.W {
		shares[k/width] += w * w
		total += w * w
	}
	for j := range shares {
		shares[j] /= math.Max(total, math.SmallestNonzeroFloat64)
	}
	return shares
}

// projectedSource writes the projected features of the rows that pass through it.
type projectedSource struct {
	dataset.Source
	p  *model.Projection
	z  []float64
	to *gateWriter
}

// projectedRows returns the rows of src, whose projected features are written. Without a writer it is
// src.
func projectedRows(m *model.Model, src dataset.Source, to *gateWriter) dataset.Source {
	if to == nil {
		return src
	}
	p := m.Projection()
	return &projectedSource{src, p, make([]float64, p.Width()), to}
}

// Next implements dataset.Source. Rows with features that the model does not know are its to refuse.
func (s *projectedSource) Next() (dataset.Row, error) {
	r, err := s.Source.Next()
	if n := len(r.Index); err != nil || n > 0 && int(r.Index[n-1]) >= s.p.Features {
		return r, err
	}
	s.p.Project(r.Index, r.Value, s.z)
	return r, s.to.add(s.z)
}
