package kernels

import (
	"bigmkl/internal/simd"
)

// Weighted degree kernels count common words at the same places of two sequences (Raetsch and
// Sonnenburg 2004). Letters lie in planes of bits, 64 positions a word, so the places where two
// sequences agree take a few operations for 64 positions. Let m_k have a bit at every place where
// a common word of k letters begins: m_(k+1) is m_k and m_k moved by one. With c_k = |m_k|, the
// kernel of degree D is
//
//	2/(D(D+1)) sum_(k=1..D) (D-k+1) c_k,
//
// for all D from one pass, which ends with the longest common word. The sum is one of whole
// numbers and is divided once: it has the same bits in every order of summation.

// bitText is sequences as planes of bits. For each word of 64 positions it has the planes of the
// letters, and one plane of the places that have a letter. Rows lie one after the other; in a panel
// the 32 points lie innermost.
type bitText struct {
	words int // of 64 positions
	bits  []uint64
}

// row returns the planes of row i.
func (b *bitText) row(i, planes int) []uint64 {
	size := b.words * (planes + 1)
	return b.bits[i*size : (i+1)*size]
}

// packRows turns the letters of some points into rows.
func (b *bitText) packRows(t *text, l *letters, points int) {
	b.reset(t, l, points)
	b.pack(t, l, points, 1, b.words*(t.planes+1))
}

// packPanel turns the letters of up to 32 points into a panel. Lanes without a point have no
// letters.
func (b *bitText) packPanel(t *text, l *letters, points int) {
	b.reset(t, l, simd.Width)
	clear(b.bits) // lanes without a point
	b.pack(t, l, points, simd.Width, 1)
}

// reset makes room for so many points.
func (b *bitText) reset(t *text, l *letters, points int) {
	b.words = (l.length + 63) / 64
	b.bits = grow(b.bits, points*b.words*(t.planes+1))
}

// pack turns letters into bits. The planes of a point lie step words apart, and the points next
// words.
//
// A letter with the code c has the bits of c-1; c = 0 is not a letter.
func (b *bitText) pack(t *text, l *letters, points, step, next int) {
	for i := range points {
		code := l.of(i)
		for w := range b.words {
			// Letters have 8 bits at most, and 2 for the alphabet of DNA.
			var planes [8]uint64
			known := uint64(0)
			for k, c := range code[64*w : min(64*(w+1), len(code))] {
				if c == 0 {
					continue
				}
				known |= 1 << k
				c--
				planes[0] |= uint64(c&1) << k
				planes[1] |= uint64(c>>1&1) << k
				for p := 2; p < t.planes; p++ {
					planes[p] |= uint64(c>>p&1) << k
				}
			}
			to := b.bits[i*next+w*(t.planes+1)*step:]
			for p := range t.planes {
				to[p*step] = planes[p]
			}
			to[t.planes*step] = known
		}
	}
}

