package kernels

import (
	"math/bits"

	"bigmkl/dataset"
	"bigmkl/internal/kernelspec"
)

// String kernels see features as letters: letter j of a sequence is feature j, and its value is
// the code of the letter in the alphabet of the data. A value that is not a code means a place
// without a letter.

// text is what a group of string kernels looks at: the letters at some positions. All bases of the
// group are made from it in one pass.
type text struct {
	alphabet dataset.Alphabet
	planes   int     // bits of a letter
	places   []int32 // features in use, with -1 between two that do not lie side by side; nil: all
	layers   []layer
	shift    int // largest shift of a weighted degree kernel; unused by spectrum kernels
}

// layer is one base of the group: the words of one length.
type layer struct {
	length     int
	mismatches int
	near       []uint64 // differences to the words that a word counts for; nil: to itself alone
}

// newText returns the text of a kernel's group. It has no layers yet. Words must not reach over a
// gap between features, so -1 is in each.
func newText(b *kernelspec.Bank, k *kernelspec.Kernel) *text {
	t := &text{alphabet: b.Letters.Letters(), planes: b.Letters.Planes(), shift: int(k.Shift)}
	if k.Set < 0 {
		return t
	}
	last := int32(-1)
	for i, j := range b.Sets[k.Set] {
		// A gap between two features breaks every word that would span it.
		if i > 0 && j != last+1 {
			t.places = append(t.places, -1)
		}
		t.places = append(t.places, j)
		last = j
	}
	return t
}

// layer returns the number of the layer that the kernel is a function of, and adds it if it is
// new.
func (t *text) layer(k *kernelspec.Kernel) int {
	l := layer{length: k.Degree, mismatches: int(k.Mismatches)}
	for i := range t.layers {
		// Kernels of the group that differ in nothing else share a base.
		if t.layers[i].length == l.length && t.layers[i].mismatches == l.mismatches {
			return i
		}
	}
	if l.mismatches > 0 {
		l.near = neighbours(l.length, l.mismatches)
	}
	t.layers = append(t.layers, l)
	return len(t.layers) - 1
}

// neighbours lists the words that differ from a word of k letters in at most m places. They are
// given as differences in 2 bits a letter, to be combined with the word by exclusive or.
func neighbours(k, m int) []uint64 {
	out := []uint64{0}
	for from, length := 0, 0; length < m; length++ {
		to := len(out)
		// A new difference comes at a later letter than all before, so no word is listed twice.
		for _, x := range out[from:to] {
			for at := (bits.Len64(x) + 1) / 2; at < k; at++ {
				for d := uint64(1); d < 4; d++ {
					out = append(out, x|d<<(2*at))
				}
			}
		}
		from = to
	}
	return out
}

// length is the number of letters of points of d features.
func (t *text) length(d int) int {
	if t.places != nil {
		return len(t.places)
	}
	return d
}
