package dataset

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWinsorisedVariance compares with the definition on all values, zeros written out.
func TestWinsorisedVariance(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for range 300 {
		n, zeros := rng.IntN(400), rng.IntN(400)
		values := make([]float64, n)
		for i := range values {
			values[i] = math.Exp(2*rng.NormFloat64()) * float64(1-2*rng.IntN(2))
		}
		all := append(slices.Clone(values), make([]float64, zeros)...)
		slices.Sort(all)
		want := 0.0
		if m := len(all); m > 0 {
			cut := min((m+99)/100, (m-1)/2)
			mean := 0.0
			for i, x := range all {
				all[i] = min(max(x, all[cut]), all[m-1-cut])
			}
			for i := range all {
				mean += all[i] / float64(m)
			}
			for _, x := range all {
				want += (x - mean) * (x - mean) / float64(m)
			}
		}
		if got := winsorisedVariance(values, zeros); math.Abs(got-want) > 1e-12*(1+want) {
			t.Fatalf("%d values and %d zeros: %g, want %g", n, zeros, got, want)
		}
	}
}

// TestRowSample: every row is drawn with the same probability, and the sample has the size that was asked for.
func TestRowSample(t *testing.T) {
	for _, c := range []struct{ n, d, want int }{{0, 3, 0}, {5, 3, 5}, {4000, 3, 1000}, {4000, 1 << 20, 20}, {4000, 10000, 104}} {
		s := newRowSample(c.n, c.d, 1000)
		for i := range c.n {
			s.add([]int32{0}, []float64{float64(i + 1)})
		}
		if s.rows != c.want || len(s.value) != c.want {
			t.Fatalf("%d rows of %d features: %d drawn, want %d", c.n, c.d, s.rows, c.want)
		}
		if c.want == 1000 {
			// Each tenth of the rows has 100 of the sample: deviation sqrt(1000 * .1 * .9 * .75) = 8.2.
			for tenth := range 10 {
				drawn := 0
				for _, v := range s.value {
					if int(v-1)*10/c.n == tenth {
						drawn++
					}
				}
				if drawn < 65 || drawn > 135 {
					t.Errorf("%d rows of tenth %d", drawn, tenth)
				}
			}
		}
	}
}
