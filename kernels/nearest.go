package kernels

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// A Gaussian exp(-d^2/s^2) is local where s is the distance of neighbours. The problem here is to
// find s = mean over i of min over j != i of |x_i - x_j| (Goenen 2010, eq. 2.10), over all rows up
// to 10,000, and above over a sample of rows against all. Candidates come from products of rows;
// the distance of each nearest row is then summed up again from differences, so s has the digits
// of those also where points lie far from the origin.

const (
	nearestAll    = 10000   // rows up to which s is the s of all
	nearestSample = 2048    // sampled rows above that
	nearestRows   = 4 << 20 // bytes of packed rows that one thread compares at a time
)

// nearestDistance returns the square of the mean distance of a point to its nearest other point over a set
// of features, nil for all. The seed decides the sample where there is one. The result is 0 if
// there are fewer than two points. It does not depend on the number of threads.
func nearestDistance(ctx context.Context, points Points, seed uint64, threads int,
	set []int32) (float64, error) {
	n := points.Len()
	if n < 2 {
		return 0, nil
	}
	rows := evenlySpread(n, n)
	if n > nearestAll {
		rows = draw(n, nearestSample, seed)
	}
	features := set
	if features == nil {
		features = evenlySpread(points.Dim(), points.Dim())
	}
	squares := make([]float64, len(rows)) // the squared distance of each row to its nearest point
	block := min(max(nearestRows/(8*max(1, len(features)))/8, 1), 32) * 8
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, threads))
	for from := 0; from < len(rows); from += block {
		part := rows[from:min(from+block, len(rows))]
		group.Go(func() error {
			if z, ok := nonzeros(points); ok {
				return nearestSparse(ctx, squares[from:], z, n, part, set)
			}
			return nearestDense(ctx, squares[from:], points, part, features)
		})
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	sum := 0.0
	for _, s := range squares {
		sum += math.Sqrt(s)
	}
	mean := sum / float64(len(rows))
	return mean * mean, nil
}

// nearestDense writes to out the squared distance of each of the rows to its nearest other point.
// Products take some features of one panel at a time, so a thread needs the packed rows and
// little else.
func nearestDense(ctx context.Context, out []float64, points Points, rows,
	features []int32) error {
	n, k, blocks := points.Len(), len(features), (len(rows)+7)/8
	shift := make([]float32, points.Dim()) // The products take the points as they are.
	packed, own := make([]float64, blocks*8*k), make([]float64, len(rows))
	for r, i := range rows {
		panel, lane := points.Panel(int(i)/simd.Width), int(i)%simd.Width
		for f, j := range features {
			x := float64(panel[int(j)*simd.Width+lane])
			// The features of a chunk lie together for each block of rows, as Dot takes them.
			chunk := f / medianFeatures * medianFeatures
			size := min(medianFeatures, k-chunk)
			packed[blocks*8*chunk+(r/8*size+f-chunk)*8+r%8] = x
			own[r] += float64(x * x)
		}
	}
	nearest, least := make([]int32, len(rows)), make([]float64, len(rows))
	for r := range least {
		least[r] = math.Inf(1)
	}
	wide := make([]float64, min(k, medianFeatures)*simd.Width)
	tile, products := make([]float64, blocks*8*simd.Width), make([]float64, blocks*8*simd.Width)
	norms, part := make([]float64, simd.Width), make([]float64, simd.Width)
	for p := 0; p*simd.Width < n; p++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		clear(products)
		clear(norms)
		panel := points.Panel(p)
		for chunk := 0; chunk < k; chunk += medianFeatures {
			size := min(medianFeatures, k-chunk)
			simd.Gather(wide, panel, shift, features[chunk:chunk+size])
			simd.Dot(tile, packed[blocks*8*chunk:blocks*8*(chunk+size)], wide, size)
			simd.AddTo(products, tile, 1)
			simd.ColumnSquares(part, wide, size)
			simd.AddTo(norms, part, 1)
		}
		for r, i := range rows {
			for lane := range min(simd.Width, n-p*simd.Width) {
				d := own[r] + norms[lane] - 2*products[r*simd.Width+lane]
				if j := int32(p*simd.Width + lane); d < least[r] && j != i {
					least[r], nearest[r] = d, j
				}
			}
		}
	}
	for r, i := range rows {
		a, b := points.Panel(int(i)/simd.Width), points.Panel(int(nearest[r])/simd.Width)
		la, lb := int(i)%simd.Width, int(nearest[r])%simd.Width
		for _, j := range features {
			x, z := a[int(j)*simd.Width+la], b[int(j)*simd.Width+lb]
			out[r] += term(float64(x), float64(z), kernelspec.Gauss)
		}
	}
	return nil
}

// nearestSparse does the same for points that are stored by their non-zeros, whose differences are
// summed up pair by pair.
func nearestSparse(ctx context.Context, out []float64, points Nonzeros, n int, rows,
	set []int32) error {
	taken := func(i int) ([]int32, []float32) {
		index, value := points.Nonzeros(i)
		if set != nil {
			return within(set, index, value)
		}
		return index, value
	}
	for r, i := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		xi, xv := taken(int(i))
		out[r] = math.Inf(1)
		for z := range n {
			if z != int(i) {
				zi, zv := taken(z)
				out[r] = min(out[r], merged(xi, xv, zi, zv, kernelspec.Gauss))
			}
		}
	}
	return nil
}
