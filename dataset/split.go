package dataset

import (
	"io"
	"math/rand/v2"
)

// RandomOrder returns the numbers 0..n-1 in a random order that the seed draws. The stream of random numbers is part of the bits of
// a model.
func RandomOrder(n int, seed uint64) []int {
	return rand.New(rand.NewPCG(seed, 0x636f6e666f726d)).Perm(n) // the letters of "conform"
}

// HeldOut marks a share of n rows at random, at least one and not all of several.
func HeldOut(n int, share float64, seed uint64) []bool {
	held := make([]bool, n)
	for _, i := range RandomOrder(n, seed)[:CountHeldOut(n, share)] {
		held[i] = true
	}
	return held
}

// CountHeldOut returns the number of rows that HeldOut marks.
func CountHeldOut(n int, share float64) int {
	return max(min(max(int(share*float64(n)+0.5), 1), n-1), 0)
}

// Without returns the rows of a source that are not marked. With ends it ends where the marks end, and else further rows follow.
func Without(src Source, held []bool, ends bool) Source { return &without{src, held, ends} }

type without struct {
	src  Source
	held []bool // of the rows that are to come
	ends bool
}

// Next implements Source.
func (w *without) Next() (Row, error) {
	for len(w.held) > 0 || !w.ends {
		r, err := w.src.Next()
		if err != nil || len(w.held) == 0 {
			return r, err
		}
		held := w.held[0]
		if w.held = w.held[1:]; !held {
			return r, nil
		}
	}
	return Row{}, io.EOF
}
