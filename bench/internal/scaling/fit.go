package scaling

import "math"

// powerLaw is the law y = factor * x^exponent.
type powerLaw struct {
	// points is the number of points of the fit, 0 if there is no law.
	exponent, factor float64
	// quality is the share of the variance of log y that the law explains, from 0 to 1.
	quality float64
	points  int
}

// fitPower fits a power law by least squares in logarithms. It leaves out points that are not
// positive. With fewer than two different x there is no law, and points is 0. In logarithms, times of
// all sizes have the same weight relative to their value.
func fitPower(x, y []float64) powerLaw {
	var u, v []float64
	for i := range x {
		if x[i] > 0 && y[i] > 0 {
			u, v = append(u, math.Log(x[i])), append(v, math.Log(y[i]))
		}
	}
	n := float64(len(u))
	// The means are taken first, since sums of squares of logarithms would cancel.
	var mu, mv float64
	for i := range u {
		mu, mv = mu+u[i]/n, mv+v[i]/n
	}
	var uu, uv, vv float64
	for i := range u {
		uu += (u[i] - mu) * (u[i] - mu)
		uv += (u[i] - mu) * (v[i] - mv)
		vv += (v[i] - mv) * (v[i] - mv)
	}
	if uu == 0 {
		return powerLaw{}
	}
	// A constant y has no variance to explain, and the law of exponent 0 explains it wholly.
	f := powerLaw{exponent: uv / uu, quality: 1, points: len(u)}
	f.factor = math.Exp(mv - f.exponent*mu)
	if vv > 0 {
		f.quality = uv * uv / (uu * vv)
	}
	return f
}

// at returns the value of the law at x.
func (f powerLaw) at(x float64) float64 { return f.factor * math.Pow(x, f.exponent) }
