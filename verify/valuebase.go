package verify

import (
	"bigmkl/internal/fail"
	"bigmkl/internal/float"
	"bigmkl/internal/kernelspec"
)

// This file computes the bases that are values of kernels themselves and no sums over features: the
// entries of matrices, string kernels, and what code of the user returns.

// scatteredColumns is the number of columns of a matrix per row of the batch from which on its
// entries are read one by one. Below it, all columns from the first row of the batch to the last
// are read at once, which is faster because they are neighbours in the file.
const scatteredColumns = 16

// fillMatrix takes the base from the matrix of a file: from the rows of the support vectors, as
// training does, because such a matrix is symmetric to a few digits only. An entry that is not
// finite is an error of class input.
func (w *bases) fillMatrix(g *group, rows []row, lo, hi int) error {
	t := hi - lo
	first, last := rows[0].id, rows[0].id
	for r := range rows {
		first, last = min(first, rows[r].id), max(last, rows[r].id)
		g.matrix.Row64(rows[r].id, rows[r].id, w.selfX[r:r+1])
	}
	whole := last-first < scatteredColumns*len(rows)
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
			if !float.Finite(x[0]) {
				return fail.New(fail.Input, "the matrix has %v in row %d and column %d",
					x[0], i+1, rows[r].id+1)
			}
		}
	}
	return nil
}

// fillStrings computes the values of a string kernel, which are its base. The words of a row are
// counted once and looked up for every support vector. The values of support vectors with
// themselves are needed for the spherical normalisation alone.
func (w *bases) fillStrings(g *group, rows []row, lo, hi int) {
	t, k := hi-lo, g.one
	x := make([][]uint8, len(rows))
	for r := range rows {
		x[r] = readLetters(nil, rows[r].x, g.features)
	}
	var z []uint8
	if k.Kind == kernelspec.WeightedDegree {
		d := newWeightedDegree(k)
		for r := range x {
			w.selfX[r] = d.evaluate(x[r], x[r])
		}
		for s := range t {
			z = readLetters(z, w.m.Vector(lo+s), g.features)
			for r := range x {
				w.base[r*t+s] = d.evaluate(x[r], z)
			}
			if g.spherical {
				w.selfZ[s] = d.evaluate(z, z)
			}
		}
		return
	}
	// The spectrum kernel is the inner product of the counts of words.
	v := newVocabulary(k, w.m.Sequences.Letters())
	counts := make([]wordCounts, len(x))
	var words []uint64
	for r := range x {
		words = v.listWords(words, x[r])
		counts[r] = v.countWords(words)
		w.selfX[r] = counts[r].sumOver(words)
	}
	for s := range t {
		z = readLetters(z, w.m.Vector(lo+s), g.features)
		words = v.listWords(words, z)
		for r := range x {
			w.base[r*t+s] = counts[r].sumOver(words)
		}
		if g.spherical {
			c := v.countWords(words)
			w.selfZ[s] = c.sumOver(words)
		}
	}
}

// fillUser has the values of a kernel computed by the code of the user, which gets the features
// of the kernel's set only. k(z,x) is asked for with the support vector first, as training does:
// code of the user need not be symmetric in the last digits.
func (w *bases) fillUser(g *group, rows []row, lo, hi int) {
	t := hi - lo
	own := func(x []float32) []float32 {
		if g.features == nil {
			return x
		}
		part := make([]float32, 0, len(g.features))
		for _, j := range g.features {
			part = append(part, x[j])
		}
		return part
	}
	var z [][]float32
	for s := range t {
		z = append(z, own(w.m.Vector(lo+s)))
		if g.spherical {
			g.user.Values(w.selfZ[s:s+1], z[s], z[s:])
		}
	}
	var x [][]float32
	for r := range rows {
		x = append(x, own(rows[r].x))
		g.user.Values(w.selfX[r:r+1], x[r], x[r:])
	}
	w.x = sized(w.x, len(rows))
	for s := range t {
		g.user.Values(w.x, z[s], x)
		for r, v := range w.x {
			w.base[r*t+s] = v
		}
	}
}
