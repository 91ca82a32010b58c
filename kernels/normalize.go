package kernels

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/simd"
)

// Normalization is what the multiplicative normalisation found: k_m is multiplied by Scale[m], the inverse of its variance
// in feature space (Kloft 2011, eq. 3.6)
//
//	1/n sum_i k(x_i,x_i) - 1/n^2 sum_ij k(x_i,x_j).
//
// A kernel that is constant on the data has no variance and gets Scale 0. SampleSize is the number of points whose pairs
// stand for all pairs, 0 where the sum is exact; StandardError is then the relative error of each Scale.
type Normalization struct {
	Scale         []float64
	SampleSize    int
	StandardError []float64
}

const (
	exactPairs = 10000 // up to so many points the sum runs over all pairs
	samplePair = 2048
	// A variance below this share of the mean diagonal is cancellation in float32; it is summed again in float64.
	cancelled = 1e-3
	// Below this share it is rounding in float64, too: the kernel is constant.
	constant = 1e-12
)

// Normalize computes the multiplicative normalisation on the points, from float64 tiles if double.
func (b *Bank) Normalize(ctx context.Context, points Points, shape Shape, double bool, threads int, seed uint64) (*Normalization, error) {
	n := points.Len()
	sample := make([]int32, n)
	for i := range sample {
		sample[i] = int32(i)
	}
	r := &Normalization{Scale: make([]float64, b.Len())}
	if n > exactPairs {
		sample = draw(n, samplePair, seed)
		r.SampleSize, r.StandardError = len(sample), make([]float64, b.Len())
	}
	rows := make([]float32, len(sample)*points.Dim())
	for i, at := range sample {
		points.Row(int(at), rows[i*points.Dim():(i+1)*points.Dim()])
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(threads, 1))
	inside := max(1, threads/len(b.Groups)) // threads of one group
	for g := range b.Groups {
		group.Go(func() error {
			p := pairSums{bank: b, group: &b.Groups[g], points: points, sample: sample, rows: rows, threads: inside}
			if p.group.Base == CentredProduct {
				v := 0.0
				p.group.each(func(j int) { v += shape.Variance[j] })
				for _, m := range p.group.Members {
					r.Scale[m.ID] = inverse(v)
				}
				return nil
			}
			return p.scales(ctx, r, double)
		})
	}
	return r, group.Wait()
}

func inverse(v float64) float64 {
	if v > 0 {
		return 1 / v
	}
	return 0
}

// draw takes k distinct numbers below n, ascending, by Floyd's method.
func draw(n, k int, seed uint64) []int32 {
	rng := rand.New(rand.NewPCG(seed, 0x6e6f726d616c)) // "normal"
	taken := make(map[int32]bool, k)
	r := make([]int32, 0, k)
	for i := n - k; i < n; i++ {
		v := int32(rng.Uint64() % uint64(i+1))
		if taken[v] {
			v = int32(i)
		}
		taken[v] = true
		r = append(r, v)
	}
	slices.Sort(r)
	return r
}

// pairSums sums the kernels of one group over the pairs of a sample.
type pairSums struct {
	bank    *Bank
	group   *Group
	points  Points
	sample  []int32
	rows    []float32
	threads int
}

