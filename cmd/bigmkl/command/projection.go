package command

import (
	"fmt"
	"math"
	"strings"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/model"
	"bigmkl/internal/projection"
)

// provenForProjection follows the gap of a model on projected features. The problem of the
// projection is not convex, so the gap proves the optimum for the projection that was found, and
// nothing about other ones.
const provenForProjection = "proven for this projection"

// provenForBoth follows the gap where there are gates besides.
const provenForBoth = "proven for this projection and these gates"

// provenOfProjection returns the restriction of the claim that the gap of a model with a projection
// proves.
func provenOfProjection(m *model.Model) string {
	if m.Family.Gates() != nil {
		return provenForBoth
	}
	return provenForProjection
}

// projects reports whether the kernels of a training are a projection.
func projects(kernels string) bool { return projection.Has(kernels) }

// describeProjection describes the projection of a model in a line. It returns "" if there is none. The
// stationarity is shown because the descent of W ends by it and not by a gap.
func describeProjection(m *model.Model) string {
	p := m.Family.Projection()
	if p == nil {
		return ""
	}
	var list []string
	for _, b := range p.Blocks() {
		what := fmt.Sprintf("%s on %s", count(p.Features, "feature"), count(b.Columns, "direction"))
		if b.Columns == 0 {
			what = fmt.Sprintf("scales of %s", count(p.Features, "feature"))
		}
		list = append(list, b.Kernel+": "+what)
	}
	return fmt.Sprintf("%s, learned in %s and %s, stationary to %.3g", strings.Join(list, ", "),
		count(p.Steps, "step"), count(p.Trials, "trial"), p.Stationarity)
}

// projectionJSON describes the projection of a model.
type projectionJSON struct {
	Kernel   string `json:"kernel"`
	Features int    `json:"features"`
	// Columns is the number of directions, 0 where features are scaled.
	Columns int `json:"columns"`
	// Others are the further kernels on projected features, absent if there is one.
	Others []otherProjectionJSON `json:"others,omitempty"`
	// Proven names the claim that the gap of the model proves.
	Proven       string `json:"proven"`
	Stationarity number `json:"stationarity"`
	Steps        int    `json:"steps"`
	Trials       int    `json:"trials"`
	// Shares has the part of each feature in the projection, of sum 1: the squares of its row of W,
	// in all matrices together.
	// It is there in inspect alone.
	Shares []number `json:"shares,omitempty"`
}

// otherProjectionJSON describes one of several kernels on projected features.
type otherProjectionJSON struct {
	Kernel  string `json:"kernel"`
	Columns int    `json:"columns"`
}

// newProjectionJSON returns nil for a model without a projection. With shares set, it adds the shares
// of features. They are a long list, so only inspect has them.
func newProjectionJSON(m *model.Model, shares bool) *projectionJSON {
	p := m.Family.Projection()
	if p == nil {
		return nil
	}
	j := &projectionJSON{
		Kernel: p.Kernel, Features: p.Features, Columns: p.Columns, Proven: provenOfProjection(m),
		Stationarity: number(p.Stationarity), Steps: p.Steps, Trials: p.Trials,
	}
	for _, k := range p.Others {
		j.Others = append(j.Others, otherProjectionJSON(k))
	}
	if shares {
		j.Shares = numbers(sharesOf(p))
	}
	return j
}

// sharesOf returns the share of each feature in a projection, of sum 1: the sum of the squares
// of its row of W, over all matrices. A rotation of the directions leaves the shares as they
// are. They answer which features a projection uses. Entries of W themselves depend on the choice of
// directions.
func sharesOf(p *model.Projection) []float64 {
	shares, total := make([]float64, p.Features), 0.0
	for _, b := range p.Blocks() {
		for k, w := range b.W {
			// W is row by row, so entry k belongs to feature k / columns.
			shares[k/max(1, b.Columns)] += w * w
			total += w * w
		}
	}
	for j := range shares {
		shares[j] /= math.Max(total, math.SmallestNonzeroFloat64)
	}
	return shares
}

