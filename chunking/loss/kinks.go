package loss

import "sort"

// kinks finds where a convex function is lowest that is piecewise linear: its slope grows by
// cost(i) at at[i]. That is a weighted quantile, which quantile finds in time linear in the number
// of kinks by partitioning, without sorting them. Sums run in the order of the partition, and the
// order depends on nothing but the numbers, so that the bits of the result do, too.
type kinks struct {
	at    []float64
	cost  func(i int) float64
	order []int32 // of those that cost anything: the others are no kinks
}

// newKinks returns n kinks of the given costs. at is to be filled before every call of lowest.
func newKinks(n int, cost func(i int) float64) kinks {
	return kinks{at: make([]float64, n), cost: cost, order: make([]int32, 0, n)}
}

// lowest gives where the function is lowest if its slope starts at -total. Where that is an
// interval, it is the middle of it.
func (k *kinks) lowest(total float64) float64 {
	k.order = k.order[:0]
	for i := range k.at {
		if k.cost(i) > 0 {
			k.order = append(k.order, int32(i))
		}
	}
	// Points without a cost are no kinks: an interval has to reach beyond them.
	at := k.quantile(0, len(k.order), total)
	x := k.at[k.order[at]]
	below := 0.0
	for _, i := range k.order[:at+1] {
		below += k.cost(int(i))
	}
	if at+1 < len(k.order) && below <= total*(1+1e-12) {
		// The slope is 0 behind this kink, up to rounding, and stays so until the next one.
		next := k.at[k.order[at+1]]
		for _, i := range k.order[at+2:] {
			next = min(next, k.at[i])
		}
		x = (x + next) / 2
	}
	return x
}

// quantile partitions order[from:to] so that the position that it returns holds the first kink at
// which the running cost reaches target. Everything before it is not larger, everything behind it
// not smaller.
func (k *kinks) quantile(from, to int, target float64) int {
	o := k.order
	for to-from > 32 {
		pivot := median(k.at[o[from]], k.at[o[(from+to)/2]], k.at[o[to-1]])
		// Three parts: less, equal, greater.
		lt, gt := from, to
		cost, same := 0.0, 0.0
		for i := from; i < gt; {
			switch x := k.at[o[i]]; {
			case x < pivot:
				cost += k.cost(int(o[i]))
				o[lt], o[i] = o[i], o[lt]
				lt++
				i++
			case x > pivot:
				gt--
				o[gt], o[i] = o[i], o[gt]
			default:
				same += k.cost(int(o[i]))
				i++
			}
		}
		switch {
		case cost >= target && lt > from:
			to = lt
		case cost+same >= target || gt == to:
			from, to, target = lt, gt, target-cost
			if from+1 < to {
				return k.walk(from, to, target)
			}
		default:
			from, target = gt, target-cost-same
		}
	}
	part := o[from:to]
	sort.Slice(part, func(a, b int) bool {
		ka, kb := k.at[part[a]], k.at[part[b]]
		return ka < kb || ka == kb && part[a] < part[b]
	})
	return k.walk(from, to, target)
}

// walk finds the position in the sorted range at which the running cost reaches target.
func (k *kinks) walk(from, to int, target float64) int {
	s := 0.0
	for i := from; i < to-1; i++ {
		s += k.cost(int(k.order[i]))
		if s >= target {
			return i
		}
	}
	return to - 1
}

// median is the median of three numbers.
func median(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }
