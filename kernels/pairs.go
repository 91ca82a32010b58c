package kernels

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/simd"
	"bigmkl/kernelspec"
)

// pairSums sums the kernels of one group over the pairs of a sample.
type pairSums struct {
	bank    *Bank
	group   *Group
	points  Points
	sample  []int32
	set     *Set
	panel   int64 // bytes of a panel of sparse points
	threads int
}

func (p *pairSums) scales(ctx context.Context, r *Normalization, double bool) error {
	sums, err := sumPairs[float32](ctx, p, double)
	if err != nil {
		return err
	}
	again := double
	for _, s := range sums {
		again = again || s.variance(p) <= cancelled*math.Abs(s.diagonal)
	}
	wide := sums
	if again {
		if wide, err = sumPairs[float64](ctx, p, false); err != nil {
			return err
		}
	}
	for i, m := range p.group.Members {
		if m.Normalizer != kernelspec.Multiplicative {
			continue
		}
		s := sums[i]
		if double || s.variance(p) <= cancelled*math.Abs(s.diagonal) {
			s = wide[i]
		}
		v := s.variance(p)
		if v <= constant*math.Abs(s.diagonal) {
			continue
		}
		r.Scale[m.ID] = 1 / v
		if r.SampleSize > 0 {
			r.StandardError[m.ID] = s.deviation(p) / v
		}
	}
	return nil
}

// pairSum is what one kernel sums to: its mean diagonal over all points, and over the sample the means of its rows
// without the diagonal, summed and squared.
type pairSum struct{ diagonal, rows, squares float64 }

// variance estimates the variance in feature space of all n points; exactly, if the sample is all points.
func (s pairSum) variance(p *pairSums) float64 {
	n, k := float64(p.points.Len()), float64(len(p.sample))
	return (s.diagonal - s.rows/k) * (1 - 1/n)
}

// deviation is the standard error of the mean over pairs, a U-statistic of order two.
func (s pairSum) deviation(p *pairSums) float64 {
	k := float64(len(p.sample))
	mean := s.rows / k
	return 2 * math.Sqrt(max(s.squares/k-mean*mean, 0)/k)
}

const (
	pairRows   = 512      // rows that are packed at a time
	pairPanels = 32       // panels that share a packing
	pairBytes  = 4 << 20  // of running sums of one goroutine
	packBytes  = 16 << 20 // of its packed rows, and of its packed panels, if that is 8 rows and one panel at least
)

// batches gives the rows that are packed at a time, in whole blocks, the panels that share them, and the bytes that both take.
// It depends on points, bank and element size alone, because sums depend on it.
func (p *pairSums) batches(element int64) (rows, panels int, bytes int64) {
	g := p.group
	panels = min(pairPanels, pairBytes/(simd.Width*8*len(g.Members)))
	rows = pairRows
	if g.text != nil || g.Base == Factored {
		one, more := RowsBytes(g, 1, element), ColumnsBytes(g, element)
		if p.whole() {
			more += max(p.panel, 4*simd.Width*int64(p.set.Dim))
		}
		panels = max(1, int(min(int64(panels), packBytes/more)))
		rows = max(simd.Rows, int(min(int64(rows), packBytes/one))&^(simd.Rows-1))
		return rows, panels, int64(rows)*one + int64(panels)*(more+int64(len(g.Members))*simd.Width*8)
	}
	row, panel := int64(0), element*simd.Width*int64(g.Dim)
	switch {
	case p.short(): // packing is cheap
		panel = p.panel * (1 + element/4)
		panels = int(min(int64(panels), packBytes/4/max(panel, 1)))
	case p.whole():
		row, panel = element*int64(g.Dim), panel+4*simd.Width*int64(p.set.Dim)
	default:
		row = element * int64(g.Dim)
	}
	rows = int(min(int64(rows), packBytes/max(row, 1))) &^ (simd.Rows - 1)
	panels = int(min(int64(panels), packBytes/max(panel, 1)))
	rows, panels = max(rows, simd.Rows), max(panels, 1)
	return rows, panels, int64(rows)*row + int64(panels)*(panel+int64(len(g.Members))*simd.Width*8)
}

// short tells whether the group takes no more of its points than their non-zeros, in either precision.
func (p *pairSums) short() bool { return p.group.Sparse && !p.group.Direct[0] }

// whole tells whether the group may take panels as they are: these have to stay while its columns are in use.
func (p *pairSums) whole() bool {
	return p.short() || p.group.text == nil && p.group.Features == nil && !p.group.centred()
}

