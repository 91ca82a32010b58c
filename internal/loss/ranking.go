package loss

import (
	"cmp"
	"math"
	"slices"

	"bigmkl/chunking"
)

var (
	_ chunking.Differences = (*Ranking)(nil)
	_ chunking.Divided     = (*Ranking)(nil)
	_ Regression           = (*Ranking)(nil)
)

// Pair is an ordered pair of points: the function of Above is to exceed that of Below.
type Pair struct{ Above, Below int32 }

// Ranking is the loss of ordered pairs k = (i,j) of points (Joachims 2002),
//
//	C sum_k max(0, m_k - (f_i - f_j)),
//
// with a margin m_k, which is 1 of relevances. Its conjugate is
//
//	lin(beta) = sum_k m_k beta_k,   0 <= beta_k <= C.
//
// Every variable belongs to a pair, see chunking.Differences.
type Ranking struct {
	pairs  []Pair
	margin []float64 // nil: all 1
	times  []float64 // of points, if they decide the pairs; nil of relevances
	cost   float64
	blocks chunking.Blocks
}

// NewRanking returns the loss of pairs of margin 1, with a cost for each of them. The slice is kept and must not change.
func NewRanking(pairs []Pair, cost float64) *Ranking { return &Ranking{pairs: pairs, cost: cost} }

// NewEventRanking returns the loss of the pairs that EventPairs returns. The slice is kept and must not change.
func NewEventRanking(times []float64, cost float64) *Ranking {
	l := &Ranking{times: times, cost: cost}
	l.pairs, l.margin = EventPairs(times, nil)
	return l
}

// Without implements Regression: no pair has one of the points. Other pairs take their place where the order of events decides the pairs.
func (l *Ranking) Without(out []int) chunking.Loss {
	gone := map[int32]bool{}
	for _, i := range out {
		gone[int32(i)] = true
	}
	r := &Ranking{times: l.times, cost: l.cost}
	if l.times != nil {
		r.pairs, r.margin = EventPairs(l.times, gone)
		return r
	}
	for _, p := range l.pairs {
		if !gone[p.Above] && !gone[p.Below] {
			r.pairs = append(r.pairs, p)
		}
	}
	return r
}

// List returns the pairs, which are the loss's own.
func (l *Ranking) List() []Pair { return l.pairs }

// Pairs implements chunking.Differences.
func (l *Ranking) Pairs() int { return len(l.pairs) }

// Ends implements chunking.Differences.
func (l *Ranking) Ends(k int) (i, j int) { return int(l.pairs[k].Above), int(l.pairs[k].Below) }

// Box implements chunking.Loss.
func (l *Ranking) Box(int) (lower, upper float64) { return 0, l.cost }

// Slope implements chunking.Loss.
func (l *Ranking) Slope(k int, _ float64) float64 { return l.of(k) }

// of is m_k.
func (l *Ranking) of(k int) float64 {
	if l.margin == nil {
		return 1
	}
	return l.margin[k]
}

// Linear implements chunking.Loss.
func (l *Ranking) Linear(beta []float64) float64 {
	return l.blocks.Sum(len(beta), func(from, to int) (sum float64) {
		for k := from; k < to; k++ {
			sum += l.of(k) * beta[k]
		}
		return sum
	})
}

// Primal implements chunking.Loss. A difference has no bias.
func (l *Ranking) Primal(f []float64) (bias, sum float64) { return 0, l.At(f, 0) }

// At implements chunking.Loss.
func (l *Ranking) At(f []float64, _ float64) float64 {
	return l.cost * l.blocks.Sum(len(f), func(from, to int) (sum float64) {
		for k := from; k < to; k++ {
			sum += max(0, l.of(k)-f[k])
		}
		return sum
	})
}

// Divide implements chunking.Divided.
func (l *Ranking) Divide(b chunking.Blocks) { l.blocks = b }

// byGroup returns the points of each group, in the order of descending relevance.
func byGroup(relevance []float64, group []int32) [][]int32 {
	most := int32(-1)
	for _, g := range group {
		most = max(most, g)
	}
	list := make([][]int32, most+1)
	for i, g := range group {
		list[g] = append(list[g], int32(i))
	}
	for _, points := range list {
		slices.SortStableFunc(points, func(a, b int32) int { return cmp.Compare(relevance[b], relevance[a]) })
	}
	return list
}

// CountPairs returns the number of pairs of points of one group and different relevances, and the number of groups without any.
func CountPairs(relevance []float64, group []int32) (pairs int64, idle int) {
	for _, points := range byGroup(relevance, group) {
		n, own := int64(len(points)), int64(0)
		for from := 0; from < len(points); {
			to := from
			for to < len(points) && relevance[points[to]] == relevance[points[from]] {
				to++
			}
			own += int64(to-from) * (n - int64(to))
			from = to
		}
		if pairs += own; own == 0 {
			idle++
		}
	}
	return pairs, idle
}

// RelevancePairs returns the pairs of points of one group and different relevances, group by group.
func RelevancePairs(relevance []float64, group []int32) (pairs []Pair) {
	count, _ := CountPairs(relevance, group)
	pairs = make([]Pair, 0, count)
	for _, points := range byGroup(relevance, group) {
		for k, i := range points {
			for _, j := range points[k+1:] {
				if relevance[j] < relevance[i] {
					pairs = append(pairs, Pair{i, j})
				}
			}
		}
	}
	return pairs
}

// EventPairs returns the pairs of each point with the last event before its time, the second, the fourth, the eighth last one and so on,
// whose functions the point's own is to exceed: at most 1 + log2 of the number of events for each point, in place of one with every
// event. A pair with the last event alone (Van Belle et al. 2011) makes a chain, in which the dual variables of the points in the middle
// cancel. The margin is the difference of the logarithms of both times. Events at one time are in the order of the points. For a censored
// point an event at its own time is an earlier one. Times are negative of censored points. Points that are gone have no pairs.
func EventPairs(times []float64, gone map[int32]bool) (pairs []Pair, margin []float64) {
	order := make([]int32, 0, len(times))
	for i := range int32(len(times)) {
		if !gone[i] {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(math.Abs(times[a]), math.Abs(times[b])), cmp.Compare(times[b], times[a]))
	})
	var events []int32
	tied := 0 // of the events, those at the time of the last one
	for _, i := range order {
		before := len(events)
		if event := times[i] > 0; event && before > 0 && times[events[before-1]] == times[i] {
			before -= tied
			tied++
		} else if event {
			tied = 1
		}
		for lag := 1; lag <= before; lag *= 2 {
			j := events[before-lag]
			pairs = append(pairs, Pair{i, j})
			margin = append(margin, math.Log(math.Abs(times[i]))-math.Log(times[j]))
		}
		if times[i] > 0 {
			events = append(events, i)
		}
	}
	return pairs, margin
}
