package loss

import (
	"math"
	"sort"

	"bigmkl/chunking"
)

// kinks finds where a convex function is lowest that is piecewise linear: its slope starts below 0
// and grows by a cost at each kink. That is a weighted quantile of the kinks.
//
// Costs are whole multiples of one unit, a power of two, so sums of them are exact in any order.
// The result is therefore a function of the kinks alone, down to its bits, whichever way it was
// found: costs of one half and of a tenth alike, and with the bracket of the last call or without
// one, as after a resumption.
type kinks struct {
	at []float64 // in the unit of decision values; lowest has it filled

	// target is the sum of the costs at which the slope is 0, in units. Sums that differ from it by
	// slack count as equal: that is what rounding of the costs may come to.
	target, slack int64
	exponent      int     // a cost of 1 is 2^exponent units
	equal         int64   // the cost of every kink if all are alike, or 0
	costs         []int64 // otherwise of each kink; a point that costs nothing has no kink

	blocks chunking.Blocks
	order  []int32 // the kinks in the bracket
	below  int64   // the cost of those below the bracket
	// The last result, and half of the width of the bracket around it where the next is looked for.
	// A negative width means that there is no last result.
	last, width float64
}

const (
	// costBits is the number of bits of the sum of all costs. One bit is left for sums of two.
	costBits = 61
	// equalBits is the number of leading bits in which sums of costs that count as equal agree.
	equalBits = 40

	// The bracket is bracketMoves as wide as the result has moved last, and not less than a
	// bracketShrinks-th of what it was: moves alternate between large and small ones. A bracket
	// that missed is bracketGrows times as wide.
	bracketMoves, bracketShrinks, bracketGrows = 2, 4, 8
	// bracketTries is the number of brackets that are tried before all kinks are looked at.
	bracketTries = 2
)

// newKinks returns n kinks of the given costs. The target is to be set before the first call of
// lowest.
func newKinks(n int, cost func(i int) float64) kinks {
	k := kinks{at: make([]float64, n), width: -1}
	sum, alike := 0.0, true
	for i := range n {
		sum += cost(i)
		alike = alike && cost(i) == cost(0)
	}
	_, exponent := math.Frexp(sum)
	k.exponent = costBits - exponent
	if alike {
		k.equal = k.units(cost(0))
		return k
	}
	k.costs = make([]int64, n)
	for i := range k.costs {
		k.costs[i] = k.units(cost(i))
		if cost(i) > 0 {
			k.costs[i] = max(k.costs[i], 1)
		}
	}
	return k
}

// units gives a cost in units.
func (k *kinks) units(cost float64) int64 {
	return int64(math.RoundToEven(math.Ldexp(cost, k.exponent)))
}

// cost is the cost of kink i, in units.
func (k *kinks) cost(i int32) int64 {
	if k.costs == nil {
		return k.equal
	}
	return k.costs[i]
}

// aim sets the target.
func (k *kinks) aim(target int64) {
	k.target, k.slack = target, target>>equalBits+int64(len(k.at))
}

// lowest gives where the function is lowest. Where that is an interval, it is the middle of it. fill
// sets the kinks from..to-1; calls may overlap.
//
// From one iteration to the next the result hardly moves. It is looked for among the kinks near the
// last one, so most kinks are only compared with the bracket. Where the bracket misses it, a wider
// one is tried, and in the end all kinks are looked at.
func (k *kinks) lowest(fill func(from, to int)) float64 {
	for try := 0; try < bracketTries && k.width >= 0; try++ {
		k.narrow(fill)
		if x, ok := k.search(); ok {
			k.move(x)
			return x
		}
		fill = func(int, int) {}
		k.width *= bracketGrows
	}
	k.blocks.Each(len(k.at), func(_, from, to int) { fill(from, to) })
	k.order, k.below = k.order[:0], 0
	for i := range k.at {
		if k.cost(int32(i)) > 0 {
			k.order = append(k.order, int32(i))
		}
	}
	x, _ := k.search()
	k.move(x)
	return x
}

// move takes x as the result and sets the width of the next bracket.
func (k *kinks) move(x float64) {
	moved := math.Abs(x - k.last)
	if k.width < 0 {
		// Before there is a move to go by, the result itself is the only length that is known.
		moved = math.Abs(x)
	}
	k.last, k.width = x, max(bracketMoves*moved, k.width/bracketShrinks)
	// Kinks that overflowed have no neighbours.
	if math.IsNaN(k.width) || math.IsInf(k.width, 0) {
		k.width = -1
	}
}

