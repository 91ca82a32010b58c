// Package barrier solves small convex programs by a barrier method:
//
//	min f(x)  such that  x_j >= 0 for some j,  q_i(x) <= 0,  F_l(x) positive semi-definite,  a_k'x = b_k
//
// with convex quadratic functions f and q_i and matrices F_l that are affine in x. For a number t
// it minimises t f(x) - sum log x_j - sum log -q_i(x) - sum log det F_l(x) by Newton's method, and
// lets t grow. At such a minimum f is within nu/t of the optimum, where nu is the number of the
// inequalities and of the rows of the matrices, and the derivatives of the logarithms are
// multipliers that prove it (Boyd and Vandenberghe 2004, section 11).
//
// All matrices are dense. A step takes the time of a Cholesky factorisation in the number of
// variables, and for each F_l that of a product of matrices for each of its coefficients; some 50
// to 100 steps are usual. Nothing runs on other threads but the products of gonum.
package barrier

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Program is a convex program in so many variables. Its slices are not changed.
type Program struct {
	Variables int
	Objective Quadratic // to be minimised
	// NonNegative lists the variables that are at least 0.
	NonNegative []int
	// Quadratics are at most 0.
	Quadratics []Quadratic
	// Matrices are positive semi-definite.
	Matrices []Matrix
	// Equalities are linear, and none of them follows from the others.
	Equalities []Equality
}

// Quadratic is the function sum over the terms of 1/2 y'Qy, for the part y of x that the term is
// about, plus Linear'x + Constant. It has to be convex.
type Quadratic struct {
	Terms    []Term
	Linear   []float64 // of each variable; nil means zeros
	Constant float64
}

// Term is a quadratic form of the variables from At on. Terms may share their matrix.
type Term struct {
	At int
	Q  mat.Symmetric
}

// Matrix is Constant + sum_j x_j F_j, symmetric with Size rows.
type Matrix struct {
	Size         int
	Constant     mat.Symmetric // nil means zeros
	Coefficients []Coefficient
}

// Coefficient is the F of a variable: a block on the diagonal from row At on, and zeros around it.
type Coefficient struct {
	Variable int
	At       int
	F        mat.Symmetric
}

// Equality is Coefficients'x = Value.
type Equality struct {
	Coefficients []float64
	Value        float64
}

// Bytes is the memory that Solve takes for a program beside the program itself.
func (p *Program) Bytes() int64 {
	n := int64(p.Variables)
	total := 3 * n * n // the Hessian, its factor and a copy
	for i := range p.Matrices {
		f := &p.Matrices[i]
		size := int64(f.Size)
		total += 4 * size * size // F, its factor, its inverse and the one that is returned
		for _, c := range f.Coefficients {
			total += size * int64(c.F.SymmetricDim())
		}
	}
	return 8 * total
}

// degree is nu: by that, over t, the value of the minimum for t is above the optimum at most.
func (p *Program) degree() float64 {
	nu := len(p.NonNegative) + len(p.Quadratics)
	for i := range p.Matrices {
		nu += p.Matrices[i].Size
	}
	return float64(nu)
}

// At evaluates the function.
func (q *Quadratic) At(x []float64) float64 {
	value := q.Constant
	for _, t := range q.Terms {
		y := part(x, t)
		value += mat.Inner(y, t.Q, y) / 2
	}
	for j, c := range q.Linear {
		value += c * x[j]
	}
	return value
}

// AddGradient adds times the gradient of the function at x to g.
func (q *Quadratic) AddGradient(times float64, x, g []float64) {
	for _, t := range q.Terms {
		y := mat.NewVecDense(t.Q.SymmetricDim(), nil)
		y.MulVec(t.Q, part(x, t))
		for k, v := range y.RawVector().Data {
			g[t.At+k] += times * v
		}
	}
	for j, c := range q.Linear {
		g[j] += times * c
	}
}

// addHessian adds times the Hessian of the function to the upper half of h.
func (q *Quadratic) addHessian(times float64, h *mat.SymDense) {
	data, stride := h.RawSymmetric().Data, h.RawSymmetric().Stride
	for _, t := range q.Terms {
		n := t.Q.SymmetricDim()
		for i := range n {
			addRow(times, t.Q, i, data[(t.At+i)*stride+t.At:][:n])
		}
	}
}

// addRow adds times the entries of row i of q, from the diagonal on, to the entries of the row.
func addRow(times float64, q mat.Symmetric, i int, row []float64) {
	switch q := q.(type) {
	case *mat.DiagDense:
		row[i] += times * q.At(i, i)
	case *mat.SymDense:
		raw := q.RawSymmetric()
		for j, x := range raw.Data[i*raw.Stride+i : i*raw.Stride+raw.N] {
			row[i+j] += times * x
		}
	default:
		for j := i; j < len(row); j++ {
			row[j] += times * q.At(i, j)
		}
	}
}

// part is the part of x that a term is about.
func part(x []float64, t Term) *mat.VecDense {
	n := t.Q.SymmetricDim()
	return mat.NewVecDense(n, x[t.At:t.At+n])
}

// At evaluates the matrix.
func (m *Matrix) At(x []float64) *mat.SymDense {
	f := mat.NewSymDense(m.Size, nil)
	if m.Constant != nil {
		f.CopySym(m.Constant)
	}
	data, stride := f.RawSymmetric().Data, f.RawSymmetric().Stride
	for _, c := range m.Coefficients {
		n := c.F.SymmetricDim()
		for i := range n {
			addRow(x[c.Variable], c.F, i, data[(c.At+i)*stride+c.At:][:n])
		}
	}
	return f
}

// Inner is the sum of all products of the entries of a coefficient and of those of z, which is of
// the size of the matrix.
func (c *Coefficient) Inner(z mat.Symmetric) (sum float64) {
	for i := range c.F.SymmetricDim() {
		sum += c.F.At(i, i) * z.At(c.At+i, c.At+i)
		for j := range i {
			sum += 2 * c.F.At(i, j) * z.At(c.At+i, c.At+j)
		}
	}
	return sum
}

// left is what an equality is off by at x, and the size of its terms.
func (e *Equality) left(x []float64) (off, size float64) {
	off = -e.Value
	size = math.Abs(e.Value)
	for j, c := range e.Coefficients {
		off += c * x[j]
		size += math.Abs(c * x[j])
	}
	return off, size
}

// holds reports whether all equalities hold at x, each within a share of the size of its terms.
func (p *Program) holds(x []float64, share float64) bool {
	for k := range p.Equalities {
		if off, size := p.Equalities[k].left(x); math.Abs(off) > share*size {
			return false
		}
	}
	return true
}
