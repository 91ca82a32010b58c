package chunking

import "math"

// Certificate is the duality gap of one (alpha, theta, b), with what goes with it.
type Certificate struct {
	Primal, Dual, RelativeGap float64
	Bias                      float64
	// Rounding is the part of Primal that rounding may have added to the gap, of a result that was
	// not accepted: without it, Primal and Dual are the values that were computed.
	Rounding float64

	smooth    float64 // relative gap of the smoothed problem
	level     float64 // the bias at the theta in use, which scale may differ from
	violation float64 // largest violation of the optimality conditions by a pair of points
	scale     float64 // theta is reported divided by this
	linear    float64 // lin(alpha)
	energy    float64 // sum_m theta_m V_m
}

// NewCertificate gives the certificate of a primal and a dual value, without a bias.
func NewCertificate(primal, dual float64) Certificate {
	return Certificate{Primal: primal, Dual: dual, RelativeGap: relative(primal, dual)}
}

// relative is |P - D| / max(|P|, |D|), with 0/0 = 0. A dual value above the primal one is rounding,
// and as large as that.
func relative(primal, dual float64) float64 {
	if primal == dual {
		return 0
	}
	return math.Abs(primal-dual) / max(math.Abs(primal), math.Abs(dual))
}

// Gap is P - D. Progress is told by it: while the dual value is far off, the relative gap hardly
// falls.
func (c *Certificate) Gap() float64 { return c.RelativeGap * c.size() }

// size is what the relative gap is relative to.
func (c *Certificate) size() float64 { return max(math.Abs(c.Primal), math.Abs(c.Dual)) }
