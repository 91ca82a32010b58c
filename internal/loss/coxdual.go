package loss

import "math"

// The conjugate of the partial likelihood. With a = alpha/C, q_i = w_i [event] - a_i and x_k = E_k/S_k, the conditions
//
//	q_i = w_i exp(u_i) H_i,   H of a row with the event at t_k: sum_{j<k} h_j + m_k sum_l (1 - l/d_k) / (S_k - l/d_k E_k),
//	h_k = m_k sum_l 1 / (S_k - l/d_k E_k),   H of the others of the group: sum_{j<=k} h_j,
//
// are met one time after the other, because B_k = S_k sum_{j<k} h_j is the sum of a over the groups before k:
//
//	sum of q over D_k = x_k B_k + m_k sum_l (1 - l/d_k) x_k / (1 - l/d_k x_k)    gives x_k,
//	A_k = S_k sum_{j<=k} h_j = B_k + m_k sum_l 1 / (1 - l/d_k x_k),
//	S_(k+1) / S_k = B_(k+1) / A_k.
//
// S of the first group is free, as u + b has the same dual variables: it is 1. Then
//
//	lin = C [ sum_k m_k sum_l log(S_k (1 - l/d_k x_k)) - sum_i q_i u_i ].

const (
	leastExpected = 0x1p-53  // of a row of weight 1 with an event, whose q is 1 - a
	leastCensored = 0x1p-900 // of the other rows
	leastBefore   = 0x1p-53  // of B_k, for each event of weight 1
	// outside is the distance from the domain, for each event of weight 1, that is not rounding.
	outside = 1e-9
	// tieSteps bounds Newton steps for x_k. They come from the right, where the slope is largest, and six are usual.
	tieSteps = 100
)

// q is what is expected of a row whose dual variable is a C.
func (r *risks) q(i int32, a float64) (q float64, inside bool) {
	w := r.weightOf(i)
	if r.events[i] {
		return max(w-a, leastExpected*w), w-a >= -outside*w
	}
	return max(-a, leastCensored), -a >= -outside*w
}

// sweep calls do for every group, with logarithms of the H of its rows with the event and of the others. It returns
// sum_k m_k sum_l log(S_k (1 - l/d_k x_k)), and false for dual variables C a outside of the domain.
func (r *risks) sweep(alpha []float64, cost float64, do func(i int32, q, logHazard float64)) (total float64, inside bool) {
	before, logSum, dead := 0.0, 0.0, 0.0
	inside = true
	for k, d := range r.deaths {
		events, others := r.group(k)
		mean, died := r.mean(k), 0.0
		for _, i := range events {
			q, in := r.q(i, alpha[i]/cost)
			died, inside = died+q, inside && in
		}
		x := tieShare(before, died, mean, int(d))
		own, all := before, before // B_k + .., H of the rows with the event and of the others times S_k
		for l := range events {
			share := float64(l) / float64(d)
			left := 1 - share*x
			own, all = own+mean*(1-share)/left, all+mean/left
			total += mean * (logSum + math.Log(left))
		}
		for _, i := range events {
			q, _ := r.q(i, alpha[i]/cost)
			do(i, q, math.Log(own)-logSum)
			before += alpha[i] / cost
		}
		for _, i := range others {
			q, in := r.q(i, alpha[i]/cost)
			inside = inside && in
			do(i, q, math.Log(all)-logSum)
			before += alpha[i] / cost
		}
		dead += mean * float64(d)
		inside = inside && before >= -outside*dead
		before = max(before, leastBefore*dead)
		logSum += math.Log(before / all)
	}
	return total, inside
}

// tieShare solves mean sum_l (1 - l/d) x / (1 - l/d x) + before x = died for x in (0, 1].
func tieShare(before, died, mean float64, d int) float64 {
	if died >= before+mean*float64(d) {
		return 1
	}
	if d == 1 {
		return died / (before + mean)
	}
	x := 1.0
	for range tieSteps {
		value, slope := before*x-died, before
		for l := range d {
			share := float64(l) / float64(d)
			left := 1 - share*x
			value += mean * (1 - share) * x / left
			slope += mean * (1 - share) / (left * left)
		}
		next := x - value/slope
		if !(next < x) || next <= 0 {
			break
		}
		x = next
	}
	return x
}

// Linear implements chunking.Loss. Outside of the domain it is -inf.
func (l *Cox) Linear(alpha []float64) float64 {
	sum := 0.0
	total, inside := l.risk.sweep(alpha, l.cost, func(i int32, q, logHazard float64) {
		sum += q * (math.Log(q/l.risk.weightOf(i)) - logHazard)
	})
	if !inside {
		return math.Inf(-1)
	}
	return l.cost * (total - sum)
}

// Slopes implements chunking.Collective: the slopes of lin are u.
func (l *Cox) Slopes(alpha, slopes []float64) bool {
	clear(slopes)
	_, inside := l.risk.sweep(alpha, l.cost, func(i int32, q, logHazard float64) {
		slopes[i] = math.Log(q/l.risk.weightOf(i)) - logHazard
	})
	return inside
}

// Reach implements chunking.Collective.
func (l *Cox) Reach(alpha, d []float64) float64 {
	r := &l.risk
	reach, before, change, dead := math.Inf(1), 0.0, 0.0, 0.0
	for k := range r.deaths {
		for _, i := range r.order[r.first[k]:r.first[k+1]] {
			if q, _ := r.q(i, alpha[i]/l.cost); d[i] > 0 {
				reach = min(reach, q*l.cost/d[i])
			}
			before, change = before+alpha[i], change+d[i]
		}
		dead += r.mean(k) * float64(r.deaths[k])
		if change < 0 && k < len(r.deaths)-1 {
			reach = min(reach, max(before, leastBefore*dead*l.cost)/-change)
		}
	}
	return reach
}
