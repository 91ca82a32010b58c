package kernelspec

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// stream separates the generator of @random from others with the same seed. Its bytes are
// "feature\0", read as a little-endian number.
const stream = 0x0065727574616566

// sampler draws sets of distinct features. The algorithm is part of the model format and never
// changes, because a model stores the text of a specification and not the sets:
//
//   - The generator is PCG-DXSM of math/rand/v2, NewPCG(Seed, stream + i), where i is the 0-based
//     position of the specification in the list.
//   - A number below n is the high word of the 128-bit product x*n of a draw x; x is drawn again
//     while the low word is less than 2^64 mod n (Lemire, ACM TOMACS 29(1), 2019).
//   - A set of k out of d comes from Floyd's algorithm (Bentley and Floyd, CACM 30(9), 1987): for
//     j = d-k, ..., d-1 draw t below j+1 and take t, or j if t is in the set already. Then the set
//     is sorted.
type sampler struct {
	pcg *rand.PCG
	d   int
	// stamp[f] equals round if f is in the current set. It is nil for very many features.
	stamp []uint32
	round uint32
	// taken replaces stamp for very many features.
	taken map[int32]struct{}
}

// stampLimit is the largest number of features for which membership is stored in an array.
const stampLimit = 1 << 22

func newSampler(seed uint64, position, d int) *sampler {
	s := &sampler{pcg: rand.NewPCG(seed, stream+uint64(position)), d: d}
	if d <= stampLimit {
		s.stamp = make([]uint32, d)
	} else {
		s.taken = map[int32]struct{}{}
	}
	return s
}

// below draws a number from 0 to n-1. The argument must be positive.
func (s *sampler) below(n uint64) uint64 {
	hi, lo := bits.Mul64(s.pcg.Uint64(), n)
	if lo < n { // The threshold is below n, so the division is rare.
		for threshold := -n % n; lo < threshold; {
			hi, lo = bits.Mul64(s.pcg.Uint64(), n)
		}
	}
	return hi
}

// take adds f to the current set and reports whether it was new.
func (s *sampler) take(f int32) bool {
	if s.stamp == nil {
		_, old := s.taken[f]
		s.taken[f] = struct{}{}
		return !old
	}
	old := s.stamp[f] == s.round
	s.stamp[f] = s.round
	return !old
}

// fill draws a set of len(dst) features, ascending. The length must not exceed d.
func (s *sampler) fill(dst []int32) {
	clear(s.taken)
	s.round++ // It never wraps, as at most 2^31 sets are drawn.
	for i := range dst {
		j := s.d - len(dst) + i
		t := int32(s.below(uint64(j) + 1))
		if !s.take(t) {
			t = int32(j)
			s.take(t)
		}
		dst[i] = t
	}
	slices.Sort(dst)
}
