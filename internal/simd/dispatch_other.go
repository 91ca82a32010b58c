//go:build !amd64

package simd

// Architectures without assembly use plain Go for every routine.

func dot[T Real](dst, a, x []T, k, blocks int) {
	eachBlock(dst, a, k, blocks, func(dst, a []T) { dotGo(dst, a, x, k) })
}
func dotMore[T Real](dst, a, x []T, k int, _ []T) { dotMoreGo(dst, a, x, k) }
func squaredDiff[T Real](dst, a, x []T, k, blocks int) {
	eachBlock(dst, a, k, blocks, func(dst, a []T) { squaredDiffGo(dst, a, x, k) })
}
func absDiff[T Real](dst, a, x []T, k, blocks int) {
	eachBlock(dst, a, k, blocks, func(dst, a []T) { absDiffGo(dst, a, x, k) })
}
func chiSquare[T Real](dst, a, x []T, k, blocks int) {
	eachBlock(dst, a, k, blocks, func(dst, a []T) { chiSquareGo(dst, a, x, k) })
}
func minSum[T Real](dst, a, x []T, k, blocks int) {
	eachBlock(dst, a, k, blocks, func(dst, a []T) { minSumGo(dst, a, x, k) })
}

func distance[T Real](dst, a, x []T, k, blocks int, na, nx []T) {
	distanceGo(dst, a, x, k, blocks, na, nx)
}
func distanceFromDot[T Real](t, na, nx []T) { distanceFromDotGo(t, na, nx) }

func exp[T Real](dst, src []T, scale float64) { expGo(dst, src, scale) }
func power[T Real](dst, src []T, gamma, coef T,
	degree int) {
	powerGo(dst, src, gamma, coef, degree)
}
func tanh[T Real](dst, src []T, gamma, coef T)            { tanhGo(dst, src, gamma, coef) }
func addTo[T Real](dst []float64, src []T, scale float64) { addToGo(dst, src, scale) }

func addRows[T Real](g []float64, k, coef []T, weight float64) { addRowsGo(g, k, coef, weight) }
func squareRows[T Real](g []float64, k, coef []T,
	weight float64) {
	squareRowsGo(g, k, coef, weight)
}
func expRows[T Real](g []float64, base, coef []T, scale, w []float64) {
	expRowsGo(g, base, coef, scale, w)
}
func expSum[T Real](dst, base []T, scale, weight []float64) {
	expSumGo(dst, base, scale,
		weight)
}
func expm1[T Real](dst, src []T, scale float64) { expm1Go(dst, src, scale) }
func expm1Twice[T Real](dst, src []T)           { expm1TwiceGo(dst, src) }
func expm1TwiceRows[T Real](g []float64, k, coef []T, weight float64) {
	expm1TwiceRowsGo(g, k, coef, weight)
}
func expm1Rows[T Real](g []float64, base, coef []T, scale, weight []float64) {
	expm1RowsGo(g, base, coef, scale, weight)
}
func expm1Sum[T Real](dst, base []T, scale, weight []float64) {
	expm1SumGo(dst, base, scale, weight)
}
func addScaled[T Real](dst, src []T, weight T) { addScaledGo(dst, src, weight) }
func combine(g, alpha, part, theta, sum []float64) {
	combineGo(g, alpha, part, theta,
		sum)
}
func shiftPanel[T Real](dst []T, src, shift []float32, k int) { shiftGo(dst, src, shift, k) }
func gather[T Real](dst []T, src, shift []float32,
	index []int32) {
	gatherGo(dst, src, shift, index)
}
func columnSquares[T Real](dst, x []T, k int) { squaresGo(dst, x, k) }
func rowSquares[T Real](dst, a []T, k int)    { squaresGo(dst, a, k) }
func copyAhead[T Real](dst, src []T)          { copy(dst, src) }
func sparseDot[T Real](dst []T, index []int32, value,
	x []T) {
	sparseDotGo(dst, index, value, x)
}
func pairDots[T Real](dst, x, y []T, a, b []int32, k int) { pairDotsGo(dst, x, y, a, b, k) }
func sparseSquare[T Real](dst, value []T)                 { sparseSquareGo(dst, value) }

// best returns the highest level that this processor supports.
func best() level { return levelGo }

func matches(counts []int64, x, z, m []uint64, words, planes int) {
	matchesGo(counts, x, z, m, words, planes)
}

func evaluate[T Real](dst, src []T, p *Pieces[T]) { evaluateGo(dst, src, p) }

func extremes(l *laneBests, gain, grow, shrink []float64) { extremesGo(l, gain, grow, shrink) }
func partner(l *laneBests, gain, shrink, diagonal, row []float64, best, own, least float64) {
	partnerGo(l, gain, shrink, diagonal, row, best, own, least)
}
func movePair(gain, a, b []float64, step float64) { movePairGo(gain, a, b, step) }
