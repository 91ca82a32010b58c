package kernels

import (
	"math/bits"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/simd"
	"bigmkl/kernelspec"
)

// text is what a group of string kernels looks at: the letters at some positions. Its bases are made together.
type text struct {
	alphabet dataset.Alphabet
	planes   int     // bits of a letter
	places   []int32 // features that the letters are, -1 between those that do not lie side by side; nil: all
	layers   []layer
	shift    int // of Matches
}

// layer is one base of the group.
type layer struct {
	length     int // of words
	mismatches int
	near       []uint64 // what takes a word to those that it counts for, by exclusive or; nil: itself
}

func newText(b *kernelspec.Bank, k *kernelspec.Kernel) *text {
	t := &text{alphabet: b.Letters, planes: b.Letters.Planes(), shift: int(k.Shift)}
	if k.Set < 0 {
		return t
	}
	last := int32(-1)
	for i, j := range b.Sets[k.Set] {
		if i > 0 && j != last+1 {
			t.places = append(t.places, -1)
		}
		t.places = append(t.places, j)
		last = j
	}
	return t
}

// layer finds the base of a kernel, or adds it.
func (t *text) layer(k *kernelspec.Kernel) int {
	l := layer{length: k.Degree, mismatches: int(k.Mismatches)}
	for i := range t.layers {
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

// neighbours lists, as differences in 2 bits a letter, the words that differ from one of k letters in at most m.
func neighbours(k, m int) []uint64 {
	out := []uint64{0}
	for from, length := 0, 0; length < m; length++ { // those with one more difference, at a later letter
		to := len(out)
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

// letters are the codes of some points, a line each.
type letters struct {
	length int
	code   []uint8
}

func (l *letters) of(i int) []uint8 { return l.code[i*l.length : (i+1)*l.length] }

func (l *letters) reset(points, length int) {
	l.length = length
	l.code = grow(l.code, points*length)
	clear(l.code)
}

// panel spells the points of a panel.
func (t *text) panel(l *letters, p *Panel) {
	if p.index != nil {
		t.nonzeros(l, p.index, p.value)
		return
	}
	most := float32(t.alphabet.Last())
	l.reset(p.Len, t.length(len(p.Dense)/simd.Width))
	for k := range l.length {
		j := k
		if t.places != nil {
			if j = int(t.places[k]); j < 0 {
				continue
			}
		}
		at := k
		for _, x := range p.Dense[j*simd.Width : j*simd.Width+p.Len] {
			if x >= 1 && x <= most { // dataset.Alphabet.Code, for the speed
				l.code[at] = uint8(x)
			}
			at += l.length
		}
	}
}

// set spells the points of a set.
func (t *text) set(l *letters, s *Set) {
	if s.Sparse {
		t.nonzeros(l, s.Index, s.Value)
		return
	}
	l.reset(len(s.IDs), t.length(s.Dim))
	for i := range s.IDs {
		x, code := s.Dense[i*s.Dim:(i+1)*s.Dim], l.of(i)
		for k := range code {
			switch {
			case t.places == nil:
				code[k] = t.alphabet.Code(x[k])
			case t.places[k] >= 0:
				code[k] = t.alphabet.Code(x[t.places[k]])
			}
		}
	}
}

// nonzeros spells points by their features that are not zero. Those of all positions are as long as the longest.
func (t *text) nonzeros(l *letters, index [][]int32, value [][]float32) {
	length := 0
	for _, x := range index {
		if len(x) > 0 {
			length = max(length, int(x[len(x)-1])+1)
		}
	}
	l.reset(len(index), t.length(length))
	for i, x := range index {
		code := l.of(i)
		if t.places == nil {
			for e, j := range x {
				code[j] = t.alphabet.Code(value[i][e])
			}
			continue
		}
		e := 0
		for k, j := range t.places {
			if j < 0 {
				continue
			}
			for e < len(x) && x[e] < j {
				e++
			}
			if e < len(x) && x[e] == j {
				code[k] = t.alphabet.Code(value[i][e])
			}
		}
	}
}

// packText packs the rows of a group of string kernels.
func (e *Evaluator[T]) packText(r *Rows[T], g *Group, set *Set) {
	t := g.text
	t.set(&e.letters, set)
	r.self = grow(r.self, len(t.layers)*r.Len)
	if g.Base == Matches {
		r.bits.packRows(t, &e.letters, r.Len)
		if g.Spherical { // rows are shared, and nothing else asks
			e.rowSelves(r.self, t, &r.bits, r.Len)
		}
		return
	}
	r.profiles = slices.Grow(r.profiles[:0], len(t.layers))[:len(t.layers)]
	for l := range t.layers {
		r.profiles[l].make(t, l, &e.letters, &e.count, r.self[l*r.Len:(l+1)*r.Len])
	}
}

// packTextColumns packs a panel for such a group.
func (e *Evaluator[T]) packTextColumns(c *Columns[T], g *Group, p *Panel) {
	t := g.text
	t.panel(&e.letters, p)
	c.self = grow(c.self, len(t.layers)*simd.Width)
	clear(c.self)
	if g.Base == Matches {
		c.bits.packPanel(t, &e.letters, p.Len)
		c.alone = t
		return
	}
	c.lexica = slices.Grow(c.lexica[:0], len(t.layers))[:len(t.layers)]
	for l := range t.layers {
		c.lexica[l].make(t, l, &e.letters, p.Len, c.self[l*simd.Width:(l+1)*simd.Width])
	}
}

// textBytes bounds what such a group takes of q packed rows and of a packed panel, of sequences of d letters.
func (g *Group) textBytes(q int, element int64) (rows, columns int64) {
	t := g.text
	length := int64(t.length(g.Dim))
	rows, columns = int64(q)*length, simd.Width*length // the letters
	if g.Base == Matches {
		words := (length + 63) / 64 * int64(t.planes+1) * 8
		return rows + int64(q)*words, columns + simd.Width*words + int64(2*t.shift+2)*words
	}
	for l := range t.layers {
		terms := length * int64(max(1, len(t.layers[l].near)))
		if t.short(l) {
			all := int64(1) << (t.planes * t.layers[l].length)
			rows += int64(q) * min(terms+4, all) * (4 + element)
			columns += all * (simd.Width*element + 4)
			continue
		}
		rows += int64(q)*terms*(8+element) + 8*terms
		columns += simd.Width*terms*(16+2*2*16) + bloomBits/8
	}
	return rows, columns
}
