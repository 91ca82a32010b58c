package predict

import (
	"slices"

	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/fail"
	"bigmkl/internal/gating"
	"bigmkl/internal/model"
	"bigmkl/kernels"
)

// With gates a prediction needs eta_m of the support vectors, which are found once, and of the rows
// of each batch. Kernels know points by their numbers: support vectors by their places in the
// model, and rows by their places in the batch.

//
// Classifiers that have learned gates of their own are evaluated one by one: a row has as many sets
// of gates as there are classifiers, which are one gate behind the other.

// modelGates are the gates of a model that is evaluated.
type modelGates struct {
	count    int              // number of gates of a row in a set
	of       []int32          // gate of each kernel
	features *gating.Features // that gates are functions of; nil for gates that are given
	// values has a function for each set, which writes the gates of a point with the gating features z
	// to eta.
	values []func(z, eta []float64)
	matrix *gating.Matrix // gates of the rows that are given
	// landmarks are those whose kernel values gates look at, and nil for gates on features. values is nil
	// where their kernel is a matrix.
	landmarks *model.Landmarks
	kernel    *kernels.Landmarks
	// support has the gates of the support vectors in each set. A support vector is closed in sets of
	// classifiers that do not use it.
	support []*gating.Table
}

// sets returns the number of sets of gates.
func (g *modelGates) sets() int { return len(g.support) }

// newModelGates finds the gates of the support vectors. The model is nil if it has none. A matrix of
// the rows' gates is needed for fixed gates alone: to leave it out or to give it for other models
// is an error of class fail.Usage. Other errors are the errors of model.GateOfEach.
func newModelGates(m *Model, path string, memory int64) (*modelGates, error) {
	g := m.Family.Gates()
	if g == nil || g.Kind != model.GatesFixed {
		if path != "" {
			return nil, fail.New(fail.Usage, "gates of rows for a model without fixed gates").
				WithHint("leave --gates out")
		}
		if g == nil {
			return nil, nil
		}
	}
	r := &modelGates{count: g.Count(m.Len())}
	var err error
	// Without support vectors no kernel is evaluated, and their number is a mere claim.
	if len(m.Support) > 0 {
		if r.of, err = m.Expansion().GateOfEach(memory); err != nil {
			return nil, err
		}
	}
	for range g.Sets() {
		r.support = append(r.support,
			gating.SharedTable(r.count, r.of, make([]float64, len(m.Support)*r.count)))
	}
	if g.Kind == model.GatesFixed {
		if path == "" {
			return nil, fail.New(fail.Usage,
				"the model has fixed gates, and those of the rows are not given").
				WithHint("--gates F, an .npy file of rows x %d kernels", m.Len())
		}
		for s := range m.Support {
			copy(r.support[0].Row(s), g.Support[s*m.Len():(s+1)*m.Len()])
		}
		r.matrix, err = gating.OpenMatrix(path, m.Len())
		return r, err
	}
	index, err := m.Expansion().GatingFeatures(g)
	if err != nil {
		return nil, err
	}
	r.features = &gating.Features{
		Index: index, Loadings: g.Loadings, Components: g.Components(),
		Mean: g.Mean, Deviation: g.Deviation,
	}
	for k := range g.Sets() {
		values, err := valuesOf(g.OfClassifier(k), r.features)
		if err != nil {
			return nil, err
		}
		r.values = append(r.values, values)
	}
	if r.landmarks = g.Landmarks; g.UsesFeatures() && !m.Seen() {
		return r, nil // Where no row was seen the number of features is a mere claim.
	}
	if r.landmarks != nil && g.UsesFeatures() {
		if r.kernel, err = newLandmarks(m, r.landmarks); err != nil {
			return nil, err
		}
	}
	r.openSupport(m)
	return r, nil
}

// openSupport finds the gates of the support vectors.
func (g *modelGates) openSupport(m *Model) {
	seen, z := g.seeSupport(m), make([]float64, g.features.Len())
	next := make([]int, g.sets()) // support vectors of each classifier that have been passed
	for s := range m.Support {
		g.features.Standardise(seen(s), z)
		for k, values := range g.values {
			if g.sets() > 1 {
				own := m.Classifiers[k].Support
				if next[k] == len(own) || int(own[next[k]]) != s {
					continue
				}
				next[k]++
			}
			values(z, g.support[k].Row(s))
		}
	}
}

