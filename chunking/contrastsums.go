package chunking

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

const (
	repairs   = 40    // steps at most that put the sums right, and again as many without what is at its bounds
	sumsExact = 1e-15 // what may be left of a sum, as a share of what has moved
	sumsWrong = 1e-9  // with more the step is rejected
)

// repair moves x onto the sums of the columns. With x as a flow of contrasts between classes this is
// a potential nu of each class: x_u changes by w_u (nu_y - nu_l). At first only what is inside its
// bounds moves, by a share w_u of the square of its room, so nothing leaves a bound; where that does
// not get there, whatever has room. It clears x where the sums are out of reach.
func (m *contrastModel) repair() {
	weight := make([]float64, len(m.x))
	size := 0.0
	for u, x := range m.x {
		size += math.Abs(x)
		room := min(x-m.low[u], m.high[u]-x)
		weight[u] = room * room
	}
	for _, c := range m.lack {
		size += math.Abs(c)
	}
	if m.balance(weight, sumsExact*size) <= sumsWrong*size {
		return
	}
	for u := range weight {
		weight[u] = 0
		if m.low[u] < m.high[u] {
			weight[u] = 1
		}
	}
	if m.balance(weight, sumsExact*size) > sumsWrong*size {
		clear(m.x)
	}
}

// balance moves x by weighted potentials until the sums are left with no more than the goal, or come
// no nearer. It returns the most that is left of one. Steps into bounds bring the sums nearer by a constant factor
// each. If that is not enough, the further steps are without the contrasts that would go beyond their bounds.
func (m *contrastModel) balance(weight []float64, goal float64) float64 {
	most := func() ([]float64, float64) {
		left := m.missing(m.step())
		return left, max(slices.Max(left), -slices.Min(left))
	}
	left, was := most()
	var nu []float64
	for step := range 2 * repairs {
		if was <= goal {
			break
		}
		now := weight
		if step >= repairs {
			now = slices.Clone(weight)
			for u, x := range m.x {
				_, y, l := m.ends(u)
				if up := nu[l] - nu[y]; up > 0 && x >= m.high[u] || up < 0 && x <= m.low[u] {
					now[u] = 0
				}
			}
		}
		if nu = m.potentials(now, left); nu == nil {
			break
		}
		x := slices.Clone(m.x)
		for u, w := range now {
			if _, y, l := m.ends(u); w > 0 && y != l {
				m.x[u] = min(max(x[u]-w*(nu[y]-nu[l]), m.low[u]), m.high[u])
			}
		}
		rest := 0.0
		if left, rest = most(); !(rest < was) {
			copy(m.x, x)
			break
		}
		was = rest
	}
	return was
}

// potentials solves sum_u w_u e_u e_u' nu = left.
func (m *contrastModel) potentials(weight, left []float64) []float64 {
	k, trace := m.columns, 0.0
	h := mat.NewSymDense(k, nil)
	for u, w := range weight {
		if _, y, l := m.ends(u); w > 0 && y != l {
			h.SetSym(y, y, h.At(y, y)+w)
			h.SetSym(l, l, h.At(l, l)+w)
			h.SetSym(y, l, h.At(y, l)-w)
			trace += 2 * w
		}
	}
	if !(trace > 0) {
		return nil
	}
	// What is added to all potentials changes nothing, and a class may have no contrast.
	for c := range k {
		h.SetSym(c, c, h.At(c, c)+1e-13*trace)
		for d := c; d < k; d++ {
			h.SetSym(c, d, h.At(c, d)+trace/float64(k*k))
		}
	}
	var root mat.Cholesky
	if !root.Factorize(h) {
		return nil
	}
	nu := mat.NewVecDense(k, nil)
	if err := root.SolveVecTo(nu, mat.NewVecDense(k, slices.Clone(left))); err != nil && nu.IsEmpty() {
		return nil
	}
	return nu.RawVector().Data
}
