package loss

import (
	"math"
	"slices"
	"testing"

	"bigmkl/internal/toy"
)

// TestKinksBracket checks that the result has the bits of one that was found without a bracket,
// wherever the kinks have gone since the last call: near, far, onto each other, to infinity.
func TestKinksBracket(t *testing.T) {
	rng := toy.Random(t, 21)
	for trial := range 120 {
		n := 2 + rng.IntN(400)
		costs := make([]float64, n)
		for i := range costs {
			switch trial % 3 {
			case 0:
				costs[i] = 0.1
			case 1:
				costs[i] = 0.3 + 0.4*float64(i%2)
			default:
				costs[i] = max(0, rng.NormFloat64()) + 0.5*float64(i%2)
			}
		}
		cost := func(i int) float64 { return costs[i] }
		part := int64(0)
		again := newKinks(n, cost)
		for i := range n / 2 {
			part += again.cost(int32(i))
		}
		part = max(part, 1)
		again.aim(part)
		for i := range again.at {
			again.at[i] = rng.NormFloat64()
		}
		for call := range 30 {
			for i := range again.at {
				switch scale := math.Pow(10, -float64(call%7)); {
				case call == 11:
					again.at[i] += 1e6
				case call == 17:
					again.at[i] = math.Round(again.at[i])
				case call == 23 && i%5 == 0:
					again.at[i] = math.Inf(1 - 2*(i%2))
				default:
					again.at[i] += scale * rng.NormFloat64()
				}
			}
			fresh := newKinks(n, cost)
			fresh.aim(part)
			now := slices.Clone(again.at)
			want := fresh.lowest(func(from, to int) { copy(fresh.at[from:to], now[from:to]) })
			clear(again.at)
			got := again.lowest(func(from, to int) { copy(again.at[from:to], now[from:to]) })
			if math.Float64bits(want) != math.Float64bits(got) {
				t.Fatalf("trial %d, call %d, %d kinks: %v, without a bracket %v", trial, call, n, got, want)
			}
		}
	}
}

// TestKinksMiddleOfAnyCost checks that the middle of an interval is taken for a cost that is not a
// power of two, too, the sums of which round.
func TestKinksMiddleOfAnyCost(t *testing.T) {
	rng := toy.Random(t, 22)
	y, f := make([]int8, 400), make([]float64, 400)
	for i := range y {
		y[i], f[i] = int8(1-2*(i%2)), rng.NormFloat64()
	}
	want, _ := NewHinge(y, [2]float64{1, 1}, nil).Primal(f)
	for _, c := range []float64{0.1, 0.3, 1.0 / 3, 0.7, 1e-9, 1e9, 1e-300, 1e300} {
		if got, _ := NewHinge(y, [2]float64{c, c}, nil).Primal(f); got != want {
			t.Errorf("C = %g: bias %v, with C = 1 it is %v", c, got, want)
		}
	}
}
