package loss_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl/internal/loss"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/toy"
)

// TestMulticlass holds the loss of one classifier for all classes to its definition, and its biases
// to their optimality: nowhere near them, and at no coordinate alone, is the loss less.
func TestMulticlass(t *testing.T) {
	rng := toy.Random(t, 284001)
	for try := range 40 {
		k, n := 2+try%5, 70
		if try%8 == 7 {
			n = 3000 // enough for a sample of them
		}
		class, cost, f := make([]int32, n), make([]float64, n), make([]float64, n*k)
		for i := range class {
			class[i], cost[i] = int32(rng.IntN(k)), math.Exp(rng.NormFloat64())
			if try%3 == 0 {
				class[i], cost[i] = int32(min(rng.IntN(4*k), k-1)), 10 // few of some classes
			}
			for c := range k {
				f[c*n+i] = 5*float64(c) + rng.NormFloat64()
			}
			f[int(class[i])*n+i] += float64(try % 4)
		}
		var posteriors []float64
		if try%2 == 1 {
			for range n {
				posteriors = append(posteriors, simplex(rng, k)...)
			}
		}
		margin := func(i, c int) float64 {
			if posteriors == nil {
				return 2
			}
			return 2 * (posteriors[i*k+int(class[i])] - posteriors[i*k+c])
		}
		l := loss.NewMulticlass(class, k, cost, posteriors)
		bias, least := l.Biases(f)
		sum := 0.0
		for i, y := range class {
			for c := range k {
				if c != int(y) {
					sum += cost[i] * max(0, margin(i, c)-(f[int(y)*n+i]+bias[y])+(f[c*n+i]+bias[c]))
				}
			}
		}
		if zero, same := l.Primal(f); zero != 0 || same != least || math.Abs(sum-least) > 1e-12*sum {
			t.Fatalf("loss %v, bias %v, by the definition %v", same, zero, sum)
		}
		for range testlevel.Repeats(2000, 3000) {
			moved, size := slices.Clone(bias), math.Exp(-15*rng.Float64())
			for c := range moved {
				if rng.IntN(2) == 0 {
					moved[c] += size * rng.NormFloat64()
				}
			}
			if x := l.LossAt(f, moved); x < least*(1-1e-10) {
				t.Fatalf("%d classes: loss %v at %v, %v at %v", k, least, bias, x, moved)
			}
		}
	}
}

// simplex draws probabilities of k classes.
func simplex(rng *rand.Rand, k int) []float64 {
	p, sum := make([]float64, k), 0.0
	for c := range p {
		p[c] = rng.ExpFloat64()
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
	return p
}

// TestMulticlassBiasesOfEqualScores: where all scores are the same, all biases are, and kinks that
// coincide are found.
func TestMulticlassBiasesOfEqualScores(t *testing.T) {
	class, cost := []int32{0, 0, 1, 1, 2, 2}, []float64{1, 1, 1, 1, 1, 1}
	bias, least := loss.NewMulticlass(class, 3, cost, nil).Biases(make([]float64, 18))
	for _, b := range bias {
		if math.Abs(b) > 1e-8 {
			t.Errorf("biases %v", bias)
		}
	}
	if math.Abs(least-24) > 1e-8 {
		t.Errorf("a loss of %v, not 2 for each of 12 contrasts", least)
	}
}
