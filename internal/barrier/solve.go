package barrier

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Solution is a point with the multipliers that prove how good it is. Each multiplier belongs to
// the constraint at its place in the program, and is not negative or, as a matrix, positive
// definite. With them the Lagrangian
//
//	f(x) + sum_i y_i q_i(x) - sum_j z_j x_j - sum_l <Z_l, F_l(x)> + sum_k w_k (a_k'x - b_k)
//
// has a gradient of 0 at X except for rounding, and is Bound below f(X) there.
type Solution struct {
	X           []float64
	Value       float64
	Bound       float64 // nu/t: by how much Value may be above the optimum
	NonNegative []float64
	Quadratics  []float64
	Matrices    []*mat.SymDense
	Equalities  []float64
	Steps       int // Newton steps
}

const (
	growth      = 10.0  // of t from one minimum to the next
	centred     = 1e-9  // Newton decrement, squared and halved, at which a minimum is reached
	nearlyThere = 1e-3  // the same where rounding lets it fall no further
	mostSteps   = 100   // Newton steps for each t
	mostSearch  = 60    // halvings of a step
	armijo      = 0.01  // share of the slope by which a step has to lower the function
	offEquality = 1e-9  // by which a start may miss an equality, of the size of its terms
	mostGrowth  = 40    // times that t grows
	leastFirst  = 1e-12 // of the first bound
)

var (
	// ErrStart reports that the start does not fulfil all constraints strictly.
	ErrStart = errors.New("the start is no inner point of the program")
	// ErrStuck reports that rounding has ended the method before the gap was reached.
	ErrStuck = errors.New("rounding leaves no step to a smaller gap")
)

// Solve minimises to a value that is above the optimum by at most gap times its magnitude, from a
// start that fulfils all inequalities strictly and the equalities. It returns ErrStart for another
// one, and with ErrStuck the best solution that it found, if any. Where ctx ends, it returns its
// error.
func (p *Program) Solve(ctx context.Context, start []float64, gap float64) (*Solution, error) {
	x := slices.Clone(start)
	if _, ok := p.barrier(x); !ok || len(x) != p.Variables || !p.holds(x, offEquality) {
		return nil, ErrStart
	}
	nu := p.degree()
	// The first bound is of the size of the objective: from a start that is far off no sharper one
	// makes sense.
	t := nu / max(math.Abs(p.Objective.At(x)), leastFirst)
	var best *Solution
	steps := 0
	for range mostGrowth {
		ok, err := p.centre(ctx, t, x, &steps)
		if err != nil {
			return nil, err
		}
		if !ok {
			return best, ErrStuck
		}
		best = p.solution(t, x)
		best.Steps = steps
		if best.Bound <= gap*math.Abs(best.Value) {
			return best, nil
		}
		t *= growth
	}
	return best, ErrStuck
}

// centre moves x to the minimum for t. It returns false if rounding has kept it away from there.
func (p *Program) centre(ctx context.Context, t float64, x []float64, steps *int) (bool, error) {
	decrement := math.Inf(1)
	for range mostSteps {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		n := p.newton(t, x)
		if n == nil {
			return decrement <= nearlyThere, nil
		}
		*steps++
		decrement = -n.slope / 2
		if !(decrement > centred) {
			return decrement <= centred, nil
		}
		if !p.search(t, x, n) {
			return decrement <= nearlyThere, nil
		}
	}
	return decrement <= nearlyThere, nil
}

// search moves x along a Newton step, as far as it lowers the function.
func (p *Program) search(t float64, x []float64, n *newtonStep) bool {
	value, _ := p.barrier(x)
	value += t * p.Objective.At(x)
	next, s := make([]float64, len(x)), 1.0
	for range mostSearch {
		for j, d := range n.step {
			next[j] = x[j] + s*d
		}
		if b, ok := p.barrier(next); ok {
			if b += t * p.Objective.At(next); b <= value+armijo*s*n.slope {
				copy(x, next)
				return true
			}
		}
		s /= 2
	}
	return false
}

// barrier is the sum of minus the logarithms. ok is false outside of the inequalities.
func (p *Program) barrier(x []float64) (sum float64, ok bool) {
	for _, j := range p.NonNegative {
		if !(x[j] > 0) {
			return 0, false
		}
		sum -= math.Log(x[j])
	}
	for i := range p.Quadratics {
		q := p.Quadratics[i].At(x)
		if !(q < 0) {
			return 0, false
		}
		sum -= math.Log(-q)
	}
	for i := range p.Matrices {
		var c mat.Cholesky
		if !c.Factorize(p.Matrices[i].At(x)) {
			return 0, false
		}
		sum -= c.LogDet()
	}
	return sum, !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

// solution gives a minimum for t with its multipliers. Those that follow from the values of the
// constraints would be rounded as these are, which are differences of numbers that may be much
// larger. One more Newton step d from x to x + d corrects them: to first order the Lagrangian has a
// gradient of 0 at x + d for
//
//	z_j = (1 - d_j/x_j) / (t x_j),   y_i = (1 - r_i'd / q_i) / (-t q_i),   Z = (W - W sum_j d_j F_j W) / t
//
// with r_i the gradient of q_i and W the inverse of F.
func (p *Program) solution(t float64, x []float64) *Solution {
	d, next := make([]float64, len(x)), slices.Clone(x)
	n := p.newton(t, x)
	if n != nil {
		for j, v := range n.step {
			next[j] += v
		}
		if _, ok := p.barrier(next); ok {
			d = n.step
		} else {
			next = slices.Clone(x)
		}
	}
	s := &Solution{X: next, Value: p.Objective.At(next), Bound: p.degree() / t}
	for _, j := range p.NonNegative {
		s.NonNegative = append(s.NonNegative, max(0, 1-d[j]/x[j])/(t*x[j]))
	}
	for i := range p.Quadratics {
		q, r, along := p.Quadratics[i].At(x), make([]float64, len(x)), 0.0
		p.Quadratics[i].AddGradient(1, x, r)
		for j, v := range r {
			along += v * d[j]
		}
		s.Quadratics = append(s.Quadratics, -max(0, 1-along/q)/(t*q))
	}
	for i := range p.Matrices {
		s.Matrices = append(s.Matrices, p.Matrices[i].multiplier(t, x, d))
	}
	if n != nil {
		for _, w := range n.multipliers {
			s.Equalities = append(s.Equalities, w/t)
		}
	}
	return s
}

// multiplier gives Z for the step d from x.
func (m *Matrix) multiplier(t float64, x, d []float64) *mat.SymDense {
	var c mat.Cholesky
	z, change := mat.NewSymDense(m.Size, nil), &Matrix{Size: m.Size, Coefficients: m.Coefficients}
	if !c.Factorize(m.At(x)) {
		return z
	}
	invert(&c, z)
	var product mat.Dense
	product.Mul(z, change.At(d))
	product.Mul(mat.DenseCopyOf(&product), z)
	for i := range m.Size {
		for j := i; j < m.Size; j++ {
			z.SetSym(i, j, (z.At(i, j)-(product.At(i, j)+product.At(j, i))/2)/t)
		}
	}
	return z
}
