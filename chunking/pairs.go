package chunking

import (
	"math"

	"bigmkl/internal/simd"
)

// tiny bounds the curvature of a pair from below, relative to the diagonal: duplicates have none.
const tiny = 1e-14

// choosePair takes the steepest coordinate that can grow, and of all partners that can shrink the
// one that gains most by the quadratic model: (rise)^2 / curvature. down is -1 if no pair violates
// by more than the tolerance.
func (p *subproblem) choosePair(h *hessian, tol float64) (up, down int) {
	up, best, worst := simd.SteepestUp(p.gain, p.grow, p.shrink)
	if up < 0 || best-worst < tol {
		return up, -1
	}
	if p.sided {
		p.turn(h, p.diagonal, up, p.place(up) < 0)
	}
	own := p.diagonal[up]
	down = simd.BestPartner(p.gain, p.shrink, p.diagonal, h.row(up), best, own, tiny*own)
	if down >= 0 {
		return up, down
	}
	// The curvature is so large that what any pair gains underflows. The steepest one has to do.
	for k, g := range p.gain {
		if g+p.shrink[k] == worst {
			return up, k
		}
	}
	return up, -1
}

// movePair takes the best step that raises d_i and lowers d_j alike, no further than the next bound
// or kink of either, and renews the gains. The bounds are set exactly, because a coordinate next to
// its bound by rounding would count as free.
func (p *subproblem) movePair(h *hessian, i, j int) {
	a, b := h.row(i), h.row(j)
	if p.sided {
		p.turn(h, p.diagonal, i, p.place(i) < 0)
		p.turn(h, p.diagonal, j, p.place(j) <= 0)
	}
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
	simd.MovePair(p.gain, a, b, step)
}