// NormalizeBytes bounds the memory of Normalize.
func NormalizeBytes(b *Bank, points Points, threads int) int64 {
	d := points.Dim()
	set := Set{Dim: d, Sparse: IsSparse(points)}
	panel, most := sparsePanel(points), int64(0)
	for i := range b.Groups {
		p := pairSums{group: &b.Groups[i], set: &set, panel: panel}
		if p.group.Base == MatrixRow || p.group.Base == CentredProduct || !p.group.multiplied() {
			continue
		}
		for _, element := range []int64{4, 8} {
			rows, _, bytes := p.batches(element)
			bytes += int64(rows) * simd.Width * int64(p.group.Layers+1) * element // tiles
			if set.Sparse {
				bytes += 4*int64(d) + 32*Widest(points, rows) + panel // points by feature, or packed, and a panel
			} else {
				bytes += 4 * simd.Width * int64(d)
			}
			most = max(most, bytes)
		}
	}
	return most*int64(max(threads, 1)) + 64*int64(min(points.Len(), exactPairs))
}

// sumPairs sums over the pairs with tiles of type T; skip gives zeros, where another type is asked for anyway.
func sumPairs[T simd.Real](ctx context.Context, p *pairSums, skip bool) ([]pairSum, error) {
	sums := make([]pairSum, len(p.group.Members))
	if skip {
		return sums, nil
	}
	panels := (len(p.sample) + simd.Width - 1) / simd.Width
	_, share, _ := p.batches(4 << precision[T]())
	parts := make([][]pairSum, (panels+share-1)/share)
	whole := ctx // which the group's end does not end
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(p.threads)
	for at := range parts {
		group.Go(func() error {
			var err error
			parts[at], err = sumPanels[T](ctx, p, at*share, min((at+1)*share, panels))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, part := range parts {
		for i, s := range part {
			sums[i].rows += s.rows
			sums[i].squares += s.squares
		}
	}
	return sums, diagonals(whole, NewEvaluator[T](p.bank), p, sums)
}

// sumPanels sums all rows of the sample against its panels from..to-1. It looks at the context for
// each of them and batch of rows.
func sumPanels[T simd.Real](ctx context.Context, p *pairSums, from, to int) ([]pairSum, error) {
	if err := ctx.Err(); err != nil { // most groups wait for a thread: none of them begins
		return nil, err
	}
	e := NewEvaluator[T](p.bank)
	columns, buffers := make([]Columns[T], to-from), make([]PanelBuffer, to-from)
	for c := range columns {
		buffer := &buffers[0]
		if p.whole() {
			buffer = &buffers[c]
		}
		panel := p.set.Panel((from+c)*simd.Width, buffer)
		e.PackColumns(&columns[c], p.group, &panel, p.points.Len())
	}
	members := p.group.Members
	total := make([]float64, len(columns)*len(members)*simd.Width)
	var rows Rows[T]
	size, _, _ := p.batches(4 << precision[T]())
	for at := 0; at < len(p.sample); at += size {
		part := p.set.Part(at, min(at+size, len(p.sample)))
		e.PackRows(&rows, p.group, part)
		for c := range columns {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			e.addRows(total[c*len(members)*simd.Width:], p.group, &rows, &columns[c])
		}
	}
	sums, self := make([]pairSum, len(members)), make([]T, simd.Width)
	for c := range columns {
		for m := range sums {
			e.SelfValues(self, &columns[c], &members[m])
			for j := range min(simd.Width, len(p.sample)-(from+c)*simd.Width) {
				mean := (total[(c*len(members)+m)*simd.Width+j] - float64(self[j])) / float64(len(p.sample)-1)
				sums[m].rows += mean
				sums[m].squares += mean * mean
			}
		}
	}
	return sums, nil
}

// addRows adds the sum over the packed rows of every member to total: [member][32].
func (e *Evaluator[T]) addRows(total []float64, g *Group, rows *Rows[T], cols *Columns[T]) {
	base, coef, weight := make([]T, g.TileSize(rows.Len)), make([]T, rows.Len), make([]float64, len(g.Members))
	for i := range coef {
		coef[i] = 1
	}
	for i := range weight {
		weight[i] = 1
	}
	e.Base(base, g, rows, 0, rows.Len, cols, nil)
	e.Sum(total[:len(weight)*simd.Width], base[:g.Used(rows.Len)], coef, g, weight)
}

// diagonals gives the mean of k(x,x) over all points.
func diagonals[T simd.Real](ctx context.Context, e *Evaluator[T], p *pairSums, sums []pairSum) error {
	n := p.points.Len()
	if p.group.UnitDiagonal() {
		for i := range sums {
			sums[i].diagonal = 1
		}
		return nil
	}
	var cols Columns[T]
	var buffer PanelBuffer
	self := make([]T, simd.Width)
	for at := 0; at*simd.Width < n; at++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		panel := PanelOf(p.points, at, &buffer)
		e.PackColumns(&cols, p.group, &panel, n)
		for m := range sums {
			e.SelfValues(self, &cols, &p.group.Members[m])
			for _, v := range self[:min(simd.Width, n-at*simd.Width)] {
				sums[m].diagonal += float64(v)
			}
		}
	}
	for m := range sums { // once, so that ones give one
		sums[m].diagonal /= float64(n)
	}
	return nil
}
