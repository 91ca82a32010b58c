package simd

// These constants give the shape of a round of MultiplyAdds: independent chains, each of dependent
// steps. The generator has the same constants.
const (
	peakChains = 12
	peakSteps  = 10
	// peakLanes is the number of lanes of the widest vector.
	peakLanes = 16
	// peakRounds is the number of rounds in one call of assembly, during which a goroutine cannot
	// be preempted.
	peakRounds = 1000
)

// multiplyAddsGo does the same as multiplyAdds without vectors. The compiler may fuse a step or
// not, because no digit of the result matters.
func multiplyAddsGo[T Real](dst []T, rounds int) {
	var a, b, c, d, e, f, g, h, i, j, k, l T
	for range rounds {
		for range peakSteps {
			a, b, c, d, e, f = a/2+1, b/2+1, c/2+1, d/2+1, e/2+1, f/2+1
			g, h, i, j, k, l = g/2+1, h/2+1, i/2+1, j/2+1, k/2+1, l/2+1
		}
	}
	copy(dst, []T{a, b, c, d, e, f, g, h, i, j, k, l})
}
