package kernels

import (
	"slices"

	"bigmkl/internal/simd"
)

// Spectrum kernels are products of word counts: k(x, z) = sum_w n_w(x) n_w(z) over all words w of
// k letters. The rows of a tile are lists of words with their counts. A panel of short words is a
// table of the counts of all words that exist, so a row is a sparse product with it; a panel of
// longer words is a hash table of those that occur. A word with mismatches counts for all its
// neighbours, on both sides (Leslie et al., Bioinformatics 20, 2004). Counts are whole numbers and
// so are their products, so sums are exact in every order below 2^24 in single and 2^53 in double
// precision.

// shortBits is the number of bits of a word up to which a panel counts all words that exist. The
// table then has at most 4,096 rows of 32 counts: 512 KiB in float32, which the second-level cache
// holds.
const shortBits = 12

// countedBits is the number of bits of a word up to which the words of a row are counted in a
// table. Longer words are sorted, because a table would be larger than the sequence by far.
const countedBits = 16

// short reports whether a panel counts all words of layer l.
func (t *text) short(l int) bool { return t.planes*t.layers[l].length <= shortBits }

// each visits the words of layer l that a sequence has, and the neighbours that they count for. A
// place without a letter ends a word.
func (t *text) each(l int, code []uint8, visit func(word uint64)) {
	layer := &t.layers[l]
	all := ^uint64(0) >> (64 - t.planes*layer.length)
	word, have := uint64(0), 0
	for _, c := range code {
		if c == 0 {
			have = 0
			continue
		}
		// The word of the last k letters slides along the sequence: one letter comes in and one
		// goes out.
		word = (word<<t.planes | uint64(c-1)) & all
		if have++; have < layer.length {
			continue
		}
		if layer.near == nil {
			visit(word)
			continue
		}
		for _, d := range layer.near {
			visit(word ^ d)
		}
	}
}

// profile is the words of some rows with their counts: those of row i have the numbers start[i] to
// start[i+1]-1. Short words are padded with counts of zero for simd.SparseDot.
//
// The counts of T are exact below 2^24 in float32.
type profile[T simd.Real] struct {
	start []int
	index []int32  // the words, if they are short
	word  []uint64 // the words, if they are longer
	value []T      // their counts
}

// make lists the words of layer l in all rows. It sets self to the sums of the squared counts,
// which are the values of the kernel of each row with itself.
func (p *profile[T]) make(t *text, l int, text *letters, c *counter, self []T) {
	p.start, p.index, p.word, p.value = append(p.start[:0], 0), p.index[:0], p.word[:0], p.value[:0]
	for i := range self {
		square := 0.0
		c.count(t, l, text.of(i), func(word uint64, n int32) {
			if p.value = append(p.value, T(n)); t.short(l) {
				p.index = append(p.index, int32(word))
			} else {
				p.word = append(p.word, word)
			}
			square += float64(n) * float64(n)
		})
		self[i] = T(square)
		// The padding counts word 0 zero times.
		for t.short(l) && len(p.value)%simd.Padded(1) != 0 {
			p.index, p.value = append(p.index, 0), append(p.value, 0)
		}
		p.start = append(p.start, len(p.value))
	}
}

// counter is the scratch memory of counting the words of one row. The table is all zero between two
// rows.
type counter struct {
	table []int32
	list  []uint64
}

// count visits the distinct words of a sequence with their counts. Their order depends on the
// sequence alone, so a row has the same bits wherever it is made.
func (c *counter) count(t *text, l int, code []uint8, visit func(word uint64, n int32)) {
	c.list = c.list[:0]
	size := t.planes * t.layers[l].length
	// The list names the words in the order in which they occur first, and lets the table be
	// cleared without going over all of it.
	if size <= countedBits {
		if len(c.table) < 1<<size {
			c.table = make([]int32, 1<<size)
		}
		t.each(l, code, func(word uint64) {
			if c.table[word]++; c.table[word] == 1 {
				c.list = append(c.list, word)
			}
		})
		for _, word := range c.list {
			visit(word, c.table[word])
			c.table[word] = 0
		}
		return
	}
	t.each(l, code, func(word uint64) { c.list = append(c.list, word) })
	// Equal words stand together once they are sorted.
	slices.Sort(c.list)
	for i := 0; i < len(c.list); {
		from := i
		for i < len(c.list) && c.list[i] == c.list[from] {
			i++
		}
		visit(c.list[from], int32(i-from))
	}
}
