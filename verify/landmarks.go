package verify

import (
	"math"

	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// Gates may look at the values of a kernel with some training rows, the landmarks, in place of features
// (Gönen 2010, eq. 3.5). They are rounded to single precision. As the rows come they are compared with
// the data.

// landmarks are what gates look at.
type landmarks struct {
	*model.Landmarks
	matrix *npy.Matrix // of the rows of the training, for a kernel from a matrix
	group  group       // of a kernel of features
	values bases       // whose support vectors are the landmarks
	next   int         // landmarks that have come among the rows
	row    []float32
}

// newLandmarks returns nil for gates that look at features. Parts of the model that do not fit each
// other are of class corrupt.
func newLandmarks(p *problem, g *model.Gates) (*landmarks, error) {
	if g == nil || g.Landmarks == nil {
		return nil, nil
	}
	l := &landmarks{Landmarks: g.Landmarks}
	wrong := fail.New(fail.Corrupt, "the landmarks of the model do not fit each other")
	if at := l.Matrix(); at >= 0 {
		if at >= len(p.matrices) || len(l.Support) != len(p.m.Support)*len(l.Rows) ||
			!model.Ascending(l.Rows, p.m.Points) {
			return nil, wrong
		}
		l.matrix = p.matrices[at]
		return l, nil
	}
	if l.Sparse == nil || !l.Sparse.Sound(len(l.Rows), max(0, p.m.Features)) {
		return nil, wrong
	}
	if !laidOut(p.m) {
		return l, nil // No row is looked at.
	}
	b, err := p.m.Expansion().LandmarkKernel(l.Landmarks)
	if err != nil {
		return nil, err
	}
	m, own := *p.m, *p
	m.Support, m.Vectors, m.Sparse, m.Rows = l.Rows, make([]float32, len(l.Rows)*m.Features), nil, nil
	for k := range l.Rows {
		l.Row(k, m.Vectors[k*m.Features:(k+1)*m.Features])
	}
	own.m, own.bank, own.classifiers, own.gates, own.extended = &m, b, nil, nil, extensionTraits{}
	own.settleNormalizers()
	own.measureSupport()
	l.group, l.values, l.row = own.newGroup(&b.Kernels[0], false), bases{problem: &own}, make([]float32, m.Features)
	return l, nil
}

// see returns what gates see of a training row, which is its features without landmarks.
func (l *landmarks) see(id int, x []float32) []float32 {
	if l == nil {
		return x
	}
	seen := make([]float32, len(l.Rows))
	if l.matrix != nil {
		all := make([]float64, l.matrix.Cols)
		l.matrix.Row64(id, 0, all)
		for k, j := range l.Rows {
			seen[k] = float32(all[j])
		}
		return seen
	}
	for lo := 0; lo < len(seen); lo += tile {
		hi := min(lo+tile, len(seen))
		// Matrices and code of the user alone have errors, and are not kernels of landmarks.
		_ = l.values.fill(&l.group, []row{{id: id, x: x}}, lo, hi)
		for s, b := range l.values.base[:hi-lo] {
			seen[lo+s] = float32(value(l.group.one, b))
		}
	}
	return seen
}

// seeSupport returns what gates see of support vector s.
func (l *landmarks) seeSupport(m *model.Model, s int) []float32 {
	if l == nil || l.matrix == nil {
		return l.see(int(m.Support[s]), m.Vector(s))
	}
	seen := make([]float32, len(l.Rows))
	for k := range seen {
		seen[k] = float32(l.Support[s*len(seen)+k])
	}
	return seen
}

// checkRow holds a training row, from 0, to the landmark that it is, if it is one. Rows come in order.
func (l *landmarks) checkRow(i int, dense []float32, f *faults) {
	if l == nil || l.row == nil || l.next == len(l.Rows) || int(l.Rows[l.next]) != i {
		return
	}
	l.Row(l.next, l.row)
	l.next++
	for j, v := range dense {
		if math.Float32bits(v) != math.Float32bits(l.row[j]) && (v != 0 || l.row[j] != 0) {
			f.add("landmarks", "row %d: feature %d of this landmark is %v, and %v in the data", i+1, j+1,
				l.row[j], v)
			return
		}
	}
}
