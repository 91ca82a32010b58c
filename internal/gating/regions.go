package gating

import "math"

// Regions are Gaussian gates that share the weight 1 of every point among them,
//
//	rho_r(x) = exp(-|z - mu_r|^2 / s_r^2) / sum_h exp(-|z - mu_h|^2 / s_h^2)    (eq. 3.4)
//
// for the gating features z of x. Far from all but one centre the others are exactly 0.
type Regions struct {
	*Features
	// Centres has mu_r, region by region, and Spreads has s_r > 0. Both are in units of the
	// standardised features.
	Centres, Spreads []float64
}

// Len returns the number of regions.
func (r *Regions) Len() int { return len(r.Spreads) }

// Values writes rho_r of every region to rho, for a point with the gating features z.
func (r *Regions) Values(z, rho []float64) {
	d, least := len(z), math.Inf(1)
	for k, s := range r.Spreads {
		rho[k] = squaredDistance(z, r.Centres[k*d:(k+1)*d]) / (s * s)
		least = min(least, rho[k])
	}
	// With the least exponent taken off, one term is 1 and no sum is 0.
	sum := 0.0
	for k, x := range rho {
		rho[k] = math.Exp(least - x)
		sum += rho[k]
	}
	for k := range rho {
		rho[k] /= sum
	}
}

// squaredDistance returns |a - b|^2.
func squaredDistance(a, b []float64) float64 {
	sum := 0.0
	for j, x := range a {
		sum += (x - b[j]) * (x - b[j])
	}
	return sum
}
