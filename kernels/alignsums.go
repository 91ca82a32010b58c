package kernels

import (
	"sync"

	"bigmkl/internal/simd"
)

// The Frobenius products of all pairs of M kernel matrices are one matrix product: each pair of
// points has a vector with one number for each kernel, and the sums are the products of these
// vectors with themselves. They are summed in tiles of 8 x 32 kernels, of which only those on or
// above the diagonal are kept.

// aligned is sums over the pairs of some rows with all columns. Kernels are in storage order, and
// the kernel of the labels comes last.
type aligned struct {
	products []float64 // sums over pairs of products of two kernels, in tiles; see tilesEnd
	squares  []float64 // side x side: sum_i z_i z_i', where z_i sums row i for centring

	// crossed is sum_i y_i z_i', side x side, where y_i sums row i with the weights of pairs.
	crossed  []float64
	centring []float64 // sum_i z_i
	weighted []float64 // sum_i y_i
}

// newAligned returns sums of zero for side kernels.
func newAligned(side int) *aligned {
	return &aligned{
		make([]float64, tilesEnd(side, panelsOf(side))),
		make([]float64, side*side), make([]float64, side*side),
		make([]float64, side), make([]float64, side),
	}
}

// all returns every slice of the sums.
func (a *aligned) all() [5][]float64 {
	return [...][]float64{a.products, a.squares, a.crossed, a.centring, a.weighted}
}

// add adds the sums of other rows. Rows have to come in their order.
func (a *aligned) add(b *aligned) {
	for k, from := range b.all() {
		to := a.all()[k]
		for i, x := range from {
			to[i] += x
		}
	}
}

// clear sets the sums to zero.
func (a *aligned) clear() {
	for _, x := range a.all() {
		clear(x)
	}
}

// at is the product of kernels i and j, i <= j.
func (a *aligned) at(side, i, j int) float64 {
	return a.products[tilesEnd(side, j/simd.Width)+i*simd.Width+j%simd.Width]
}

// tileBlocks is the number of blocks of 8 kernels that meet panel p of 32 kernels: those that do
// not come after it.
func tileBlocks(side, p int) int { return min(blocks(side), (p+1)*simd.Width/simd.Rows) }

// tilesEnd is where the tiles of panel p begin.
//
// With p the number of panels it is the number of all elements.
func tilesEnd(side, p int) int {
	n := 0
	for i := range p {
		n += tileBlocks(side, i) * tile
	}
	return n
}

// turns lets the results of goroutines through in their order, so a sum over them has the same bits
// however many goroutines there are.
type turns struct {
	at      *sync.Cond
	next    int
	stopped bool
}

// wait returns once it is the turn of item n, or false if it will not come.
func (t *turns) wait(n int) bool {
	t.at.L.Lock()
	defer t.at.L.Unlock()
	for t.next != n && !t.stopped {
		t.at.Wait()
	}
	return !t.stopped
}

// done ends the turn of an item.
func (t *turns) done() {
	t.at.L.Lock()
	defer t.at.L.Unlock()
	t.next++
	t.at.Broadcast()
}

// stop lets all who wait return, because an item before theirs has failed.
func (t *turns) stop() {
	t.at.L.Lock()
	defer t.at.L.Unlock()
	t.stopped = true
	t.at.Broadcast()
}
