package verify

import "math"

// This file has what the evaluation of a batch asks gates: the factors of rows and of support vectors, and whether
// enough of them were drawn.

// gateOf returns the gate of kernel id for a row in a set, 1 without gates.
func (r *row) gateOf(set int, id int32) float64 {
	if r.gates == nil {
		return 1
	}
	return r.gates[set][id]
}

// slopeOf returns the part of a row of the slope by the gates of a set, nil if it has none.
func (r *row) slopeOf(set int) *slopeRow {
	if r.slope == nil {
		return nil
	}
	return r.slope[set]
}

// findFactors finds the factors of the support vectors lo..hi-1 for kernel id: 1/sqrt(k(z,z)) under
// the spherical normalisation, times the gates of each set. There are none if all are 1.
func (w *worker) findFactors(id int32, lo, hi int) {
	k, spherical := &w.bank.Kernels[id], w.divided(id)
	w.roots = sized(w.roots, max(1, len(w.gates)))
	for set := range w.roots {
		if !spherical && len(w.gates) == 0 {
			w.roots[set] = nil
			continue
		}
		own := sized(w.roots[set], hi-lo)
		for s := range own {
			own[s] = 1
			if spherical {
				own[s] = rootInverse(k, w.selfZ[s])
			}
			if len(w.gates) > 0 {
				own[s] *= w.gates[set].support[lo+s][id]
			}
		}
		w.roots[set] = own
	}
}

// leastDrawn is the number of support vectors with an open gate from which on a standard error of those that
// were drawn is one.
const leastDrawn = 30

// findScarce finds the kernels of a classifier of which too few support vectors were drawn. With b_s = |alpha_s| eta_m(x_s), the
// terms of V_m count like N (sum b)^2 / (sum |alpha| sum b eta) equal ones in N draws.
func (s gateSets) findScarce(d *draw, m *classifier, number int32) {
	if d.drawn == 0 || len(s) == 0 {
		return
	}
	g := s[s.of(number)]
	d.scarce = make([]bool, len(m.Theta))
	for k := range d.scarce {
		open, squares := 0.0, 0.0
		for i, at := range m.support {
			b := math.Abs(m.Alpha[i]) * g.support[at][k]
			open, squares = open+b, squares+b*g.support[at][k]
		}
		d.scarce[k] = !(float64(d.drawn)*open*open >= leastDrawn*d.total*squares)
	}
}