// valuesOf returns the function that gates are of their features.
func valuesOf(g *model.Gates, f *gating.Features) (func(z, eta []float64), error) {
	if !g.Learned() {
		return (&gating.Regions{Features: f, Centres: g.Centres, Spreads: g.Spreads}).Values, nil
	}
	form, err := gating.ParseForm(g.Kind)
	if err != nil {
		return nil, err
	}
	l := &gating.Learned{Form: form, Features: f.Len(), Parameters: g.Parameters, Floor: g.Floor}
	return func(z, eta []float64) {
		l.Values(z, eta)
		l.Closed(eta)
	}, nil
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

// rowGates finds the gates of the rows of a batch. It belongs to one goroutine.
type rowGates struct {
	*modelGates
	x []float32 // features of a row, scaled
	z []float64 // its gating features
	// kernelValues are the kernel values of the rows with the landmarks, of a kernel of features.
	kernelValues *kernels.LandmarkValues
	batch        [][]float64 // for each set, the gates of the rows of the batch
	all          []float64   // all gates of a row
}

// newRowGates returns nil for a model without gates. Without support vectors the regions of a row
// do not affect its decision, and the number of features that it is laid out in is a mere claim.
func (g *modelGates) newRowGates(m *Model) *rowGates {
	if g == nil || g.features != nil && !g.fromMatrix() && !m.Seen() {
		return nil
	}
	r := &rowGates{modelGates: g, batch: make([][]float64, g.sets())}
	if g.features != nil {
		r.z = make([]float64, g.features.Len())
	}
	switch {
	case g.kernel != nil:
		r.kernelValues = g.kernel.Values()
	case g.features != nil && g.landmarks == nil:
		r.x = make([]float32, m.Features)
	}
	return r
}

// addRow finds the gates of row number at of a batch, which is row number first + at of the data.
func (g *rowGates) addRow(first, at int, scaling *dataset.Scaling, r dataset.Row) error {
	if g == nil {
		return nil
	}
	n := g.count
	for k := range g.batch {
		g.batch[k] = slices.Grow(g.batch[k][:at*n], n)[:(at+1)*n]
	}
	if g.matrix != nil {
		return g.matrix.Read(first+at, g.batch[0][at*n:])
	}
	if g.landmarks != nil {
		return nil // Their values are found for all rows of the batch at once.
	}
	if err := scaling.Dense(r, g.x); err != nil {
		return err
	}
	g.setRow(at, g.x)
	return nil
}

// setRow finds the gates of row number at of a batch from what gates see of it.
func (g *rowGates) setRow(at int, seen []float32) {
	g.features.Standardise(seen, g.z)
	for k, values := range g.values {
		values(g.z, g.batch[k][at*g.count:(at+1)*g.count])
	}
}

// row returns the gates of row number i of the batch, set by set, until the next call.
func (g *rowGates) row(i int) []float64 {
	n := g.count
	if g.sets() == 1 {
		return g.batch[0][i*n : (i+1)*n]
	}
	g.all = g.all[:0]
	for k := range g.batch {
		g.all = append(g.all, g.batch[k][i*n:(i+1)*n]...)
	}
	return g.all
}

// factors returns the gate of a kernel for row number i of the batch in each set, times a factor.
func (g *rowGates) factors(i int, kernel int32, factor float64) []float64 {
	list := make([]float64, g.sets())
	for k := range list {
		list[k] = g.batch[k][i*g.count+int(g.modelGates.of[kernel])] * factor
	}
	return list
}

// bytes returns the memory that the gates of a row take.
func (g *rowGates) bytes() int64 {
	if g == nil {
		return 0
	}
	return 2 * 8 * int64(g.count*g.sets()) // a list that append makes larger than it needs to be
}

// functions returns the decision functions on a batch: the functions of all classifiers together,
// or a function of each classifier where each has gates of its own.
func (g *rowGates) functions(f *gradient.Function) []*gradient.Function {
	if g == nil {
		return []*gradient.Function{f}
	}
	var list []*gradient.Function
	for k, support := range g.support {
		own := *f
		own.Bank = f.Bank.Gated(support, gating.SharedTable(g.count, g.modelGates.of, g.batch[k]))
		if g.sets() > 1 {
			own.Outputs = f.Outputs[k : k+1]
		}
		list = append(list, &own)
	}
	return list
}

// noGates represent gates while a bank has not been given the gates of any rows.
type noGates struct{}

var _ kernels.Gates = noGates{}

// Gate implements kernels.Gates.
func (noGates) Gate(int32, []int32, []float64) { panic("predict: gates of no rows") }
