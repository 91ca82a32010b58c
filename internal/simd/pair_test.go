package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// pairNumbers draws numbers of which some are equal, infinite or no numbers.
func pairNumbers(r *rand.Rand, n int, special ...float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		switch x[i] = r.NormFloat64(); r.IntN(6) {
		case 0:
			x[i] = math.Round(x[i])
		case 1:
			if len(special) > 0 {
				x[i] = special[r.IntN(len(special))]
			}
		}
	}
	return x
}

// TestPairs compares every instruction set with loops that follow the definitions: the same places
// and the same bits.
func TestPairs(t *testing.T) {
	const seed = 5
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for l := levelGo; l <= best(); l++ {
		restore := use(l)
		for n := range 70 {
			for range 20 {
				gain := pairNumbers(r, n, math.NaN())
				grow := pairNumbers(r, n, math.Inf(-1), 0)
				shrink := pairNumbers(r, n, math.Inf(1), 0)
				diagonal, row := pairNumbers(r, n), pairNumbers(r, n)
				up, top, worst := -1, math.Inf(-1), math.Inf(1)
				for k, g := range gain {
					if v := g + grow[k]; v > top {
						up, top = k, v
					}
					if v := g + shrink[k]; v < worst {
						worst = v
					}
				}
				u, b, w := SteepestUp(gain, grow, shrink)
				if u != up || b != top || w != worst {
					t.Fatalf("%s, %d numbers: place %d, %v and %v, want %d, %v and %v", Level(), n, u, b, w, up, top, worst)
				}
				own, least := math.Abs(r.NormFloat64()), math.Ldexp(1, -r.IntN(40))
				down, most := -1, 0.0
				for k, g := range gain {
					rise := top - (g + shrink[k])
					square := rise * rise
					if rise > 0 && square/max(own+diagonal[k]-2*row[k], least) > most {
						down, most = k, square/max(own+diagonal[k]-2*row[k], least)
					}
				}
				if d := BestPartner(gain, shrink, diagonal, row, top, own, least); d != down {
					t.Fatalf("%s, %d numbers: partner %d, want %d", Level(), n, d, down)
				}
				step := r.NormFloat64()
				want := make([]float64, n)
				for k := range want {
					product := step * (diagonal[k] - row[k])
					want[k] = gain[k] - product
				}
				MovePair(gain, diagonal, row, step)
				for k, v := range want {
					if math.Float64bits(v) != math.Float64bits(gain[k]) && v == v {
						t.Fatalf("%s, %d numbers: gain %d is %v, want %v", Level(), n, k, gain[k], v)
					}
				}
			}
		}
		restore()
	}
}

// BenchmarkPair measures a step on 512 coordinates: the choice of the pair and its move.
func BenchmarkPair(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 0))
	const q = 512
	gain, zero, row, other := pairNumbers(r, q), make([]float64, q), pairNumbers(r, q), pairNumbers(r, q)
	diagonal := make([]float64, q)
	for i := range diagonal {
		diagonal[i] = 20
	}
	for l := levelGo; l <= best(); l++ {
		restore := use(l)
		b.Run(Level(), func(b *testing.B) {
			for b.Loop() {
				_, top, _ := SteepestUp(gain, zero, zero)
				BestPartner(gain, zero, diagonal, row, top, 20, 1e-10)
				MovePair(gain, row, other, 1e-9)
			}
		})
		restore()
	}
}
