package chunking

import "slices"

const (
	burst   = 10    // pair steps per coordinate between Newton steps
	rounds  = 30    // bursts at most
	fewest  = 3     // bursts at most of a large set
	joining = 0.3   // share of the coordinates that may join in at the fine tolerance
	visible = 1e-13 // change of the objective that is more than rounding, relative to it
)

// solve starts from d = 0 and ascends until no pair violates by more than coarse. It continues with
// the coordinates that have moved until no pair of those violates by more than fine. gradient is G;
// h is H. The solution is in d.
func (p *subproblem) solve(gradient []float64, h *hessian, coarse, fine float64) {
	p.least = int(joining * float64(len(gradient)))
	p.gain = append(p.gain[:0], gradient...)
	p.d = append(p.d[:0], make([]float64, len(gradient))...)
	p.ascend(gradient, h, coarse, fine)
	if fine < coarse {
		p.refine(h, fine)
	}
}

// refine continues with the coordinates that have moved, as a subproblem of their own. It leaves
// gain as it is, which nobody reads afterwards.
func (p *subproblem) refine(h *hessian, tol float64) {
	if p.moved == nil {
		p.moved = &subproblem{}
	}
	m := p.moved
	p.at, p.start, m.low, m.high = p.at[:0], p.start[:0], m.low[:0], m.high[:0]
	m.kinked, m.kinks, m.origin, m.sided, m.bend, m.turned = p.kinked, m.kinks[:0], m.origin[:0], p.sided, m.bend[:0], m.turned[:0]
	for i, x := range p.d {
		if x == 0 {
			continue
		}
		p.at = append(p.at, i)
		p.start = append(p.start, p.gain[i])
		m.low, m.high = append(m.low, p.low[i]-x), append(m.high, p.high[i]-x)
		if p.inPieces() {
			m.origin = append(m.origin, p.place(i))
		}
		if p.kinked {
			m.kinks = append(m.kinks, p.kinks[i])
		}
		if p.sided {
			m.bend, m.turned = append(m.bend, p.bend[i]), append(m.turned, p.turned[i])
		}
	}
	count := len(p.at)
	p.part = resized(p.part, count*count)
	for a, i := range p.at {
		from, to := h.row(i), p.part[a*count:(a+1)*count]
		for b, j := range p.at {
			to[b] = from[j]
		}
	}
	m.least, m.large = 0, p.large
	m.gain = append(m.gain[:0], p.start...)
	m.d = append(m.d[:0], make([]float64, count)...)
	m.ascend(p.start, denseHessian(p.part, count), tol, tol)
	for k, i := range p.at {
		// A coordinate that the smaller problem left at its bound is set to the bound itself.
		switch m.d[k] { // sums would miss the bounds by rounding
		case m.low[k]:
			p.d[i] = p.low[i]
		case m.high[k]:
			p.d[i] = p.high[i]
		default:
			p.d[i] = min(max(p.d[i]+m.d[k], p.low[i]), p.high[i])
			if p.inPieces() && m.place(k) == 0 {
				p.d[i] = -p.origin[i]
			}
		}
	}
}

// ascend starts from the d in hand, to which gain belongs, and stops when no pair violates by more than fine, or by more than
// coarse if enough coordinates have moved.
func (p *subproblem) ascend(gradient []float64, h *hessian, coarse, fine float64) {
	p.joined = 0
	steps := 0
	q := len(gradient)
	p.diagonal = p.diagonal[:0]
	for i := range q {
		p.diagonal = append(p.diagonal, h.diagonal(i))
	}
	p.markAll()
	most := rounds
	if p.large { // a step may be short of the optimum, where that would take longer than the next one
		most = fewest
	}
	for range most {
		for range burst * q {
			// Once enough coordinates have joined in, others do so for a large violation only. The
			// count of steps identifies a badly conditioned problem, which is solved to the fine
			// tolerance.
			tol := fine
			if p.joined >= p.least && steps <= p.joined {
				tol = coarse
			}
			i, j := p.choosePair(h, tol)
			steps++
			if j < 0 {
				return
			}
			p.movePair(h, i, j)
		}
		p.try(gradient, h)
	}
}

// try takes the Newton steps. It takes them back unless the objective has risen or, where rounding
// hides that, the violation has fallen: along directions without curvature the steps are long, and
// their rounding can undo what pairs have reached.
func (p *subproblem) try(gradient []float64, h *hessian) {
	value, violation := p.value(gradient), p.violation()
	d, gain := slices.Clone(p.d), slices.Clone(p.gain)
	p.newton(h)
	p.markAll()
	rise := p.value(gradient) - value
	if rise > visible*value || rise >= -visible*value && p.violation() < violation {
		return
	}
	copy(p.d, d)
	copy(p.gain, gain)
	p.markAll()
}

// Quadratic solves
//
//	max_d  gradient'd - 1/2 d'Hd   with  low <= d <= high,  sum d = 0
//
// by the solver of working sets, until no pair of coordinates violates the conditions of optimality
// by more than the tolerance. 0 has to be within the bounds. h is q x q, row-major, symmetric and
// positive semi-definite. It returns d in a new slice.
func Quadratic(gradient, h, low, high []float64, tolerance float64) []float64 {
	p := &subproblem{coordinates: coordinates{low: low, high: high}}
	p.solve(gradient, denseHessian(h, len(gradient)), tolerance, tolerance)
	return p.d
}
