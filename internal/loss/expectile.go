package loss

import (
	"math"

	"bigmkl/chunking"
)

var (
	_ Regression       = (*Expectile)(nil)
	_ chunking.Sided   = (*Expectile)(nil)
	_ chunking.Divided = (*Expectile)(nil)
)

// Expectile is the squared loss with a cost U_i = tau C_i of targets above the function and a cost D_i = (1 - tau) C_i
// of targets below it (Newey and Powell 1987). With r = y_i - f_i
//
//	U_i/2 r^2   r >= 0
//	D_i/2 r^2   r <  0
//
// The best constant is the expectile tau of the targets, and their mean at tau = 1/2, where the loss is LeastSquares of
// half the cost. The conjugate has no bounds. Its curvature is 1/U_i above 0 and 1/D_i below, its slope has no jump:
//
//	lin(alpha) = sum_i y_i alpha_i - sum_(alpha_i > 0) alpha_i^2 / (2 U_i) - sum_(alpha_i < 0) alpha_i^2 / (2 D_i),
//	sum_i alpha_i = 0.
type Expectile struct {
	costs
	y      []float64
	tau    float64
	blocks chunking.Blocks
}

// NewExpectile returns the loss for targets y, a cost, a weight for each point and tau in (0, 1). If weight is nil, all
// are 1. No weight may be 0, as the curvatures would be infinite; see Without.
func NewExpectile(y []float64, cost float64, weight []float64, tau float64) *Expectile {
	return &Expectile{costs: costs{cost, weight}, y: y, tau: tau}
}

// Without is the loss without some of its points, as Hinge.Without is.
func (l *Expectile) Without(out []int) chunking.Loss {
	return &Expectile{costs: l.without(len(l.y), out), y: l.y, tau: l.tau}
}

// side is U_i where x is not below 0, and D_i where it is. x is r_i or alpha_i, which have the same sign at the optimum.
func (l *Expectile) side(i int, x float64) float64 {
	if x < 0 {
		return (1 - l.tau) * l.of(i)
	}
	return l.tau * l.of(i)
}

// Box implements chunking.Loss: there are no bounds, but that points left out stay at 0.
func (l *Expectile) Box(i int) (lower, upper float64) {
	if l.of(i) == 0 {
		return 0, 0
	}
	return math.Inf(-1), math.Inf(1)
}

// Linear implements chunking.Loss.
func (l *Expectile) Linear(alpha []float64) float64 {
	return l.blocks.Sum(len(alpha), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			if a := alpha[i]; a != 0 {
				sum += l.y[i]*a - a*a/(2*l.side(i, a))
			}
		}
		return sum
	})
}

// Slope implements chunking.Loss.
func (l *Expectile) Slope(i int, a float64) float64 {
	if a == 0 {
		return l.y[i]
	}
	return l.y[i] - a/l.side(i, a)
}

// Curvature implements chunking.Curved.
func (l *Expectile) Curvature(i int) float64 { return l.curvature(i, 1) }

// Below implements chunking.Sided.
func (l *Expectile) Below(i int) float64 { return l.curvature(i, -1) }

func (l *Expectile) curvature(i int, side float64) float64 {
	if c := l.side(i, side); c != 0 {
		return 1 / c
	}
	return 0
}

// Primal implements chunking.Loss. In the bias the slope of the loss is minus the sum of the alpha_i that belong to it,
// U_i or D_i times y_i - f_i - b, and grows in straight pieces.
func (l *Expectile) Primal(f []float64) (bias, sum float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for i, x := range f {
		if l.of(i) > 0 {
			low, high = min(low, l.y[i]-x), max(high, l.y[i]-x)
		}
	}
	bias = chunking.BestBias(low, high, low+(high-low)/2, func(b float64) (slope, total float64) { return l.slopeOfBias(f, b) })
	return bias, l.At(f, bias)
}

// slopeOfBias returns the slope of the loss in the bias and its derivative.
func (l *Expectile) slopeOfBias(f []float64, bias float64) (slope, total float64) {
	slope = -l.blocks.Sum(len(f), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			r := l.y[i] - f[i] - bias
			sum += l.side(i, r) * r
		}
		return sum
	})
	total = l.blocks.Sum(len(f), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			sum += l.side(i, l.y[i]-f[i]-bias)
		}
		return sum
	})
	return slope, total
}

// At implements chunking.Loss.
func (l *Expectile) At(f []float64, bias float64) float64 {
	return l.blocks.Sum(len(f), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			r := l.y[i] - f[i] - bias
			sum += l.side(i, r) / 2 * r * r
		}
		return sum
	})
}

// Divide implements chunking.Divided.
func (l *Expectile) Divide(b chunking.Blocks) { l.blocks = b }
