package loss

import (
	"math"

	"bigmkl/chunking"
)

// TwoClass is a loss of two classes.
type TwoClass interface {
	chunking.Separable
	// Positive reports whether point i is of the positive class.
	Positive(i int) bool
	// Without is the loss without some of its points: they cost nothing and their dual variables are
	// 0, so the combined gradient at them is what the others make of it. That is how folds are
	// trained on the gradients of all points. positive and negative report whether any of the rest
	// is of either class: it takes both to train.
	Without(out []int) (rest TwoClass, positive, negative bool)
}

var (
	_ TwoClass         = (*Hinge)(nil)
	_ TwoClass         = (*SquaredHinge)(nil)
	_ chunking.Curved  = (*SquaredHinge)(nil)
	_ chunking.Divided = (*SquaredHinge)(nil)
)

// SquaredHinge is the two-class loss C_i/2 max(0, 1 - y_i f_i)^2 for labels y_i of +1 or -1. Its
// conjugate is
//
//	lin(alpha) = sum_i y_i alpha_i - sum_i alpha_i^2 / (2 C_i),   0 <= y_i alpha_i,   sum_i alpha_i = 0.
//
// Dual variables have no upper bound. Of points that were left out (Without) C_i is 0, their alpha_i
// stays at 0, and terms with C_i in the denominator count as 0.
type SquaredHinge struct{ hinge Hinge }

// NewSquaredHinge returns the loss for the arguments of NewHinge. No weight may be 0: the curvature
// 1/C_i would be infinite. See Without.
func NewSquaredHinge(y []int8, cost [2]float64, weight []float64) *SquaredHinge {
	return &SquaredHinge{Hinge{y: y, weight: weight, cost: cost}}
}

// Positive implements TwoClass.
func (l *SquaredHinge) Positive(i int) bool { return l.hinge.Positive(i) }

// Without implements TwoClass.
func (l *SquaredHinge) Without(out []int) (rest TwoClass, positive, negative bool) {
	h := &l.hinge
	left := NewSquaredHinge(h.y, h.cost, weightsWithout(h.weight, len(h.y), out))
	positive, negative = left.hinge.Sides()
	return left, positive, negative
}

// Box implements chunking.Loss: a dual variable has the sign of its label, and 0 where the point was
// left out.
func (l *SquaredHinge) Box(i int) (lower, upper float64) {
	switch {
	case l.hinge.at(i) == 0:
		return 0, 0
	case l.hinge.y[i] < 0:
		return math.Inf(-1), 0
	}
	return 0, math.Inf(1)
}

// Linear implements chunking.Loss.
func (l *SquaredHinge) Linear(alpha []float64) float64 {
	return l.hinge.kinks.blocks.Sum(len(alpha), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			if a := alpha[i]; a != 0 {
				sum += float64(l.hinge.y[i])*a - a*a/(2*l.hinge.at(i))
			}
		}
		return sum
	})
}

// Slope implements chunking.Loss.
func (l *SquaredHinge) Slope(i int, a float64) float64 {
	y := float64(l.hinge.y[i])
	if a == 0 {
		return y
	}
	return y - a/l.hinge.at(i)
}

// Curvature implements chunking.Curved.
func (l *SquaredHinge) Curvature(i int) float64 {
	if c := l.hinge.at(i); c != 0 {
		return 1 / c
	}
	return 0
}

// Primal implements chunking.Loss. With k_i = y_i - f_i, the bias at which point i meets its margin,
// the slope of the loss in the bias b is
//
//	g(b) = sum of C_i (b - k_i) over y_i = +1 with b < k_i and over y_i = -1 with b > k_i,
//
// which grows with b in straight pieces. Newton's step is exact once it stays within its piece; where
// it leaves the interval in which the slope changes its sign, the middle takes its place.
func (l *SquaredHinge) Primal(f []float64) (bias, sum float64) {
	// To the left of all k_i of either class the slope is not above 0, to the right not below. If the
	// classes are apart by more than both margins, it is 0 between them.
	low, high := math.Inf(1), math.Inf(-1)
	positive, negative := math.Inf(-1), math.Inf(1)
	for i := range f {
		if l.hinge.at(i) == 0 {
			continue
		}
		k := float64(l.hinge.y[i]) - f[i]
		low, high = min(low, k), max(high, k)
		if l.hinge.y[i] > 0 {
			positive = max(positive, k)
		} else {
			negative = min(negative, k)
		}
	}
	if positive <= negative { // No loss remains between them.
		bias = (max(low, positive) + min(high, negative)) / 2
		return bias, l.At(f, bias)
	}
	bias = low + (high-low)/2
	bias = chunking.BestBias(low, high, bias, func(b float64) (slope, total float64) { return l.slopeOfBias(f, b) })
	return bias, l.At(f, bias)
}

// slopeOfBias returns the slope of the loss in the bias and its derivative.
func (l *SquaredHinge) slopeOfBias(f []float64, bias float64) (slope, total float64) {
	y := l.hinge.y
	lost := func(i int) float64 { // the distance to the margin, if the point is on its wrong side
		d := bias + f[i] - float64(y[i])
		if d*float64(y[i]) < 0 {
			return d
		}
		return 0
	}
	blocks := l.hinge.kinks.blocks
	slope = blocks.Sum(len(f), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			if d := lost(i); d != 0 {
				sum += l.hinge.at(i) * d
			}
		}
		return sum
	})
	total = blocks.Sum(len(f), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			if lost(i) != 0 {
				sum += l.hinge.at(i)
			}
		}
		return sum
	})
	return slope, total
}

// At implements chunking.Loss.
func (l *SquaredHinge) At(f []float64, bias float64) float64 {
	return l.hinge.kinks.blocks.Sum(len(f), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			if m := 1 - float64(l.hinge.y[i])*(f[i]+bias); m > 0 {
				sum += l.hinge.at(i) / 2 * m * m
			}
		}
		return sum
	})
}

// Divide implements chunking.Divided.
func (l *SquaredHinge) Divide(b chunking.Blocks) { l.hinge.kinks.blocks = b }
