package norm

import (
	"math"

	"bigmkl/internal/invariant"
)

// unitSlack is by how much the norm of theta and sum theta_m V_m may be off, relative.
const unitSlack = 1e-9

// assertWeights checks theta against the V it was made for, of which length = ||u|| is the smoothed
// norm. With u_m^2 = V_m + delta^2 (delta = 0 up to p = 2), q the conjugate exponent in use (that
// of p_s for p = 1) and the sums over the kernels that are not left out,
//
//	p != 2:  sum_m theta_m^(q/(q-2)) = 1      as theta_m = (u_m/||u||)^(q-2) and sum_m (u_m/||u||)^q = 1
//	p  = 2:  theta_m = 1
//	all p:   sum_m theta_m u_m^2 = ||u||^2
//
// q/(q-2) = p/(2-p): -1 for p = inf; for p = 1 it tends to 1 with the ladder, and Scale divides by
// sum theta what is reported. At V = 0 theta is the start, of norm 1 in the exponent p/(2-p) of p
// itself.
func (a *adapting) assertWeights(p, q float64, theta, V []float64, length float64) {
	power, energy, unit, used, dropped := q/(q-2), 0.0, 0.0, 0, false
	top := 0.0
	for m, x := range V {
		if !a.Dropped(m) {
			top = max(top, x)
		}
		dropped = dropped || a.Dropped(m)
	}
	if top == 0 {
		if power = p / (2 - p); math.IsInf(p, 1) {
			power = -1
		}
	}
	for m, t := range theta {
		if t != t || math.IsInf(t, 0) || math.IsInf(V[m], 0) {
			return // the data's kernels overflow, which is reported elsewhere
		}
		if t == 0 {
			continue
		}
		invariant.Check(q != 2 || t == 1, "theta[%d] = %v at p = 2", m, t)
		used++
		unit += math.Pow(t, power)
		energy += t * (max(V[m], 0) + a.smoothing)
	}
	if used == 0 || q == 2 && top == 0 || top == 0 && dropped {
		return
	}
	invariant.Check(q == 2 || math.Abs(unit-1) <= unitSlack*max(1, math.Abs(power)), "sum theta^%g = %.15g at p = %g", power, unit, p)
	if top > 0 {
		invariant.Check(math.Abs(energy-length*length) <= unitSlack*length*length, "sum theta V = %.15g, ||v||^2 = %.15g", energy, length*length)
	}
}
