package kernels

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"
)

// Reaches returns the largest base that two of the points may have for each group of exponentials
// of a distance or of polynomials, and 0 for any other. Points within a distance R of the shift are at most 2 R
// apart, so one look at each point is enough:
//
//	|x - z|^2 <= 4 R^2,    sum_j |x_j - z_j| <= 2 R_1,
//	sum_j (x_j - z_j)^2 / (x_j + z_j) <= sum_j (x_j + z_j)    for x, z >= 0,
//	|<x,z>| <= |x| |z|.
//
// An error is the context's. The result does not depend on the number of threads. Sparse points take
// a term for each of their non-zeros in groups of many features that lie side by side.
func (b *Bank) Reaches(ctx context.Context, points Points, threads int) ([]float64, error) {
	reach := make([]float64, len(b.Groups))
	var list []int
	for i := range b.Groups {
		if b.Groups[i].constantsCancel() || b.Groups[i].polynomials() {
			list = append(list, i)
		}
	}
	if list == nil {
		return reach, nil
	}
	threads = max(1, threads)
	parts := make([][]float64, threads)
	group, ctx := errgroup.WithContext(ctx)
	for t := range threads {
		parts[t] = make([]float64, len(b.Groups))
		group.Go(func() error {
			r := newReacher(b, points, list)
			for i := t; i < points.Len(); i += threads {
				if i/threads%width == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				r.look(i, parts[t])
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, part := range parts {
		for k, x := range part {
			reach[k] = max(reach[k], x)
		}
	}
	for _, k := range list {
		// Bases are rounded, and a point may lie beyond its bound by as much.
		reach[k] *= 1 + 1e-6
	}
	return reach, nil
}

// fewFeatures is the number of features up to which a group sums them all for sparse points, too. To
// read them takes a microsecond, and the sums equal the sums of dense points bit by bit.
const fewFeatures = 1024

// reacher looks at one point after the other.
type reacher struct {
	bank   *Bank
	points Points
	sparse Nonzeros  // nil if the points are dense
	thin   []int     // groups that take the non-zeros of a point
	origin []float64 // of each of these, the extent of a point without non-zeros
	full   []int     // groups that take every feature
	row    []float32 // the features of a point; nil if no group takes them all
}

// newReacher divides the groups of a list among both ways to look at a point.
func newReacher(b *Bank, points Points, list []int) *reacher {
	r := &reacher{bank: b, points: points}
	if z, ok := nonzeros(points); ok {
		r.sparse = z
	}
	for _, k := range list {
		g := &b.Groups[k]
		if r.sparse == nil || !g.ranges() || g.Dim <= fewFeatures {
			r.full = append(r.full, k)
			continue
		}
		origin := 0.0
		g.Each(func(j int) { origin += g.Base.term(0, b.Shift[j]) })
		r.thin, r.origin = append(r.thin, k), append(r.origin, origin)
	}
	if r.full != nil {
		r.row = make([]float32, points.Dim())
	}
	return r
}

// look raises the reaches of the groups to what point i needs.
func (r *reacher) look(i int, reach []float64) {
	var index []int32
	var value []float32
	if r.sparse != nil {
		index, value = r.sparse.Nonzeros(i)
	}
	for at, k := range r.thin {
		g := &r.bank.Groups[k]
		reach[k] = max(reach[k], g.Base.fromExtent(r.thinExtent(g, r.origin[at], index, value)))
	}
	if r.full == nil {
		return
	}
	if r.sparse == nil {
		r.points.Row(i, r.row)
	}
	for e, j := range index {
		r.row[j] = value[e]
	}
	for _, k := range r.full {
		g, sum := &r.bank.Groups[k], 0.0
		g.Each(func(j int) { sum += g.Base.term(r.row[j], r.bank.Shift[j]) })
		reach[k] = max(reach[k], g.Base.fromExtent(sum))
	}
	// Only what was written is cleared: a row may be far longer than its non-zeros.
	for _, j := range index {
		r.row[j] = 0
	}
}

// thinExtent returns the extent of a point by its non-zeros: the features without one sum up to
// what the origin has of them.
func (r *reacher) thinExtent(g *Group, origin float64, index []int32, value []float32) float64 {
	index, value = g.clip(index, value)
	sum := origin
	for e, j := range index {
		shift := r.bank.Shift[j]
		sum += g.Base.term(value[e], shift) - g.Base.term(0, shift)
	}
	// Near the shift nearly all of the origin's part cancels, and a bound must not be too small.
	return sum + 1e-12*origin
}

// term is what a feature adds to the extent of a point.
func (b Base) term(x, shift float32) float64 {
	d := float64(x) - float64(shift)
	switch b {
	case SquaredDistance:
		// The conversion keeps the product from being fused with a sum.
		return float64(d * d)
	case absoluteDistance:
		return math.Abs(d)
	case plainProduct:
		return float64(float64(x) * float64(x))
	}
	return math.Abs(float64(x))
}

// fromExtent returns the largest base that a point of an extent may have with another whose extent
// is no larger.
func (b Base) fromExtent(sum float64) float64 {
	switch b {
	case SquaredDistance:
		return 4 * sum
	case plainProduct:
		return sum
	}
	return 2 * sum
}