// projectedSource projects the rows that pass through it, and keeps the projected features until
// write takes them, in the same order. Predictions work on several rows at once, so their gates,
// which write needs, come later than the rows.
type projectedSource struct {
	dataset.Source
	project func(dataset.Row) ([]float64, error)
	widths  []int   // numbers of each kernel
	gates   []int32 // of each kernel, nil without gates
	width   int     // sum of widths
	// z has the projected features of rows that were read and not yet written, width numbers for each
	// row.
	z   []float64
	out *gateWriter
}

// projectedRows returns the rows of src, whose projected features are written to a file by write: the
// features of a projection, or of linear kernels with gates. It is nil without a path.
func projectedRows(m *bigmkl.Model, src dataset.Source, path string, memory int64) (*projectedSource, error) {
	if path == "" {
		return nil, nil
	}
	s := &projectedSource{Source: src}
	var err error
	if m.Family.Projection() != nil {
		err = s.ofProjection(&m.Model)
	} else {
		err = s.ofDirections(m, memory)
	}
	if err != nil {
		return nil, err
	}
	for _, w := range s.widths {
		s.width += w
	}
	s.out, err = newGateWriter(path)
	return s, err
}

// ofProjection takes the features from the projections of a model.
func (s *projectedSource) ofProjection(m *model.Model) error {
	p := m.Family.Projection()
	projector, blocks := p.NewProjector(), p.Blocks()
	for _, b := range blocks {
		s.widths = append(s.widths, b.Width)
	}
	// z is used again for each row.
	var z []float64
	s.project = func(r dataset.Row) ([]float64, error) {
		all, err := projector.Row(r)
		z = z[:0]
		for _, b := range blocks {
			if err == nil {
				z = append(z, all[b.First:][:b.Width]...)
			}
		}
		return z, err
	}
	if m.Family.Gates() == nil {
		return nil
	}
	of, err := m.Expansion().GateOfEach(math.MaxInt64)
	if err == nil {
		s.gates = of[:len(blocks)]
	}
	return err
}

// ofDirections takes the features from the linear kernels of a model with gates. A linear kernel with a
// gate has one direction w: the sum over support vectors is one vector of features.
func (s *projectedSource) ofDirections(m *bigmkl.Model, memory int64) error {
	list, err := m.Directions(memory)
	if err != nil {
		return err
	}
	for _, d := range list {
		s.widths, s.gates = append(s.widths, 1), append(s.gates, d.Gate)
	}
	x, z := make([]float32, m.Features), make([]float64, len(list))
	s.project = func(r dataset.Row) ([]float64, error) {
		if err := m.Scaling.Dense(r, x); err != nil {
			return nil, err
		}
		for k := range list {
			z[k] = list[k].Of(x)
		}
		return z, nil
	}
	return nil
}

// Next implements dataset.Source. A row that cannot be projected is rejected as it would be by the
// predictor.
func (s *projectedSource) Next() (dataset.Row, error) {
	r, err := s.Source.Next()
	if err != nil {
		return r, err
	}
	// A row that fails adds no features, and the prediction ends with the error.
	z, err := s.project(r)
	s.z = append(s.z, z...)
	return r, err
}

// write writes the projected features of the next row, with the features of each kernel times its gate. A
// model that has seen no row has no gates. It may be called for nil.
func (s *projectedSource) write(gates []float64) error {
	if s == nil {
		return nil
	}
	z, at := s.z[:s.width], 0
	for k, w := range s.widths {
		for l := at; l < at+w && s.gates != nil && gates != nil; l++ {
			z[l] *= gates[s.gates[k]]
		}
		at += w
	}
	err := s.out.add(z)
	// The slice moves along its array. Once it is empty, a new array is made at the next row, so the
	// old one is released.
	if s.z = s.z[s.width:]; len(s.z) == 0 {
		s.z = s.z[:0:0]
	}
	return err
}
