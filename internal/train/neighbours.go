package train

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"bigmkl/dataset"
	"bigmkl/internal/simd"
)

// Which rows are nearest to a row? The distances of all pairs are computed by brute force: n^2 k
// multiplications for n rows of k features. Rows are taken in blocks, and all rows stream past a
// block. Each thread therefore holds a block, the nearest rows of each of its rows found so far,
// and one panel.

// Which rows are nearest is a function of the points, their layout and the instruction set alone:
// the value of a distance depends neither on its place in a tile nor on the block, rows pass in
// ascending order, and ties are resolved by the number of the row. Blocks and threads change no
// bit.

// neighbours finds the nearest rows by the squared distance of their scaled features.
type neighbours struct {
	store   *dataset.Store
	set     []int32 // features that count, ascending; nil for all
	member  []bool  // of each feature whether it is in set; nil for all
	count   int     // K: how many rows are looked for
	out     []bool  // rows that are nobody's neighbours; nil for none
	threads int
}

const (
	// nearestBlock is the size in bytes of the features of a block of rows. It stays in the
	// second-level cache while all panels pass.
	nearestBlock = 1 << 19
	// mostNeighbours is the largest K. It bounds what a block holds of nearest rows to 4 MB.
	mostNeighbours = 1000
	// mostBlock is the largest number of rows of a block.
	mostBlock = 256
)

// newNeighbours returns the search for the K = count nearest rows in a set of features.
func newNeighbours(store *dataset.Store, set []int32, count, threads int) *neighbours {
	w := &neighbours{store: store, set: set, count: count, threads: max(1, threads)}
	if set != nil {
		w.member = make([]bool, store.Dim())
		for _, j := range set {
			w.member[j] = true
		}
	}
	return w
}

// dim returns the number of features that count.
func (w *neighbours) dim() int {
	if w.set != nil {
		return len(w.set)
	}
	return w.store.Dim()
}

// block returns the number of rows that are looked at together. It depends on the data alone; it
// changes no result.
func (w *neighbours) block() int {
	rows := nearestBlock / (4 * max(1, w.dim())) / simd.Rows * simd.Rows
	return min(mostBlock, max(simd.Rows, rows))
}

// each calls visit with every row and its nearest rows, in any order, of which there are fewer than
// K if there are no more. Of rows at the same distance those with the lower numbers are nearer. A
// row is not its own neighbour. limit ends the search after about so many rows, to measure its
// speed; 0 means all. Calls overlap, and nearest is valid during its call.
func (w *neighbours) each(ctx context.Context, limit int,
	visit func(row int, nearest []near)) error {
	n, size := w.store.Len(), w.block()
	if limit > 0 {
		n = min(n, limit)
	}
	// Threads take blocks as they come. Blocks do not depend on each other, and their order is
	// free.
	group, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range w.threads {
		group.Go(func() error {
			s := w.newSearch()
			for {
				from := (int(next.Add(1)) - 1) * size
				if from >= n {
					return nil
				}
				if err := s.searchBlock(ctx, from, min(size, w.store.Len()-from)); err != nil {
					return err
				}
				for r := range min(size, w.store.Len()-from) {
					visit(from+r, s.found[r])
				}
			}
		})
	}
	return group.Wait()
}

// near is a row and its squared distance.
type near struct {
	distance float32
	row      int32
}

// after reports whether a is farther away than b. Ties go by the number of the row.
func (a near) after(b near) bool {
	return a.distance > b.distance || a.distance == b.distance && a.row > b.row
}

// search is what one thread holds.
type search struct {
	*neighbours
	found [][]near  // of each row of the block a heap with the farthest one on top
	rows  []float32 // the block, packed for the tiles
	panel []float32 // features of a set, gathered from a panel
	tile  []float32
	one   []float64 // a row of sparse points, laid out
}

// newSearch allocates what a thread holds.
func (w *neighbours) newSearch() *search {
	s := &search{neighbours: w, found: make([][]near, w.block())}
	for r := range s.found {
		s.found[r] = make([]near, 0, w.count)
	}
	if w.store.Sparse() {
		s.one = make([]float64, w.store.Dim())
		return s
	}
	s.rows = make([]float32, w.block()*w.dim())
	s.tile = make([]float32, w.block()*simd.Width)
	if w.set != nil {
		s.panel = make([]float32, w.dim()*simd.Width)
	}
	return s
}

