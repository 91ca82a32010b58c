package bigmkl

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bigmkl/chunking/norm"
	"bigmkl/internal/fail"
)

// Regularizer chooses a norm other than the block norm p of Options.Norm; the zero value is that. At most one of its fields may be
// set. Beside it, prior= and cost= of the kernels' specifications hold for any norm but fixed weights.
type Regularizer struct {
	GroupNorm   float64   // q in [1, +Inf]: the block norm p over the groups that specifications name by group=, of q-norms within them
	ElasticNet  float64   // lambda in (0, 1): 1/2 (1 - lambda) (sum_m ||w_m||)^2 + 1/2 lambda sum_m ||w_m||^2; its ends are p = 1 and 2
	SquaredNorm float64   // lambda > 0: the squared norm of the weights in the objective, as SMO-MKL has it, not a norm of 1
	Interaction []float64 // E, M x M and row-major, symmetric, positive definite, no entry below 0: the dual norm is (v'Ev)^(1/2)
	Weights     []float64 // of each kernel, at least 0 and not to be learned
}

// Defaults of the block norm.
const (
	defaultNorm = 4.0 / 3
	plainSum    = 2
)

// norm is the block norm that goes without saying.
func (r *Regularizer) norm() float64 {
	switch {
	case r.ElasticNet != 0:
		return 1
	case r.Interaction != nil, r.Weights != nil:
		return plainSum
	}
	return defaultNorm
}

// only tells whether the norm has no p of its own.
func (r *Regularizer) only() bool {
	return r.ElasticNet != 0 || r.Interaction != nil || r.Weights != nil
}

// alternatives counts the norms that are set.
func (r *Regularizer) alternatives() int {
	count := 0
	for _, set := range []bool{r.GroupNorm != 0, r.ElasticNet != 0, r.SquaredNorm != 0, r.Interaction != nil, r.Weights != nil} {
		if set {
			count++
		}
	}
	return count
}

// check finds faults that can be seen without kernels.
func (r *Regularizer) check(p float64, check func(ok bool, format string, args ...any)) {
	count := r.alternatives()
	check(count <= 1, "%d norms at once: of groups, elastic net, squared norm, interactions and fixed weights there can be one", count)
	check(r.GroupNorm == 0 || r.GroupNorm >= 1, "norm q = %g within groups is not in [1, inf]", r.GroupNorm)
	check(r.ElasticNet >= 0 && r.ElasticNet < 1, "elastic net of %g is not in (0, 1): its ends are p = 1 and p = 2", r.ElasticNet)
	check(r.ElasticNet == 0 || p == 1, "p = %g with an elastic net, which is between p = 1 and p = 2", p)
	check(r.SquaredNorm >= 0 && !math.IsInf(r.SquaredNorm, 0), "factor %g of the squared norm is not a positive number", r.SquaredNorm)
	check(r.Interaction == nil || p == plainSum, "p = %g with interactions, whose norm is the one that p = 2 has without", p)
	check(r.Weights == nil || p == plainSum, "p = %g with fixed weights, which leave nothing to a norm", p)
	for m, x := range r.Weights {
		if !(x >= 0) || math.IsInf(x, 0) {
			check(false, "weight %d is %g", m+1, x)
			break
		}
	}
	check(r.Weights == nil || slices.ContainsFunc(r.Weights, func(x float64) bool { return x > 0 }), "no fixed weight is above 0")
	if r.Interaction != nil {
		n := int(math.Round(math.Sqrt(float64(len(r.Interaction)))))
		if n == 0 || n*n != len(r.Interaction) {
			check(false, "interactions in a matrix of %d numbers", len(r.Interaction))
		} else if err := norm.CheckInteraction(r.Interaction); err != nil {
			check(false, "the matrix of interactions gives no norm: %w", err)
		}
	}
}

// Laplacian gives the interactions E = (L + eps I)^-1 of kernels that are the nodes of a graph: L = D - G is its Laplacian, G the
// weights of its edges, M x M, row-major, symmetric and none below 0, D the sums of its rows. The norm is then, where no kernel
// vanishes, 1/2 sum over edges of G_ml (||w_m|| - ||w_l||)^2 + eps/2 sum_m ||w_m||^2: neighbours have norms alike. The diagonal of G
// does not matter. Faults are fail.Input.
func Laplacian(g []float64, eps float64) ([]float64, error) {
	n := int(math.Round(math.Sqrt(float64(len(g)))))
	if n == 0 || n*n != len(g) {
		return nil, fail.New(fail.Input, "a graph of %d numbers is no square", len(g))
	}
	if !(eps > 0) || math.IsInf(eps, 0) {
		return nil, fail.New(fail.Input, "eps = %g is not a positive number", eps)
	}
	l := mat.NewSymDense(n, nil)
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
				return nil, fail.New(fail.Input, "the graph is not symmetric: edge (%d, %d) is %g and (%d, %d) is %g", i+1, j+1, x, j+1, i+1, g[j*n+i])
			}
			sum += x
			if i < j {
				l.SetSym(i, j, -x)
			}
		}
		l.SetSym(i, i, sum)
	}
	var factor mat.Cholesky
	var inverse mat.SymDense
	if !factor.Factorize(l) {
		return nil, fail.New(fail.Input, "%w", errSingular)
	}
	if err := factor.InverseTo(&inverse); err != nil {
		var c mat.Condition
		if !errors.As(err, &c) {
			return nil, fail.New(fail.Input, "%w", err)
		}
		return nil, fail.New(fail.Input, "%w", errSingular)
	}
	e := make([]float64, n*n)
	for i := range n {
		for j := range n {
			e[i*n+j] = max(0, inverse.At(i, j)) // 0 between parts of the graph, give or take rounding
		}
	}
	return e, nil
}

var errSingular = errors.New("the Laplacian with eps on its diagonal is singular to rounding: eps is too small for the weights of the graph")
