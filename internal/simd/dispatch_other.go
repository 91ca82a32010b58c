//go:build !amd64

package simd

// Architectures without assembly use plain Go throughout.

func dot[T Real](dst, a, x []T, k int)             { dotGo(dst, a, x, k) }
func dotAhead[T Real](dst, a, x []T, k int, _ []T) { dotGo(dst, a, x, k) }
func squaredDiff[T Real](dst, a, x []T, k int)     { squaredDiffGo(dst, a, x, k) }
func absDiff[T Real](dst, a, x []T, k int)         { absDiffGo(dst, a, x, k) }
func chiSquare[T Real](dst, a, x []T, k int)       { chiSquareGo(dst, a, x, k) }
func minSum[T Real](dst, a, x []T, k int)          { minSumGo(dst, a, x, k) }

func distanceFromDot[T Real](t, na, nx []T) { distanceFromDotGo(t, na, nx) }

func exp[T Real](dst, src []T, scale T)                       { expGo(dst, src, scale) }
func power[T Real](dst, src []T, gamma, coef T, degree int)   { powerGo(dst, src, gamma, coef, degree) }
func tanh[T Real](dst, src []T, gamma, coef T)                { tanhGo(dst, src, gamma, coef) }
func addTo[T Real](dst []float64, src []T, scale float64)     { addToGo(dst, src, scale) }
func addRows[T Real](acc, k, coef []T)                        { addRowsGo(acc, k, coef) }
func expAddRows[T Real](acc, base, coef []T, scale T)         { expAddRowsGo(acc, base, coef, scale) }
func shiftPanel[T Real](dst []T, src, shift []float32, k int) { shiftGo(dst, src, shift, k) }

// best is the highest level this processor supports.
func best() level { return levelGo }
