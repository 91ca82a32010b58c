package loss

import (
	"cmp"
	"math"
	"slices"
)

// newRisks sorts the rows by time. A row that is censored at the time of an event is at risk of it.
func newRisks(times, weights []float64) risks {
	r := risks{events: make([]bool, len(times)), weights: weights}
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
	if weights == nil {
		return r
	}
	r.means = make([]float64, len(at))
	for k, d := range r.deaths {
		events, _ := r.group(k)
		for _, i := range events {
			r.means[k] += weights[i] / float64(d)
		}
	}
	return r
}

// weightOf returns the weight of a row.
func (r *risks) weightOf(i int32) float64 {
	if r.weights == nil {
		return 1
	}
	return r.weights[i]
}

// mean returns the mean weight of the rows with the event of group k.
func (r *risks) mean(k int) float64 {
	if r.means == nil {
		return 1
	}
	return r.means[k]
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

// hazards are the sums over risk sets at decision values f. Those of time t_k are in units of exp(level), where the level is the
// largest value of the rows at risk: no value overflows, and no sum is 0.
type hazards struct {
	*risks
	weight []float64 // w_i exp(f_i - level) of each row, for the level of its group
	fall   []float64 // exp of the level of a group less that of the group before, at most 1
	level  []float64 // the largest f_i of the rows at risk
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
			h.weight[i] = r.weightOf(i) * math.Exp(f[i]-level)
			h.dying[k] += h.weight[i]
		}
		sum += h.dying[k]
		for _, i := range others {
			h.weight[i] = r.weightOf(i) * math.Exp(f[i]-level)
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
			// The levels of all rows with the event have m_k d_k in all.
			total += h.mean(k)*math.Log(h.sum[k]-share*h.dying[k]) + h.weightOf(i)*(h.level[k]-f[i])
		}
	}
	return total
}

// expected puts the number of events that is expected of each row in q.
func (h *hazards) expected(q []float64) {
	clear(q)
	hazard := 0.0 // up to the time of the group, in units of exp(-level)
	for k, d := range h.deaths {
		events, others := h.group(k)
		hazard *= h.fall[k]
		own := hazard // of the rows with the event, which leave one after the other
		for l := range events {
			share := float64(l) / float64(d)
			step := h.mean(k) / (h.sum[k] - share*h.dying[k])
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

// centre puts sum_kl m_k p_kl,i (p_kl'z) of each row i in c.
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
			middle := h.mean(k) * (all[k] - share*dying[k]) / left / left
			total += middle
			own += (1 - share) * middle
		}
		for _, i := range events {
			c[i] = h.weight[i] * own
		}
		for _, i := range others {
			c[i] = h.weight[i] * total
		}
	}
}
