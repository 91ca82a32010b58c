package chunking

import "sort"

// Loss is the data term: its conjugate lin, its box, and its value with the best bias.
type Loss interface {
	// Box gives the bounds of every dual variable.
	Box(lower, upper []float64)
	// Linear gives lin(alpha) and its derivative.
	Linear(alpha, slope []float64) float64
	// Along gives the derivative by t of lin(alpha + t d), d on the working set.
	Along(set []int, alpha, d []float64, t float64) float64
	// Primal gives the bias that minimises sum_i C_i loss(f_i + bias, y_i) exactly, and that minimum.
	Primal(f []float64) (bias, sum float64)
}

// Hinge is the two-class loss max(0, 1 - y f): lin(alpha) = sum_i y_i alpha_i, 0 <= y_i alpha_i <= C_i.
type Hinge struct {
	Y    []float64 // +1 or -1
	Cost []float64 // C_i > 0

	kinks  []float64 // y_i - f_i: the bias at which point i meets its margin
	order  []int32
	weight float64 // sum of the costs of the positive class
}

// NewHinge returns the loss for labels y and costs of each point.
func NewHinge(y, cost []float64) *Hinge {
	h := &Hinge{Y: y, Cost: cost, kinks: make([]float64, len(y)), order: make([]int32, len(y))}
	for i, c := range cost {
		if y[i] > 0 {
			h.weight += c
		}
	}
	return h
}

// Box implements Loss.
func (h *Hinge) Box(lower, upper []float64) {
	for i, c := range h.Cost {
		lower[i], upper[i] = 0, c
		if h.Y[i] < 0 {
			lower[i], upper[i] = -c, 0
		}
	}
}

// Linear implements Loss.
func (h *Hinge) Linear(alpha, slope []float64) float64 {
	copy(slope, h.Y)
	s := 0.0
	for i, a := range alpha {
		s += h.Y[i] * a
	}
	return s
}

// Along implements Loss.
func (h *Hinge) Along(set []int, _, d []float64, _ float64) float64 {
	s := 0.0
	for k, i := range set {
		s += h.Y[i] * d[k]
	}
	return s
}

// Primal implements Loss. The loss is piecewise linear in the bias: its slope starts at minus the cost of the positive
// class and grows by C_i at each kink y_i - f_i, so the minimum is a weighted quantile of the kinks. Where it is attained
// on an interval, the middle is taken.
func (h *Hinge) Primal(f []float64) (bias, sum float64) {
	for i, x := range f {
		h.kinks[i] = h.Y[i] - x
		h.order[i] = int32(i)
	}
	at := h.quantile(0, len(f), h.weight)
	bias = h.kinks[h.order[at]]
	below := 0.0
	for _, i := range h.order[:at+1] {
		below += h.Cost[i]
	}
	if at+1 < len(f) && below <= h.weight*(1+1e-12) {
		next := h.kinks[h.order[at+1]]
		for _, i := range h.order[at+2:] {
			next = min(next, h.kinks[i])
		}
		bias = (bias + next) / 2
	}
	for i, x := range f {
		if m := 1 - h.Y[i]*(x+bias); m > 0 {
			sum += h.Cost[i] * m
		}
	}
	return bias, sum
}

// quantile partitions order[from:to] so that the returned position holds the first kink at which the running cost reaches
// target, with everything before it not larger and everything behind it not smaller.
func (h *Hinge) quantile(from, to int, target float64) int {
	o := h.order
	for to-from > 32 {
		pivot := median(h.kinks[o[from]], h.kinks[o[(from+to)/2]], h.kinks[o[to-1]])
		// Three parts: less, equal, greater.
		lt, gt := from, to
		cost, same := 0.0, 0.0
		for i := from; i < gt; {
			switch k := h.kinks[o[i]]; {
			case k < pivot:
				cost += h.Cost[o[i]]
				o[lt], o[i] = o[i], o[lt]
				lt++
				i++
			case k > pivot:
				gt--
				o[gt], o[i] = o[i], o[gt]
			default:
				same += h.Cost[o[i]]
				i++
			}
		}
		switch {
		case cost >= target:
			to = lt
		case cost+same >= target || gt == to:
			from, to, target = lt, gt, target-cost
			if from+1 < to {
				return h.walk(from, to, target)
			}
		default:
			from, target = gt, target-cost-same
		}
	}
	part := o[from:to]
	sort.Slice(part, func(a, b int) bool {
		ka, kb := h.kinks[part[a]], h.kinks[part[b]]
		return ka < kb || ka == kb && part[a] < part[b]
	})
	return h.walk(from, to, target)
}

// walk finds the position in the sorted range at which the running cost reaches target.
func (h *Hinge) walk(from, to int, target float64) int {
	s := 0.0
	for i := from; i < to-1; i++ {
		s += h.Cost[h.order[i]]
		if s >= target {
			return i
		}
	}
	return to - 1
}

func median(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }
