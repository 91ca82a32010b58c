package kernels

import (
	"context"
	"errors"
	"math"
	"testing"

	"bigmkl/internal/kernelspec"
)

// shortTable is a table whose points are stored by their non-zeros.
type shortTable struct{ *table }

func (shortTable) Sparse() bool { return true }

func (p shortTable) Nonzeros(i int) (index []int32, value []float32) {
	for j, v := range p.x[i] {
		if v != 0 {
			index, value = append(index, int32(j)), append(value, v)
		}
	}
	return index, value
}

// TestNearest compares with all pairs: dense and sparse points, sets of features that fill no chunk or several, points far from the origin, and any number of threads.
func TestNearest(t *testing.T) {
	t.Parallel()
	rng := random(t, 61)
	for _, c := range []struct{ n, d, far int }{{1, 3, 0}, {2, 3, 0}, {33, 4, 0}, {300, 3, 0}, {70, 600, 0}, {90, 257, 1000}} {
		p := points(rng, c.n, c.d)
		for i := range p.x {
			for j := range p.x[i] {
				p.x[i][j] += float32(c.far)
			}
		}
		if c.n == 33 {
			p.x[7] = p.x[20] // a point that is there twice
		}
		every := make([]int32, 0, c.d)
		for j := 1; j < c.d; j += 2 {
			every = append(every, int32(j))
		}
		for _, set := range [][]int32{nil, every} {
			in := set
			if set == nil {
				in = sequence(0, c.d)
			}
			sum := 0.0
			for i, x := range p.x {
				least := math.Inf(1)
				for j, z := range p.x {
					d := 0.0
					for _, f := range in {
						d += float64(x[f]-z[f]) * float64(x[f]-z[f])
					}
					if i != j {
						least = min(least, d)
					}
				}
				sum += math.Sqrt(least)
			}
			want := math.Pow(sum/float64(c.n), 2)
			if c.n == 1 {
				want = 0
			}
			var first float64
			for k, points := range []Points{p, p, shortTable{p}} {
				got, err := nearestDistance(context.Background(), points, 1, 1+2*k, set)
				if err != nil || math.Abs(got-want) > 1e-5*want {
					t.Errorf("%d points of %d features, %d of them: %v, want %v (%v)", c.n, c.d, len(in), got, want, err)
				}
				if k == 1 && got != first {
					t.Errorf("%v with one thread, %v with three", first, got)
				}
				if k == 0 {
					first = got
				}
			}
		}
	}
}

// TestNearestOfSample: above 10,000 rows a sample of rows is compared with all.
func TestNearestOfSample(t *testing.T) {
	t.Parallel()
	p := &table{d: 1}
	for i := range nearestAll + 1 {
		p.x = append(p.x, []float32{float32(3 * i)}) // A neighbour is 3 away, of a sample alone more.
	}
	for seed := range uint64(3) {
		if got, err := nearestDistance(context.Background(), p, seed, 2, nil); got != 9 || err != nil {
			t.Errorf("seed %d: %v, want 9 (%v)", seed, got, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := nearestDistance(ctx, p, 1, 2, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v after the end", err)
	}
}

// TestTimes: kernels that differ in their numbers alone have one time, and all have one above 0.
func TestTimes(t *testing.T) {
	t.Parallel()
	rng := random(t, 62)
	p := points(rng, 200, 6)
	b := &kernelspec.Bank{Kernels: append(kinds(kernelspec.AllFeatures), kernelspec.Kernel{Kind: kernelspec.Gauss, Gamma: 7, Set: kernelspec.AllFeatures})}
	prepared := &Prepared{expansion: expansion{Expanded: b, options: PrepareOptions{Threads: 1}}, Shape: p.survey(t)}
	times, err := prepared.Times(context.Background(), p)
	if err != nil || len(times) != len(b.Kernels) {
		t.Fatalf("%v, %v", times, err)
	}
	for id, x := range times {
		if !(x > 0) {
			t.Errorf("kernel %d takes %v", id, x)
		}
	}
	if times[0] != times[len(times)-1] {
		t.Errorf("two widths take %v and %v", times[0], times[len(times)-1])
	}
}
