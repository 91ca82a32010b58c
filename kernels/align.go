package kernels

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/simd"
)

// AlignOptions says what Align sums over.
type AlignOptions struct {
	Sample  int     // points whose pairs stand for all pairs; 0 is all points
	Seed    uint64  // of the sample
	Plain   bool    // the matrices as they are, not centred
	Classes []int32 // class of each point, from 0
	Threads int     // no sum depends on it
	Scratch string  // folder of the sample's features
}

// Align gives the Frobenius products of the kernel matrices and of the kernel of the labels (Kloft 2011, eq. 5.1),
//
//	<H K_a H, H K_b H>_F,  H = I - 11'/n,
//
// or <K_a, K_b>_F if plain, as a square matrix of Bank.Len()+1 rows: kernels by number, then the labels. Their kernel is
// the sum over the classes of y y' with y = +1 in the class and -1 outside, of two classes twice the y y' of binary labels.
//
// A sample of k of n points, at least four, estimates the sums over all of them, not those of its own points: pairs of a point
// with itself are k of k^2 there and n of n^2 here, which is all that narrow kernels differ by. Other pairs are centred without
// them, so that their sums have the right mean (Szekely and Rizzo 2014, U-centring). Sums run over weighted pairs: such a
// matrix is a Gram matrix all the same.
//
// A kernel that is constant on the points has no product with itself, to the bit, once it is centred.
//
// Kernel values are float64 and what rounding leaves of a wide, nearly constant kernel is little: what is about its mean is
// taken off before anything is summed. Memory is AlignBytes; neither an n x n nor an n x M matrix is made.
func Align(ctx context.Context, b *Bank, points Points, o AlignOptions) ([]float64, error) {
	a, err := newAligner(b, points, &o)
	if err != nil {
		return nil, err
	}
	defer a.close()
	if !o.Plain {
		a.middle()
	}
	units := (a.k + a.rows - 1) / a.rows
	total := newAligned(a.side)
	merge := turns{at: sync.NewCond(&sync.Mutex{})}
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range max(1, min(o.Threads, units)) {
		group.Go(func() error {
			w := newAlignWorker(a)
			for {
				u := int(next.Add(1)) - 1
				if u >= units {
					return nil
				}
				if err := w.unit(ctx, u); err != nil {
					merge.stop()
					return err
				}
				if !merge.wait(u) {
					return ctx.Err()
				}
				total.add(&w.sums)
				merge.done()
			}
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return a.products(total), nil
}

// turns lets results through in their order.
type turns struct {
	at      *sync.Cond
	next    int
	stopped bool
}

// wait returns once it is the turn of item n; false if there will be none.
func (t *turns) wait(n int) bool {
	t.at.L.Lock()
	defer t.at.L.Unlock()
	for t.next != n && !t.stopped {
		t.at.Wait()
	}
	return !t.stopped
}

func (t *turns) done() {
	t.at.L.Lock()
	defer t.at.L.Unlock()
	t.next++
	t.at.Broadcast()
}

func (t *turns) stop() {
	t.at.L.Lock()
	defer t.at.L.Unlock()
	t.stopped = true
	t.at.Broadcast()
}

// aligned is sums over the pairs of some rows with all columns. Kernels are in storage order, the labels last.
type aligned struct {
	products []float64 // of pairs, in tiles; see tilesEnd
	squares  []float64 // side x side: sum_i z_i z_i', where z_i sums the row that centres
	crossed  []float64 // side x side: sum_i y_i z_i', where y_i sums the weighted row
	centring []float64 // sum_i z_i
	weighted []float64 // sum_i y_i
}

func newAligned(side int) *aligned {
	return &aligned{
		make([]float64, tilesEnd(side, panelsOf(side))), make([]float64, side*side), make([]float64, side*side),
		make([]float64, side), make([]float64, side),
	}
}

func (a *aligned) all() [5][]float64 {
	return [...][]float64{a.products, a.squares, a.crossed, a.centring, a.weighted}
}

func (a *aligned) add(b *aligned) {
	for k, from := range b.all() {
		to := a.all()[k]
		for i, x := range from {
			to[i] += x
		}
	}
}

func (a *aligned) clear() {
	for _, x := range a.all() {
		clear(x)
	}
}

func panelsOf(n int) int { return (n + simd.Width - 1) / simd.Width }

// tileBlocks is the number of blocks of 8 kernels that meet panel p of 32 kernels: those that do not come after it.
func tileBlocks(side, p int) int { return min(blocks(side), (p+1)*simd.Width/simd.Rows) }

// tilesEnd is where the tiles of panel p begin.
func tilesEnd(side, p int) int {
	n := 0
	for i := range p {
		n += tileBlocks(side, i) * tile
	}
	return n
}

// at is the product of kernels i and j, i <= j.
func (a *aligned) at(side, i, j int) float64 {
	return a.products[tilesEnd(side, j/simd.Width)+i*simd.Width+j%simd.Width]
}

const (
	alignRows  = 64      // rows that are taken at a time
	alignPairs = 1 << 19 // numbers of their pairs with a panel, in all kernels, if that is 8 rows at least
)

// alignedRows is a function of the number of kernels alone, because sums depend on it.
func alignedRows(side int) int {
	return max(simd.Rows, min(alignRows, alignPairs/simd.Width/side&^(simd.Rows-1)))
}

// AlignBytes is the memory that Align takes for its result and for each thread.
func AlignBytes(b *Bank, points Points) (result, thread int64) {
	side, d := b.Len()+1, int64(points.Dim())
	rows, tiles := alignedRows(side), int64(tilesEnd(side, panelsOf(side)))
	sums := 8 * (tiles + 2*int64(side)*int64(side+1))
	thread = sums + 8*int64(panelsOf(side)*2*simd.Width+simd.Width+4)*int64(rows*simd.Width) + 8*simd.Width*d + 4*int64(rows)*d
	thread += sparsePanel(points)
	layers, columns := 1, int64(0)
	for i := range b.Groups {
		g := &b.Groups[i]
		thread += RowsBytes(g, rows, 8)
		layers = max(layers, g.Layers)
		columns = max(columns, ColumnsBytes(g, 8))
	}
	thread += 2*columns + 8*int64(layers-1)*int64(BaseSize(rows))
	return sums + 8*int64(side)*int64(side), thread
}

// aligner is what the threads share.
type aligner struct {
	bank    *Bank
	points  Points
	classes []int32
	others  float64 // what the labels' kernel gives points of different classes, where it gives 1 to those of one
	plain   bool
	n, k    int     // points and those of the sample
	sample  []int32 // nil: all
	set     *Set    // of the sample
	free    func() error
	side    int
	rows    int
	shift   []float64 // taken from the values of each kernel
	other   float64   // weight of pairs of different points
	same    float64   // and of a point with itself
	itself  float64   // whether the latter centre, too
	row     float64   // the centred kernel is K_ij - rho_i - rho_j with rho_i = row z_i - all sum_i z_i
	all     float64
}

func newAligner(b *Bank, points Points, o *AlignOptions) (*aligner, error) {
	a := &aligner{bank: b, points: points, classes: o.Classes, plain: o.Plain, n: points.Len(), side: b.Len() + 1, other: 1, same: 1}
	a.k, a.rows, a.shift = a.n, alignedRows(a.side), make([]float64, a.side)
	classes := 0
	for _, c := range o.Classes {
		classes = max(classes, int(c)+1)
	}
	a.others = float64(classes-4) / float64(max(classes, 1))
	n := float64(a.n)
	a.itself, a.row, a.all = 1, 1/n, 0.5/(n*n)
	if o.Sample > 0 && o.Sample < a.n {
		a.k, a.sample = o.Sample, draw(a.n, o.Sample, o.Seed)
		k := float64(a.k)
		a.same, a.other = n/k, n*(n-1)/(k*(k-1))
		if !a.plain {
			a.other, a.itself = n*(n-1)/(k*(k-3)), 0
			a.row, a.all = 1/(k-2), 0.5/((k-1)*(k-2))
		}
		var err error
		if a.set, a.free, err = gatherSample(points, a.sample, o.Scratch); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *aligner) close() {
	if a.free != nil {
		a.free()
	}
}

// id is the number of point i of the sample.
func (a *aligner) id(i int) int {
	if a.sample != nil {
		return int(a.sample[i])
	}
	return i
}

// middle takes the means of the kernels over some pairs as the shifts.
func (a *aligner) middle() {
	w := newAlignWorker(a)
	w.load(0)
	w.panel(0)
	w.each(func(m int, value []float64) {
		s, count := 0.0, 0
		for e, v := range value {
			if i, j := e/simd.Width, e%simd.Width; j < min(simd.Width, a.k) && (i != j || a.k == 1) {
				s += v
				count++
			}
		}
		a.shift[m] = s / float64(count)
	})
}

// products gives the matrix. With weights W of pairs it is
//
//	sum_ij W_ij (K - rho_i - rho_j)(K' - rho'_i - rho'_j)
//	  = sum_ij W_ij K K' - 2 sum_i (y_i rho'_i + rho_i y'_i) + 2 other ((k-2) P + R R') + 4 same P,
//
// P = sum_i rho_i rho'_i and R = sum_i rho_i.
func (a *aligner) products(t *aligned) []float64 {
	out := make([]float64, a.side*a.side)
	k := float64(a.k)
	place := func(m int) int {
		if m == a.side-1 {
			return m
		}
		return int(a.bank.places[m])
	}
	for x := range a.side {
		for y := range x + 1 {
			i, j := min(place(x), place(y)), max(place(x), place(y))
			v := t.at(a.side, i, j)
			if !a.plain {
				zi, zj := t.centring[i], t.centring[j]
				p := a.row*a.row*t.squares[i*a.side+j] + (k*a.all*a.all-2*a.row*a.all)*zi*zj
				r := (a.row - k*a.all) * (a.row - k*a.all) * zi * zj
				yr := a.row*(t.crossed[i*a.side+j]+t.crossed[j*a.side+i]) - a.all*(t.weighted[i]*zj+t.weighted[j]*zi)
				v += 2*a.other*((k-2)*p+r) + 4*a.same*p - 2*yr
				if least := constant * float64(a.n) * a.shift[i]; i == j && v <= least*least {
					v = 0 // rounding of a kernel without variance
				}
			}
			out[x*a.side+y], out[y*a.side+x] = v, v
		}
	}
	return out
}
