package chunking

import "math"

// tiny bounds the curvature of a pair from below, relative to the diagonal: duplicates have none.
const tiny = 1e-14

// choosePair takes the steepest coordinate that can grow, and of all partners that can shrink the
// one that gains most by the quadratic model: (rise)^2 / curvature. down is -1 if no pair violates
// by more than the tolerance.
func (p *subproblem) choosePair(h []float64, tol float64) (up, down int) {
	up, down = -1, -1
	best, worst := math.Inf(-1), math.Inf(1)
	q := len(p.gain)
	gain, grow, shrink := p.gain[:q], p.grow[:q], p.shrink[:q]
	for k, g := range gain {
		if v := g + grow[k]; v > best {
			up, best = k, v
		}
		if v := g + shrink[k]; v < worst {
			worst = v
		}
	}
	if up < 0 || best-worst < tol {
		return up, -1
	}
	row, diagonal := h[up*q:(up+1)*q], p.diagonal[:q]
	own := diagonal[up]
	// The products replace quotients: square/curve > most is the same as square > most*curve, and
	// the loop runs over all coordinates for each step.
	least, most := tiny*own, 0.0
	for k, g := range gain {
		rise := best - (g + shrink[k])
		if rise <= 0 {
			continue
		}
		curve := own + diagonal[k] - 2*row[k]
		if curve < least {
			curve = least
		}
		if square := rise * rise; square > most*curve {
			down, most = k, square/curve
		}
	}
	return up, down
}

// movePair takes the best step that raises d_i and lowers d_j alike, no further than the next bound
// or kink of either, and renews the gains. The bounds are set exactly, because a coordinate next to
// its bound by rounding would count as free.
func (p *subproblem) movePair(h []float64, i, j int) {
	q := len(p.gain)
	a, b := h[i*q:(i+1)*q], h[j*q:(j+1)*q]
	curve := max(p.diagonal[i]+p.diagonal[j]-2*a[j], tiny*p.diagonal[i], math.SmallestNonzeroFloat64)
	for _, k := range [2]int{i, j} {
		if p.d[k] == 0 {
			p.joined++
		}
	}
	_, high := p.piece(i)
	low, _ := p.piece(j)
	step := min((p.gain[i]+p.grow[i]-p.gain[j]-p.shrink[j])/curve, high-p.d[i], p.d[j]-low)
	p.d[i] = min(p.d[i]+step, high)
	p.d[j] = max(p.d[j]-step, low)
	p.mark(i)
	p.mark(j)
	gain := p.gain[:len(a)]
	b = b[:len(a)]
	for k, x := range a {
		gain[k] -= step * (x - b[k])
	}
}
