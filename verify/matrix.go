package verify

import "bigmkl/internal/fail"

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
			if !finite(x[0]) {
				return fail.New(fail.Input, "the matrix has %v in row %d and column %d",
					x[0], i+1, rows[r].id+1)
			}
		}
	}
	return nil
}
