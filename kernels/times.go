package kernels

import (
	"context"
	"math"
	"time"

	"bigmkl/internal/kernelspec"
)

// mostTimed is the largest number of kernels that are timed. Kernels that differ in their numbers
// alone, such as widths, take as long as each other and are timed once.
const mostTimed = 256

// Times measures how long a value of each kernel takes by itself, in seconds, over all pairs of the
// points: the products and distances that kernels of a training share are counted for each. It is
// NaN for kernels beyond the first 256 that differ in more than their numbers.
//
// The times come from a clock. They are for users to read, and nothing may depend on them.
func (p *Prepared) Times(ctx context.Context, points Points) ([]float64, error) {
	shape, err := Survey(ctx, points, p.Shape.Shift, p.options.Threads)
	if err != nil {
		return nil, err
	}
	shape.Uncentred, shape.Lookups = p.Shape.Uncentred, p.lookups
	known := map[kernelspec.Kernel]float64{}
	times := make([]float64, len(p.Expanded.Kernels))
	for id, k := range p.Expanded.Kernels {
		alike := k
		alike.Gamma, alike.Coef = 0, 0
		// Sets of as many features take as long.
		if k.Set != kernelspec.AllFeatures {
			alike.Set = int32(len(p.Expanded.Sets[k.Set]))
		}
		t, ok := known[alike]
		if !ok && len(known) == mostTimed {
			times[id] = math.NaN()
			continue
		}
		if !ok {
			alone := *p.Expanded
			alone.Kernels, alone.Attributes = []kernelspec.Kernel{k}, nil
			b, err := NewBank(ctx, &alone, shape, p.options.Normalizer, p.Matrices, p.options.Users)
			if err != nil {
				return nil, err
			}
			if err := p.centreAt(ctx, b, points); err != nil {
				return nil, err
			}
			if t, err = timeValue(ctx, Matrices{b, points}); err != nil {
				return nil, err
			}
			known[alike] = t
		}
		times[id] = t
	}
	return times, nil
}

// timeValue returns the time of one value of the only kernel of a bank, in seconds: the least of
// some rounds, the first of which touches memory that is new.
func timeValue(ctx context.Context, of Matrices) (float64, error) {
	const rounds = 3
	least := math.Inf(1)
	for range rounds {
		start := time.Now()
		err := Gram(ctx, of, 0, GramRows, 1, func([]float32) error { return nil })
		if err != nil {
			return 0, err
		}
		least = min(least, time.Since(start).Seconds())
	}
	n := float64(of.Points.Len())
	return least / max(1, n*n), nil
}
