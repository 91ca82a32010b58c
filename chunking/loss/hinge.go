// Package loss has the losses that a solver can train with: the hinge of two classes, two losses of
// regression, and that of one class. Each is a chunking.Loss: a conjugate, a box for every dual
// variable, and the exact best bias.
package loss

import "bigmkl/chunking"

var (
	_ chunking.Loss    = (*Hinge)(nil)
	_ chunking.Divided = (*Hinge)(nil)
)

// Hinge is the two-class loss C_i max(0, 1 - y_i f_i) for labels y_i of +1 or -1. Its conjugate is
//
//	lin(alpha) = sum_i y_i alpha_i,   0 <= y_i alpha_i <= C_i,   sum_i alpha_i = 0.
//
// C_i is the cost of the class times the weight of the point.
type Hinge struct {
	y      []int8    // +1 or -1
	weight []float64 // nil: all 1
	cost   [2]float64

	kinks kinks // the bias at which point i meets its margin
}

// NewHinge returns the loss for labels y (+1 or -1), the cost of the negative and of the positive
// class, and a weight for each point. If weight is nil, all are 1. The slices are kept and must not
// change.
func NewHinge(y []int8, cost [2]float64, weight []float64) *Hinge {
	h := &Hinge{y: y, weight: weight, cost: cost}
	h.kinks = newKinks(len(y), h.at)
	positive := int64(0)
	for i, c := range y {
		if c > 0 {
			positive += h.kinks.cost(int32(i))
		}
	}
	h.kinks.aim(positive)
	return h
}

// Without implements TwoClass.
func (h *Hinge) Without(out []int) (rest TwoClass, positive, negative bool) {
	weight, positive, negative := h.without(out)
	return NewHinge(h.y, h.cost, weight), positive, negative
}

// without returns the weights of the points with 0 for some of them, and which classes the others
// have.
func (h *Hinge) without(out []int) (weight []float64, positive, negative bool) {
	weight = weightsWithout(h.weight, len(h.y), out)
	for i, c := range h.y {
		positive, negative = positive || c > 0 && weight[i] > 0, negative || c < 0 && weight[i] > 0
	}
	return weight, positive, negative
}

// Positive implements TwoClass.
func (h *Hinge) Positive(i int) bool { return h.y[i] > 0 }

// at is C_i.
func (h *Hinge) at(i int) float64 {
	c := h.cost[(h.y[i]+1)/2]
	if h.weight != nil {
		c *= h.weight[i]
	}
	return c
}

// Box implements chunking.Loss.
func (h *Hinge) Box(i int) (lower, upper float64) {
	if h.y[i] < 0 {
		return -h.at(i), 0
	}
	return 0, h.at(i)
}

// Linear implements chunking.Loss.
func (h *Hinge) Linear(alpha []float64) float64 {
	return h.kinks.blocks.Sum(len(alpha), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			sum += float64(h.y[i]) * alpha[i]
		}
		return sum
	})
}

// Slope implements chunking.Loss.
func (h *Hinge) Slope(i int, _ float64) float64 { return float64(h.y[i]) }

// Primal implements chunking.Loss. In the bias the loss is piecewise linear: its kinks are at y_i -
// f_i, where point i meets its margin, and its slope starts at minus the cost of the positive class
// and grows by C_i at each kink.
func (h *Hinge) Primal(f []float64) (bias, sum float64) {
	bias = h.kinks.lowest(func(from, to int) {
		for i := from; i < to; i++ {
			h.kinks.at[i] = float64(h.y[i]) - f[i]
		}
	})
	return bias, h.At(f, bias)
}

// At implements chunking.Loss.
func (h *Hinge) At(f []float64, bias float64) float64 {
	return h.kinks.blocks.Sum(len(f), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			if m := 1 - float64(h.y[i])*(f[i]+bias); m > 0 {
				sum += h.at(i) * m
			}
		}
		return sum
	})
}

// Divide implements chunking.Divided.
func (h *Hinge) Divide(b chunking.Blocks) { h.kinks.blocks = b }
