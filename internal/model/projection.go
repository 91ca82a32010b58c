package model

import (
	"encoding/json"
	"math"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// ProjectionFamily is the family of models whose kernels see z = W'x in place of x (Gönen 2010,
// chapter 4): features, support vectors and kernels of the model belong to z. Every reader of this
// package knows it. Models without a projection have no part of it in their files.
const ProjectionFamily = "projection"

// Projection holds what a model on projected features keeps of them.
type Projection struct {
	// Kernel is the specification that was trained, the first if there are several.
	Kernel string `json:"kernel"`
	// Features is the number of features of a row, and Columns that of W, 0 if W is a diagonal.
	Features int `json:"features"`
	Columns  int `json:"columns"`
	// Others are the further kernels on projected features, each with a matrix of its own.
	Others []ProjectedKernel `json:"others,omitempty"`
	// Plain means that other kernels see the features as they are. Rows of the model then have
	// these first, and projected ones behind them.
	Plain bool `json:"plain,omitempty"`
	// Stationarity is the length of the slope of the optimum by W, along the matrices that W is one
	// of, divided by the size of the dual value. It is measured, and no bound of anything.
	Stationarity float64 `json:"stationarity"`
	// Steps and Trials count the steps and trials of the descent to W, from all of its starts.
	Steps  int `json:"steps"`
	Trials int `json:"trials"`

	// Scale is the kind of Scaling, empty for none.
	Scale string `json:"scale,omitempty"`
	// ScaleChoice is Scaling.Choice.
	ScaleChoice string `json:"scale_choice,omitempty"`
	// Gates are the settings of gates that kernels have besides.
	Gates json.RawMessage `json:"gates,omitempty"`

	// W is features x columns, row-major, or the diagonal, one behind the other if there are several.
	W []float64 `json:"-"`
	// Scaling is the scaling of the features of the data, which are scaled before they are
	// projected.
	Scaling dataset.Scaling `json:"-"`
}

// ProjectedKernel is a kernel on projected features.
type ProjectedKernel struct {
	// Kernel is its specification, and Columns the number of columns of W, 0 if W is a diagonal.
	Kernel  string `json:"kernel"`
	Columns int    `json:"columns"`
}

// Block is a projection of a model, whose kernel has the number of the block.
type Block struct {
	ProjectedKernel
	// W is features x columns, row-major, or the diagonal, and belongs to the model.
	W []float64
	// First is the first feature of the block in the rows of the model, of Width.
	First, Width int
}

// These are the arrays of the family.
const (
	projectionW      = "w"
	projectionFactor = "scale_factor"
	projectionOffset = "scale_offset"
	// Those of gates have this before their names.
	projectionGates = "gates_"
)

// Family returns the projection as the family of a model. Gates of the family that the model had
// before stay.
func (p *Projection) Family(before *Family) *Family {
	gates := before.ofGates()
	if gates != nil {
		p.Gates = gates.Settings
	}
	p.ScaleChoice = p.Scaling.Choice
	if p.Scale = p.Scaling.Kind; p.Scale == dataset.ScaleNone {
		p.Scale = ""
	}
	text, _ := json.Marshal(p) // Nothing in the structure can fail to be encoded.
	family := &Family{Name: ProjectionFamily, Settings: text,
		Arrays: map[string][]float64{projectionW: p.W}}
	if p.Scaling.Factor != nil {
		family.Arrays[projectionFactor] = p.Scaling.Factor
	}
	if p.Scaling.Offset != nil {
		family.Arrays[projectionOffset] = p.Scaling.Offset
	}
	if gates != nil {
		for name, values := range gates.Arrays {
			family.Arrays[projectionGates+name] = values
		}
	}
	return family
}

// ofGates returns the family of the gates within that of the projection, nil if there is none.
func (p *Projection) ofGates(arrays map[string][]float64) *Family {
	if p.Gates == nil {
		return nil
	}
	f := &Family{Name: GatesFamily, Settings: p.Gates, Arrays: map[string][]float64{}}
	for name, values := range arrays {
		if own, ok := strings.CutPrefix(name, projectionGates); ok {
			f.Arrays[own] = values
		}
	}
	return f
}

// Projection returns the projection of a model of the family, or nil if it has none. W belongs to
// the model.
func (family *Family) Projection() *Projection {
	if family == nil || family.Name != ProjectionFamily {
		return nil
	}
	p := &Projection{}
	if err := json.Unmarshal(family.Settings, p); err != nil {
		p = &Projection{} // Validate has rejected such a file.
	}
	a := family.Arrays
	p.W = a[projectionW]
	p.Scaling = dataset.Scaling{Kind: p.Scale, Choice: p.ScaleChoice, Factor: a[projectionFactor], Offset: a[projectionOffset]}
	if p.Scale == "" {
		p.Scaling.Kind = dataset.ScaleNone
	}
	return p
}

// Blocks returns the projections of the model. W must have their numbers.
func (p *Projection) Blocks() []Block {
	list := make([]Block, 0, 1+len(p.Others))
	first, w := 0, p.W
	if p.Plain {
		first = p.Features
	}
	for _, k := range p.kernels() {
		b := Block{ProjectedKernel: k, First: first, Width: k.width(p.Features)}
		size := k.size(p.Features)
		b.W, w = w[:size], w[size:]
		first += b.Width
		list = append(list, b)
	}
	return list
}

// kernels returns the kernels of all blocks.
func (p *Projection) kernels() []ProjectedKernel {
	return append([]ProjectedKernel{{p.Kernel, p.Columns}}, p.Others...)
}

// width is the number of projected features of d.
func (k ProjectedKernel) width(d int) int {
	if k.Columns == 0 {
		return d
	}
	return k.Columns
}

// size is the number of numbers of the matrix for d features.
func (k ProjectedKernel) size(d int) int { return d * max(1, k.Columns) }

// Width is the number of features of the rows of the model.
func (p *Projection) Width() int {
	width := 0
	if p.Plain {
		width = p.Features
	}
	for _, k := range p.kernels() {
		width += k.width(p.Features)
	}
	return width
}

// Project writes the features that the model has of a scaled row to z. Terms are added in the order of
// the features, so z has the same bits wherever it is computed.
func (p *Projection) Project(index []int32, value []float64, z []float64) {
	clear(z)
	if p.Plain {
		for e, j := range index {
			z[j] = value[e]
		}
	}
	for _, b := range p.Blocks() {
		to := z[b.First:][:b.Width]
		for e, j := range index {
			x := value[e]
			if b.Columns == 0 {
				to[j] = float64(b.W[j] * x)
				continue
			}
			row := b.W[int(j)*b.Columns:][:b.Columns]
			for l, w := range row {
				to[l] += float64(w * x)
			}
		}
	}
}

// Projector projects rows of the data, one after the other. Its slices are valid until the next row.
type Projector struct {
	p      *Projection
	index  []int32
	narrow []float32
	value  []float64
	z      []float64
}

// NewProjector returns a projector of rows as the data have them.
func (p *Projection) NewProjector() *Projector {
	return &Projector{p: p, z: make([]float64, p.Width())}
}

// Row returns the projected features of a row, which is scaled first. A feature that the projection
// does not know is an error of class fail.Input, and so is a number beyond float32.
func (q *Projector) Row(r dataset.Row) ([]float64, error) {
	p := q.p
	if n := len(r.Index); n > 0 && int(r.Index[n-1]) >= p.Features {
		return nil, fail.New(fail.Input, "feature %d is unknown: the model has %d features",
			r.Index[n-1]+1, p.Features).At(r.File, r.Line, 0).
			WithHint("--ignore-extra-features takes such features as 0")
	}
	index, value := r.Index, r.Value
	if p.Scaling.Factor != nil {
		var err error
		q.index, q.narrow, err = p.Scaling.Sparse(r, p.Features, q.index[:0], q.narrow[:0])
		if err != nil {
			return nil, err
		}
		q.value = q.value[:0]
		for _, x := range q.narrow {
			q.value = append(q.value, float64(x))
		}
		index, value = q.index, q.value
	}
	p.Project(index, value, q.z)
	for l, z := range q.z {
		if math.Abs(z) > math.MaxFloat32 || z != z {
			return nil, fail.New(fail.Input, "projected feature %d is %g", l+1, z).At(r.File, r.Line, 0)
		}
	}
	return q.z, nil
}

// projected is a source of projected rows.
type projected struct {
	dataset.Source
	projector *Projector
	index     []int32
}

// Source returns the rows of src with projected features. Its errors are the errors of
// Projector.Row.
func (p *Projection) Source(src dataset.Source) dataset.Source {
	s := &projected{src, p.NewProjector(), make([]int32, p.Width())}
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
	z, err := s.projector.Row(r)
	r.Index, r.Value = s.index, z
	return r, err
}
