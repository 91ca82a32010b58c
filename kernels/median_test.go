package kernels

import (
	"context"
	"math"
	"slices"
	"testing"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/kernelstest"
)

// distanceOf is a median or mean distance.
func distanceOf(t *testing.T, f func(context.Context, []int32, kernelspec.Kind) (float64, error), set []int32, kind kernelspec.Kind) float64 {
	t.Helper()
	x, err := f(context.Background(), set, kind)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestMedians compares with all pairs.
func TestMedians(t *testing.T) {
	t.Parallel()
	rng := random(t, 6)
	set := []int32{0, 3}
	for _, n := range []int{1, 2, 3, 60, medianSample + 300} {
		p := points(rng, n, 4)
		m, again := newMedians(p, 1), newMedians(p, 1)
		for _, kind := range []kernelspec.Kind{kernelspec.Gauss, kernelspec.Laplace, kernelspec.ChiSquare} {
			for _, features := range [][]int32{nil, set} {
				var all []float64
				for i, x := range p.x {
					for _, z := range p.x[:i] {
						_, distance := kernelstest.Value(kernelspec.Kernel{Kind: kind}, features, x, z, nil)
						all = append(all, distance)
					}
				}
				sum := 0.0
				for _, x := range all {
					sum += x
				}
				mean, want := distanceOf(t, m.mean, features, kind), sum/float64(max(len(all), 1))
				tolerance := 1e-12 * want
				if n > medianSample {
					tolerance = 0.1 * want
				}
				if math.Abs(mean-want) > tolerance || distanceOf(t, again.mean, features, kind) != mean {
					t.Errorf("n = %d, %s on %v: mean %v, want %v", n, kind, features, mean, want)
				}
				slices.Sort(all)
				got := distanceOf(t, m.distance, features, kind)
				switch {
				case len(all) == 0:
					if got != 0 {
						t.Errorf("one point: median %v", got)
					}
				case n <= medianSample:
					if want := all[len(all)/2]; got != want {
						t.Errorf("n = %d, %s on %v: median %v, want %v", n, kind, features, got, want)
					}
				default:
					if at, _ := slices.BinarySearch(all, got); at < len(all)*45/100 || at > len(all)*55/100 {
						t.Errorf("n = %d, %s on %v: %v is number %d of %d distances", n, kind, features, got, at, len(all))
					}
				}
				if distanceOf(t, again.distance, features, kind) != got {
					t.Error("the same seed gives another median")
				}
			}
		}
	}
}
