package kernels

import (
	"math"

	"bigmkl/internal/simd"
)

// centredNothing is the share of what it is summed of below which k(x,x) is rounding alone once it
// is centred: x then lies at the mean.
const centredNothing = 1e-9

// centreSelves centres k(x,x) of some points.
func centreSelves[T simd.Real](c *centring, self []T, means []float64) {
	for i, m := range means {
		k, whole := float64(self[i]), c.mean
		v := k - 2*m + whole
		if !(v > centredNothing*(math.Abs(k)+2*math.Abs(m)+math.Abs(whole))) {
			v = 0
		}
		self[i] = T(v)
	}
}

// centreValues centres the values of rows against 32 columns.
func centreValues[T simd.Real](c *centring, dst []T, rows []float64, columns *[simd.Width]float64) {
	for i, m := range rows {
		less := m - c.mean
		part := dst[i*simd.Width : (i+1)*simd.Width]
		for j := range part {
			part[j] = T(float64(part[j]) - less - columns[j])
		}
	}
}
