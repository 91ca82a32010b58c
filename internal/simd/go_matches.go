package simd

import "math/bits"

// matchesGo is the plain Go version of Matches.
func matchesGo(counts []int64, x, z, m []uint64, words, planes int) {
	n := planes + 1
	m = m[:words+1]
	for lane := range Width {
		for w := range words {
			a, b := x[w*n:(w+1)*n], z[w*n*Width+lane:]
			differ := uint64(0)
			for p, v := range a[:planes] {
				differ |= v ^ b[p*Width]
			}
			m[w] = a[planes] & b[planes*Width] &^ differ
		}
		m[words] = 0
		for k := lane; k < len(counts); k += Width {
			n := 0
			for _, v := range m {
				n += bits.OnesCount64(v)
			}
			if counts[k] = int64(n); n == 0 {
				break
			}
			for w := range words {
				m[w] &= m[w]>>1 | m[w+1]<<63
			}
		}
	}
}
