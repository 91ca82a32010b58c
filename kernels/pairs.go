package kernels

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/simd"
)

// The variance of a kernel in feature space needs sums over all pairs of points, or of a sample of
// them. All kernels of a group are summed together, from tiles of float32 first. Where the
// variance is what two nearly equal sums leave, it is summed again from tiles of float64.

const (
	// A variance below this share of the mean diagonal has lost digits in float32, and is summed
	// again in float64: of about seven digits three are gone.
	cancelled = 1e-3

	// A variance below this share of the mean diagonal is rounding in float64 as well: the kernel
	// is constant on the points.
	constant = 1e-12
)

// pairSum is what one kernel sums to: its mean diagonal over all points, and over the sample the
// means of its rows without the diagonal, summed and squared. Of all points squares are not needed.
// Rows of a wide kernel are rows of k - exp(-gamma reach), of a wide polynomial rows of k - c^d, and
// top is the mean diagonal of that; of any other kernel it is the diagonal.
type pairSum struct{ diagonal, top, rows, squares float64 }

// variance estimates the variance in feature space of all n points. It is exact if the sample is
// all points.
func (s pairSum) variance(p *pairSums) float64 {
	n, k := float64(p.pointCount()), float64(len(p.sample))
	// The mean over pairs of different points represents all such pairs; eq. 3.6 has the pairs of a
	// point with itself as well, which the factor 1 - 1/n accounts for.
	return (s.top - s.rows/k) * (1 - 1/n)
}

// deviation is the standard error of the mean over pairs, which is a U-statistic of order two:
// twice that of the mean of the rows.
func (s pairSum) deviation(p *pairSums) float64 {
	k := float64(len(p.sample))
	mean := s.rows / k
	return 2 * math.Sqrt(max(s.squares/k-mean*mean, 0)/k)
}

// count is the number of kernels that are summed.
func (p *pairSums) count() int {
	if p.span != nil {
		return len(p.span.constant)
	}
	return len(p.group.Members)
}

// sumPairs sums over the pairs with tiles of type T. Shares of the panels go to the threads and
// their sums are added in order. If skip is set it returns zeros, because the caller sums in
// another type.
func sumPairs[T simd.Real](ctx context.Context, p *pairSums, skip bool) ([]pairSum, error) {
	sums := make([]pairSum, p.count())
	if skip {
		return sums, nil
	}
	panels := panelsOf(len(p.sample))
	_, share, _ := p.batches(4 << precision[T]())
	parts := make([][]pairSum, (panels+share-1)/share)
	whole := ctx // Wait ends the context of the group, but the diagonals come after it
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
	// Shares are added in their order, whoever has summed them.
	for _, part := range parts {
		for i, s := range part {
			sums[i].rows += s.rows
			sums[i].squares += s.squares
		}
	}
	return sums, diagonals(whole, p, NewEvaluator[T](p.bank), sums)
}

// sumPanels sums all rows of the sample against its panels from..to-1. It looks at the context for
// each panel and batch of rows.
//
// The diagonal is subtracted from the sum of each column, which leaves the pairs of different
// points.
func sumPanels[T simd.Real](ctx context.Context, p *pairSums, from, to int) ([]pairSum, error) {
	if err := ctx.Err(); err != nil { // most shares wait for a thread, and should not begin
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
		// The columns of all panels stay packed while the rows pass.
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
			addRowSums(total[c*len(members)*simd.Width:], e, p.group, &rows, &columns[c])
		}
	}
	s, count := p.newMeans(), 0
	self := make([]T, len(members)*simd.Width)
	for c := range columns {
		for m := range members {
			e.selfSums(self[m*simd.Width:(m+1)*simd.Width], &columns[c], &members[m])
		}
		for j := range min(simd.Width, len(p.sample)-(from+c)*simd.Width) {
			for m := range s.own {
				// The sum over the rows has the point itself in it, which is taken off: pairs are
				// pairs of different points.
				others := total[(c*len(members)+m)*simd.Width+j] - float64(self[m*simd.Width+j])
				s.own[m] = others/float64(len(p.sample)-1) + members[m].Constant
			}
			s.add()
			count++
		}
	}
	return s.sums(count), nil
}

