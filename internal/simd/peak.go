package simd

// MultiplyAdds does nothing but multiply-adds that do not wait for each other, in rounds of about 60 clock cycles, and
// gives the number of floating-point operations it has done, two for each multiply-add. It measures what the other
// routines can reach at most at this level.
func MultiplyAdds[T Real](rounds int) (flops int) {
	var x [peakChains * peakLanes]T
	for left := rounds; left > 0; left -= peakRounds {
		multiplyAdds(x[:], min(left, peakRounds))
	}
	return rounds * 2 * peakChains * peakSteps * lanes[T]()
}
