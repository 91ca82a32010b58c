package chunking_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/loss"
)

// TestDifferences trains on pairs, and computes both values from their definitions over all pairs.
func TestDifferences(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 6 + r.IntN(40)
		d := 1 + r.IntN(4)
		x := make([]float64, n*d)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		relevance, group := make([]float64, n), make([]int32, n)
		for i := range n {
			relevance[i], group[i] = float64(r.IntN(3)), int32(r.IntN(3))
		}
		if n > 12 { // duplicates have no kernel between them
			copy(x[d:2*d], x[:d])
			group[0], group[1], relevance[0], relevance[1] = 0, 0, 2, 1
		}
		pairs := loss.RelevancePairs(relevance, group)
		if len(pairs) == 0 {
			continue
		}
		var kernels [][]float64
		for _, gamma := range []float64{0.1, 1} {
			k := make([]float64, n*n)
			for i := range n {
				for j := range n {
					s := 0.0
					for a := range d {
						s += (x[i*d+a] - x[j*d+a]) * (x[i*d+a] - x[j*d+a])
					}
					k[i*n+j] = math.Exp(-gamma * s)
				}
			}
			kernels = append(kernels, k)
		}
		c := math.Exp(3 * r.NormFloat64())
		p := []float64{1, 4.0 / 3, 2, 4}[r.IntN(4)]
		nm := norm.NewBlock(p, nil)
		const gap = 1e-5
		s := chunking.NewDifferences(n, len(kernels), loss.NewRanking(pairs, c), nm, gradienttest.NewDense(n, kernels), gap,
			chunking.Tuning{WorkingSet: []int{0, 8}[r.IntN(2)]})
		status, err := chunking.NewDriver(s, chunking.Limits{Iterations: 5000}).Run(context.Background())
		sol := s.Solution()
		t.Logf("seed %d: n %d pairs %d C %.3g p %.3g: %s after %d, gap %g", seed, n, len(pairs), c, p, status, sol.Iterations, sol.Certificate.RelativeGap)
		if err != nil || status != chunking.Converged {
			t.Errorf("seed %d: %s, %v, gap %g after %d", seed, status, err, sol.Certificate.RelativeGap, sol.Iterations)
		}
		alpha, sum := make([]float64, n), 0.0
		for k, q := range pairs {
			b := sol.Pairs[k]
			if b < 0 || b > c {
				t.Fatalf("beta %g of [0, %g]", b, c)
			}
			alpha[q.Above] += b
			alpha[q.Below] -= b
			sum += b
		}
		f, dual, w := make([]float64, n), make([]float64, 2), make([]float64, 2)
		for m, k := range kernels {
			for i := range n {
				if math.Abs(alpha[i]-sol.Alpha[i]) > 1e-12*sum {
					t.Fatalf("alpha %g and %g", alpha[i], sol.Alpha[i])
				}
				g := 0.0
				for j := range n {
					g += k[i*n+j] * alpha[j]
				}
				f[i] += sol.Theta[m] * g
				dual[m] += alpha[i] * g
			}
			w[m] = sol.Theta[m] * math.Sqrt(max(dual[m], 0))
		}
		primal := math.Pow(nm.Primal(w), 2) / 2
		for _, q := range pairs {
			primal += c * max(0, 1-(f[q.Above]-f[q.Below]))
		}
		v := nm.Dual(dual)
		if d := sum - v*v/2; math.Abs(d-sol.Certificate.Dual) > 1e-9*primal || math.Abs(primal-sol.Certificate.Primal) > 1e-9*primal {
			t.Errorf("seed %d: primal %g and dual %g, certified %g and %g", seed, primal, d, sol.Certificate.Primal, sol.Certificate.Dual)
		}
	}
}
