// Package holdout draws the rows that a training leaves out. A model records the share and the seed alone, so `verify`
// draws the same rows again: what is drawn must never change.
package holdout

import "math/rand/v2"

// Order returns the numbers 0..n-1 in a random order that the seed draws. The stream of random numbers is part of the bits of
// a model.
func Order(n int, seed uint64) []int {
	return rand.New(rand.NewPCG(seed, 0x636f6e666f726d)).Perm(n) // the letters of "conform"
}

// Mark marks a share of n rows at random, at least one and not all of several.
func Mark(n int, share float64, seed uint64) []bool {
	held := make([]bool, n)
	for _, i := range Order(n, seed)[:Count(n, share)] {
		held[i] = true
	}
	return held
}

// Count returns the number of rows that Mark marks.
func Count(n int, share float64) int {
	return max(min(max(int(share*float64(n)+0.5), 1), n-1), 0)
}
