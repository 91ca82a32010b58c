package simd

// MultiplyAdds executes multiply-adds that do not wait for each other, in rounds of about 60 clock
// cycles. It returns the number of floating-point operations, two for each multiply-add. It
// measures the upper limit of all other routines at this level.
func MultiplyAdds[T Real](rounds int) (flops int) {
	var x [peakChains * peakLanes]T
	for left := rounds; left > 0; left -= peakRounds {
		multiplyAdds(x[:], min(left, peakRounds))
	}
	return rounds * 2 * peakChains * peakSteps * lanes[T]()
}
