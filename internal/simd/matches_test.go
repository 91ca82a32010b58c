package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// randomText draws the bits of sequences of so many words: places that have a letter, in most cases, and letters.
func randomText(r *rand.Rand, words, planes, sequences int) []uint64 {
	out := make([]uint64, words*(planes+1)*sequences)
	for i := range out {
		out[i] = r.Uint64() & r.Uint64()
		if i/sequences%(planes+1) == planes {
			out[i] = r.Uint64() | r.Uint64() | r.Uint64()
		}
	}
	return out
}

// TestMatches compares every instruction set with letters that are compared one by one.
func TestMatches(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, 0))
	for l := levelGo; l <= best(); l++ {
		restore := use(l)
		for _, c := range [][3]int{{1, 2, 5}, {7, 2, 20}, {2, 8, 300}, {3, 1, 1}, {1, 0, 70}} {
			words, planes, most := c[0], c[1], c[2]
			x, z := randomText(r, words, planes, 1), randomText(r, words, planes, Width)
			same := func(i, lane int) bool {
				for p := range planes + 1 {
					at := i/64*(planes+1) + p
					a, b := x[at]>>(i%64)&1, z[at*Width+lane]>>(i%64)&1
					if a != b || p == planes && a == 0 {
						return false
					}
				}
				return true
			}
			if planes == 2 { // a few long words
				for at := range x {
					z[at*Width+3] = x[at]
				}
			}
			counts := make([]int64, most*Width)
			Matches(counts, x, z, make([]uint64, MatchScratch(words)), planes)
			for lane := range Width {
				want, run := make([]int64, most), 0
				for i := range 64 * words {
					if run++; !same(i, lane) {
						run = 0
					}
					for k := range min(run, most) {
						want[k]++
					}
				}
				got := make([]int64, most)
				for k := range got {
					got[k] = counts[k*Width+lane]
				}
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, %s, %v, lane %d: %v, letter by letter %v", seed, levelNames[l], c, lane, got, want)
				}
			}
		}
		restore()
	}
}
