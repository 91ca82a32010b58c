package norm

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"bigmkl/internal/fail"
)

// Laplacian returns the interactions E = (L + eps I)^-1 of kernels that are the nodes of a graph, M
// x M and row-major, as NewInteraction takes them.
//
// g holds the weights G of the edges, M x M and row-major: symmetric, and without entries below 0.
// Its diagonal is ignored. L = D - G is the Laplacian of the graph, where D is the diagonal matrix
// of the sums of the rows of G. Where no kernel vanishes, the norm is then
//
//	1/2 sum over edges (m, l) of G_ml (||w_m|| - ||w_l||)^2 + eps/2 sum_m ||w_m||^2,
//
// so that neighbours have norms that are alike. eps > 0 makes the matrix positive definite: L alone
// maps equal norms to 0. Faults of g and eps are of class fail.Input.
func Laplacian(g []float64, eps float64) ([]float64, error) {
	n := order(g)
	if n == 0 || n*n != len(g) {
		return nil, fail.New(fail.Input, "a graph of %d numbers is no square", len(g))
	}
	if !(eps > 0) || math.IsInf(eps, 0) {
		return nil, fail.New(fail.Input, "eps = %g is not a positive number", eps)
	}
	l := mat.NewSymDense(n, nil) // L + eps I
	for i := range n {
		sum := eps
		for j := range n {
			x := g[i*n+j]
			switch {
			case i == j:
				continue
			case !(x >= 0) || math.IsInf(x, 0):
				return nil, fail.New(fail.Input, "edge (%d, %d) of the graph is %g", i+1, j+1, x).
					WithHint("the matrix holds the weights of edges, of which the Laplacian is made")
			case x != g[j*n+i]:
				return nil, fail.New(fail.Input,
					"the graph is not symmetric: edge (%d, %d) is %g and (%d, %d) is %g",
					i+1, j+1, x, j+1, i+1, g[j*n+i])
			}
			sum += x
			if i < j {
				l.SetSym(i, j, -x)
			}
		}
		l.SetSym(i, i, sum)
	}
	return invert(l)
}

// invert returns the inverse of l, row-major. l is positive definite and has no entry above 0 off
// its diagonal, so its inverse has none below 0.
func invert(l *mat.SymDense) ([]float64, error) {
	n := l.SymmetricDim()
	var factor mat.Cholesky
	var inverse mat.SymDense
	if !factor.Factorize(l) {
		return nil, fail.New(fail.Input, "%w", errSingular)
	}
	if err := factor.InverseTo(&inverse); err != nil {
		var c mat.Condition
		if !errors.As(err, &c) { // A Condition means that the matrix is singular to rounding.
			return nil, fail.New(fail.Input, "%w", err)
		}
		return nil, fail.New(fail.Input, "%w", errSingular)
	}
	e := make([]float64, n*n)
	for i := range n {
		for j := range n {
			// Between unconnected parts of the graph the entry is 0, and rounding may put it below.
			e[i*n+j] = max(0, inverse.At(i, j))
		}
	}
	return e, nil
}

// errSingular is the cause if eps I adds nothing to L in float64.
var errSingular = errors.New("the Laplacian with eps on its diagonal is singular to rounding: " +
	"eps is too small for the weights of the graph")
