package kernels

import "bigmkl/internal/simd"

// Weighted degree kernels. Letters lie in planes of bits, 64 positions a word, so that the places where two sequences agree
// are a few operations for 64 of them. Let m_k have a bit at every place where a common word of k letters begins: m_(k+1) is
// m_k and m_k moved by one. With c_k = |m_k|, the kernel of degree D is 2/(D(D+1)) sum_k (D-k+1) c_k, for all D from one pass
// that ends with the longest common word. The sum is one of whole numbers.

// bitText is sequences as planes of bits: for each word of 64 positions the planes of letters, and one of places that have a
// letter; of rows one after the other, of a panel with the 32 lanes innermost.
type bitText struct {
	words int // of 64 positions
	bits  []uint64
}

// row is one of rows.
func (b *bitText) row(i, planes int) []uint64 {
	size := b.words * (planes + 1)
	return b.bits[i*size : (i+1)*size]
}

// pack turns letters into bits. Bit planes of the same point lie step apart, and points next apart.
func (b *bitText) pack(t *text, l *letters, points, step, next int) {
	for i := range points {
		code := l.of(i)
		for w := range b.words {
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

// reset makes room for so many points.
func (b *bitText) reset(t *text, l *letters, points int) {
	b.words = (l.length + 63) / 64
	b.bits = grow(b.bits, points*b.words*(t.planes+1))
}

func (b *bitText) packRows(t *text, l *letters, points int) {
	b.reset(t, l, points)
	b.pack(t, l, points, 1, b.words*(t.planes+1))
}

func (b *bitText) packPanel(t *text, l *letters, points int) {
	b.reset(t, l, simd.Width)
	clear(b.bits) // lanes without a point
	b.pack(t, l, points, simd.Width, 1)
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

// matcher is the scratch memory of comparisons.
type matcher struct {
	moved, scratch []uint64
	counts         []int64 // of common words, [length][32]
	sum            []int64 // of a shift, [layer][32]
	total          []float64
}

// row gives the kernels of a row with the lanes of a panel in total, [layer][32]: over shifts s the sums of both directions over
// 2(s+1), times 2/(D(D+1)).
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
		for way := s; way >= -s; way -= max(2*s, 1) {
			t.moved(k.moved, x, way)
			clear(k.counts)
			simd.Matches(k.counts, k.moved, panel.bits, k.scratch, t.planes)
			k.weigh(t)
		}
		share := 2 * float64(s+1)
		if s == 0 {
			share = 1
		}
		for i, n := range k.sum {
			k.total[i] += float64(n) / share
		}
	}
	for l := range t.layers {
		d := float64(t.layers[l].length)
		all := d * (d + 1)
		lanes := k.total[l*simd.Width : (l+1)*simd.Width]
		for i, v := range lanes {
			lanes[i] = 2 * v / all
		}
	}
}

// weigh adds sum_k (D-k+1) c_k to the sums of every layer.
func (k *matcher) weigh(t *text) {
	for length := 1; length*simd.Width <= len(k.counts); length++ {
		c := (*[simd.Width]int64)(k.counts[(length-1)*simd.Width:])
		some := int64(0)
		for _, n := range c {
			some |= n
		}
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

// exchange copies row i from a lane of a panel, or to it.
func (b *bitText) exchange(i int, panel *bitText, lane, planes int, visit func(mine, other *uint64)) {
	for k := range b.row(i, planes) {
		visit(&b.row(i, planes)[k], &panel.bits[k*simd.Width+lane])
	}
}

// rowSelves gives the kernels of rows with themselves: [layer][row].
func (e *Evaluator[T]) rowSelves(self []T, t *text, rows *bitText, points int) {
	panel := bitText{words: rows.words, bits: make([]uint64, simd.Width*rows.words*(t.planes+1))}
	for from := 0; from < points; from += simd.Width {
		n := min(simd.Width, points-from)
		for i := range n {
			rows.exchange(from+i, &panel, i, t.planes, func(mine, other *uint64) { *other = *mine })
		}
		for i := range n {
			e.matcher.row(t, rows.row(from+i, t.planes), &panel)
			for l := range t.layers {
				self[l*points+from+i] = T(e.matcher.total[l*simd.Width+i])
			}
		}
	}
}

// laneSelves gives the kernels of the points of a panel with themselves: [layer][32].
func (e *Evaluator[T]) laneSelves(c *Columns[T], t *text) {
	row := bitText{words: c.bits.words, bits: make([]uint64, c.bits.words*(t.planes+1))}
	for i := range simd.Width {
		row.exchange(0, &c.bits, i, t.planes, func(mine, other *uint64) { *mine = *other })
		e.matcher.row(t, row.bits, &c.bits)
		for l := range t.layers {
			c.self[l*simd.Width+i] = T(e.matcher.total[l*simd.Width+i])
		}
	}
}

// matchBase is the kernels of rows from..from+count-1 with a panel: [layer][count][32].
func (e *Evaluator[T]) matchBase(dst []T, g *Group, r *Rows[T], from, count int, c *Columns[T]) {
	for i := range count {
		e.matcher.row(g.text, r.bits.row(from+i, g.text.planes), &c.bits)
		for l := range g.text.layers {
			row := dst[(l*count+i)*simd.Width:][:simd.Width]
			for j, v := range e.matcher.total[l*simd.Width : (l+1)*simd.Width] {
				row[j] = T(v)
			}
		}
	}
}