// moved writes x to dst with every letter moved s places on, or back if s is negative. dst may
// have fewer words than x or more.
func (t *text) moved(dst, x []uint64, s int) {
	n := t.planes + 1
	words, size := len(dst)/n, len(x)/n
	// A shift moves whole words of 64 positions by far and bits within them by near: s = 64 far +
	// near. For a negative s the shift of words rounds down, and near stays between 0 and 63.
	far, near := s>>6, uint(s&63)
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

// matcher is the scratch memory of comparing a row with the points of a panel.
type matcher struct {
	moved, scratch []uint64
	counts         []int64   // common words of each length, [length][32]
	sum            []int64   // weighted counts at one shift, [layer][32]
	total          []float64 // the kernels, [layer][32]
}

// row sets total to the kernels of a row with the points of a panel, [layer][32]. Each shift s > 0
// counts in both directions, and with the weight 1/(2(s+1)): with these weights the kernel is
// positive semi-definite (see the package comment).
//
// One call compares the row with all 32 points: simd.Matches goes over the words of common letters
// and stops when no common word is left.
func (k *matcher) row(t *text, x []uint64, panel *bitText) {
	longest := 0
	for _, l := range t.layers {
		longest = max(longest, l.length)
	}
	size := panel.words * (t.planes + 1)
	k.moved, k.scratch = grow(k.moved, size), grow(k.scratch, simd.MatchScratch(panel.words))
	k.counts = grow(k.counts, longest*simd.Width)
	k.sum, k.total = grow(k.sum, len(t.layers)*simd.Width), grow(k.total, len(t.layers)*simd.Width)
	clear(k.total)
	if panel.words == 0 {
		return
	}
	for s := range t.shift + 1 {
		clear(k.sum)
		// Shift 0 counts once and every other shift in both directions.
		for way := s; way >= -s; way -= max(2*s, 1) {
			t.moved(k.moved, x, way)
			clear(k.counts)
			simd.Matches(k.counts, k.moved, panel.bits, k.scratch, t.planes)
			k.weigh(t)
		}
		// The weight of a shift is 1/(2(s+1)), and the weight of shift 0 is 1.
		share := 2 * float64(s+1)
		if s == 0 {
			share = 1
		}
		for i, n := range k.sum {
			k.total[i] += float64(n) / share
		}
	}
	for l := range t.layers {
		// The only division comes after all sums, which are whole numbers.
		d := float64(t.layers[l].length)
		all := d * (d + 1)
		lanes := k.total[l*simd.Width : (l+1)*simd.Width]
		for i, v := range lanes {
			lanes[i] = 2 * v / all
		}
	}
}

// weigh adds the counts of common words to the sums of every layer, each with its weight D - k +
// 1.
func (k *matcher) weigh(t *text) {
	for length := 1; length*simd.Width <= len(k.counts); length++ {
		c := (*[simd.Width]int64)(k.counts[(length-1)*simd.Width:])
		some := int64(0)
		for _, n := range c {
			some |= n
		}
		// No two sequences have a common word of this length, and none of a greater one.
		if some == 0 {
			return
		}
		for l := range t.layers {
			if times := int64(t.layers[l].length - length + 1); times > 0 {
				sum := (*[simd.Width]int64)(k.sum[l*simd.Width:])
				for i, n := range c {
					sum[i] += times * n
				}
			}
		}
	}
}

// exchange visits every word of row i together with its place in a lane of a panel, to copy one to
// the other.
func (b *bitText) exchange(i int, panel *bitText, lane, planes int,
	visit func(mine, other *uint64)) {
	for k := range b.row(i, planes) {
		visit(&b.row(i, planes)[k], &panel.bits[k*simd.Width+lane])
	}
}

// rowSelves hands the kernels of rows with themselves to set, [layer][row]. It makes panels of the
// rows, because only rows and panels can be compared.
func (k *matcher) rowSelves(t *text, rows *bitText, points int, set func(at int, v float64)) {
	panel := bitText{words: rows.words, bits: make([]uint64, simd.Width*rows.words*(t.planes+1))}
	for from := 0; from < points; from += simd.Width {
		n := min(simd.Width, points-from)
		for i := range n {
			rows.exchange(from+i, &panel, i, t.planes, func(mine, other *uint64) { *other = *mine })
		}
		for i := range n {
			k.row(t, rows.row(from+i, t.planes), &panel)
			for l := range t.layers {
				set(l*points+from+i, k.total[l*simd.Width+i])
			}
		}
	}
}

// laneSelves hands the kernels of the points of a panel with themselves to set, [layer][32].
func (k *matcher) laneSelves(t *text, panel *bitText, set func(at int, v float64)) {
	row := bitText{words: panel.words, bits: make([]uint64, panel.words*(t.planes+1))}
	for i := range simd.Width {
		row.exchange(0, panel, i, t.planes, func(mine, other *uint64) { *mine = *other })
		k.row(t, row.bits, panel)
		for l := range t.layers {
			set(l*simd.Width+i, k.total[l*simd.Width+i])
		}
	}
}

// matchProducts writes the kernels of rows from..from+count-1 with the points of a panel to dst,
// [layer][count][32].
func matchProducts[T simd.Real](dst []T, k *matcher, t *text,
	rows, panel *bitText, from, count int) {
	for i := range count {
		k.row(t, rows.row(from+i, t.planes), panel)
		for l := range t.layers {
			row := dst[(l*count+i)*simd.Width:][:simd.Width]
			for j, v := range k.total[l*simd.Width : (l+1)*simd.Width] {
				row[j] = T(v)
			}
		}
	}
}
