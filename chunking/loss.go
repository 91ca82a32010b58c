package chunking

import "sort"

// Loss is the data term: its conjugate lin, its box, and its value with the best bias.
type Loss interface {
	// Box gives the bounds of dual variable i.
	Box(i int) (lower, upper float64)
	// Linear gives lin(alpha), a sum over the points.
	Linear(alpha []float64) float64
	// Slope gives the derivative of lin by dual variable i where that has the value a.
	Slope(i int, a float64) float64
	// Primal gives the bias that minimises sum_i C_i loss(f_i + bias, y_i) exactly, and that minimum.
	Primal(f []float64) (bias, sum float64)
}

// Hinge is the two-class loss max(0, 1 - y f): lin(alpha) = sum_i y_i alpha_i, 0 <= y_i alpha_i <= C_i. C_i is the cost of
// the class times the weight of the point.
type Hinge struct {
	y      []int8    // +1 or -1
	weight []float64 // nil: all 1
	cost   [2]float64

	kinks []float64 // y_i - f_i: the bias at which point i meets its margin
	order []int32
	total float64 // sum of the costs of the positive class
}

// NewHinge returns the loss for labels y (+1 or -1), the cost of the negative and of the positive class, and a weight for
// each point, nil for 1.
func NewHinge(y []int8, cost [2]float64, weight []float64) *Hinge {
	h := &Hinge{y: y, weight: weight, cost: cost, kinks: make([]float64, len(y)), order: make([]int32, len(y))}
	for i, c := range y {
		if c > 0 {
			h.total += h.at(i)
		}
	}
	return h
}

// at is C_i.
func (h *Hinge) at(i int) float64 {
	c := h.cost[(h.y[i]+1)/2]
	if h.weight != nil {
		c *= h.weight[i]
	}
	return c
}

// Box implements Loss.
func (h *Hinge) Box(i int) (lower, upper float64) {
	if h.y[i] < 0 {
		return -h.at(i), 0
	}
	return 0, h.at(i)
}

// Linear implements Loss.
func (h *Hinge) Linear(alpha []float64) float64 {
	s := 0.0
	for i, a := range alpha {
		s += float64(h.y[i]) * a
	}
	return s
}

// Slope implements Loss.
func (h *Hinge) Slope(i int, _ float64) float64 { return float64(h.y[i]) }

// Primal implements Loss. The loss is piecewise linear in the bias: its slope starts at minus the cost of the positive
// class and grows by C_i at each kink y_i - f_i, so the minimum is a weighted quantile of the kinks. Where it is attained
// on an interval, the middle is taken.
func (h *Hinge) Primal(f []float64) (bias, sum float64) {
	for i, x := range f {
		h.kinks[i] = float64(h.y[i]) - x
		h.order[i] = int32(i)
	}
	at := h.quantile(0, len(f), h.total)
	bias = h.kinks[h.order[at]]
	below := 0.0
	for _, i := range h.order[:at+1] {
		below += h.at(int(i))
	}
	if at+1 < len(f) && below <= h.total*(1+1e-12) {
		next := h.kinks[h.order[at+1]]
		for _, i := range h.order[at+2:] {
			next = min(next, h.kinks[i])
		}
		bias = (bias + next) / 2
	}
	for i, x := range f {
		if m := 1 - float64(h.y[i])*(x+bias); m > 0 {
			sum += h.at(i) * m
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
				cost += h.at(int(o[i]))
				o[lt], o[i] = o[i], o[lt]
				lt++
				i++
			case k > pivot:
				gt--
				o[gt], o[i] = o[i], o[gt]
			default:
				same += h.at(int(o[i]))
				i++
			}
		}
		switch {
		case cost >= target && lt > from:
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
		s += h.at(int(h.order[i]))
		if s >= target {
			return i
		}
	}
	return to - 1
}

func median(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }
