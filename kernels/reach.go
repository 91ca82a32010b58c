package kernels

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"
)

// Reaches returns the largest base that two of the points may have for each group of exponentials
// of a distance or of polynomials, and 0 for any other. Points within a distance R of the shift are at most 2 R
// apart, so that one look at each point is enough:
//
//	|x - z|^2 <= 4 R^2,    sum_j |x_j - z_j| <= 2 R_1,
//	sum_j (x_j - z_j)^2 / (x_j + z_j) <= sum_j (x_j + z_j)    for x, z >= 0,
//	|<x,z>| <= |x| |z|.
//
// An error is that of the context. The result does not depend on the number of threads.
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
			row := make([]float32, points.Dim())
			for i := t; i < points.Len(); i += threads {
				if i/threads%width == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				points.Row(i, row)
				for _, k := range list {
					parts[t][k] = max(parts[t][k], b.extent(&b.Groups[k], row))
				}
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

// extent returns the largest base that a point may have with another that is no farther away.
func (b *Bank) extent(g *Group, row []float32) float64 {
	sum := 0.0
	g.Each(func(j int) {
		d := float64(row[j]) - float64(b.Shift[j])
		switch g.Base {
		case SquaredDistance:
			sum += float64(d * d)
		case Distance:
			sum += math.Abs(d)
		case Product:
			sum += float64(row[j]) * float64(row[j])
		default:
			sum += math.Abs(float64(row[j]))
		}
	})
	switch g.Base {
	case SquaredDistance:
		return 4 * sum
	case Product:
		return sum
	}
	return 2 * sum
}
