package loss

import (
	"math"

	"bigmkl/chunking"
)

var (
	_ TwoClass                = (*Logistic)(nil)
	_ chunking.Differentiable = (*Logistic)(nil)
	_ chunking.Divided        = (*Logistic)(nil)
)

// Logistic is the log loss of two classes, C_i log(1 + exp(-y_i f_i)) for labels y_i of +1 or -1. With the best f the
// probability of class +1 is 1/(1 + exp(-f)): the decision value is the logarithm of the odds. With s_i = y_i alpha_i / C_i the
// conjugate is an entropy (Keerthi, Duan, Shevade and Poo 2005),
//
//	lin(alpha) = -sum_i C_i (s_i log s_i + (1 - s_i) log(1 - s_i)),   0 <= s_i <= 1,   sum_i alpha_i = 0.
//
// Its slope is infinite at both bounds, so every point has a dual variable: s_i = 1/(1 + exp(y_i f_i)) at the optimum. A share
// that is smaller than rounding is 0. Of points that were left out (Without) C_i is 0, and alpha_i stays at 0.
type Logistic struct{ hinge Hinge }

// NewLogistic returns the loss for the arguments of NewHinge.
func NewLogistic(y []int8, cost [2]float64, weight []float64) *Logistic {
	return &Logistic{Hinge{y: y, weight: weight, cost: cost}}
}

// Positive implements TwoClass.
func (l *Logistic) Positive(i int) bool { return l.hinge.Positive(i) }

// Without implements TwoClass.
func (l *Logistic) Without(out []int) (rest TwoClass, positive, negative bool) {
	h := &l.hinge
	left := NewLogistic(h.y, h.cost, weightsWithout(h.weight, len(h.y), out))
	positive, negative = left.hinge.Sides()
	return left, positive, negative
}

// Box implements chunking.Loss.
func (l *Logistic) Box(i int) (lower, upper float64) { return l.hinge.Box(i) }

// share is s_i, and its distance from 1.
func (l *Logistic) share(i int, a float64) (s, rest float64) {
	c := l.hinge.at(i)
	if c == 0 {
		return 0, 1
	}
	a = min(math.Abs(a), c)
	return a / c, (c - a) / c
}

// entropy is the entropy of two probabilities whose sum is 1.
func entropy(s, rest float64) float64 {
	if s == 0 || rest == 0 {
		return 0
	}
	return -s*math.Log(s) - rest*math.Log(rest)
}

// Linear implements chunking.Loss.
func (l *Logistic) Linear(alpha []float64) float64 {
	return l.hinge.kinks.blocks.Sum(len(alpha), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			sum += l.hinge.at(i) * entropy(l.share(i, alpha[i]))
		}
		return sum
	})
}

// leastShare is the share at which the slope of the entropy stops to grow: numbers near 1 have no smaller distance from it.
const leastShare = 0x1p-53

// Slope implements chunking.Loss. At a bound it gives the slope at the nearest share inside.
func (l *Logistic) Slope(i int, a float64) float64 {
	s, rest := l.share(i, a)
	slope := math.Log(max(rest, leastShare) / max(s, leastShare))
	return float64(l.hinge.y[i]) * slope
}

// Respond implements chunking.Differentiable.
func (l *Logistic) Respond(i int, f float64) (alpha, curvature float64) {
	c, y := l.hinge.at(i), float64(l.hinge.y[i])
	e := math.Exp(-math.Abs(f))
	large, small := c/(1+e), c*e/(1+e) // on the wrong side of 0, and on the right one
	if y*f < 0 {
		return y * large, small / (1 + e)
	}
	return y * small, small / (1 + e)
}

// Excess implements chunking.Differentiable: C_i times the divergence of s_i from the share of the response.
func (l *Logistic) Excess(i int, a, f float64) float64 {
	s, rest := l.share(i, a)
	z := float64(l.hinge.y[i]) * f
	return l.hinge.at(i) * (s*softplus(z) + rest*softplus(-z) - entropy(s, rest))
}

// softplus is log(1 + exp(x)).
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// mostOdds bounds the logarithm of the odds where one class alone has rows. There its loss is 0.
const mostOdds = 800

// Primal implements chunking.Loss. With W the costs of either class, the slope of the loss in the bias is 0 where all f_i + b
// are log(W+/W-). So the best bias is between the two at which the largest and the least f_i + b have this value.
func (l *Logistic) Primal(f []float64) (bias, sum float64) {
	var cost [2]float64
	low, high := math.Inf(1), math.Inf(-1)
	for i, x := range f {
		if c := l.hinge.at(i); c > 0 {
			cost[(l.hinge.y[i]+1)/2] += c
			low, high = min(low, x), max(high, x)
		}
	}
	odds := min(max(math.Log(cost[1]/cost[0]), -mostOdds), mostOdds)
	low, high = odds-high, odds-low
	bias = chunking.BestBias(low, high, low+(high-low)/2, func(b float64) (slope, total float64) { return l.slopeOfBias(f, b) })
	return bias, l.At(f, bias)
}

// slopeOfBias returns the slope of the loss in the bias and its derivative.
func (l *Logistic) slopeOfBias(f []float64, bias float64) (slope, total float64) {
	blocks := l.hinge.kinks.blocks
	slope = -blocks.Sum(len(f), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			a, _ := l.Respond(i, f[i]+bias)
			sum += a
		}
		return sum
	})
	total = blocks.Sum(len(f), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			_, c := l.Respond(i, f[i]+bias)
			sum += c
		}
		return sum
	})
	return slope, total
}

// At implements chunking.Loss.
func (l *Logistic) At(f []float64, bias float64) float64 {
	return l.hinge.kinks.blocks.Sum(len(f), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			sum += l.hinge.at(i) * softplus(-float64(l.hinge.y[i])*(f[i]+bias))
		}
		return sum
	})
}

// Divide implements chunking.Divided.
func (l *Logistic) Divide(b chunking.Blocks) { l.hinge.kinks.blocks = b }
