package loss

import (
	"cmp"
	"math"
	"slices"
)

// newRisks sorts the rows by time. A row that is censored at the time of an event is at risk of it.
func newRisks(times []float64) risks {
	r := risks{events: make([]bool, len(times))}
	var at []float64
	for i, t := range times {
		if r.events[i] = t > 0; t > 0 {
			at = append(at, t)
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	group := make([]int32, len(times))
	for i, t := range times {
		k, found := slices.BinarySearch(at, math.Abs(t))
		if !found {
			k--
		}
		if group[i] = int32(k); k >= 0 {
			r.order = append(r.order, int32(i))
		}
	}
	slices.SortFunc(r.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(group[a], group[b]), compareBool(r.events[b], r.events[a]), cmp.Compare(a, b))
	})
	r.times, r.first, r.deaths = at, make([]int32, len(at)+1), make([]int32, len(at))
	for _, i := range r.order {
		r.first[group[i]+1]++
		if r.events[i] {
			r.deaths[group[i]]++
		}
	}
	for k := range at {
		r.first[k+1] += r.first[k]
	}
	return r
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// group returns the rows of group k: those with the event, and the others.
func (r *risks) group(k int) (events, others []int32) {
	middle := r.first[k] + r.deaths[k]
	return r.order[r.first[k]:middle], r.order[middle:r.first[k+1]]
}

// hazards are the sums over risk sets at decision values f. Those of time t_k are in units of exp(m_k), where m_k is the
// largest value of the rows at risk: no value overflows, and no sum is 0.
type hazards struct {
	*risks
	weight []float64 // exp(f_i - m_k) of each row, for its group k
	fall   []float64 // exp(m_k - m_(k-1)), at most 1, for k >= 1
	level  []float64 // m_k
	sum    []float64 // S_k
	dying  []float64 // E_k
}

// hazards returns the sums at decision values.
func (r *risks) hazards(f []float64) *hazards {
	groups := len(r.deaths)
	all := make([]float64, len(f)+4*groups)
	h := &hazards{risks: r, weight: all[:len(f)]}
	all = all[len(f):]
	h.fall, h.level, h.sum, h.dying = all[:groups], all[groups:2*groups], all[2*groups:3*groups], all[3*groups:]
	level, sum := math.Inf(-1), 0.0
	for k := groups - 1; k >= 0; k-- {
		was := level
		for _, i := range r.order[r.first[k]:r.first[k+1]] {
			level = max(level, f[i])
		}
		if h.level[k] = level; k < groups-1 {
			h.fall[k+1] = math.Exp(was - level)
			sum *= h.fall[k+1]
		}
		events, others := r.group(k)
		for _, i := range events {
			h.weight[i] = math.Exp(f[i] - level)
			h.dying[k] += h.weight[i]
		}
		sum += h.dying[k]
		for _, i := range others {
			h.weight[i] = math.Exp(f[i] - level)
			sum += h.weight[i]
		}
		h.sum[k] = sum
	}
	return h
}

// loss is L, for the decision values of the sums.
func (h *hazards) loss(f []float64) (total float64) {
	for k, d := range h.deaths {
		events, _ := h.group(k)
		for l, i := range events {
			share := float64(l) / float64(d)
			total += math.Log(h.sum[k]-share*h.dying[k]) + (h.level[k] - f[i])
		}
	}
	return total
}

// expected puts the number of events that is expected of each row in q.
func (h *hazards) expected(q []float64) {
	clear(q)
	hazard := 0.0 // up to the time of the group, in units of exp(-m_k)
	for k, d := range h.deaths {
		events, others := h.group(k)
		hazard *= h.fall[k]
		own := hazard // of the rows with the event, which leave one after the other
		for l := range events {
			share := float64(l) / float64(d)
			step := 1 / (h.sum[k] - share*h.dying[k])
			hazard += step
			own += (1 - share) * step
		}
		for _, i := range events {
			q[i] = h.weight[i] * own
		}
		for _, i := range others {
			q[i] = h.weight[i] * hazard
		}
	}
}

// centre puts sum_kl p_kl,i (p_kl'z) of each row i in c.
func (h *hazards) centre(z, c []float64) {
	clear(c)
	groups := len(h.deaths)
	all, dying := make([]float64, groups), make([]float64, groups) // of exp(f) z over R_k and D_k
	sum := 0.0
	for k := groups - 1; k >= 0; k-- {
		if k < groups-1 {
			sum *= h.fall[k+1]
		}
		events, others := h.group(k)
		for _, i := range events {
			dying[k] += h.weight[i] * z[i]
		}
		sum += dying[k]
		for _, i := range others {
			sum += h.weight[i] * z[i]
		}
		all[k] = sum
	}
	total := 0.0
	for k, d := range h.deaths {
		events, others := h.group(k)
		total *= h.fall[k]
		own := total
		for l := range events {
			share := float64(l) / float64(d)
			left := h.sum[k] - share*h.dying[k]
			mean := (all[k] - share*dying[k]) / left / left
			total += mean
			own += (1 - share) * mean
		}
		for _, i := range events {
			c[i] = h.weight[i] * own
		}
		for _, i := range others {
			c[i] = h.weight[i] * total
		}
	}
}
