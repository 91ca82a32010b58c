package kernels

import (
	"math"
	"math/big"
	"testing"
)

// TestVectorSum: where terms of a large shift cancel, the sum keeps its digits, dense and sparse, whole and in parts.
func TestVectorSum(t *testing.T) {
	t.Parallel()
	rng := random(t, 61)
	const n, d, digits = 60, 5, 400
	p := &table{d: d}
	alpha, total := make([]float64, n), 0.0
	for i := range n {
		x := make([]float32, d)
		for j := range x {
			if rng.IntN(4) == 0 {
				x[j] = float32(rng.NormFloat64())
			}
		}
		p.x = append(p.x, x)
		alpha[i] = rng.NormFloat64()
		total += alpha[i]
	}
	p.x[7][2] = 7.8e5 // Nobody else has this feature, and the dual variable is small.
	for i := range n {
		if i != 7 {
			p.x[i][2] = 0
		}
	}
	alpha[7], total = 1e-9, total-alpha[7]+1e-9
	alpha[0] -= total
	shift := p.mean()
	want := make([]float64, d)
	for j := range want {
		sum := new(big.Float).SetPrec(digits)
		for i, a := range alpha {
			x := new(big.Float).SetPrec(digits).SetFloat64(float64(p.x[i][j]))
			x.Sub(x, new(big.Float).SetPrec(digits).SetFloat64(float64(shift[j])))
			sum.Add(sum, x.Mul(x, new(big.Float).SetPrec(digits).SetFloat64(a)))
		}
		want[j], _ = sum.Float64()
	}
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	for _, points := range []Points{p, nonzeroTable{p}} {
		var set Set
		set.Gather(points, all)
		parts := NewVectorSum(shift)
		for from := 0; from < n; from += 25 {
			to := min(from+25, n)
			parts.Add(&set, all[from:to], alpha[from:to])
		}
		for name, got := range map[string][]float64{"whole": CentredSum(&set, nil, alpha, shift), "in parts": parts.Values()} {
			for j, x := range got {
				if math.Abs(x-want[j]) > 1e-14*math.Abs(want[j]) {
					t.Errorf("%s, sparse %t, feature %d: %v, want %v", name, set.Sparse, j, x, want[j])
				}
			}
		}
	}
}
