package kernels

import (
	"math/bits"

	"bigmkl/internal/simd"
)

// Weighted degree kernels. Letters lie in planes of bits, 64 positions a word, so that the places where two sequences agree
// are a few operations for 64 of them. Let m_k have a bit at every place where a common word of k letters begins: m_(k+1) is
// m_k and m_k moved by one. With c_k = |m_k|, the kernel of degree D is 2/(D(D+1)) sum_k (D-k+1) c_k, for all D from one pass
// that ends with the longest common word. The sum is one of whole numbers.

// bitText is sequences as planes of bits: [sequence][word of 64 positions][planes, and one of places that have a letter].
type bitText struct {
	words int // of 64 positions
	bits  []uint64
}

func (b *bitText) of(i, planes int) []uint64 {
	size := b.words * (planes + 1)
	return b.bits[i*size : (i+1)*size]
}

// pack turns letters into bits. There is room for a whole panel.
func (t *text) pack(b bitText, l *letters, points int) bitText {
	b.words = (l.length + 63) / 64
	b.bits = grow(b.bits, max(points, simd.Width)*b.words*(t.planes+1))
	clear(b.bits)
	for i := range points {
		to := b.of(i, t.planes)
		for k, c := range l.of(i) {
			if c == 0 {
				continue
			}
			word := to[k/64*(t.planes+1):][:t.planes+1]
			for p := range t.planes {
				word[p] |= uint64((c-1)>>p&1) << (k % 64)
			}
			word[t.planes] |= 1 << (k % 64)
		}
	}
	return b
}

// agree sets m to the places where two sequences have the same letter. len(m) words are compared.
func (t *text) agree(m, x, z []uint64) {
	if t.planes == 2 {
		x, z = x[:3*len(m)], z[:3*len(m)]
		for w := range m {
			a, b := x[3*w:3*w+3:3*w+3], z[3*w:3*w+3:3*w+3]
			m[w] = a[2] & b[2] &^ ((a[0] ^ b[0]) | (a[1] ^ b[1]))
		}
		return
	}
	n := t.planes + 1
	for w := range m {
		a, b := x[w*n:(w+1)*n], z[w*n:(w+1)*n]
		differ := uint64(0)
		for p := range t.planes {
			differ |= a[p] ^ b[p]
		}
		m[w] = a[n-1] & b[n-1] &^ differ
	}
}

// degrees adds sum_k (D-k+1) c_k for each layer. m is used up.
func (t *text) degrees(sum []int64, m []uint64) {
	longest := 0
	for _, l := range t.layers {
		longest = max(longest, l.length)
	}
	for k := 1; k <= longest; k++ {
		count := 0
		for _, w := range m {
			count += bits.OnesCount64(w)
		}
		if count == 0 {
			return
		}
		for i := range t.layers {
			if d := t.layers[i].length; d >= k {
				sum[i] += int64(d-k+1) * int64(count)
			}
		}
		last := len(m) - 1
		for w := range m[:last] {
			m[w] &= m[w]>>1 | m[w+1]<<63
		}
		m[last] &= m[last] >> 1
	}
}

// moved writes x with every letter s places further on, or back if s is negative, to as many words as dst has.
func (t *text) moved(dst, x []uint64, s int) {
	n := t.planes + 1
	words, size := len(dst)/n, len(x)/n
	far, near := s>>6, uint(s&63) // s = 64 far + near
	at := func(w, p int) uint64 {
		if w < 0 || w >= size {
			return 0
		}
		return x[w*n+p]
	}
	for w := range words {
		for p := range n {
			v := at(w-far, p) << near
			if near > 0 {
				v |= at(w-far-1, p) >> (64 - near)
			}
			dst[w*n+p] = v
		}
	}
}

// matcher is the scratch memory of one row's comparisons.
type matcher struct {
	moved []uint64 // the row, at every shift: 0, 1, -1, 2, -2, ...
	m     []uint64
	sum   []int64
	total []float64
}

// row takes a row for comparisons with sequences of so many words.
func (k *matcher) row(t *text, x []uint64, words int) {
	n := t.planes + 1
	size := words * n
	k.moved = grow(k.moved, (2*t.shift+1)*size)
	for i := range 2*t.shift + 1 {
		s := (i + 1) / 2
		if i%2 == 0 {
			s = -s
		}
		t.moved(k.moved[i*size:(i+1)*size], x, s)
	}
	k.m, k.sum, k.total = grow(k.m, words), grow(k.sum, len(t.layers)), grow(k.total, len(t.layers))
}

// compare gives the kernel of each layer for the row and z in total: sum_s (both directions of shift s)/(2(s+1)), times
// 2/(D(D+1)).
func (k *matcher) compare(t *text, z []uint64) {
	clear(k.total)
	if len(z) == 0 {
		return
	}
	for s := range t.shift + 1 {
		clear(k.sum)
		for i := max(0, 2*s-1); i <= 2*s; i++ {
			t.agree(k.m, k.moved[i*len(z):(i+1)*len(z)], z)
			t.degrees(k.sum, k.m)
		}
		share := 2 * float64(s+1)
		if s == 0 {
			share = 1
		}
		for i, n := range k.sum {
			k.total[i] += float64(n) / share
		}
	}
	for i := range k.total {
		d := float64(t.layers[i].length)
		k.total[i] = 2 * k.total[i] / (d * (d + 1))
	}
}

// matchSelves gives the kernels of sequences with themselves: [layer][stride].
func (e *Evaluator[T]) matchSelves(self []T, t *text, b *bitText, points, stride int) {
	for i := range points {
		x := b.of(i, t.planes)
		e.matcher.row(t, x, b.words)
		e.matcher.compare(t, x)
		for l, v := range e.matcher.total {
			self[l*stride+i] = T(v)
		}
	}
}

// matchBase is the kernels of rows from..from+count-1 with a panel: [layer][count][32].
func (e *Evaluator[T]) matchBase(dst []T, g *Group, r *Rows[T], from, count int, c *Columns[T]) {
	t, k := g.text, &e.matcher
	for i := range count {
		k.row(t, r.bits.of(from+i, t.planes), c.bits.words)
		for lane := range simd.Width {
			k.compare(t, c.bits.of(lane, t.planes))
			for l, v := range k.total {
				dst[(l*count+i)*simd.Width+lane] = T(v)
			}
		}
	}
}
