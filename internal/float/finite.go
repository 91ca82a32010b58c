// Package float holds what the arithmetic of floating-point numbers needs everywhere.
package float

import "math"

// Finite reports whether x is neither infinite nor NaN. It compares: x - x == 0 would be the same
// question, but where x is a product, Go may fuse both into one instruction (it does on arm64),
// which then shows the rounding of the product.
func Finite[T ~float32 | ~float64](x T) bool { return math.Abs(float64(x)) <= math.MaxFloat64 }

// Single reports whether a float32 holds x as it is, and x is not infinite.
func Single(x float64) bool { return float64(float32(x)) == x && !math.IsInf(x, 0) }
