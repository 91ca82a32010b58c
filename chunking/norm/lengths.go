package norm

import "math"

// VectorNorm is the p-norm of numbers that are not negative, for p in [1, inf]. It divides by the
// largest first, so nothing overflows.
func VectorNorm(v []float64, p float64) float64 {
	top := 0.0
	for _, x := range v {
		top = max(top, x)
	}
	if top == 0 || math.IsInf(p, 1) {
		return top
	}
	s := 0.0
	for _, x := range v {
		if x > 0 {
			s += math.Pow(x/top, p)
		}
	}
	return top * math.Pow(s, 1/p)
}

// WeightNorm is the norm of weights that goes with the block norm p: its exponent is p/(2-p), which
// for p > 2 is negative, and for p = 2 infinite. Weights of 0 are left out of it.
func WeightNorm(x []float64, p float64) float64 {
	switch {
	case p == 2:
		return VectorNorm(x, math.Inf(1))
	case p < 2:
		return VectorNorm(x, p/(2-p))
	}
	r := -1.0
	if !math.IsInf(p, 1) {
		r = p / (2 - p)
	}
	// With a negative exponent the least weight has the largest power: it is divided by here.
	s, least := 0.0, math.Inf(1)
	for _, t := range x {
		if t > 0 {
			least = min(least, t)
		}
	}
	for _, t := range x {
		if t > 0 {
			s += math.Pow(t/least, r)
		}
	}
	if s == 0 {
		return 0
	}
	return least * math.Pow(s, 1/r)
}

// conjugate is the exponent of the dual norm: 1/p + 1/conjugate(p) = 1.
func conjugate(p float64) float64 {
	switch {
	case math.IsInf(p, 1):
		return 1
	case p == 1:
		return math.Inf(1)
	}
	q := p / (p - 1)
	// A p such as 4/3 is rounded, which moves q by up to q / (p - 1) units in the last place. A whole
	// number within that is what was meant, and its powers are products.
	if whole := math.Round(q); math.Abs(q-whole)*(p-1) <= q*0x1p-53 {
		return whole
	}
	return q
}

// weigh takes the squares u_m^2 of some lengths, where a number below 0 means none. It puts in
// their place the weights
//
//	theta_m = (u_m / ||u||)^(q-2),
//
// with ||u|| the q-norm, which it returns. A length of 0 has weight 0, except for q = 2, where all
// weights are 1.
func weigh(x []float64, q float64) float64 {
	top := 0.0
	for _, u := range x {
		top = max(top, u)
	}
	if q == 2 {
		s := 0.0
		for m, u := range x {
			x[m] = 1
			if u < 0 {
				x[m], u = 0, 0
			}
			s += u
		}
		return math.Sqrt(s)
	}
	if top == 0 {
		clear(x)
		return 0
	}
	// With r_m = u_m^2 / max: ||u||^2 = max (sum r^(q/2))^(2/q), theta_m = r_m^(q/2-1) (sum
	// r^(q/2))^((2-q)/q).
	s := 0.0
	for m, u := range x {
		x[m] = 0
		if r := u / top; r > 0 {
			x[m] = power(r, q/2-1)
			s += x[m] * r
		}
	}
	scale := math.Pow(s, (2-q)/q)
	for m := range x {
		x[m] *= scale
	}
	return math.Sqrt(top) * math.Pow(s, 1/q)
}

// power is r^e. The exponents of p = 4/3 and p = 2 are taken directly.
func power(r, e float64) float64 {
	switch e {
	case 0:
		return 1
	case 1:
		return r
	}
	return math.Pow(r, e)
}