// narrow fills in the kinks and finds those in the bracket, and the cost of those below it. No sum
// of costs rounds, so the order of the blocks does not matter.
func (k *kinks) narrow(fill func(from, to int)) {
	n := len(k.at)
	if cap(k.order) < n {
		k.order = make([]int32, n)
	}
	order := k.order[:n]
	type found struct {
		count int // kinks of the block in the bracket, which lie where the block begins
		below int64
	}
	blocks := make([]found, k.blocks.Count(n))
	k.blocks.Each(n, func(block, from, to int) {
		fill(from, to)
		at := k.at[from:to]
		f := &blocks[block]
		if k.costs == nil {
			f.count, f.below = compare(at, k.last, k.width, order[from:to])
			f.below *= k.equal
		} else {
			f.count, f.below = compareCosts(at, k.costs[from:to], k.last, k.width, order[from:to])
		}
		for j := range f.count {
			order[from+j] += int32(from)
		}
	})
	k.order, k.below = order[:0], 0
	for block, f := range blocks {
		from := block * chunking.BlockPoints
		k.order = append(k.order, order[from:from+f.count]...)
		k.below += f.below
	}
}

// compare puts the places of the kinks within width of the middle in inside, as many as it returns,
// and counts those below them. Whether a kink is below the middle is nearly random, so the loop has
// no branch on it.
func compare(at []float64, middle, width float64, inside []int32) (count int, below int64) {
	for i, x := range at {
		one := int64(0)
		if x < middle {
			one = 1
		}
		below += one
		if math.Abs(x-middle) <= width {
			below -= one
			inside[count] = int32(i)
			count++
		}
	}
	return count, below
}

// compareCosts is compare for kinks of different costs, which it adds instead of ones. Those that
// cost nothing are left out.
func compareCosts(at []float64, costs []int64, middle, width float64, inside []int32) (count int, below int64) {
	for i, x := range at {
		cost := costs[i]
		if !(x < middle) {
			cost = 0
		}
		below += cost
		if math.Abs(x-middle) <= width && costs[i] > 0 {
			below -= cost
			inside[count] = int32(i)
			count++
		}
	}
	return count, below
}

// search gives the result if it can be told by the kinks in the bracket. If these are all kinks, it
// always can.
func (k *kinks) search() (x float64, ok bool) {
	all := k.target - k.slack - k.below
	if len(k.order) == 0 || k.below > 0 && all <= 0 {
		return 0, false
	}
	at, cost := k.quantile(all)
	x = k.at[k.order[at]]
	if at+1 == len(k.order) {
		// The slope may reach 0 behind the bracket, or be 0 up to a kink behind it.
		return x, cost > all+2*k.slack
	}
	if cost <= all+2*k.slack {
		// The slope is 0 behind this kink, and stays so until the next one.
		next := k.at[k.order[at+1]]
		for _, i := range k.order[at+2:] {
			next = min(next, k.at[i])
		}
		x = (x + next) / 2
	}
	return x, true
}

// quantile partitions order so that the position that it returns holds the first kink at which the
// running cost reaches target. Everything before it is not larger, everything behind it not
// smaller. It takes time linear in the number of kinks, as it does not sort them. It also returns
// the running cost there.
func (k *kinks) quantile(target int64) (at int, running int64) {
	o := k.order
	from, to := 0, len(o)
	for to-from > 32 {
		pivot := median(k.at[o[from]], k.at[o[(from+to)/2]], k.at[o[to-1]])
		// Three parts: less, equal, greater.
		lt, gt := from, to
		cost, same := int64(0), int64(0)
		for i := from; i < gt; {
			switch x := k.at[o[i]]; {
			case x < pivot:
				cost += k.cost(o[i])
				o[lt], o[i] = o[i], o[lt]
				lt++
				i++
			case x > pivot:
				gt--
				o[gt], o[i] = o[i], o[gt]
			default:
				same += k.cost(o[i])
				i++
			}
		}
		switch {
		case running+cost >= target && lt > from:
			to = lt
		case running+cost+same >= target || gt == to:
			return k.walk(lt, gt, running+cost, target)
		default:
			from, running = gt, running+cost+same
		}
	}
	part := o[from:to]
	sort.Slice(part, func(a, b int) bool {
		ka, kb := k.at[part[a]], k.at[part[b]]
		return ka < kb || ka == kb && part[a] < part[b]
	})
	return k.walk(from, to, running, target)
}

// walk finds the position in the sorted range at which the running cost reaches target, and the
// cost there. The cost of what comes before the range is that given.
func (k *kinks) walk(from, to int, running, target int64) (at int, cost int64) {
	for i := from; i < to-1; i++ {
		running += k.cost(k.order[i])
		if running >= target {
			return i, running
		}
	}
	return to - 1, running + k.cost(k.order[to-1])
}

// median is the median of three numbers.
func median(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }
