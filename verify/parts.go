package verify

// parts are what the values of a column are made of.
type parts struct {
	v, rough    []float64 // V_m, which may be below 0, and what it may be off by
	energy, off float64   // 1/2 sum_m theta_m V_m, and what it may be off by
	loss, slack float64   // the same of the loss
	square      float64   // |alpha_c|^2/C
}

// around is the span of a value that has the energy for a part.
func (c *parts) around(x float64) span { return span{x - c.off, x + c.off} }

// lossSpan is what the loss may be.
func (c *parts) lossSpan() span { return span{max(0, c.loss-c.slack), c.loss + c.slack} }
