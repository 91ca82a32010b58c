package loss

import (
	"math"

	"bigmkl/chunking"
)

var (
	_ chunking.Loss    = (*Smoothed)(nil)
	_ chunking.Curved  = (*Smoothed)(nil)
	_ chunking.Kinked  = (*Smoothed)(nil)
	_ chunking.Summed  = (*Smoothed)(nil)
	_ chunking.Divided = (*Smoothed)(nil)
)

// Smoothed is a piecewise linear loss whose kinks are rounded off (Nesterov 2005; a hinge becomes that of
// Huber). Its conjugate has a ridge r > 0,
//
//	lin_r(alpha) = lin(alpha) - r/2 sum_i alpha_i^2,   alpha in the box of the loss.
//
// The optimal alpha is unique, and moves with the kernels without jumps: the optimum of the classifier
// has a slope by whatever the kernels depend on. With hinges of cost C the loss is above the smoothed
// one by r/2 C^2 a point at most.
type Smoothed struct {
	chunking.Separable
	ridge, total float64
	kinks        chunking.Kinked // nil if there is no kink
	blocks       chunking.Blocks
}

// Smooth returns a loss with a ridge. A loss that is curved already, or that has several columns, is
// returned as it is, and so is every loss for a ridge of 0.
func Smooth(l chunking.Loss, ridge float64) chunking.Loss {
	switch l.(type) {
	case *Hinge, *Insensitive, *OneClass:
	default:
		return l
	}
	if ridge == 0 {
		return l
	}
	s := &Smoothed{Separable: l.(chunking.Separable), ridge: ridge}
	s.kinks, _ = l.(chunking.Kinked)
	if k, ok := l.(chunking.Summed); ok {
		s.total = k.Sum()
	}
	return s
}

// Sharp returns the loss that a smoothed one represents, and any other as it is.
func Sharp(l chunking.Loss) chunking.Loss {
	if s, ok := l.(*Smoothed); ok {
		return s.Separable
	}
	return l
}

// Linear implements chunking.Loss.
func (l *Smoothed) Linear(alpha []float64) float64 {
	return l.Separable.Linear(alpha) - l.ridge/2*l.blocks.Sum(len(alpha), func(from, to int) (sum float64) {
		for _, a := range alpha[from:to] {
			sum += a * a
		}
		return sum
	})
}

// Slope implements chunking.Loss.
func (l *Smoothed) Slope(i int, a float64) float64 { return l.Separable.Slope(i, a) - l.ridge*a }

// Curvature implements chunking.Curved.
func (l *Smoothed) Curvature(int) float64 { return l.ridge }

// Kink implements chunking.Kinked.
func (l *Smoothed) Kink(i int) float64 {
	if l.kinks == nil {
		return 0
	}
	return l.kinks.Kink(i)
}

// Sum implements chunking.Summed.
func (l *Smoothed) Sum() float64 { return l.total }

// Primal implements chunking.Loss. The slope of the loss in the bias is
//
//	total - sum_i a_i(b),   a_i(b) = argmax over the box of lin_i(a) - r/2 a^2 - a (f_i + b),
//
// which grows with b in straight pieces, as the slope of the squared hinge does.
func (l *Smoothed) Primal(f []float64) (bias, sum float64) {
	bias, _ = l.Separable.Primal(f)
	widest := 0.0 // of the kinks that were rounded off
	for i := range f {
		low, high := l.Box(i)
		widest = max(widest, l.ridge*(high-low))
	}
	slopeAt := func(b float64) (slope, total float64) { return l.slopeOfBias(f, b) }
	// The loss itself is lowest near where the smoothed one is: a step as wide as the widest kink is tried first.
	low, high := chunking.BiasBeyond(bias, -1, widest, slopeAt), chunking.BiasBeyond(bias, 1, widest, slopeAt)
	bias = chunking.BestBias(low, high, bias, slopeAt)
	return bias, l.At(f, bias)
}

// slopeOfBias returns the slope of the loss in the bias and its derivative.
func (l *Smoothed) slopeOfBias(f []float64, bias float64) (slope, total float64) {
	slope = l.total - l.blocks.Sum(len(f), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			a, _ := l.dual(i, f[i]+bias)
			sum += a
		}
		return sum
	})
	total = l.blocks.Sum(len(f), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			if _, inside := l.dual(i, f[i]+bias); inside {
				sum += 1 / l.ridge
			}
		}
		return sum
	})
	return slope, total
}

// dual returns the dual variable of a decision value, and whether it is off its bounds and kink.
func (l *Smoothed) dual(i int, f float64) (a float64, inside bool) {
	low, high := l.Box(i)
	at, kink := l.Separable.Slope(i, 0)-f, l.Kink(i)
	switch {
	case at > kink:
		at -= kink
	case at < -kink:
		at += kink
	default:
		return min(max(0, low), high), false
	}
	a = at / l.ridge
	if a <= low {
		return low, false
	}
	if a >= high {
		return high, false
	}
	return a, true
}

// At implements chunking.Loss.
func (l *Smoothed) At(f []float64, bias float64) float64 {
	return l.total*bias + l.blocks.Sum(len(f), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			if a, _ := l.dual(i, f[i]+bias); a != 0 {
				sum += a*(l.Separable.Slope(i, 0)-f[i]-bias) - l.Kink(i)*math.Abs(a) - l.ridge/2*a*a
			}
		}
		return sum
	})
}

// Divide implements chunking.Divided.
func (l *Smoothed) Divide(b chunking.Blocks) {
	l.blocks = b
	if d, ok := l.Separable.(chunking.Divided); ok {
		d.Divide(b)
	}
}
