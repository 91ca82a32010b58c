package kernels

import (
	"math/bits"
	"slices"

	"bigmkl/internal/simd"
)

// Spectrum kernels are products of counts of words. A row is the list of its words with their counts; a panel of short words
// is a table of the counts of all there are, so that a row is a sparse product with it; a panel of longer words is a hash table of
// those that occur. A word with mismatches counts for all its neighbours, on both sides (Leslie et al., Bioinformatics 20, 2004).
// Counts are whole numbers, and so are their products, up to 2^24 in single and 2^53 in double precision.

// shortBits is the bits of a word up to which a panel counts all words.
const shortBits = 12

// countedBits is the bits of a word up to which the words of a row are counted in a table.
const countedBits = 16

// short tells whether a panel counts all words of a layer.
func (t *text) short(l int) bool { return t.planes*t.layers[l].length <= shortBits }

// each visits the words of a layer that a sequence has, and their neighbours. Words do not reach over places without a letter.
func (t *text) each(l int, code []uint8, visit func(word uint64)) {
	layer := &t.layers[l]
	all := ^uint64(0) >> (64 - t.planes*layer.length)
	word, have := uint64(0), 0
	for _, c := range code {
		if c == 0 {
			have = 0
			continue
		}
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

// profile is the words of rows with their counts: those of row i are start[i] to start[i+1]-1, padded to whole strands if short.
type profile[T simd.Real] struct {
	start []int
	index []int32  // short words,
	word  []uint64 // or longer ones
	value []T
}

// counter counts words of one row.
type counter struct {
	table []int32
	list  []uint64
}

// make lists the words of a layer in all rows. self gets the sums of squares.
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
		for t.short(l) && len(p.value)%simd.Padded(1) != 0 {
			p.index, p.value = append(p.index, 0), append(p.value, 0)
		}
		p.start = append(p.start, len(p.value))
	}
}

// count visits the distinct words of a sequence with their counts. Their order depends on the sequence alone.
func (c *counter) count(t *text, l int, code []uint8, visit func(word uint64, n int32)) {
	c.list = c.list[:0]
	size := t.planes * t.layers[l].length
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
	slices.Sort(c.list)
	for i := 0; i < len(c.list); {
		from := i
		for i < len(c.list) && c.list[i] == c.list[from] {
			i++
		}
		visit(c.list[from], int32(i-from))
	}
}

// lexicon is the words of a panel.
type lexicon[T simd.Real] struct {
	panel   []T      // short words: [word][32]
	bloom   []uint64 // longer ones: bits of those that may occur,
	keys    []uint64 // a hash table of them,
	heads   []int32  // where the entries of each begin, 0 if there is none,
	entries []entry  // from 1 on, those of a word by falling lanes
	used    int      // places of the table
	shift   int
}

// entry is how often a word occurs in a lane.
type entry struct {
	next, lane, count int32
}

const bloomBits = 1 << 18

// make enters the words of a layer in all points. self gets the sums of squares.
func (x *lexicon[T]) make(t *text, l int, text *letters, points int, self []T) {
	if t.short(l) {
		x.panel = grow(x.panel, simd.Width<<(t.planes*t.layers[l].length))
		clear(x.panel)
		for i := range points {
			square := 0.0
			t.each(l, text.of(i), func(word uint64) {
				n := &x.panel[word*simd.Width+uint64(i)]
				square += float64(2**n + 1)
				*n++
			})
			self[i] = T(square)
		}
		return
	}
	x.resize(bits.Len(uint(2*min(points*text.length, usualWords) + 2)))
	x.entries = append(x.entries[:0], entry{})
	x.bloom = grow(x.bloom, bloomBits/64)
	clear(x.bloom)
	for i := range points {
		square := 0.0
		t.each(l, text.of(i), func(word uint64) { square += float64(2*x.add(word, int32(i)) - 1) })
		self[i] = T(square)
	}
}

// Multipliers of the hash functions: the golden ratio, and a number of Knuth's.
const (
	golden = 0x9e3779b97f4a7c15
	other  = 0x5851f42d4c957f2d
)

// usualWords is the number of words that a table begins with room for.
const usualWords = 1 << 14

// resize empties the table and gives it 2^size places.
func (x *lexicon[T]) resize(size int) {
	x.used, x.shift = 0, 64-size
	x.keys, x.heads = grow(x.keys, 1<<size), grow(x.heads, 1<<size)
	clear(x.heads)
}

// double makes the table twice as large.
func (x *lexicon[T]) double() {
	keys, heads := x.keys, x.heads
	x.keys, x.heads = nil, nil
	x.resize(64 - x.shift + 1)
	for i, head := range heads {
		if head != 0 {
			x.set(x.place(keys[i]), keys[i], head)
		}
	}
}

// place is where a word is in the table, or would be.
func (x *lexicon[T]) place(word uint64) uint64 {
	at := word * golden >> x.shift
	for x.heads[at] != 0 && x.keys[at] != word {
		at = (at + 1) & uint64(len(x.heads)-1)
	}
	return at
}

func (x *lexicon[T]) set(at, word uint64, head int32) {
	if x.heads[at] == 0 {
		x.used++
	}
	x.keys[at], x.heads[at] = word, head
}

// add counts a word in a lane, which does not fall, and returns the count.
func (x *lexicon[T]) add(word uint64, lane int32) int32 {
	if 2*x.used >= len(x.heads) {
		x.double()
	}
	at := x.place(word)
	head := x.heads[at]
	if e := &x.entries[head]; head != 0 && e.lane == lane {
		e.count++
		return e.count
	}
	b := word * other >> (64 - 18)
	x.bloom[b/64] |= 1 << (b % 64)
	x.set(at, word, int32(len(x.entries)))
	x.entries = append(x.entries, entry{head, lane, 1})
	return 1
}

// find gives the first entry of a word, 0 if there is none.
func (x *lexicon[T]) find(word uint64) int32 {
	b := word * other >> (64 - 18)
	if x.bloom[b/64]>>(b%64)&1 == 0 {
		return 0
	}
	return x.heads[x.place(word)]
}

// wordBase is the kernels of rows from..from+count-1 with a panel: [layer][count][32].
func (e *Evaluator[T]) wordBase(dst []T, g *Group, r *Rows[T], from, count int, c *Columns[T]) {
	for l := range g.text.layers {
		p, x := &r.profiles[l], &c.lexica[l]
		for i := range count {
			first, last := p.start[from+i], p.start[from+i+1]
			row := dst[(l*count+i)*simd.Width:][:simd.Width]
			if g.text.short(l) {
				simd.SparseDot(row, p.index[first:last], p.value[first:last], x.panel)
				continue
			}
			var sum [simd.Width]float64
			for k, word := range p.word[first:last] {
				for at := x.find(word); at != 0; at = x.entries[at].next {
					n := &x.entries[at]
					sum[n.lane&(simd.Width-1)] += float64(p.value[first+k]) * float64(n.count)
				}
			}
			for j, v := range sum {
				row[j] = T(v)
			}
		}
	}
}
