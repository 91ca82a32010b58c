package barrier

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// newtonStep is Newton's step for t f(x) plus the barrier, along which the equalities stay as they are.
type newtonStep struct {
	step        []float64
	slope       float64   // of the function along the step, not above 0
	multipliers []float64 // w of the equalities
}

// newton gives the step at x. With the gradient g and the Hessian H, it solves H d + A'w = -g with
// A d = 0. It returns nil where rounding has left H indefinite.
func (p *Program) newton(t float64, x []float64) *newtonStep {
	n := p.Variables
	g, h := make([]float64, n), mat.NewSymDense(n, nil)
	p.Objective.AddGradient(t, x, g)
	p.Objective.addHessian(t, h)
	data := h.RawSymmetric().Data
	for _, j := range p.NonNegative {
		g[j] -= 1 / x[j]
		data[j*(n+1)] += 1 / (x[j] * x[j])
	}
	for i := range p.Quadratics {
		p.Quadratics[i].addBarrier(x, g, h)
	}
	for i := range p.Matrices {
		if !p.Matrices[i].addBarrier(x, g, h) {
			return nil
		}
	}
	// Curvatures grow like 1/x_j^2 where x_j tends to 0. In variables with a curvature of 1 that does
	// no harm.
	unit := make([]float64, n)
	for j := range unit {
		unit[j] = 1 / math.Sqrt(data[j*(n+1)])
	}
	for i := range n {
		for j := i; j < n; j++ {
			data[i*n+j] *= unit[i] * unit[j]
		}
	}
	var c mat.Cholesky
	if !c.Factorize(h) {
		return nil
	}
	scaled := func(x []float64) *mat.VecDense {
		v := mat.NewVecDense(n, nil)
		for j, u := range unit {
			v.SetVec(j, u*x[j])
		}
		return v
	}
	slope, d := scaled(g), mat.NewVecDense(n, nil)
	solve(&c, d, slope)
	d.ScaleVec(-1, d)
	s := &newtonStep{step: d.RawVector().Data}
	if !s.keep(&c, d, p.Equalities, scaled) {
		return nil
	}
	s.slope = mat.Dot(d, slope)
	for j, u := range unit {
		s.step[j] *= u
	}
	return s
}

// keep takes from d what would change the equalities. It returns false where rounding has made them one.
func (s *newtonStep) keep(c *mat.Cholesky, d *mat.VecDense, equalities []Equality, scaled func([]float64) *mat.VecDense) bool {
	k := len(equalities)
	if k == 0 {
		return true
	}
	rows, solved := make([]*mat.VecDense, k), make([]*mat.VecDense, k)
	inner, right := mat.NewDense(k, k, nil), mat.NewVecDense(k, nil)
	for i := range equalities {
		rows[i], solved[i] = scaled(equalities[i].Coefficients), mat.NewVecDense(d.Len(), nil)
		solve(c, solved[i], rows[i])
		right.SetVec(i, mat.Dot(rows[i], d))
		for j := range i + 1 {
			x := mat.Dot(rows[j], solved[i])
			inner.Set(i, j, x)
			inner.Set(j, i, x)
		}
	}
	var w mat.VecDense
	var condition mat.Condition
	if err := w.SolveVec(inner, right); err != nil && !errors.As(err, &condition) {
		return false
	}
	for i, v := range solved {
		d.AddScaledVec(d, -w.AtVec(i), v)
		s.multipliers = append(s.multipliers, w.AtVec(i))
	}
	return true
}

// solve puts the solution of the factorised system in x. The solution of a system of bad condition
// is a step like any other: whether it leads anywhere is what the search finds out.
func solve(c *mat.Cholesky, x *mat.VecDense, right *mat.VecDense) {
	var condition mat.Condition
	if err := c.SolveVecTo(x, right); err != nil && !errors.As(err, &condition) {
		panic(err) // sizes that do not fit
	}
}

// addBarrier adds the gradient and the Hessian of -log -q(x). With q < 0 and its gradient r these
// are r/-q, and the Hessian of q over -q plus rr'/q^2.
func (q *Quadratic) addBarrier(x, g []float64, h *mat.SymDense) {
	value, r := q.At(x), make([]float64, len(x))
	q.AddGradient(1, x, r)
	for j, v := range r {
		g[j] -= v / value
	}
	q.addHessian(-1/value, h)
	h.SymRankOne(h, 1/(value*value), mat.NewVecDense(len(r), r))
}

// addBarrier adds the gradient and the Hessian of -log det F(x), with W the inverse of F
//
//	-<W, F_j>   and   tr(W F_j W F_l).
//
// F_j is a block from row a on and F_l one from row b on. With T_j = W[:,a..] F_j the latter is the
// sum of T_l[a+q, p] T_j[b+p, q] over the columns q of the first block and p of the second. It
// returns false where rounding has left F indefinite.
func (m *Matrix) addBarrier(x, g []float64, h *mat.SymDense) bool {
	var c mat.Cholesky
	w := mat.NewSymDense(m.Size, nil)
	if !c.Factorize(m.At(x)) {
		return false
	}
	invert(&c, w)
	full := mat.DenseCopyOf(w)
	products := make([]*mat.Dense, len(m.Coefficients))
	for k := range m.Coefficients {
		f := &m.Coefficients[k]
		n := f.F.SymmetricDim()
		products[k] = mat.NewDense(m.Size, n, nil)
		products[k].Mul(full.Slice(0, m.Size, f.At, f.At+n), f.F)
		trace := 0.0
		for i := range n {
			trace += products[k].At(f.At+i, i)
		}
		g[f.Variable] -= trace
	}
	for k := range m.Coefficients {
		f := &m.Coefficients[k]
		for l := range k + 1 {
			e := &m.Coefficients[l]
			sum, other := 0.0, products[l].RawMatrix()
			for p := range e.F.SymmetricDim() {
				column := other.Data[f.At*other.Stride+p:]
				for q, v := range products[k].RawRowView(e.At + p) {
					sum += v * column[q*other.Stride]
				}
			}
			// Two coefficients of one variable count twice: as each other's.
			if i, j := f.Variable, e.Variable; k != l && i == j {
				h.SetSym(i, i, h.At(i, i)+2*sum)
			} else {
				h.SetSym(i, j, h.At(i, j)+sum)
			}
		}
	}
	return true
}

// invert puts the inverse of the factorised matrix in w, of whatever condition that is.
func invert(c *mat.Cholesky, w *mat.SymDense) {
	var condition mat.Condition
	if err := c.InverseTo(w); err != nil && !errors.As(err, &condition) {
		panic(err) // sizes that do not fit
	}
}