// means sums up the mean values of points with the others.
type means struct {
	p       *pairSums
	own     []float64 // of a point, by kernel of the group
	rows    []float64 // their sums
	all     []float64 // of a point, by kernel that is summed; own if these are the same
	squares []float64 // sums of the squares of all, if the sample is not all points
}

func (p *pairSums) newMeans() *means {
	n := len(p.group.Members)
	s := &means{p: p, own: make([]float64, n), rows: make([]float64, n)}
	if len(p.sample) < p.pointCount() {
		s.all, s.squares = s.own, make([]float64, p.count())
		if p.span != nil {
			s.all = make([]float64, p.count())
		}
	}
	return s
}

// add adds the means of a point.
func (s *means) add() {
	for m, mean := range s.own {
		s.rows[m] += mean
	}
	if s.squares == nil {
		return
	}
	if s.p.span != nil {
		s.p.span.raise(s.all, s.own, 1)
	}
	for m, mean := range s.all {
		s.squares[m] += float64(mean * mean)
	}
}

// sums returns the sums over count points for all kernels.
func (s *means) sums(count int) []pairSum {
	sums := make([]pairSum, s.p.count())
	rows := s.rows
	if s.p.span != nil {
		rows = make([]float64, len(sums))
		s.p.span.raise(rows, s.rows, float64(count))
	}
	for m := range sums {
		sums[m].rows = rows[m]
		if s.squares != nil {
			sums[m].squares = s.squares[m]
		}
	}
	return sums
}

// addRowSums adds the sum over the packed rows of every member to total, [member][32].
func addRowSums[T simd.Real](total []float64, e *Evaluator[T], g *Group, rows *Rows[T],
	cols *Columns[T]) {
	base, coef := make([]T, g.TileSize(rows.Len)), make([]T, rows.Len)
	weight := make([]float64, len(g.Members))
	fill(coef, 1)
	fill(weight, 1)
	e.Base(base, g, rows, 0, rows.Len, cols, nil)
	e.Sum(total[:len(weight)*simd.Width], base[:g.Used(rows.Len)], coef, g, weight)
}

// diagonals sets the mean of k(x,x) over all points. It divides once at the end, so a diagonal of
// ones has a mean of exactly 1.
func diagonals[T simd.Real](ctx context.Context, p *pairSums, e *Evaluator[T],
	sums []pairSum) error {
	n := p.points.Len()
	if p.group.Members.UnitDiagonal() {
		own := make([]float64, len(p.group.Members))
		for i := range own {
			own[i] = p.group.Members[i].atZero()
		}
		top := own
		if p.span != nil {
			top = make([]float64, len(sums))
			p.span.raise(top, own, 1)
		}
		for i := range sums {
			sums[i].diagonal, sums[i].top = 1, top[i]
		}
		return nil
	}
	var cols Columns[T]
	var buffer PanelBuffer
	self, less := make([]T, simd.Width), make([]T, simd.Width)
	for at := 0; at*simd.Width < n; at++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		panel := PanelOf(p.points, at, &buffer)
		e.PackColumns(&cols, p.group, &panel, n)
		for m := range sums {
			e.SelfValues(self, &cols, &p.group.Members[m])
			e.selfSums(less, &cols, &p.group.Members[m])
			for lane, v := range self[:min(simd.Width, n-at*simd.Width)] {
				if cols.flags[lane] == 0 { // The sums are over points that have the view.
					sums[m].diagonal += float64(v)
					sums[m].top += float64(less[lane])
				}
			}
		}
	}
	for m := range sums {
		sums[m].diagonal /= float64(p.pointCount())
		sums[m].top /= float64(p.pointCount())
	}
	return nil
}
