package loss

import (
	"math"

	"bigmkl/chunking"
)

var (
	_ Regression       = (*Insensitive)(nil)
	_ chunking.Kinked  = (*Insensitive)(nil)
	_ chunking.Divided = (*Insensitive)(nil)
	_ Regression       = (*LeastSquares)(nil)
	_ chunking.Curved  = (*LeastSquares)(nil)
	_ chunking.Loss    = (*OneClass)(nil)
	_ chunking.Summed  = (*OneClass)(nil)
)

// The losses of regression and of one class. For each of them C_i is the cost times the weight of a
// point, f the decision values and b the bias, which Primal finds exactly:
//
//	Insensitive    C_i max(0, |y_i - f_i| - eps)    b is a weighted quantile of y_i - f_i -+ eps
//	  of a quantile tau: C_i tau for targets above f_i, and C_i (1 - tau) for those below
//	  of times: y_i is their logarithm, and censored rows cost nothing below f_i
//	Huber          C_i h(y_i - f_i)                 see huber.go
//	Expectile      U_i or D_i/2 (y_i - f_i)^2       see expectile.go
//	LeastSquares   C_i/2 (y_i - f_i)^2              b is the weighted mean of y_i - f_i
//	OneClass       -rho + sum_i c (rho - f0_i)_+    b = -rho, and rho is a quantile of f0

// Regression is a loss of targets.
type Regression interface {
	chunking.Loss
	// Without is the loss without some of its points, which have costs of 0.
	Without(out []int) chunking.Loss
}

// costs is C_i: a cost for all points times the weight of each. A nil weight represents ones.
type costs struct {
	cost   float64
	weight []float64
}

// of is C_i.
func (c *costs) of(i int) float64 {
	if c.weight == nil {
		return c.cost
	}
	return c.cost * c.weight[i]
}

// without returns the costs with a weight of 0 for some of n points.
func (c costs) without(n int, out []int) costs {
	c.weight = weightsWithout(c.weight, n, out)
	return c
}

// weightsWithout returns the weights of n points, nil for ones, with 0 for some of them.
func weightsWithout(weight []float64, n int, out []int) []float64 {
	rest := make([]float64, n)
	for i := range rest {
		rest[i] = 1
	}
	copy(rest, weight)
	for _, i := range out {
		rest[i] = 0
	}
	return rest
}

// Insensitive is the epsilon-insensitive loss of support vector regression, with a cost U_i of targets
// above the tube and D_i of targets below it:
//
//	U_i max(0, y_i - f_i - eps) + D_i max(0, f_i - y_i - eps)
//
// Its conjugate is
//
//	lin(alpha) = sum_i y_i alpha_i - eps sum_i |alpha_i|,   -D_i <= alpha_i <= U_i,   sum_i alpha_i = 0.
//
// At alpha_i = 0 it has a kink: most points inside the tube stay there. Support vector regression has
// U_i = D_i = C_i. The quantile tau has U_i = tau C_i and D_i = (1 - tau) C_i (Takeuchi et al. 2006, eq. 7): the share
// tau of the costs lies below the best constant. Of a time that is not known, only bounds are: see NewSurvival.
type Insensitive struct {
	costs
	above, below float64 // U_i and D_i are these shares of C_i
	y            []float64
	bounds       bounds // of times
	eps          float64
	kinks        kinks // y_i - f_i - eps, then y_i - f_i + eps
}

// NewInsensitive returns the loss for targets y, a cost, a weight for each point and the half-width
// eps of the tube, at least 0 and in units of the targets. If weight is nil, all are 1.
func NewInsensitive(y []float64, cost float64, weight []float64, eps float64) *Insensitive {
	return newInsensitive(y, costs{cost, weight}, 1, 1, eps, bounds{})
}

// NewQuantile is NewInsensitive for the quantile tau, in (0, 1).
func NewQuantile(y []float64, cost float64, weight []float64, eps, tau float64) *Insensitive {
	return newInsensitive(y, costs{cost, weight}, tau, 1-tau, eps, bounds{})
}

