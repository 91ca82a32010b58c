package predict

import (
	"slices"

	"bigmkl/dataset"
	"bigmkl/gating"
	"bigmkl/gradient"
	"bigmkl/internal/fail"
	"bigmkl/kernels"
	"bigmkl/model"
)

// With gates a prediction needs eta_m of the support vectors, which are found once, and of the rows
// of each batch. Kernels know points by their numbers: support vectors by their places in the
// model, and rows by their places in the batch.

// modelGates are the gates of a model that is evaluated.
type modelGates struct {
	kernels int
	each    int             // number of kernels that share a gate
	regions *gating.Regions // nil for gates that are given with the rows
	matrix  *gating.Matrix  // gates of the rows; nil for regions
	support *gating.Table
}

// openGates finds the gates of the support vectors. The model is nil if it has none. A matrix of
// the rows' gates is needed for fixed gates alone: to leave it out or to give it for other models
// is an error of class fail.Usage.
func (m *Model) openGates(path string) (*modelGates, error) {
	g := m.Gates()
	if g == nil || g.Kind != model.GatesFixed {
		if path != "" {
			return nil, fail.New(fail.Usage, "gates of rows for a model without fixed gates").
				WithHint("leave --gates out")
		}
		if g == nil {
			return nil, nil
		}
	}
	r := &modelGates{kernels: m.Len(), each: 1}
	if g.Kind == model.GatesFixed {
		if path == "" {
			return nil, fail.New(fail.Usage,
				"the model has fixed gates, and those of the rows are not given").
				WithHint("--gates F, an .npy file of rows x %d kernels", m.Len())
		}
		r.support = gating.NewTable(len(m.Support), m.Len(), m.Len())
		for s := range m.Support {
			copy(r.support.Row(s), g.Support[s*m.Len():(s+1)*m.Len()])
		}
		var err error
		r.matrix, err = gating.OpenMatrix(path, m.Len())
		return r, err
	}
	index, err := m.GatingFeatures(g)
	if err != nil {
		return nil, err
	}
	r.each = m.Len() / g.Regions
	r.regions = &gating.Regions{
		Features: &gating.Features{
			Index: index, Loadings: g.Loadings, Components: g.Components(),
			Mean: g.Mean, Deviation: g.Deviation,
		},
		Centres: g.Centres, Spreads: g.Spreads,
	}
	r.support = gating.NewTable(len(m.Support), g.Regions, m.Len())
	if !m.Seen() {
		return r, nil // The number of features is then a mere claim.
	}
	x, z := make([]float32, m.Features), make([]float64, len(g.Mean))
	for s := range m.Support {
		m.Row(s, x)
		r.regions.Standardise(x, z)
		r.regions.Values(z, r.support.Row(s))
	}
	return r, nil
}

// close closes the matrix of the rows' gates.
func (g *modelGates) close() {
	if g != nil && g.matrix != nil {
		g.matrix.Close()
	}
}

// checkEnd returns an error unless the matrix was for so many rows and has not changed.
func (g *modelGates) checkEnd(n int) error {
	if g == nil || g.matrix == nil {
		return nil
	}
	if err := g.matrix.Err(); err != nil {
		return err
	}
	return g.matrix.CheckRows(n)
}

// count returns the number of gates of a row.
func (g *modelGates) count() int { return g.kernels / g.each }

// rowGates finds the gates of the rows of a batch. It belongs to one goroutine.
type rowGates struct {
	*modelGates
	x      []float32 // features of a row, scaled
	z      []float64 // its gating features
	values []float64 // gates of the rows of the batch
}

// newRowGates returns nil for a model without gates. Without support vectors the regions of a row
// have no part in its decision, and the number of features that it is laid out in is a mere claim.
func (g *modelGates) newRowGates(m *Model) *rowGates {
	if g == nil || g.regions != nil && !m.Seen() {
		return nil
	}
	r := &rowGates{modelGates: g}
	if g.regions != nil {
		r.x, r.z = make([]float32, m.Features), make([]float64, g.regions.Features.Len())
	}
	return r
}

// addRow finds the gates of row number at of a batch, which is row number first + at of the data.
func (g *rowGates) addRow(first, at int, scaling *dataset.Scaling, r dataset.Row) error {
	if g == nil {
		return nil
	}
	n := g.count()
	g.values = slices.Grow(g.values[:at*n], n)[:(at+1)*n]
	if g.matrix != nil {
		return g.matrix.Read(first+at, g.of(at))
	}
	if err := scaling.Dense(r, g.x); err != nil {
		return err
	}
	g.regions.Standardise(g.x, g.z)
	g.regions.Values(g.z, g.of(at))
	return nil
}

// of returns the gates of row number i of the batch.
func (g *rowGates) of(i int) []float64 {
	n := g.count()
	return g.values[i*n : (i+1)*n]
}

// bytes returns the memory that the gates of a row take.
func (g *rowGates) bytes() int64 {
	if g == nil {
		return 0
	}
	return 2 * 8 * int64(g.count()) // a list that append makes larger than it needs to be
}

// function returns the decision functions on a batch.
func (g *rowGates) function(f *gradient.Function) *gradient.Function {
	if g == nil {
		return f
	}
	own := *f
	own.Bank = f.Bank.Gated(g.support, gating.TableOf(g.count(), g.kernels, g.values))
	return &own
}

// noGates stand for gates while a bank has not been given those of any rows.
type noGates struct{}

var _ kernels.Gates = noGates{}

// Gate implements kernels.Gates.
func (noGates) Gate(int32, []int32, []float64) { panic("predict: gates of no rows") }
