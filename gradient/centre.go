package gradient

import (
	"context"

	"bigmkl/internal/simd"
)

// A kernel of which k - 1 is summed (kernels.Bank.FindWide) is no longer positive semi-definite:
// only d'Kd with sum d = 0 is what it was. Its own constant would bring that back and drown the
// digits that k - 1 has. But no step of a working set sees more of a quadratic model H than
//
//	(1 - 1 1'/q) H (1 - 1 1'/q),
//
// which is positive semi-definite, because the parts that this leaves out move all entries of Hd
// alike.

// centreWide centres a model of q points if a wide kernel, which has a constant, has a weight.
func centreWide(ctx context.Context, threads int, constants, theta, h []float64, q int) error {
	for m, c := range constants {
		if c != 0 && theta[m] != 0 {
			return centreModel(ctx, threads, h, q)
		}
	}
	return nil
}

// addMeans adds the mean of each row of a matrix to rows, entry by entry. Where the number of columns is a power of two, as the
// size of most sets is, numbers are multiplied by its inverse, which gives the same bits, and four rows are
// summed side by side, as each sum waits for its last entry.
func addMeans(rows, matrix []float64) {
	q, i := len(matrix)/max(1, len(rows)), 0
	row := func(i int) []float64 { return matrix[i*q : (i+1)*q] }
	if inverse := 1 / float64(q); q&(q-1) == 0 {
		for ; i+4 <= len(rows); i += 4 {
			b, c, d := row(i+1), row(i+2), row(i+3)
			r, s, t, u := rows[i], rows[i+1], rows[i+2], rows[i+3]
			for j, x := range row(i) {
				r += float64(x * inverse)
				s += float64(b[j] * inverse)
				t += float64(c[j] * inverse)
				u += float64(d[j] * inverse)
			}
			rows[i], rows[i+1], rows[i+2], rows[i+3] = r, s, t, u
		}
	}
	for ; i < len(rows); i++ {
		for _, x := range row(i) {
			rows[i] += x / float64(q)
		}
	}
}

// centreModel replaces h, q x q and row-major, by that, and adds the mean of the diagonal to all
// entries: the model is positive definite then, and its factor has the size of its entries.
//
// Each sum is over one row or over one number for each row, whatever the number of threads.
func centreModel(ctx context.Context, threads int, h []float64, q int) error {
	const side = simd.Width
	rows, all := make([]float64, q), 0.0
	err := each(ctx, threads, panelsOf(q), func(_, block int) error {
		first, last := block*side, min((block+1)*side, q)
		addMeans(rows[first:last], h[first*q:last*q])
		return nil
	})
	if err != nil {
		return err
	}
	trace := 0.0
	for _, r := range rows {
		all += r / float64(q)
	}
	for i, r := range rows {
		trace += h[i*q+i] - 2*r + all
	}
	lift := all + trace/float64(q)
	return each(ctx, threads, panelsOf(q), func(_, block int) error {
		first, last := block*side, min((block+1)*side, q)
		for i := first; i < last; i++ {
			for j, x := range rows[:i+1] {
				h[i*q+j] += lift - rows[i] - x
			}
		}
		// One of the two halves is computed, so both have the same bits. The other is written in
		// squares of 32 x 32, because the rows of h lie far apart.
		for from := 0; from <= first; from += side {
			for j := from; j < min(from+side, last); j++ {
				row := h[j*q : (j+1)*q]
				for i := max(first, j+1); i < last; i++ {
					row[i] = h[i*q+j]
				}
			}
		}
		return nil
	})
}