// searchBlock finds the nearest rows of count rows.
func (s *search) searchBlock(ctx context.Context, from, count int) error {
	for r := range s.found {
		s.found[r] = s.found[r][:0]
	}
	if s.store.Sparse() {
		for r := range count {
			if err := ctx.Err(); err != nil {
				return err
			}
			s.searchSparse(from+r, r)
		}
		return nil
	}
	// The differences of features are squared in single precision and not taken from products: near
	// rows are those whose distance would be lost in the rounding of their norms.
	s.pack(from, count)
	blocks := (count + simd.Rows - 1) / simd.Rows
	for p := range s.store.Panels() {
		if err := ctx.Err(); err != nil {
			return err
		}
		tile := s.tile[:blocks*simd.Rows*simd.Width]
		simd.SquaredDiff(tile, s.rows, s.features(p), s.dim())
		first := p * simd.Width
		// The last panel may be padded.
		lanes := min(simd.Width, s.store.Len()-first)
		for r := range count {
			for j, d := range tile[r*simd.Width : r*simd.Width+lanes] {
				s.offer(r, from+r, near{d, int32(first + j)})
			}
		}
	}
	return nil
}

// pack lays the features of count rows out as the tiles want them. Rows that are missing in the
// last eight are zero.
func (s *search) pack(from, count int) {
	clear(s.rows)
	// Eight rows stand side by side: feature f of row r of the eight is at f*8 + r.
	k := s.dim()
	for r := range count {
		i := from + r
		panel := s.features(i / simd.Width)
		to := s.rows[r/simd.Rows*simd.Rows*k:]
		for f := range k {
			to[f*simd.Rows+r%simd.Rows] = panel[f*simd.Width+i%simd.Width]
		}
	}
}

// features returns the features of a panel that count.
func (s *search) features(p int) []float32 {
	panel := s.store.Panel(p)
	if s.set == nil {
		return panel
	}
	// Features of a set lie far apart in a panel, and the tiles want them one after the other.
	for f, j := range s.set {
		copy(s.panel[f*simd.Width:(f+1)*simd.Width], panel[int(j)*simd.Width:])
	}
	return s.panel
}

// searchSparse finds the nearest rows of row i, which is row r of the block. With x laid out, the
// distance to z is ||x||^2 and a term for each non-zero of z.
func (s *search) searchSparse(i, r int) {
	// Sums are in double precision, because terms of both signs cancel where rows are near.
	index, value := s.store.Nonzeros(i)
	norm := 0.0
	for e, j := range index {
		if s.member == nil || s.member[j] {
			s.one[j] = float64(value[e])
			norm += s.one[j] * s.one[j]
		}
	}
	for k := range s.store.Len() {
		other, values := s.store.Nonzeros(k)
		d := norm
		for e, j := range other {
			if s.member == nil || s.member[j] {
				x, z := s.one[j], float64(values[e])
				d += z * (z - 2*x)
			}
		}
		s.offer(r, i, near{float32(max(d, 0)), int32(k)})
	}
	// Only what was set is cleared: the row may have millions of features.
	for _, j := range index {
		s.one[j] = 0
	}
}

// offer takes a row up among the nearest of row r of the block, whose number is self, if it is.
func (s *search) offer(r, self int, c near) {
	// Rows pass in ascending order. A row at the distance of the farthest therefore comes too
	// late.
	h := s.found[r]
	if len(h) == s.count && !h[0].after(c) || int(c.row) == self || s.out != nil && s.out[c.row] {
		return
	}
	if len(h) < s.count {
		// The heap is not full: the new one rises until its parent is farther away.
		h = append(h, c)
		for k := len(h) - 1; k > 0 && h[k].after(h[(k-1)/2]); k = (k - 1) / 2 {
			h[k], h[(k-1)/2] = h[(k-1)/2], h[k]
		}
		s.found[r] = h
		return
	}
	// The new one takes the place of the farthest and sinks below those that are farther away.
	h[0] = c
	for k := 0; ; {
		largest := k
		for _, child := range [2]int{2*k + 1, 2*k + 2} {
			if child < len(h) && h[child].after(h[largest]) {
				largest = child
			}
		}
		if largest == k {
			return
		}
		h[k], h[largest] = h[largest], h[k]
		k = largest
	}
}
