package model

import (
	"encoding/json"
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/float"
)

// ProjectionFamily is the family of models whose kernels see z = W'x in place of x (Gönen 2010,
// chapter 4): features, support vectors and kernels of the model are those of z. Every reader of this
// package knows it. Models without a projection have no part of it in their files.
const ProjectionFamily = "projection"

// Projection is what a model on projected features says of them.
type Projection struct {
	// Kernel is the specification that was trained.
	Kernel string `json:"kernel"`
	// Features is the number of features of a row, and Columns that of W, 0 if W is a diagonal.
	Features int `json:"features"`
	Columns  int `json:"columns"`
	// Stationarity is the length of the slope of the optimum by W, along the matrices that W is one
	// of, divided by the size of the dual value. It is measured, and no bound of anything.
	Stationarity float64 `json:"stationarity"`
	// Steps and Trials count those of the descent to W, from all of its starts.
	Steps  int `json:"steps"`
	Trials int `json:"trials"`

	// W is features x columns, row-major, or the diagonal.
	W []float64 `json:"-"`
}

// SetProjection makes the model one on projected features.
func (m *Model) SetProjection(p *Projection) {
	text, _ := json.Marshal(p) // Nothing in the structure can fail to be encoded.
	m.Family = &Family{Name: ProjectionFamily, Settings: text,
		Arrays: map[string][]float64{"w": p.W}}
}

// Projection returns the projection of the model, or nil if it has none. W is that of the model.
func (m *Model) Projection() *Projection {
	if m.Family == nil || m.Family.Name != ProjectionFamily {
		return nil
	}
	p := &Projection{}
	if err := json.Unmarshal(m.Family.Settings, p); err != nil {
		p = &Projection{} // Validate has refused such a file.
	}
	p.W = m.Family.Arrays["w"]
	return p
}

// DataFeatures returns the number of features of a row as the data have it: without flags of views,
// and before a projection.
func (m *Model) DataFeatures() int {
	if p := m.Projection(); p != nil {
		return p.Features
	}
	return m.PlainFeatures()
}

// Width is the number of projected features.
func (p *Projection) Width() int {
	if p.Columns == 0 {
		return p.Features
	}
	return p.Columns
}

// Project writes the projected features of a row to z. Terms are added in the order of the features,
// so that z has the same bits wherever it is computed.
func (p *Projection) Project(index []int32, value []float64, z []float64) {
	clear(z)
	for e, j := range index {
		x := value[e]
		if p.Columns == 0 {
			z[j] = float64(p.W[j] * x)
			continue
		}
		row := p.W[int(j)*p.Columns:][:p.Columns]
		for l, w := range row {
			z[l] += float64(w * x)
		}
	}
}

// projected is a source of projected rows.
type projected struct {
	dataset.Source
	p     *Projection
	index []int32
	value []float64
}

// Source returns the rows of src with projected features. A feature that the projection does not know
// is an error of class fail.Input.
func (p *Projection) Source(src dataset.Source) dataset.Source {
	s := &projected{src, p, make([]int32, p.Width()), make([]float64, p.Width())}
	for l := range s.index {
		s.index[l] = int32(l)
	}
	return s
}

// Next implements dataset.Source.
func (s *projected) Next() (dataset.Row, error) {
	r, err := s.Source.Next()
	if err != nil {
		return r, err
	}
	if n := len(r.Index); n > 0 && int(r.Index[n-1]) >= s.p.Features {
		return r, fail.New(fail.Input, "feature %d is unknown: the model has %d features",
			r.Index[n-1]+1, s.p.Features).At(r.File, r.Line, 0).
			WithHint("--ignore-extra-features takes such features as 0")
	}
	s.p.Project(r.Index, r.Value, s.value)
	for l, z := range s.value {
		if math.Abs(z) > math.MaxFloat32 || z != z {
			return r, fail.New(fail.Input, "projected feature %d is %g", l+1, z).At(r.File, r.Line, 0)
		}
	}
	r.Index, r.Value = s.index, s.value
	return r, nil
}

// checkProjection checks what only a model on projected features has.
func checkProjection(m *Model, f *faults) {
	p := m.Projection()
	if p == nil {
		return
	}
	var strict Projection
	text, _ := json.Marshal(p)
	err := json.Unmarshal(m.Family.Settings, &strict)
	f.check(err == nil && string(text) == string(m.Family.Settings),
		"the settings of the projection are damaged")
	f.check(len(m.Family.Arrays) == 1, "%d arrays of a projection", len(m.Family.Arrays))
	size := int64(p.Columns)
	if p.Columns == 0 {
		size = 1
	}
	// The bounds keep the product of the two within its type.
	sound := p.Features >= 1 && p.Features <= math.MaxInt32 && p.Columns >= 0 &&
		p.Columns <= p.Features
	f.check(sound && int64(len(p.W)) == int64(p.Features)*size,
		"%d numbers of a projection of %d features on %d", len(p.W), p.Features, p.Columns)
	f.check(p.Width() == m.Features, "a projection on %d features and kernels of %d", p.Width(),
		m.Features)
	f.check(atLeast0(p.Stationarity), "a stationarity of %g", p.Stationarity)
	f.check(p.Steps >= 0 && p.Trials >= p.Steps, "%d steps in %d trials", p.Steps, p.Trials)
	f.check(m.Scaling.Kind == dataset.ScaleNone && m.Fill == nil && m.Stream == nil &&
		!m.Several() && len(m.Kernels) == 1 && len(m.Views) == 0 && m.Columns == nil || !sound,
		"a projection beside what goes with none")
	f.each("family.w", p.W, float.Finite[float64], "finite")
}