func newInsensitive(y []float64, c costs, above, below, eps float64, b bounds) *Insensitive {
	l := &Insensitive{costs: c, above: above, below: below, y: y, bounds: b, eps: eps}
	n := len(y)
	l.kinks = newKinks(2*n, func(i int) float64 {
		if i < n {
			return l.up(i)
		}
		return l.down(i - n)
	})
	all := int64(0)
	for i := range y {
		all += l.kinks.cost(int32(i))
	}
	l.kinks.aim(all)
	return l
}

// up is U_i.
func (l *Insensitive) up(i int) float64 {
	if l.bounds.lack(i, lower) {
		return 0
	}
	return l.above * l.of(i)
}

// down is D_i.
func (l *Insensitive) down(i int) float64 {
	if l.bounds.lack(i, upper) {
		return 0
	}
	return l.below * l.of(i)
}

// Without is the loss without some of its points, as Hinge.Without is.
func (l *Insensitive) Without(out []int) chunking.Loss {
	return newInsensitive(l.y, l.costs.without(len(l.y), out), l.above, l.below, l.eps, l.bounds)
}

// Box implements chunking.Loss.
func (l *Insensitive) Box(i int) (lower, upper float64) { return 0 - l.down(i), l.up(i) }

// Linear implements chunking.Loss.
func (l *Insensitive) Linear(alpha []float64) float64 {
	return l.kinks.blocks.Sum(len(alpha), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			sum += l.y[i]*alpha[i] - l.Kink(i)*math.Abs(alpha[i])
		}
		return sum
	})
}

// Slope implements chunking.Loss.
func (l *Insensitive) Slope(i int, _ float64) float64 { return l.y[i] }

// Kink implements chunking.Kinked: it is the half-width of the tube, which holds all of an interval.
func (l *Insensitive) Kink(i int) float64 { return l.eps + l.bounds.half(i) }

// Primal implements chunking.Loss. In the bias the loss has two kinks for each point, at both ends
// of its tube, and its slope starts at minus the sum of all U_i.
func (l *Insensitive) Primal(f []float64) (bias, sum float64) {
	n := len(f)
	bias = l.kinks.lowest(func(from, to int) {
		for k := from; k < min(to, n); k++ {
			l.kinks.at[k] = l.y[k] - f[k] - l.Kink(k)
		}
		for k := max(from, n); k < to; k++ {
			l.kinks.at[k] = l.y[k-n] - f[k-n] + l.Kink(k-n)
		}
	})
	return bias, l.At(f, bias)
}

// At implements chunking.Loss.
func (l *Insensitive) At(f []float64, bias float64) float64 {
	return l.kinks.blocks.Sum(len(f), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			r := l.y[i] - f[i] - bias
			if m := math.Abs(r) - l.Kink(i); m > 0 {
				if r > 0 {
					sum += l.up(i) * m
				} else {
					sum += l.down(i) * m
				}
			}
		}
		return sum
	})
}

// Divide implements chunking.Divided.
func (l *Insensitive) Divide(b chunking.Blocks) { l.kinks.blocks = b }

// LeastSquares is the squared loss, C_i/2 (y_i - f_i)^2. Its conjugate is
//
//	lin(alpha) = sum_i y_i alpha_i - sum_i alpha_i^2 / (2 C_i),   sum_i alpha_i = 0,
//
// without bounds, so quasi-Newton steps over all points can take the place of working sets.
// Points that were left out (Without) have C_i = 0, and their alpha_i stays at 0; there the terms
// with C_i in the denominator count as 0.
type LeastSquares struct {
	costs
	y []float64
}

// NewLeastSquares returns the loss for targets y, a cost, and a weight for each point. If weight is
// nil, all are 1. No weight may be 0: the curvature 1/C_i would be infinite. See Without.
func NewLeastSquares(y []float64, cost float64, weight []float64) *LeastSquares {
	return &LeastSquares{costs{cost, weight}, y}
}

// Without is the loss without some of its points, as Hinge.Without is. It does not go with
// quasi-Newton steps, which do not use bounds.
func (l *LeastSquares) Without(out []int) chunking.Loss {
	return &LeastSquares{l.costs.without(len(l.y), out), l.y}
}

