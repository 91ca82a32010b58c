package gradient

import "math"

// The columns of a quadratic model are most of what ranks send. In single precision their numbers are
// sums of float32 that are added up in float64, and where a set has no more than 64 kernels they are still
// float32. Such numbers travel in half the bytes and come back with the same bits.

// appendNarrow appends numbers to a frame: a 1 and pairs of float32 where these have the same values, and
// otherwise a 0 and the numbers as they are.
func appendNarrow(frame, list []float64) []float64 {
	for _, x := range list {
		if float64(float32(x)) != x {
			return append(append(frame, 0), list...)
		}
	}
	frame = append(frame, 1)
	for k := 0; k < len(list); k += 2 {
		second := float32(0)
		if k+1 < len(list) {
			second = float32(list[k+1])
		}
		pair := uint64(math.Float32bits(float32(list[k]))) | uint64(math.Float32bits(second))<<32
		frame = append(frame, math.Float64frombits(pair))
	}
	return frame
}

// takeNarrow sets a list to the next numbers of a rank, which appendNarrow has written.
func (n *numbers) takeNarrow(rank int, list []float64) {
	if n.take(rank, 1)[0] == 0 {
		copy(list, n.take(rank, len(list)))
		return
	}
	for k, pair := range n.take(rank, (len(list)+1)/2) {
		bits := math.Float64bits(pair)
		list[2*k] = float64(math.Float32frombits(uint32(bits)))
		if 2*k+1 < len(list) {
			list[2*k+1] = float64(math.Float32frombits(uint32(bits >> 32)))
		}
	}
}
