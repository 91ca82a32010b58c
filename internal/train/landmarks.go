package train

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/gating"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
	"bigmkl/kernels"
)

// Gates may look at the values of a kernel with some training rows, the landmarks, in place of features
// (Gönen 2010, eq. 3.5). All values are computed once and stay in memory, as every trial of gates that
// are learned looks at all of them. They are numbers of float32 wherever they are computed, in
// a training or not.

// landmarkRows are the points as gates on kernel values see them.
type landmarkRows struct {
	count  int       // number of landmarks
	values []float32 // points x landmarks, row-major
}

var _ gating.Rows = landmarkRows{}

// Len returns the number of points.
func (r landmarkRows) Len() int { return len(r.values) / r.count }

// Dim returns the number of landmarks.
func (r landmarkRows) Dim() int { return r.count }

// Row writes the kernel values of a point to x.
func (r landmarkRows) Row(i int, x []float32) { copy(x, r.values[i*r.count:]) }

// landmarkStream is the stream of random numbers that the landmarks are drawn from.
const landmarkStream = 0x6c616e64

// points returns the points as gates see them, and the description of these points for the model. A text
// that asks for more landmarks than there are rows, or for a kernel that gates cannot look at, is of
// class fail.Usage.
func (m *gateMaker) points(ctx context.Context) (gating.Rows, model.Gates, error) {
	o := m.options
	of, n := model.Gates{On: o.Gating.On}, m.store.Len()
	spec, count, found, err := kernelspec.CutLandmarks(o.Gating.On)
	if !found || err != nil {
		return m.store, of, err
	}
	if count > n {
		return nil, of, fail.New(fail.Usage, "gates on kernel values with %d rows, and there are %d", count, n)
	}
	random := rand.New(rand.NewPCG(o.Seed, landmarkStream))
	l := &model.Landmarks{Spec: spec}
	for _, i := range random.Perm(n)[:count] {
		l.Rows = append(l.Rows, int32(i))
	}
	slices.Sort(l.Rows)
	of.Landmarks = l
	var rows landmarkRows
	if file, matrix := kernelspec.MatrixOf(spec); matrix {
		rows, err = m.matrixValues(l, file)
	} else {
		rows, err = m.kernelValues(ctx, l)
	}
	of.On = kernelspec.Landmarks(l.Spec, count)
	for i, x := range rows.values {
		if err == nil && (math.IsNaN(float64(x)) || math.IsInf(float64(x), 0)) {
			err = fail.New(fail.Input, "the kernel that gates look at takes values that are not finite, such as at row %d",
				i/count+1).WithHint("scale the data, or lower the degree")
		}
	}
	return rows, of, err
}

// matrixValues returns the entries of a matrix, which has to be the matrix of one of the kernels: a
// prediction is given the matrices of these.
func (m *gateMaker) matrixValues(l *model.Landmarks, file string) (landmarkRows, error) {
	count := len(l.Rows)
	at := slices.Index(m.kernels.Expanded.Files, file)
	if at < 0 {
		return landmarkRows{}, fail.New(fail.Usage, "gates look at the matrix %s, which is that of no kernel",
			fail.Quote(file)).WithHint("the name is as in --kernels precomputed:FILE")
	}
	l.Spec = kernelspec.MatrixNumber(at)
	rows := landmarkRows{count, make([]float32, m.store.Len()*count)}
	all := make([]float64, m.store.Len())
	for i := range m.store.Len() {
		m.kernels.Matrices[at].Row64(i, 0, all)
		for k, j := range l.Rows {
			rows.values[i*count+k] = float32(all[j])
		}
	}
	return rows, m.kernels.Changed()
}

// kernelValues computes the values of a kernel of features or of letters.
func (m *gateMaker) kernelValues(ctx context.Context, l *model.Landmarks) (landmarkRows, error) {
	o := m.prepared
	o.Normalizer, o.Regions, o.Gated, o.Given = kernelspec.Unnormalized, 0, false, nil
	if m.store.Columns() || m.store.Dim() == 0 {
		err := fail.New(fail.Input, "gates on values of the kernel %s, and no row has a feature", fail.Quote(l.Spec))
		return landmarkRows{}, err.WithHint("--gate-on 'kernel:precomputed:K.npy*%d'", len(l.Rows))
	}
	p, err := kernels.Prepare(ctx, m.store, []string{l.Spec}, o)
	if err != nil {
		return landmarkRows{}, err
	}
	defer p.Close()
	if err := p.Expanded.CheckLandmarks(l.Spec); err != nil {
		return landmarkRows{}, err
	}
	l.Medians = p.Expanded.Medians
	l.Sparse = nonzerosOf(m.store, l.Rows)
	set := &kernels.Set{}
	set.Gather(m.store, l.Rows)
	for i := range set.IDs {
		set.IDs[i] = int32(i)
	}
	values, err := kernels.NewLandmarks(p.Expanded, set)
	if err != nil {
		return landmarkRows{}, err
	}
	table, err := values.Table(ctx, m.store, m.options.Budget.Threads)
	return landmarkRows{len(l.Rows), table}, err
}

// nonzerosOf returns the features of some rows that are not 0.
func nonzerosOf(store *dataset.Store, rows []int32) *model.Sparse {
	s := &model.Sparse{Start: []int64{0}, Index: []int32{}, Value: []float32{}}
	x := make([]float32, store.Dim())
	for _, i := range rows {
		store.Row(int(i), x)
		for j, v := range x {
			if v != 0 {
				s.Index, s.Value = append(s.Index, int32(j)), append(s.Value, v)
			}
		}
		s.Start = append(s.Start, int64(len(s.Index)))
	}
	return s
}

// withSupport returns the landmarks of a matrix with its entries for the support vectors.
func (g *gates) withSupport(support []int32) *model.Landmarks {
	own, x := *g.model.Landmarks, make([]float32, g.seen.Dim())
	own.Support = []float64{}
	for _, i := range support {
		g.seen.Row(int(i), x)
		for _, v := range x {
			own.Support = append(own.Support, float64(v))
		}
	}
	return &own
}
