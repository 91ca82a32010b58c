package kernels

import (
	"context"
	"math/rand/v2"
	"slices"

	"golang.org/x/sync/errgroup"

	"bigmkl/kernelspec"
	"bigmkl/mmap"
)

// Normalization is what the multiplicative normalisation found: k_m is multiplied by Scale[m], the inverse of its variance
// in feature space (Kloft 2011, eq. 3.6)
//
//	1/n sum_i k(x_i,x_i) - 1/n^2 sum_ij k(x_i,x_j).
//
// A kernel that is constant on the data has no variance and gets Scale 0, one that is normalised otherwise Scale 1. SampleSize is the number of points whose pairs
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

// NormalizeSample is the number of points that Normalize takes of n.
func NormalizeSample(n int) int {
	if n > exactPairs {
		return samplePair
	}
	return n
}

// Normalize computes the multiplicative normalisation on the points, from float64 tiles if double. The features of the
// sample lie in a file in scratch.
func (b *Bank) Normalize(ctx context.Context, points Points, shape Shape, double bool, threads int, seed uint64, scratch string) (*Normalization, error) {
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
	inside := max(1, threads/len(b.Groups)) // threads of one group
	for g := range b.Groups {
		if !b.Groups[g].multiplied() {
			continue
		}
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			p := pairSums{bank: b, group: &b.Groups[g], points: points, sample: sample, set: set, panel: panel, threads: inside}
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
			return p.scales(ctx, r, double)
		})
	}
	return r, group.Wait()
}

// gatherSample makes a set of some points. Dense features lie in a file in scratch until it is freed.
func gatherSample(points Points, sample []int32, scratch string) (s *Set, free func() error, err error) {
	s, free = &Set{Dim: points.Dim()}, func() error { return nil }
	if !IsSparse(points) {
		file, err := mmap.Create(scratch, "sample-*", int64(len(sample))*int64(points.Dim())*4)
		if err != nil {
			return nil, nil, err
		}
		free, s.Dense = file.Close, mmap.View[float32](file) // Gather fills it
	}
	s.Gather(points, sample)
	return s, free, nil
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