func (p *pairSums) scales(ctx context.Context, r *Normalization, double bool) error {
	sums, err := sumPairs[float32](ctx, p, double)
	if err != nil {
		return err
	}
	again := double
	for _, s := range sums {
		again = again || s.variance(p) < cancelled*s.diagonal
	}
	wide := sums
	if again {
		if wide, err = sumPairs[float64](ctx, p, false); err != nil {
			return err
		}
	}
	for i, m := range p.group.Members {
		s := sums[i]
		if double || s.variance(p) < cancelled*s.diagonal {
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

// sumPairs sums over the pairs with tiles of type T; skip gives zeros, where another type is asked for anyway.
func sumPairs[T simd.Real](ctx context.Context, p *pairSums, skip bool) ([]pairSum, error) {
	sums := make([]pairSum, len(p.group.Members))
	if skip {
		return sums, nil
	}
	d, k := p.points.Dim(), len(p.sample)
	panels := (k + simd.Width - 1) / simd.Width
	parts := make([][]pairSum, panels)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(p.threads)
	evals := make(chan *Evaluator[T], p.threads)
	for range p.threads {
		evals <- NewEvaluator[T](p.bank)
	}
	var rows Rows[T]
	first := <-evals
	first.PackRows(&rows, p.group, p.rows, d, p.sample)
	evals <- first
	for at := range panels {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			e := <-evals
			defer func() { evals <- e }()
			parts[at] = sumPanel(e, p, &rows, at)
			return nil
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
	diagonals(<-evals, p, sums)
	return sums, nil
}

// sumPanel sums all rows of the sample against its panel number at.
func sumPanel[T simd.Real](e *Evaluator[T], p *pairSums, rows *Rows[T], at int) []pairSum {
	d, k := p.points.Dim(), len(p.sample)
	var cols Columns[T]
	ids := p.sample[at*simd.Width : min((at+1)*simd.Width, k)]
	if p.group.Base == MatrixRow {
		e.PackMatrixColumns(&cols, p.group, ids)
	} else {
		panel := make([]float32, d*simd.Width)
		for j := range ids {
			for f, v := range p.rows[(at*simd.Width+j)*d : (at*simd.Width+j+1)*d] {
				panel[f*simd.Width+j] = v
			}
		}
		e.PackColumns(&cols, p.group, panel, 0, p.points.Len())
	}
	const chunk = 8 * simd.Rows
	base, ones := make([]T, chunk*simd.Width), make([]T, chunk)
	for i := range ones {
		ones[i] = 1
	}
	total := make([]float64, len(p.group.Members)*simd.Width)
	acc := make([]T, simd.Width)
	for from := 0; from < k; from += chunk {
		count := min(chunk, k-from)
		for b := from / simd.Rows; b*simd.Rows < from+count; b++ {
			tile := base[(b*simd.Rows-from)*simd.Width:][:simd.Rows*simd.Width]
			if p.group.Base != MatrixRow {
				e.Base(tile, p.group, rows, b, &cols)
				continue
			}
			for i := range min(simd.Rows, from+count-b*simd.Rows) {
				MatrixEntries(p.group, int(p.sample[b*simd.Rows+i]), ids, tile[i*simd.Width:])
			}
		}
		for m := range p.group.Members {
			clear(acc)
			e.Sum(acc, base[:count*simd.Width], ones[:count], &p.group.Members[m])
			simd.AddTo(total[m*simd.Width:(m+1)*simd.Width], acc, 1)
		}
	}
	sums := make([]pairSum, len(p.group.Members))
	self := make([]T, simd.Width)
	for m := range sums {
		e.SelfValues(self, &cols, &p.group.Members[m])
		for j := range ids {
			mean := (total[m*simd.Width+j] - float64(self[j])) / float64(k-1)
			sums[m].rows += mean
			sums[m].squares += mean * mean
		}
	}
	return sums
}

// diagonals gives the mean of k(x,x) over all points.
func diagonals[T simd.Real](e *Evaluator[T], p *pairSums, sums []pairSum) {
	n := p.points.Len()
	if p.group.UnitDiagonal() {
		for i := range sums {
			sums[i].diagonal = 1
		}
		return
	}
	var cols Columns[T]
	self := make([]T, simd.Width)
	for at := 0; at*simd.Width < n; at++ {
		e.PackColumns(&cols, p.group, p.points.Panel(at), at*simd.Width, n)
		for m := range sums {
			e.SelfValues(self, &cols, &p.group.Members[m])
			for _, v := range self[:min(simd.Width, n-at*simd.Width)] {
				sums[m].diagonal += float64(v) / float64(n)
			}
		}
	}
}
