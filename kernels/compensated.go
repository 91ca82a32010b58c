package kernels

import "math"

// compensated is a sum with what rounding has taken from it (Neumaier 1974).
type compensated struct{ high, low float64 }

// add adds a number.
func (c *compensated) add(x float64) {
	sum := c.high + x
	if math.Abs(c.high) >= math.Abs(x) {
		c.low += (c.high - sum) + x
	} else {
		c.low += (x - sum) + c.high
	}
	c.high = sum
}

// addProduct adds a product with its own rounding.
func (c *compensated) addProduct(x, y float64) {
	p := x * y
	c.add(p)
	c.low += math.FMA(x, y, -p)
}

// value is the sum.
func (c *compensated) value() float64 { return c.high + c.low }
