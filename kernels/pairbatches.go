package kernels

import (
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// pairSums sums the kernels of one group over the pairs of a sample.
type pairSums struct {
	bank    *Bank
	group   *Group
	points  Points
	sample  []int32 // numbers of the sample's points
	set     *Set    // their features
	panel   int64   // bytes of a panel of sparse points
	threads int
	// having is the number of points that have the view of a group which points may lack. Sums are
	// over these points. It is 0 for other groups.
	having int
	// span makes the sums of all kernels from the sums of the group, which are kept for them. It is
	// nil if the group is all of its kernels.
	span *span
}

// pointCount is the number of points that are summed over.
func (p *pairSums) pointCount() int {
	if p.having > 0 {
		return p.having
	}
	return p.points.Len()
}

// confine confines the sums to the points that have the view of a group, if points may lack it. It
// reports false where there are no pairs of them. free releases what it has gathered.
func (p *pairSums) confine(scratch string) (free func() error, ok bool, err error) {
	nothing := func() error { return nil }
	if p.group.missing == kernelspec.MissingUnsaid {
		return nothing, true, nil
	}
	have := p.group.havingPoints(p.points)
	in := make(map[int32]bool, len(have))
	for _, i := range have {
		in[i] = true
	}
	var sample []int32
	for _, i := range p.sample {
		if in[i] {
			sample = append(sample, i)
		}
	}
	if len(sample) < 2 {
		return nothing, false, nil
	}
	p.having, p.sample = len(have), sample
	p.set, free, err = gatherSample(p.points, sample, scratch)
	return free, true, err
}

const (
	pairRows   = 512     // rows that are packed at a time
	pairPanels = 32      // panels that share a packing
	pairBytes  = 4 << 20 // running sums of one goroutine

	// packBytes bounds the packed rows of one goroutine, and its packed panels, but 8 rows and one
	// panel are always taken.
	packBytes = 16 << 20
)

// batches returns the rows that are packed at a time, in whole blocks, the panels that share them,
// and the bytes that both take. It depends on the points, the bank and the size of an element
// alone, and neither on budgets nor threads, because the order of sums depends on it.
func (p *pairSums) batches(element int64) (rows, panels int, bytes int64) {
	g := p.group
	panels = min(pairPanels, pairBytes/(simd.Width*8*len(g.Members)))
	rows = pairRows
	// Packed strings and products are larger than their features, so their bytes decide.
	if g.text != nil || g.Base == Factored {
		one, more := GroupMemory{g, element}.Rows(1), GroupMemory{g, element}.Columns()
		if p.whole() {
			more += max(p.panel, 4*simd.Width*int64(p.set.Dim))
		}
		panels = max(1, int(min(int64(panels), packBytes/more)))
		rows = max(simd.Rows, int(min(int64(rows), packBytes/one))&^(simd.Rows-1))
		return rows, panels, int64(rows)*one +
			int64(panels)*(more+int64(len(g.Members))*simd.Width*8)
	}
	row, panel := int64(0), element*simd.Width*int64(g.Dim)
	switch {
	case p.short(): // packing non-zeros costs little, so only the panels count
		panel = p.panel * (1 + element/4)
		// Panels of non-zeros are kept as they are, and may be large.
		panels = int(min(int64(panels), packBytes/4/max(panel, 1)))
	case p.whole():
		// The panel itself is held beside its packed columns.
		row, panel = element*int64(g.Dim), panel+4*simd.Width*int64(p.set.Dim)
	default:
		row = element * int64(g.Dim)
	}
	rows = int(min(int64(rows), packBytes/max(row, 1))) &^ (simd.Rows - 1)
	panels = int(min(int64(panels), packBytes/max(panel, 1)))
	rows, panels = max(rows, simd.Rows), max(panels, 1)
	return rows, panels, int64(rows)*row + int64(panels)*(panel+int64(len(g.Members))*simd.Width*8)
}

// short reports whether the group needs only the non-zeros of its points, in either precision.
func (p *pairSums) short() bool { return p.group.Sparse && !p.group.Direct[0] }

// whole reports whether the group may take panels as they are. They then have to stay as long as
// the packed columns are in use.
func (p *pairSums) whole() bool {
	return p.short() || p.group.text == nil && p.group.Features == nil && !p.group.centred()
}
