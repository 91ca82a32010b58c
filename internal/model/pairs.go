package model

import "bigmkl/internal/float"

// RowPairs are the dual variables of ordered pairs of training rows that are not 0, for tasks whose dual variables belong to pairs. The
// dual variable Alpha of a row is the sum of the Beta of pairs with the row Above, less those with the row Below. All three lists are nil
// for other models.
type RowPairs struct {
	// Above and Below are the 0-based training rows of each pair: the function of the first is to exceed that of the second.
	Above, Below []int32
	// Beta is above 0 and at most C.
	Beta []float64
}

// Bytes returns the memory of the lists.
func (p *RowPairs) Bytes() int64 { return bytesOfPair * int64(len(p.Beta)) }

const bytesOfPair = 4 + 4 + 8

// HasPairs reports whether the dual variables of a task belong to pairs of rows.
func HasPairs(task string) bool { return traitsOf(task).pairs }

// check checks that the lists belong together.
func (p *RowPairs) check(m *Model, f *faults) {
	n := len(p.Beta)
	if n == 0 && len(p.Above) == 0 && len(p.Below) == 0 {
		return
	}
	f.check(HasPairs(m.Task), "pairs of rows in task %s", clip(m.Task))
	f.check(len(p.Above) == n && len(p.Below) == n, "%d dual variables of pairs with %d and %d rows", n, len(p.Above), len(p.Below))
	for k := range min(n, len(p.Above), len(p.Below)) {
		i, j, b := p.Above[k], p.Below[k], p.Beta[k]
		if i < 0 || int(i) >= m.Points || j < 0 || int(j) >= m.Points || i == j {
			f.check(false, "pair %d is of rows %d and %d, of %d", k+1, int64(i)+1, int64(j)+1, m.Points)
			return
		}
		if !float.Finite(b) || !(b > 0) {
			f.check(false, "pair %d has the dual variable %v", k+1, b)
			return
		}
	}
}

// pairSection is the dual variables of pairs.
type pairSection struct{ plainSection }

var _ section = pairSection{}

func (pairSection) tensors(m *Model) []field {
	return []field{{name: "pair_beta", f64: &m.RowPairs.Beta}, {name: "pair_above", i32: &m.RowPairs.Above}, {name: "pair_below", i32: &m.RowPairs.Below}}
}

func (pairSection) check(m *Model, f *faults) { m.RowPairs.check(m, f) }
