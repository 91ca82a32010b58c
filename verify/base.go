package verify

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"bigmkl/internal/fail"
)

const (
	tile     = 512  // support vectors at a time
	width    = 1024 // features at a time
	direct   = 16   // up to so many features squared distances are summed over differences
	gemmRows = 64   // a product of so few rows and columns stays in its goroutine
)

// fill computes the base of the first rows of b with the support vectors from lo to hi: w.base is rows x (hi-lo). w.selfX
// and w.selfZ get the bases of rows and support vectors with themselves.
func (w *worker) fill(g *group, rows []row, lo, hi int) error {
	if g.base == combined {
		return w.fillProduct(g, rows, lo, hi)
	}
	n, t := len(rows), hi-lo
	w.base = sized(w.base, n*t)
	w.selfX, w.selfZ = sized(w.selfX, n), sized(w.selfZ, t)
	clear(w.base)
	clear(w.selfX)
	clear(w.selfZ)
	if g.base == matrixRow {
		return w.fromMatrix(g, rows, lo, hi)
	}
	if g.base == letters {
		w.fillStrings(g, rows, lo, hi)
		return nil
	}
	if g.base == foreign {
		w.fillUser(g, rows, lo, hi)
		return nil
	}
	byNorms := g.base == squared && g.dim > direct
	if w.m.Sparse != nil && g.features == nil && (g.base == product || byNorms) {
		w.sparseProducts(rows, lo, hi)
		if byNorms {
			w.distances(g, rows, lo, hi)
		}
		return nil
	}
	for from := 0; from < g.dim; from += width {
		d := min(width, g.dim-from)
		w.x, w.z = sized(w.x, n*d), sized(w.z, t*d)
		for r := range rows {
			w.gather(w.x[r*d:(r+1)*d], rows[r].x, g.features, from, byNorms)
		}
		for s := range t {
			w.gatherVector(w.z[s*d:(s+1)*d], lo+s, g.features, from, byNorms)
		}
		switch {
		case g.base == product || byNorms:
			w.products(n, t, d)
			w.selves(n, t, d, square)
		case g.base == squared:
			w.pairs(n, t, d, difference)
		case g.base == manhattan:
			w.pairs(n, t, d, absolute)
		case g.base == chiSquare:
			w.pairs(n, t, d, chi)
		case g.base == overlap:
			w.pairs(n, t, d, smaller)
			w.selves(n, t, d, total)
		}
	}
	if byNorms {
		w.distances(g, rows, lo, hi)
	}
	return nil
}

// gather takes features from, from+1, ... of a set out of a row, less their means if wanted.
func (w *worker) gather(dst []float64, x []float32, set []int32, from int, centred bool) {
	mean := w.mean
	if set == nil {
		x, mean = x[from:from+len(dst)], mean[from:from+len(dst)]
		for j := range dst {
			dst[j] = float64(x[j])
		}
		if centred {
			for j := range dst {
				dst[j] -= mean[j]
			}
		}
		return
	}
	for j, f := range set[from : from+len(dst)] {
		dst[j] = float64(x[f])
		if centred {
			dst[j] -= mean[f]
		}
	}
}

// products adds x z' to the base.
func (w *worker) products(n, t, d int) {
	for r := 0; r < n; r += gemmRows {
		for s := 0; s < t; s += gemmRows {
			nr, nt := min(gemmRows, n-r), min(gemmRows, t-s)
			blas64.Gemm(blas.NoTrans, blas.Trans, 1,
				blas64.General{Rows: nr, Cols: d, Stride: d, Data: w.x[r*d:]},
				blas64.General{Rows: nt, Cols: d, Stride: d, Data: w.z[s*d:]},
				1, blas64.General{Rows: nr, Cols: nt, Stride: t, Data: w.base[r*t+s:]})
		}
	}
}

// selves adds f of each row and support vector to what they have with themselves.
func (w *worker) selves(n, t, d int, f func([]float64) float64) {
	for r := range n {
		w.selfX[r] += f(w.x[r*d : (r+1)*d])
	}
	for s := range t {
		w.selfZ[s] += f(w.z[s*d : (s+1)*d])
	}
}

// pairs adds f of each row with each support vector to the base.
func (w *worker) pairs(n, t, d int, f func(x, z []float64) float64) {
	for r := range n {
		x, out := w.x[r*d:(r+1)*d], w.base[r*t:(r+1)*t]
		for s := range out {
			out[s] += f(x, w.z[s*d:(s+1)*d])
		}
	}
}

// distances turns products of centred features into squared distances. Where next to nothing is left of the norms, the
// difference of the rows themselves is taken.
func (w *worker) distances(g *group, rows []row, lo, hi int) {
	t := hi - lo
	for r := range rows {
		out := w.base[r*t : (r+1)*t]
		for s, p := range out {
			norms := w.selfX[r] + w.selfZ[s]
			d := norms - 2*p
			if d < 1e-6*norms {
				d = exactDistance(rows[r].x, w.m.Vector(lo+s), g.features)
			}
			out[s] = d
		}
	}
	clear(w.selfX) // of a distance, not of the products before
	clear(w.selfZ)
}

func exactDistance(x, z []float32, set []int32) float64 {
	sum := 0.0
	if set == nil {
		for j, v := range x {
			d := float64(v) - float64(z[j])
			sum += d * d
		}
		return sum
	}
	for _, j := range set {
		d := float64(x[j]) - float64(z[j])
		sum += d * d
	}
	return sum
}

// scattered is the number of columns per row from which on the numbers of a matrix are read one by one and not from first to last.
const scattered = 16

// fromMatrix takes the base from the rows of a file: those of the support vectors, as training does, because a matrix is symmetric
// to a few digits only.
func (w *worker) fromMatrix(g *group, rows []row, lo, hi int) error {
	t := hi - lo
	first, last := rows[0].id, rows[0].id
	for r := range rows {
		first, last = min(first, rows[r].id), max(last, rows[r].id)
		g.matrix.Row64(rows[r].id, rows[r].id, w.selfX[r:r+1])
	}
	whole := last-first < scattered*len(rows)
	if whole {
		w.x = sized(w.x, last-first+1)
	}
	for s, i := range w.m.Support[lo:hi] {
		g.matrix.Row64(int(i), int(i), w.selfZ[s:s+1])
		if whole {
			g.matrix.Row64(int(i), first, w.x)
		}
		for r := range rows {
			x := w.base[r*t+s : r*t+s+1]
			if whole {
				x[0] = w.x[rows[r].id-first]
			} else {
				g.matrix.Row64(int(i), rows[r].id, x)
			}
			if !finite(x[0]) {
				return fail.New(fail.Input, "the matrix has %v in row %d and column %d", x[0], i+1, rows[r].id+1)
			}
		}
	}
	return nil
}

func square(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return sum
}

func total(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

func difference(x, z []float64) float64 {
	sum := 0.0
	for j, v := range z[:len(x)] {
		d := x[j] - v
		sum += d * d
	}
	return sum
}

func absolute(x, z []float64) float64 {
	sum := 0.0
	for j, v := range z[:len(x)] {
		sum += math.Abs(x[j] - v)
	}
	return sum
}

func chi(x, z []float64) float64 {
	sum := 0.0
	for j, v := range z[:len(x)] {
		if d := x[j] - v; d != 0 { // 0/0 counts as 0
			sum += d * d / (x[j] + v)
		}
	}
	return sum
}

func smaller(x, z []float64) float64 {
	sum := 0.0
	for j, v := range z[:len(x)] {
		sum += min(x[j], v)
	}
	return sum
}

// sized gives a slice of n numbers with any content, the old one if it is large enough.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