// Box implements chunking.Loss: there are no bounds, but that points left out stay at 0.
func (l *LeastSquares) Box(i int) (lower, upper float64) {
	if l.of(i) == 0 {
		return 0, 0
	}
	return math.Inf(-1), math.Inf(1)
}

// Linear implements chunking.Loss.
func (l *LeastSquares) Linear(alpha []float64) float64 {
	s := 0.0
	for i, a := range alpha {
		if a != 0 {
			s += l.y[i]*a - a*a/(2*l.of(i))
		}
	}
	return s
}

// Slope implements chunking.Loss.
func (l *LeastSquares) Slope(i int, a float64) float64 {
	if a == 0 {
		return l.y[i]
	}
	return l.y[i] - a/l.of(i)
}

// Curvature implements chunking.Curved.
func (l *LeastSquares) Curvature(i int) float64 {
	if c := l.of(i); c != 0 {
		return 1 / c
	}
	return 0
}

// Primal implements chunking.Loss: the bias is the weighted mean of what is left.
func (l *LeastSquares) Primal(f []float64) (bias, sum float64) {
	total := 0.0
	for i, x := range f {
		bias += l.of(i) * (l.y[i] - x)
		total += l.of(i)
	}
	bias /= total
	return bias, l.At(f, bias)
}

// At implements chunking.Loss.
func (l *LeastSquares) At(f []float64, bias float64) (sum float64) {
	for i, x := range f {
		r := l.y[i] - x - bias
		sum += l.of(i) / 2 * r * r
	}
	return sum
}

// OneClass is the loss of the support of a distribution (Schoelkopf et al. 2001): with f = f0 - rho
// the decision function,
//
//	-rho + sum_i c_i (rho - f0_i)_+,   c_i = w_i/(nu n)
//
// with a weight w_i of each point. Its conjugate is lin(alpha) = 0 with 0 <= alpha_i <= c_i and
// sum_i alpha_i = 1. The bias is -rho.
type OneClass struct {
	costs
	kinks kinks
}

// NewOneClass returns the loss for n points, nu in (0, 1], the share of the points that may be left
// outside, and a weight for each point, whose mean is 1. If weight is nil, all are 1. At nu = 1 all
// points are at their bounds.
func NewOneClass(n int, nu float64, weight []float64) *OneClass {
	l := &OneClass{costs: costs{1 / (nu * float64(n)), weight}}
	l.kinks = newKinks(n, l.of)
	l.kinks.aim(l.kinks.units(1))
	return l
}

// Box implements chunking.Loss.
func (l *OneClass) Box(i int) (lower, upper float64) { return 0, l.of(i) }

// Linear implements chunking.Loss.
func (l *OneClass) Linear([]float64) float64 { return 0 }

// Slope implements chunking.Loss.
func (l *OneClass) Slope(int, float64) float64 { return 0 }

// Sum implements chunking.Summed.
func (l *OneClass) Sum() float64 { return 1 }

// Primal implements chunking.Loss: rho is a quantile of f, in which the slope starts at -1.
func (l *OneClass) Primal(f []float64) (bias, sum float64) {
	bias = -l.kinks.lowest(func(from, to int) { copy(l.kinks.at[from:to], f[from:to]) })
	return bias, l.At(f, bias)
}

// At implements chunking.Loss.
func (l *OneClass) At(f []float64, bias float64) (sum float64) {
	rho := -bias
	sum = bias
	for i, x := range f {
		if x < rho {
			sum += l.of(i) * (rho - x)
		}
	}
	return sum
}

// Feasible gives dual variables to start from: evenly spaced points are at their upper bounds, as
// many as it takes for a sum of 1. With weights these are the first points.
func (l *OneClass) Feasible() []float64 {
	n := len(l.kinks.at)
	alpha, left := make([]float64, n), 1.0
	if l.weight != nil {
		for i := range alpha {
			alpha[i] = min(l.of(i), left)
			left -= alpha[i]
		}
		return alpha
	}
	count := min(n, int(math.Ceil(1/l.cost)))
	for k := range count {
		i := k * n / count
		alpha[i] = min(l.cost, left)
		left -= alpha[i]
	}
	return alpha
}
