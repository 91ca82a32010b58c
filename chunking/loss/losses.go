package loss

import "math"

// The losses of the other tasks, as values of the same solver. For f without its bias b, and C_i the cost times the weight of a point:
//
//	regression   C_i max(0, |y_i - f_i| - eps)   lin = sum y_i alpha_i - eps sum |alpha_i|        |alpha_i| <= C_i   sum alpha = 0
//	least squares      C_i/2 (y_i - f_i)^2       lin = sum y_i alpha_i - sum alpha_i^2 / (2 C_i)                     sum alpha = 0
//	one class    -rho + sum (rho - f0_i)_+ c     lin = 0, c = 1/(nu n), b = -rho                  0 <= alpha_i <= c  sum alpha = 1

// costs is C_i: a cost for all times the weights of the points, nil for 1.
type costs struct {
	cost   float64
	weight []float64
}

func (c *costs) of(i int) float64 {
	if c.weight == nil {
		return c.cost
	}
	return c.cost * c.weight[i]
}

// Insensitive is the epsilon-insensitive loss of regression.
type Insensitive struct {
	costs
	y     []float64
	eps   float64
	kinks kinks // y_i - f_i - eps, then y_i - f_i + eps
	total float64
}

// NewInsensitive returns the loss for targets y, a cost, a weight for each point (nil for 1) and the half-width eps >= 0 of the tube.
func NewInsensitive(y []float64, cost float64, weight []float64, eps float64) *Insensitive {
	l := &Insensitive{costs: costs{cost, weight}, y: y, eps: eps}
	n := len(y)
	l.kinks = newKinks(2*n, func(i int) float64 { return l.of(i % n) })
	for i := range y {
		l.total += l.of(i)
	}
	return l
}

// Box implements Loss.
func (l *Insensitive) Box(i int) (lower, upper float64) { return -l.of(i), l.of(i) }

// Linear implements Loss.
func (l *Insensitive) Linear(alpha []float64) float64 {
	s := 0.0
	for i, a := range alpha {
		s += l.y[i]*a - l.eps*math.Abs(a)
	}
	return s
}

// Slope implements Loss.
func (l *Insensitive) Slope(i int, _ float64) float64 { return l.y[i] }

// Kink implements Kinked.
func (l *Insensitive) Kink() float64 { return l.eps }

// Primal implements Loss. In the bias the slope starts at minus the sum of all costs.
func (l *Insensitive) Primal(f []float64) (bias, sum float64) {
	n := len(f)
	for i, x := range f {
		l.kinks.at[i], l.kinks.at[n+i] = l.y[i]-x-l.eps, l.y[i]-x+l.eps
	}
	bias = l.kinks.lowest(l.total)
	return bias, l.At(f, bias)
}

// At implements Loss.
func (l *Insensitive) At(f []float64, bias float64) (sum float64) {
	for i, x := range f {
		if m := math.Abs(l.y[i]-x-bias) - l.eps; m > 0 {
			sum += l.of(i) * m
		}
	}
	return sum
}

// LeastSquares is the squared loss.
type LeastSquares struct {
	costs
	y []float64
}

// NewLeastSquares returns the loss for targets y, a cost, and a weight for each point, nil for 1.
func NewLeastSquares(y []float64, cost float64, weight []float64) *LeastSquares {
	return &LeastSquares{costs{cost, weight}, y}
}

// Box implements Loss: there are no bounds.
func (l *LeastSquares) Box(int) (lower, upper float64) { return math.Inf(-1), math.Inf(1) }

// Linear implements Loss.
func (l *LeastSquares) Linear(alpha []float64) float64 {
	s := 0.0
	for i, a := range alpha {
		s += l.y[i]*a - a*a/(2*l.of(i))
	}
	return s
}

// Slope implements Loss.
func (l *LeastSquares) Slope(i int, a float64) float64 { return l.y[i] - a/l.of(i) }

// Curvature implements Curved.
func (l *LeastSquares) Curvature(i int) float64 { return 1 / l.of(i) }

// Primal implements Loss: the bias is the mean of what is left.
func (l *LeastSquares) Primal(f []float64) (bias, sum float64) {
	total := 0.0
	for i, x := range f {
		bias += l.of(i) * (l.y[i] - x)
		total += l.of(i)
	}
	bias /= total
	return bias, l.At(f, bias)
}

// At implements Loss.
func (l *LeastSquares) At(f []float64, bias float64) (sum float64) {
	for i, x := range f {
		r := l.y[i] - x - bias
		sum += l.of(i) / 2 * r * r
	}
	return sum
}

// OneClass is the loss of the support of a distribution (Schoelkopf et al. 2001).
type OneClass struct {
	costs
	kinks kinks
}

// NewOneClass returns the loss for n points and nu in (0, 1).
func NewOneClass(n int, nu float64) *OneClass {
	l := &OneClass{costs: costs{cost: 1 / (nu * float64(n))}}
	l.kinks = newKinks(n, l.of)
	return l
}

// Box implements Loss.
func (l *OneClass) Box(i int) (lower, upper float64) { return 0, l.of(i) }

// Linear implements Loss.
func (l *OneClass) Linear([]float64) float64 { return 0 }

// Slope implements Loss.
func (l *OneClass) Slope(int, float64) float64 { return 0 }

// Sum implements Summed.
func (l *OneClass) Sum() float64 { return 1 }

// Primal implements Loss: rho is a quantile of f, in which the slope starts at -1.
func (l *OneClass) Primal(f []float64) (bias, sum float64) {
	copy(l.kinks.at, f)
	bias = -l.kinks.lowest(1)
	return bias, l.At(f, bias)
}

// At implements Loss.
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

// Feasible gives dual variables to start from: every so many points at their bounds.
func (l *OneClass) Feasible() []float64 {
	n := len(l.kinks.at)
	alpha, left := make([]float64, n), 1.0
	count := min(n, int(math.Ceil(1/l.cost)))
	for k := range count {
		i := k * n / count
		alpha[i] = min(l.cost, left)
		left -= alpha[i]
	}
	return alpha
}
