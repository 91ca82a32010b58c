package gating

import (
	"context"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"slices"

	"bigmkl/internal/fail"
)

// The centres of regions are the centres of k-means: they minimise the sum of squared distances of
// points to the nearest of them, as far as Lloyd's algorithm gets from the start of Arthur and
// Vassilvitskii (2007). They are sought on a sample of the points, and spreads are computed from
// all points.

const (
	// mostSampled is the largest number of points among which centres are sought, and mostNumbers
	// that of all their gating features.
	mostSampled = 8192
	mostNumbers = 1 << 22
	// mostRounds is the largest number of rounds of Lloyd's algorithm.
	mostRounds = 100
	// leastSpread and mostSpread bound a spread relative to the root mean square of the features.
	leastSpread, mostSpread = 1e-3, 1e3
)

// sampled returns the number of points among which the centres of regions are sought, of n points
// with d gating features each.
func sampled(n, d, regions int) int {
	return min(n, max(regions, min(mostSampled, mostNumbers/max(d, 1))))
}

// Bytes returns the memory that finding the regions of n points with d gating features takes.
func Bytes(n, d, regions int) int64 {
	// Principal components take a sample of their own, and some directions.
	return 8 * int64(d) * int64(2*sampled(n, d, regions)+3*regions+8)
}

// Cluster returns regions of the points at centres that the seed decides. Fewer distinct points
// than regions are an error of class fail.Usage. Other errors are the context's.
func Cluster(ctx context.Context, rows Rows, f *Features, regions int, seed uint64) (*Regions,
	error) {
	distinct, err := findDistinct(ctx, rows, f, regions)
	if err != nil {
		return nil, err
	}
	if len(distinct) < regions {
		return nil, fail.New(fail.Usage,
			"%d regions, and the gating features of all rows have %d distinct values",
			regions, len(distinct)).
			WithHint("--gating regions:%d", max(1, len(distinct)))
	}
	random := rand.New(rand.NewPCG(seed, 0x67617465)) // a stream of its own
	n := rows.Len()
	chosen := random.Perm(n)[:sampled(n, f.Len(), regions)]
	slices.Sort(chosen) // so that the data are read from end to end
	points := make([][]float64, len(chosen))
	x := make([]float32, rows.Dim())
	for k, i := range chosen {
		points[k] = make([]float64, f.Len())
		rows.Row(i, x)
		f.Standardise(x, points[k])
	}
	centres := seedCentres(points, distinct, regions, random)
	if err := moveCentres(ctx, points, centres); err != nil {
		return nil, err
	}
	r := &Regions{Features: f, Centres: slices.Concat(centres...), Spreads: make([]float64, regions)}
	_, err = r.measureSpreads(ctx, rows)
	return r, err
}

// findDistinct returns the gating features of the first distinct points, as many as asked for if
// there are so many.
func findDistinct(ctx context.Context, rows Rows, f *Features, most int) ([][]float64, error) {
	x, z := make([]float32, rows.Dim()), make([]float64, f.Len())
	seed, seen := maphash.MakeSeed(), map[uint64][]int{}
	var list [][]float64
	for i := 0; i < rows.Len() && len(list) < most; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows.Row(i, x)
		f.Standardise(x, z)
		var h maphash.Hash
		h.SetSeed(seed)
		for _, v := range z {
			maphash.WriteComparable(&h, v)
		}
		at := h.Sum64()
		same := func(k int) bool { return slices.Equal(list[k], z) }
		if !slices.ContainsFunc(seen[at], same) {
			seen[at] = append(seen[at], len(list))
			list = append(list, slices.Clone(z))
		}
	}
	return list, nil
}

// seedCentres draws each centre with a probability in proportion to its squared distance to the
// nearest centre before it. If the sample has too few distinct points, the centre is one of
// distinct, which has as many as there are centres.
func seedCentres(points, distinct [][]float64, count int, random *rand.Rand) [][]float64 {
	centres := [][]float64{slices.Clone(points[random.IntN(len(points))])}
	nearest := make([]float64, len(points))
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	for len(centres) < count {
		total := 0.0
		for i, z := range points {
			nearest[i] = min(nearest[i], squaredDistance(z, centres[len(centres)-1]))
			total += nearest[i]
		}
		next := slices.IndexFunc(distinct, func(z []float64) bool {
			return !slices.ContainsFunc(centres, func(c []float64) bool { return slices.Equal(c, z) })
		})
		centre := distinct[next]
		if left := random.Float64() * total; total > 0 {
			for i, x := range nearest {
				if left -= x; x > 0 {
					centre = points[i]
				}
				if left < 0 {
					break
				}
			}
		}
		centres = append(centres, slices.Clone(centre))
	}
	return centres
}

// moveCentres moves each centre to the mean of the points that are nearest to it, until none
// moves. A centre without points stays.
func moveCentres(ctx context.Context, points, centres [][]float64) error {
	own := make([]int, len(points))
	for round := range mostRounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		moved := round == 0
		for i, z := range points {
			if k, _ := nearestCentre(z, centres); k != own[i] {
				own[i], moved = k, true
			}
		}
		if !moved {
			return nil
		}
		count := make([]int, len(centres))
		for _, k := range own {
			count[k]++
		}
		for k, c := range centres {
			if count[k] > 0 {
				clear(c)
			}
		}
		for i, z := range points {
			c, n := centres[own[i]], float64(count[own[i]])
			for j, x := range z {
				c[j] += x / n
			}
		}
	}
	return nil
}

// nearestCentre returns the number of the nearest centre, and its squared distance.
func nearestCentre(z []float64, centres [][]float64) (at int, square float64) {
	square = math.Inf(1)
	for k, c := range centres {
		if s := squaredDistance(z, c); s < square {
			at, square = k, s
		}
	}
	return at, square
}

// measureSpreads sets s_r^2 to twice the mean squared distance of the points that are nearest to
// centre r, within bounds, and returns s for the mean over all points.
func (r *Regions) measureSpreads(ctx context.Context, rows Rows) (common float64, err error) {
	d := r.Features.Len()
	centres := slices.Collect(slices.Chunk(r.Centres, max(d, 1)))
	sum, count := make([]float64, r.Len()), make([]float64, r.Len())
	x, z, square := make([]float32, rows.Dim()), make([]float64, d), 0.0
	for i := range rows.Len() {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		rows.Row(i, x)
		r.Standardise(x, z)
		k, s := nearestCentre(z, centres)
		sum[k] += s
		common += s
		count[k]++
		for _, v := range z {
			square += v * v
		}
	}
	unit := math.Sqrt(square / float64(rows.Len()*d))
	if unit == 0 {
		unit = 1 // All points are the same, and any spread serves.
	}
	for k := range r.Spreads {
		s := math.Sqrt(2 * sum[k] / max(count[k], 1))
		r.Spreads[k] = min(max(s, leastSpread*unit), mostSpread*unit)
	}
	return max(math.Sqrt(2*common/float64(rows.Len())), leastSpread*unit), nil
}
