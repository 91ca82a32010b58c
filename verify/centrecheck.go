package verify

import (
	"math"
	"slices"

	"bigmkl/internal/model"
)

// checkCentre checks the M of the model: of each kernel that is centred the mean over the pairs
// of its rows, and of how many rows it is.
func (p *judgement) checkCentre(f *faults) error {
	c := p.m.Centre
	if c == nil {
		return nil
	}
	if want := min(p.m.Points, mostCentred); len(c.Rows) != want {
		f.add("centre", "kernels are centred at the mean of %d rows, and of %d training rows it is that of %d",
			len(c.Rows), p.m.Points, want)
	}
	for id, claim := range c.Means {
		if claim != 0 && !centred(&p.bank.Kernels[id]) {
			f.add("centre", "kernel %d is not centred and has the mean %v for that", id+1, claim)
		}
	}
	if p.meanRows == nil {
		return nil
	}
	w := bases{problem: p.problem}
	for i := range p.groups {
		g := &p.groups[i]
		if g.centre == nil {
			continue
		}
		var sum neumaier
		size, at := 0.0, 0
		err := eachPart(len(c.Rows), p.meanRows.m.Vector, func(rows []row) error {
			means, err := w.meansOf(g, rows)
			if err != nil {
				return err
			}
			inner := &g.factors[0].group
			if err := w.fill(inner, rows, 0, 0); err != nil {
				return err
			}
			// The values cancel, and are no larger than the values of k(x,x).
			for r, m := range means {
				if g.centre.have[at] {
					sum.add(m)
					size += math.Abs(m) + math.Abs(centredValue(inner.one, w.selfX[r]))
				}
				at++
			}
			return nil
		})
		if err != nil {
			return err
		}
		n, id := float64(max(1, g.centre.count)), g.kernels[0]
		if own := sum.value() / n; !(math.Abs(own-c.Means[id]) <= conceded*(size/n)) {
			f.add("centre", "kernel %d is centred with the mean %v over pairs of rows, and that is %v",
				id+1, c.Means[id], own)
		}
	}
	return nil
}

// centreCheck compares the rows of a mean with the training rows that they are said to be.
type centreCheck struct {
	m      *model.Model
	next   int
	row    []float32
	faults *faults
}

// newCentreCheck returns nil for a model without such rows, or whose rows are not laid out.
func newCentreCheck(m *model.Model, f *faults) *centreCheck {
	if m.Centre == nil || !laidOut(m) {
		return nil
	}
	return &centreCheck{m: m, row: make([]float32, m.Features), faults: f}
}

// addRow compares training row i, from 0, if it is one of them. Rows come in order.
func (c *centreCheck) addRow(i int, dense []float32) {
	if c == nil || c.next == len(c.m.Centre.Rows) || int(c.m.Centre.Rows[c.next]) != i {
		return
	}
	c.m.Centre.Row(c.next, c.row)
	c.next++
	same := func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }
	if !slices.EqualFunc(c.row, dense, same) {
		c.faults.add("centre", "row %d: the features of this row of the mean differ from the data", i+1)
	}
}
