package chunking

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// The model of a working set of several columns, a system of linear equations (columns.go), and its
// solution by conjugate gradients. Its size is columns times q; only the part that all columns share
// is factorised, q x q.

const (
	columnTolerance = 1e-9 // of conjugate gradients, relative to the first length of the residual
	columnSteps     = 40   // at most beyond twice the rank, which rounding may take
)

// columnModel is the quadratic model on the q points of a working set. Vectors over its variables
// are [column][point].
type columnModel struct {
	q, columns int
	a          blas64.Symmetric
	root       blas64.Triangular
	ones       []float64 // A^-1 1
	total      float64   // 1'A^-1 1
	g          blas64.General
	rank       []float64 // of each row of g
	ghat       []float64
	back       float64
}

// model makes the model of the working set in hand, with the factor that conjugate gradients
// take.
func (s columnStep) model(ctx context.Context, q int) (*columnModel, error) {
	m, err := s.sharedModel(ctx, q)
	if err != nil {
		return nil, err
	}
	trace := 0.0
	for k := range q {
		trace += m.a.Data[k*q+k]
	}
	// Points that are there twice make A nearly singular, and rounding takes it past that.
	for share := ridge; ; share *= 100 {
		copied := slices.Clone(m.a.Data)
		for k := range q {
			copied[k*q+k] += share * trace / float64(q)
		}
		var ok bool
		m.root, ok = lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: q, Stride: q, Data: copied})
		if ok || !(share < 1) {
			break
		}
	}
	m.ones = slices.Repeat([]float64{1}, q)
	m.divide(blas64.General{Rows: 1, Cols: q, Stride: q, Data: m.ones})
	for _, x := range m.ones {
		m.total += x
	}
	return m, nil
}

// sharedModel makes the matrices of the model of the working set in hand. The set begins with its
// points in the first column.
func (s columnStep) sharedModel(ctx context.Context, q int) (*columnModel, error) {
	m := &columnModel{q: q, columns: s.columns}
	s.hessian = resized(s.hessian, q*q)
	back, curved := s.curvature(s.rank, s.theta, s.V)
	if err := s.grad.Hessian(ctx, s.set[:q], s.theta, nil, s.hessian); err != nil {
		return nil, err
	}
	if l, ok := s.loss.(Curved); ok {
		for k, i := range s.set[:q] {
			s.hessian[k*q+k] += l.Curvature(i)
		}
	}
	m.a = blas64.Symmetric{Uplo: blas.Upper, N: q, Stride: q, Data: s.hessian}
	if !curved {
		return m, nil
	}
	m.back, m.ghat = back, make([]float64, len(s.set))
	for k, i := range s.set {
		m.ghat[k] = s.combined[i]
	}
	row, one := make([]int32, len(s.rank)), make([]float64, len(s.rank))
	for k, r := range s.rank {
		row[k] = -1
		if r != 0 {
			row[k], one[k] = int32(len(m.rank)), 1
			m.rank = append(m.rank, r)
		}
	}
	s.mixed = resized(s.mixed, len(m.rank)*len(s.set))
	m.g = blas64.General{
		Rows: len(m.rank), Cols: len(s.set), Stride: max(1, len(s.set)), Data: s.mixed,
	}
	return m, s.grad.(Mixer).Mix(ctx, s.set, row, one, s.mixed)
}

// divide replaces every row x of a matrix by A^-1 x.
func (m *columnModel) divide(x blas64.General) {
	blas64.Trsm(blas.Right, blas.NoTrans, 1, m.root, x)
	blas64.Trsm(blas.Right, blas.Trans, 1, m.root, x)
}

// precondition puts in z the solution for the residual r with the first term alone: A^-1 r_c less as
// much of A^-1 1 as makes its sum 0.
//
// What all points of a column have in common changes nothing and is taken off r beforehand: it may
// be much larger than the rest, and its rounding with it.
func (m *columnModel) precondition(z, r []float64) {
	for c := range m.columns {
		own, sum := r[c*m.q:(c+1)*m.q], 0.0
		for _, x := range own {
			sum += x
		}
		for k := range own {
			own[k] -= sum / float64(m.q)
		}
	}
	copy(z, r)
	m.divide(blas64.General{Rows: m.columns, Cols: m.q, Stride: m.q, Data: z})
	m.keepSums(z)
}

// keepSums takes as much of A^-1 1 off every column as makes its sum 0.
func (m *columnModel) keepSums(x []float64) {
	for c := range m.columns {
		own, sum := x[c*m.q:(c+1)*m.q], 0.0
		for _, v := range own {
			sum += v
		}
		add(own, -sum/m.total, m.ones)
	}
}

// times puts the product of the model's matrix with x in y.
func (m *columnModel) times(y, x []float64) {
	across := func(data []float64) blas64.General {
		return blas64.General{Rows: m.columns, Cols: m.q, Stride: m.q, Data: data}
	}
	blas64.Symm(blas.Right, 1, m.a, across(x), 0, across(y))
	if m.ghat == nil {
		return
	}
	if rows := len(m.rank); rows > 0 {
		t := make([]float64, rows)
		blas64.Gemv(blas.NoTrans, 1, m.g, blas64.Vector{N: len(x), Inc: 1, Data: x}, 0,
			blas64.Vector{N: rows, Inc: 1, Data: t})
		for r := range t {
			t[r] *= m.rank[r]
		}
		blas64.Gemv(blas.Trans, 1, m.g, blas64.Vector{N: rows, Inc: 1, Data: t}, 1,
			blas64.Vector{N: len(y), Inc: 1, Data: y})
	}
	add(y, -m.back*innerProduct(m.ghat, x), m.ghat)
}

// solve returns the maximum of the model, by preconditioned conjugate gradients. Each of their
// steps ascends, so one that comes out short is a direction all the same.
func (m *columnModel) solve(ascent []float64) []float64 {
	n := len(ascent)
	d, z, y, r := make([]float64, n), make([]float64, n), make([]float64, n), slices.Clone(ascent)
	m.precondition(z, r)
	p, length := slices.Clone(z), innerProduct(r, z)
	first := length
	for range 2*len(m.rank) + columnSteps {
		m.times(y, p)
		curve := innerProduct(p, y)
		// An indefinite kernel may leave the model without a maximum.
		if !(curve > 0) || !(length > 0) {
			break
		}
		add(d, length/curve, p)
		add(r, -length/curve, y)
		m.precondition(z, r)
		was := length
		if length = innerProduct(r, z); !(length > columnTolerance*columnTolerance*first) {
			break
		}
		for k, x := range z {
			p[k] = x + length/was*p[k]
		}
	}
	m.keepSums(d)
	if d[0] == 0 && !slices.ContainsFunc(d, func(x float64) bool { return x != 0 }) {
		return p
	}
	return d
}
