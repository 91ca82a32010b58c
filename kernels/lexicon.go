package kernels

import (
	"math/bits"

	"bigmkl/internal/simd"
)

// lexicon is the words of a panel with their counts in each of its points. Short words index a
// table. Longer ones have a hash table with open addressing, behind a Bloom filter that answers for
// most of the words that do not occur. Entry 0 is unused, so 0 can mean that there is none.
type lexicon[T simd.Real] struct {
	panel   []T      // counts of short words: [word][32]
	bloom   []uint64 // one bit for each hash value of a word that occurs
	keys    []uint64 // the words of the hash table
	heads   []int32  // the first entry of each word in the table; 0: the place is free
	entries []entry  // entries of a word are linked by falling lanes
	used    int      // places of the table that are taken
	shift   int      // 64 less the binary logarithm of the number of places
}

// entry states how often a word occurs in the point of a lane.
type entry struct {
	next, lane, count int32
}

const (
	bloomBits  = 1 << bloomShift // 32 KiB: the filter stays in the first-level cache
	bloomShift = 18
)

// golden and knuth multiply the hashes of words in the table and in the filter: the golden ratio,
// and the multiplier of Knuth's generator MMIX. They differ, so words which collide in the one need
// not collide in the other.
const (
	golden = 0x9e3779b97f4a7c15
	knuth  = 0x5851f42d4c957f2d
)

// usualWords is the number of words that a table has room for at first.
const usualWords = 1 << 14

// make enters the words of layer l of all points. It sets self to the sums of the squared counts:
// each further count n of a word adds n^2 - (n-1)^2 = 2n - 1 to them.
func (x *lexicon[T]) make(t *text, l int, text *letters, points int, self []T) {
	if t.short(l) {
		x.panel = grow(x.panel, simd.Width<<(t.planes*t.layers[l].length))
		clear(x.panel)
		for i := range points {
			square := 0.0
			t.each(l, text.of(i), func(word uint64) {
				n := &x.panel[word*simd.Width+uint64(i)]
				// A further word takes the count from n to n+1, and its square up by 2n+1.
				square += float64(2**n + 1)
				*n++
			})
			self[i] = T(square)
		}
		return
	}
	// The table begins with room for all letters of the panel, or for usualWords if these are
	// fewer, and grows when it is half full.
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

// add counts a word in a lane and returns the count so far. Lanes must come in ascending order:
// the entry of a lane is then always the first of its word.
func (x *lexicon[T]) add(word uint64, lane int32) int32 {
	if 2*x.used >= len(x.heads) {
		x.double()
	}
	at := x.place(word)
	head := x.heads[at]
	// The word has occurred in this point before: its entry is the first of the list.
	if e := &x.entries[head]; head != 0 && e.lane == lane {
		e.count++
		return e.count
	}
	b := word * knuth >> (64 - bloomShift)
	x.bloom[b/64] |= 1 << (b % 64)
	x.set(at, word, int32(len(x.entries)))
	x.entries = append(x.entries, entry{head, lane, 1})
	return 1
}

// find returns the first entry of a word, or 0 if no point has the word.
func (x *lexicon[T]) find(word uint64) int32 {
	b := word * knuth >> (64 - bloomShift)
	if x.bloom[b/64]>>(b%64)&1 == 0 {
		return 0
	}
	return x.heads[x.place(word)]
}

// place returns where a word is in the table, or would be. The table is never more than half
// full, so the search ends.
func (x *lexicon[T]) place(word uint64) uint64 {
	at := word * golden >> x.shift
	for x.heads[at] != 0 && x.keys[at] != word {
		at = (at + 1) & uint64(len(x.heads)-1)
	}
	return at
}

// set enters a word at a place that place has returned.
func (x *lexicon[T]) set(at, word uint64, head int32) {
	if x.heads[at] == 0 {
		x.used++
	}
	x.keys[at], x.heads[at] = word, head
}

// resize empties the table and gives it 2^size places.
func (x *lexicon[T]) resize(size int) {
	x.used, x.shift = 0, 64-size
	x.keys, x.heads = grow(x.keys, 1<<size), grow(x.heads, 1<<size)
	clear(x.heads)
}

// double makes the table twice as large and enters its words again.
func (x *lexicon[T]) double() {
	keys, heads := x.keys, x.heads
	x.keys, x.heads = nil, nil
	x.resize(64 - x.shift + 1)
	// Entries stay where they are: only the places of their words change.
	for i, head := range heads {
		if head != 0 {
			x.set(x.place(keys[i]), keys[i], head)
		}
	}
}

// shortProducts writes the products of rows from..from+count-1 with the points of a panel,
// [count][32], for short words of one length.
func shortProducts[T simd.Real](dst []T, p *profile[T], x *lexicon[T], from, count int) {
	for i := range count {
		first, last := p.start[from+i], p.start[from+i+1]
		row := dst[i*simd.Width:][:simd.Width]
		simd.SparseDot(row, p.index[first:last], p.value[first:last], x.panel)
	}
}

// wordProducts is shortProducts for longer words.
func wordProducts[T simd.Real](dst []T, p *profile[T], x *lexicon[T], from, count int) {
	for i := range count {
		first, last := p.start[from+i], p.start[from+i+1]
		row := dst[i*simd.Width:][:simd.Width]
		// Sums are float64 whatever T is: whole numbers are then exact up to 2^53.
		var sum [simd.Width]float64
		for k, word := range p.word[first:last] {
			for at := x.find(word); at != 0; at = x.entries[at].next {
				n := &x.entries[at]
				// The mask proves to the compiler that the index is in range.
				sum[n.lane&(simd.Width-1)] += float64(p.value[first+k]) * float64(n.count)
			}
		}
		for j, v := range sum {
			row[j] = T(v)
		}
	}
}
