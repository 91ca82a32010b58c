// Package loss has the losses that a solver can train with: the hinges of two classes, losses of
// regression and of times, and the loss of one class. Each is a chunking.Loss: a conjugate, a box for every
// dual variable, and the exact best bias.
package loss

import (
	"math"

	"bigmkl/chunking"
)

var (
	_ chunking.Loss    = (*Hinge)(nil)
	_ chunking.Divided = (*Hinge)(nil)
)

// Hinge is the two-class loss C_i max(0, 1 - y_i f_i) for labels y_i of +1 or -1. Its conjugate is
//
//	lin(alpha) = sum_i y_i alpha_i,   0 <= y_i alpha_i <= C_i,   sum_i alpha_i = 0.
//
// C_i is the cost of the class times the weight of the point.
//
// A soft label yhat_i = 2 Pr(+1|x_i) - 1 in [-1, 1] takes the place of y_i where labels are
// uncertain (Gönen 2010, equation 1.13; Tao et al. 2005): the constraint
//
//	yhat_i f_i >= yhat_i^2 - yhat_i^2 xi_i
//
// divided by |yhat_i| is a hinge of the margin |yhat_i| for the label sign(yhat_i), in which xi_i
// costs C_i as long as the hinge costs C_i / |yhat_i|:
//
//	loss_i = C_i / |yhat_i| max(0, |yhat_i| - sign(yhat_i) f_i)
//	lin(alpha) = sum_i yhat_i alpha_i,   0 <= sign(yhat_i) alpha_i <= C_i / |yhat_i|.
//
// A point with yhat_i = 0 has no known class and costs nothing.
type Hinge struct {
	y      []int8    // +1 or -1: the label, or the sign of the soft label
	soft   []float64 // the soft labels; nil if all are y
	weight []float64 // nil: all 1
	cost   [2]float64

	kinks kinks // the bias at which point i meets its margin
}

// NewHinge returns the loss for labels y (+1 or -1), the cost of the negative and of the positive
// class, and a weight for each point. If weight is nil, all are 1. The slices are kept and must not
// change.
func NewHinge(y []int8, cost [2]float64, weight []float64) *Hinge {
	return newHinge(&Hinge{y: y, weight: weight, cost: cost})
}

// NewSoftHinge returns the loss for soft labels yhat in [-1, 1]. The cost and the weight are as in
// NewHinge, where a point is of the class that the sign of its soft label states. With soft labels
// of -1 and 1 alone, every value has the bits of the loss that NewHinge returns.
func NewSoftHinge(yhat []float64, cost [2]float64, weight []float64) *Hinge {
	y := make([]int8, len(yhat))
	for i, s := range yhat {
		y[i] = 1
		if s < 0 {
			y[i] = -1
		}
	}
	return newHinge(&Hinge{y: y, soft: yhat, weight: weight, cost: cost})
}

// newHinge makes the kinks of a loss that is complete otherwise.
func newHinge(h *Hinge) *Hinge {
	y := h.y
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
	weight := weightsWithout(h.weight, len(h.y), out)
	l := newHinge(&Hinge{y: h.y, soft: h.soft, weight: weight, cost: h.cost})
	positive, negative = l.Sides()
	return l, positive, negative
}

// Sides reports whether any point that costs something is of the positive class, and whether any is
// of the negative one.
func (h *Hinge) Sides() (positive, negative bool) {
	for i, c := range h.y {
		if h.at(i) > 0 {
			positive, negative = positive || c > 0, negative || c < 0
		}
	}
	return positive, negative
}

// Positive implements TwoClass.
func (h *Hinge) Positive(i int) bool { return h.y[i] > 0 }

// at is C_i.
func (h *Hinge) at(i int) float64 {
	c := h.cost[(h.y[i]+1)/2]
	if h.weight != nil {
		c *= h.weight[i]
	}
	if h.soft != nil {
		if h.soft[i] == 0 {
			return 0
		}
		c /= math.Abs(h.soft[i])
	}
	return c
}

// label is what the decision value of point i is held to: y_i, or its soft label.
func (h *Hinge) label(i int) float64 {
	if h.soft != nil {
		return h.soft[i]
	}
	return float64(h.y[i])
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
			sum += h.label(i) * alpha[i]
		}
		return sum
	})
}

// Slope implements chunking.Loss.
func (h *Hinge) Slope(i int, _ float64) float64 { return h.label(i) }

// Primal implements chunking.Loss. In the bias the loss is piecewise linear: its kinks are at y_i -
// f_i, or yhat_i - f_i, where point i meets its margin, and its slope starts at minus the cost of
// the positive class and grows by the bound of the dual variable at each kink.
func (h *Hinge) Primal(f []float64) (bias, sum float64) {
	bias = h.kinks.lowest(func(from, to int) {
		for i := from; i < to; i++ {
			h.kinks.at[i] = h.label(i) - f[i]
		}
	})
	return bias, h.At(f, bias)
}

// At implements chunking.Loss.
func (h *Hinge) At(f []float64, bias float64) float64 {
	return h.kinks.blocks.Sum(len(f), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			y := float64(h.y[i])
			if m := y*h.label(i) - y*(f[i]+bias); m > 0 {
				sum += h.at(i) * m
			}
		}
		return sum
	})
}

// Divide implements chunking.Divided.
func (h *Hinge) Divide(b chunking.Blocks) { h.kinks.blocks = b }
