package surface

import (
	"gonum.org/v1/gonum/mat"
)

// Quadratic is the surface b + g'x + x'Hx/2.
type Quadratic struct {
	Constant float64   `json:"constant"`
	Linear   []float64 `json:"linear"`
	// Hessian is H, symmetric and by rows.
	Hessian [][]float64 `json:"hessian"`
}

// rankShare is the share of the largest singular value below which a direction of the coefficients
// counts as one that the points do not determine.
const rankShare = 1e-10

// Fit returns the quadratic that comes nearest to the values at the points in the least squares, and
// of several such quadratics the one whose coefficients have the least norm. A factor along which
// nothing was measured then has no influence. There is at least one point, and all have the same
// length.
func Fit(points [][]float64, values []float64) *Quadratic {
	factors := len(points[0])
	design := mat.NewDense(len(points), coefficients(factors), nil)
	for i, x := range points {
		setMonomials(design.RawRowView(i), x)
	}
	var svd mat.SVD
	if !svd.Factorize(design, mat.SVDThin) {
		return newQuadratic(factors, make([]float64, coefficients(factors)))
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	sizes := svd.Values(nil)
	solution := make([]float64, coefficients(factors))
	for k, size := range sizes {
		if size <= rankShare*sizes[0] {
			break // They are in descending order.
		}
		along := 0.0
		for i, y := range values {
			along += u.At(i, k) * y
		}
		for j := range solution {
			solution[j] += along / size * v.At(j, k)
		}
	}
	return newQuadratic(factors, solution)
}

// coefficients returns the number of coefficients of a quadratic.
func coefficients(factors int) int { return (factors + 1) * (factors + 2) / 2 }

// setMonomials puts 1, the x_m, and the x_m x_h with m <= h into row, in this order.
func setMonomials(row, x []float64) {
	row[0] = 1
	copy(row[1:], x)
	at := 1 + len(x)
	for m := range x {
		for h := m; h < len(x); h++ {
			row[at] = x[m] * x[h]
			at++
		}
	}
}

// newQuadratic returns the quadratic of the coefficients of the monomials.
func newQuadratic(factors int, coefficients []float64) *Quadratic {
	q := &Quadratic{
		Constant: coefficients[0], Linear: coefficients[1 : 1+factors],
		Hessian: make([][]float64, factors),
	}
	for m := range q.Hessian {
		q.Hessian[m] = make([]float64, factors)
	}
	at := 1 + factors
	for m := range factors {
		for h := m; h < factors; h++ {
			c := coefficients[at]
			q.Hessian[m][h] += c
			q.Hessian[h][m] += c // On the diagonal this is the second time: the monomial is x^2.
			at++
		}
	}
	return q
}

// Value returns the height of the surface at a point.
func (q *Quadratic) Value(x []float64) float64 {
	s := q.Constant
	for m, row := range q.Hessian {
		s += q.Linear[m] * x[m]
		for h, c := range row {
			s += c * x[m] * x[h] / 2
		}
	}
	return s
}

// slope returns the gradient of the surface at a point.
func (q *Quadratic) slope(x []float64) []float64 {
	g := make([]float64, len(x))
	for m, row := range q.Hessian {
		g[m] = q.Linear[m]
		for h, c := range row {
			g[m] += c * x[h]
		}
	}
	return g
}
