package verify

import "bigmkl/internal/fail"

// scattered is the number of columns per row from which on the numbers of a matrix are read one by one and not from first to last.
const scatteredColumns = 16

// fromMatrix takes the base from the rows of a file: those of the support vectors, as training does, because a matrix is symmetric
// to a few digits only.
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
				return fail.New(fail.Input, "the matrix has %v in row %d and column %d", x[0], i+1, rows[r].id+1)
			}
		}
	}
	return nil
}
