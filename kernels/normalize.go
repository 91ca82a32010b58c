package kernels

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// Normalization is what the multiplicative normalisation found: k_m is multiplied by Scale[m], the
// inverse of its variance in feature space (Kloft 2011, eq. 3.6)
//
//	1/n sum_i k(x_i,x_i) - 1/n^2 sum_ij k(x_i,x_j).
//
// A kernel that is constant on the data has no variance and gets Scale 0, one that is normalised
// otherwise gets Scale 1. SampleSize is the number of points whose pairs represent all pairs, or 0
// if the sum is exact; StandardError is then the relative error of each Scale.
type Normalization struct {
	Scale         []float64
	SampleSize    int
	StandardError []float64
}

const (
	exactPairs = 10000 // largest number of points for which the sum runs over all pairs
	samplePair = 2048  // points of the sample that is drawn otherwise
)

// NormalizeSample is the number of points that the normalisation takes of n.
func NormalizeSample(n int) int {
	if n > exactPairs {
		return samplePair
	}
	return n
}

// normalize computes the multiplicative normalisation on the points; if double, from float64
// tiles. The features of the sample lie in a file in the folder scratch. The result depends on the
// points, the bank and the seed, not on threads. Linear kernels need no pairs: their variance is
// the variance of their features. Where skeleton, the one for float64, has a few kernels of a
// group that represent all, the values of these alone are computed. It is nil if there is none.
//
// An error comes from the context or from the file.
func (b *Bank) normalize(ctx context.Context, points Points, shape Shape, skeleton *Skeleton,
	double bool, threads int, seed uint64, scratch string) (*Normalization, error) {
	n := points.Len()
	sample := make([]int32, n)
	for i := range sample {
		sample[i] = int32(i)
	}
	r := &Normalization{Scale: make([]float64, b.Len())}
	for i := range b.Groups {
		for _, m := range b.Groups[i].Members {
			if m.Normalizer != kernelspec.Multiplicative {
				r.Scale[m.ID] = 1
			}
		}
	}
	// A single point has no variance, and no kernel needs any otherwise.
	if n < 2 || !b.Multiplied() {
		return r, nil
	}
	if k := NormalizeSample(n); k < n {
		sample = draw(n, k, seed)
		r.SampleSize, r.StandardError = len(sample), make([]float64, b.Len())
	}
	set, free, err := gatherSample(points, sample, scratch)
	if err != nil {
		return nil, err
	}
	defer free()
	panel := sparsePanel(points)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(threads, 1))
	// Groups are shared out to the threads first, and what is left over goes to the pairs of each
	// group.
	inside := max(1, threads/len(b.Groups)) // threads of one group: few groups share its pairs out
	for g := range b.Groups {
		if !b.Groups[g].Members.multiplied() {
			continue
		}
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			p := pairSums{
				bank: b, group: &b.Groups[g], points: points, sample: sample,
				set: set, panel: panel, threads: inside,
			}
			free, ok, err := p.confine(scratch)
			if err != nil || !ok {
				return err
			}
			defer free()
			// The variance of a linear kernel is the sum of the variances of its features.
			if p.group.Base == CentredProduct {
				v := 0.0
				p.group.Each(func(j int) { v += shape.Variance[j] })
				for _, m := range p.group.Members {
					if m.Normalizer == kernelspec.Multiplicative {
						r.Scale[m.ID] = inverse(v)
					}
				}
				return nil
			}
			if skeleton != nil && skeleton.spans[g].coef != nil {
				if done, err := setScalesOf(ctx, p, skeleton, g, r); done || err != nil {
					return err
				}
			}
			return setScales(ctx, &p, r, double)
		})
	}
	return r, group.Wait()
}

// inverse is 1/v, or 0 for a variance of 0.
func inverse(v float64) float64 {
	if v > 0 {
		return 1 / v
	}
	return 0
}

// setScalesOf sets the scales of group g from sums of the kernels that its skeleton keeps, in
// float64. It reports false, and sets none, where a variance is too small for that, as a skeleton is
// exact relative to the deviation over all bases that there may be.
func setScalesOf(ctx context.Context, p pairSums, skeleton *Skeleton, g int, r *Normalization) (bool, error) {
	p.bank, p.group, p.span = skeleton.Kept, &skeleton.Kept.Groups[g], &skeleton.spans[g]
	sums, err := sumPairs[float64](ctx, &p, false)
	if err != nil {
		return false, err
	}
	for i, s := range sums {
		if d := p.span.deviation[i]; d > 0 && !(s.variance(&p)*magnified > d) {
			return false, nil
		}
	}
	for i, m := range skeleton.whole.Groups[g].Members {
		if m.Normalizer == kernelspec.Multiplicative {
			r.set(m.ID, sums[i], &p)
		}
	}
	return true, nil
}

// setScales sets the scale of every kernel of the group that is normalised multiplicatively.
func setScales(ctx context.Context, p *pairSums, r *Normalization, double bool) error {
	sums, err := sumPairs[float32](ctx, p, double)
	if err != nil {
		return err
	}
	// One kernel of the group that has lost digits is enough to sum all of them again.
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
		r.set(m.ID, s, p)
	}
	return nil
}

// set sets the scale of a kernel from its sums. That of a kernel which is constant on the points
// stays 0.
func (r *Normalization) set(id int32, s pairSum, p *pairSums) {
	v := s.variance(p)
	if v <= constant*math.Abs(s.diagonal) {
		return
	}
	r.Scale[id] = 1 / v
	if r.SampleSize > 0 {
		r.StandardError[id] = s.deviation(p) / v
	}
}

// Normalize bounds the memory of the normalisation, in bytes.
//
// It is the memory of the group that takes most, once for each thread, because a thread takes one
// group at a time.
func (m Memory) Normalize(threads int) int64 {
	b, points := m.Bank, m.Points
	d := points.Dim()
	set := Set{Dim: d, Sparse: IsSparse(points)}
	panel, most := sparsePanel(points), int64(0)
	for i := range b.Groups {
		p := pairSums{group: &b.Groups[i], set: &set, panel: panel}
		if p.group.Base == MatrixRow || p.group.Base == CentredProduct || !p.group.Members.multiplied() {
			continue
		}
		for _, element := range []int64{4, 8} {
			rows, _, bytes := p.batches(element)
			bytes += int64(rows) * simd.Width * int64(p.group.Layers+1) * element // the tiles
			if set.Sparse {
				// Points are laid out by feature or packed, and there is a panel.
				bytes += 4*int64(d) + 32*Widest(points, rows) + panel
			} else {
				bytes += 4 * simd.Width * int64(d)
			}
			most = max(most, bytes)
		}
	}
	return most*int64(max(threads, 1)) + 64*int64(min(points.Len(), exactPairs))
}
