package loss

import (
	"math"

	"bigmkl/chunking"
)

var (
	_ Regression       = (*Huber)(nil)
	_ chunking.Curved  = (*Huber)(nil)
	_ chunking.Divided = (*Huber)(nil)
)

// Huber is the loss of Huber (1964), a square near the target and a line beyond delta. With r = y_i - f_i
//
//	C_i r^2/2                        |r| <= delta
//	C_i delta (|r| - delta/2)        |r| >  delta
//
// A target far away has no more influence than one at delta. The conjugate is the conjugate of the squared loss
// with bounds:
//
//	lin(alpha) = sum_i y_i alpha_i - sum_i alpha_i^2 / (2 C_i),   |alpha_i| <= C_i delta,   sum_i alpha_i = 0.
type Huber struct {
	LeastSquares
	delta  float64
	blocks chunking.Blocks
}

// NewHuber returns the loss for targets y, a cost, a weight for each point and the distance delta, above 0 and in units
// of the targets. If weight is nil, all are 1. No weight may be 0, as the curvature 1/C_i would be infinite; see Without.
func NewHuber(y []float64, cost float64, weight []float64, delta float64) *Huber {
	return &Huber{LeastSquares: LeastSquares{costs{cost, weight}, y}, delta: delta}
}

// Without is the loss without some of its points, as Hinge.Without is.
func (l *Huber) Without(out []int) chunking.Loss {
	return &Huber{LeastSquares: LeastSquares{l.without(len(l.y), out), l.y}, delta: l.delta}
}

// Box implements chunking.Loss.
func (l *Huber) Box(i int) (lower, upper float64) {
	c := l.of(i) * l.delta
	return -c, c
}

// Primal implements chunking.Loss. The slope of the loss in the bias b is minus sum_i C_i clip(r_i - b, delta), which
// is linear between kinks. The search starts at the best bias of the squared loss: the result depends on f alone.
func (l *Huber) Primal(f []float64) (bias, sum float64) {
	bias, _ = l.LeastSquares.Primal(f)
	low, high := math.Inf(1), math.Inf(-1)
	for i, x := range f {
		if l.of(i) > 0 {
			low, high = min(low, l.y[i]-x), max(high, l.y[i]-x)
		}
	}
	bias = chunking.BestBias(low, high, bias, func(b float64) (slope, total float64) { return l.slopeOfBias(f, b) })
	return bias, l.At(f, bias)
}

// slopeOfBias returns the slope of the loss in the bias and its derivative, which is 0 where all points are beyond delta.
func (l *Huber) slopeOfBias(f []float64, bias float64) (slope, total float64) {
	slope = -l.blocks.Sum(len(f), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			sum += l.of(i) * max(-l.delta, min(l.delta, l.y[i]-f[i]-bias))
		}
		return sum
	})
	total = l.blocks.Sum(len(f), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			if math.Abs(l.y[i]-f[i]-bias) < l.delta {
				sum += l.of(i)
			}
		}
		return sum
	})
	return slope, total
}

// At implements chunking.Loss.
func (l *Huber) At(f []float64, bias float64) float64 {
	return l.blocks.Sum(len(f), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			r := math.Abs(l.y[i] - f[i] - bias)
			if r <= l.delta {
				sum += l.of(i) / 2 * r * r
			} else {
				sum += l.of(i) * l.delta * (r - l.delta/2)
			}
		}
		return sum
	})
}

// Divide implements chunking.Divided.
func (l *Huber) Divide(b chunking.Blocks) { l.blocks = b }
