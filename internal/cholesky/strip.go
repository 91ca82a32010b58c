package cholesky

import "bigmkl/internal/simd"

const (
	// wide is the number of panels whose columns are computed together. Each panel below is read once for all of them.
	wide = 8
	// chunk is the number of columns that the products of all tiles in hand take before the next ones. Their numbers
	// stay in the second-level cache meanwhile.
	chunk = 192
	// together is the number of panels below a strip whose tiles are in hand at a time.
	together = 4
)

// strip is the columns of some panels, and what the tiles of these columns are computed with.
type strip struct {
	from, to int                   // its panels
	before   []float64             // rows of its panels in the columns before it, as rows of a product: see place
	inside   [wide][]float64       // rows of its panels in the columns of the strip before the panel, likewise
	turned   [wide][turned]float64 // the diagonal tiles for substitutions: see turn
	sums     []float64             // products of every panel with the panels of the strip, [panel][panel][column][32]
}

// factoriseStrip computes the columns of panels from..to-1. Every number takes the products with the columns before it
// in the order of these columns, however they are cut into strips and chunks.
func (f *Factor) factoriseStrip(from, to, panels int, share Share) bool {
	s := &f.strip
	s.from, s.to = from, to
	if need := wide * panels * side * side; panels > wide && len(s.sums) < need {
		s.before, s.sums = make([]float64, need), make([]float64, need)
	}
	share(to-from, func(item int) { f.packBefore(item) })
	// First the panels of the strip itself, each of which needs the ones above it.
	share(to-from, func(item int) { f.multiply(from+item, from+item+1) })
	for i := from; i < to; i++ {
		if !f.finish(i) {
			return false
		}
	}
	share((panels-to+together-1)/together, func(item int) {
		first := to + item*together
		last := min(first+together, panels)
		f.multiply(first, last)
		for i := first; i < last; i++ {
			f.finish(i)
		}
	})
	return true
}

// chunks calls do for each chunk of the columns before the strip.
func (s *strip) chunks(do func(column, count int)) {
	for c := 0; c < s.from*side; c += chunk {
		do(c, min(chunk, s.from*side-c))
	}
}

// place returns the packed rows of a panel of the strip in a chunk of columns. The panels of a chunk follow each other.
func (s *strip) place(item, column, count int) []float64 {
	at := (column*wide + item*count) * side
	return s.before[at : at+count*side]
}

// sum returns the product of panel i with panel j of the strip. In the first strip, before which there are no columns, it
// is 0, in the memory given.
func (s *strip) sum(i, j int, first *[side * side]float64) []float64 {
	if s.from == 0 {
		clear(first[:])
		return first[:]
	}
	at := (i*wide + j - s.from) * side * side
	return s.sums[at : at+side*side]
}

// packBefore packs a panel of the strip in the columns before it.
func (f *Factor) packBefore(item int) {
	s := &f.strip
	s.chunks(func(column, count int) {
		packRows(s.place(item, column, count), f.panels[s.from+item][column*side:], count)
	})
}

// packRows lays a number of columns of a panel out as rows of a product, eight rows after eight.
func packRows(to, columns []float64, count int) {
	for b := range side / simd.Rows {
		to := to[b*count*simd.Rows : (b+1)*count*simd.Rows]
		for c := range count {
			copy(to[c*simd.Rows:(c+1)*simd.Rows], columns[c*side+b*simd.Rows:])
		}
	}
}

// multiply sums the products of panels first..last-1 with the panels of the strip over the columns before it.
func (f *Factor) multiply(first, last int) {
	s := &f.strip
	if s.from == 0 {
		return
	}
	clear(s.sums[first*wide*side*side : last*wide*side*side])
	s.chunks(func(column, count int) {
		for i := first; i < last; i++ {
			x := f.panels[i][column*side : (column+count)*side]
			for j := s.from; j < min(s.to, i+1); j++ {
				simd.AddProduct(s.sum(i, j, nil), s.place(j-s.from, column, count), x, count)
			}
		}
	})
}

// finish computes the tiles of panel i in the strip. It returns false if the matrix is not positive definite.
func (f *Factor) finish(i int) bool {
	s := &f.strip
	var first [side * side]float64
	for j := s.from; j < min(s.to, i+1); j++ {
		tile, sum, count := f.tile(i, j), s.sum(i, j, &first), (j-s.from)*side
		if i == j {
			s.inside[j-s.from] = append(s.inside[j-s.from][:0], make([]float64, count*side)...)
			packRows(s.inside[j-s.from], f.panels[j][s.from*side*side:], count)
		}
		simd.AddProduct(sum, s.inside[j-s.from], f.panels[i][s.from*side*side:j*side*side], count)
		if j > 0 {
			simd.AddTo(tile, sum, -1)
		}
		if i > j {
			substitute(tile, f.tile(j, j), &s.turned[j-s.from])
			continue
		}
		if !factoriseTile(tile) {
			return false
		}
		turn(&s.turned[j-s.from], tile)
	}
	return true
}

// turned is the number of entries of a diagonal tile that lie to the left of its diagonal blocks of eight rows.
const turned = simd.Rows * simd.Rows * (side / simd.Rows) * (side/simd.Rows - 1) / 2

// turn lays minus the part of a diagonal tile to the left of its diagonal blocks out as rows of products, block after
// block.
func turn(to *[turned]float64, diagonal []float64) {
	at := 0
	for b := simd.Rows; b < side; b += simd.Rows {
		for e := range b {
			for r := range simd.Rows {
				to[at] = -diagonal[e*side+b+r]
				at++
			}
		}
	}
}

// substitute turns a tile below a diagonal tile into its part of the factor. Eight columns at a time take the products
// with all columns before them.
func substitute(t, diagonal []float64, left *[turned]float64) {
	at := 0
	for b := 0; b < side; b += simd.Rows {
		simd.AddProduct(t[b*side:(b+simd.Rows)*side], left[at:at+b*simd.Rows], t[:b*side], b)
		at += b * simd.Rows
		for c := b; c < b+simd.Rows; c++ {
			column := t[c*side : (c+1)*side]
			for e := b; e < c; e++ {
				simd.AddTo(column, t[e*side:(e+1)*side], -diagonal[e*side+c])
			}
			root := diagonal[c*side+c]
			for r := range column {
				column[r] /= root
			}
		}
	}
}
