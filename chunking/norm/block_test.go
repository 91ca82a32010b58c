package norm

import (
	"bigmkl/internal/toy"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// spreads draws vectors V of several lengths and spreads, zeros among them if some is set.
func spreads(rng *rand.Rand, some bool) [][]float64 {
	var all [][]float64
	for _, m := range []int{1, 2, 5, 40} {
		for _, decades := range []float64{0, 1, 6} {
			v := make([]float64, m)
			for i := range v {
				v[i] = 3 * math.Pow(10, decades*(rng.Float64()-0.5))
				if some && i > 0 && rng.IntN(3) == 0 {
					v[i] = 0
				}
			}
			all = append(all, v)
		}
	}
	return all
}

// TestWeightsOfBlock: sum theta V = ||v||^2, sum theta^(p/(2-p)) = 1, and both sides of the duality
// of norms agree.
func TestWeightsOfBlock(t *testing.T) {
	for _, p := range toy.Norms[1:] {
		t.Run(fmt.Sprintf("p=%.5g", p), func(t *testing.T) {
			for _, v := range spreads(toy.Random(t, 1), p < 2) {
				n := NewBlock(p, nil)
				theta := make([]float64, len(v))
				r := n.Weights(theta, v)
				length := make([]float64, len(v))
				w := make([]float64, len(v))
				theta2, share := 0.0, 0.0
				for m, x := range v {
					length[m] = math.Sqrt(x)
					w[m] = theta[m] * length[m]
					theta2 += theta[m] * x
					switch {
					case math.IsInf(p, 1):
						share += 1 / theta[m]
					case p != 2 && x > 0:
						share += math.Pow(theta[m], p/(2-p))
					}
				}
				want := toy.NormOf(length, toy.ConjugateOf(p))
				if !toy.Near(r, want, 1e-12) || !toy.Near(n.Dual(v), want, 1e-12) {
					t.Errorf("V = %v: ||v|| = %v, Dual %v, want %v", v, r, n.Dual(v), want)
				}
				if !toy.Near(theta2, want*want, 1e-12) {
					t.Errorf("V = %v: sum theta V = %v, want %v", v, theta2, want*want)
				}
				if p != 2 && !toy.Near(share, 1, 1e-9) {
					t.Errorf("V = %v: sum theta^(p/(2-p)) = %v", v, share)
				}
				if p == 2 && slices.ContainsFunc(theta, func(x float64) bool { return x != 1 }) {
					t.Errorf("p = 2: theta = %v", theta)
				}
				if g := n.Primal(w); !toy.Near(g, want, 1e-9) || !toy.Near(g, toy.NormOf(w, p), 1e-12) {
					t.Errorf("V = %v: ||w|| = %v, by definition %v, ||v|| = %v", v, g, toy.NormOf(w, p), want)
				}
			}
		})
	}
}

// TestLadderOfOne: the rungs of p = 1 are block norms on their own, and their weights approach
// the weights of the maximum.
func TestLadderOfOne(t *testing.T) {
	v := []float64{4, 9, 1, 0, 8.999}
	n := NewBlock(1, nil)
	theta, want := make([]float64, len(v)), make([]float64, len(v))
	last := math.Inf(1)
	for rung := 0; ; rung++ {
		ps := 1 + 0.08/math.Pow(4, float64(rung))
		r := n.Weights(theta, v)
		if s := NewBlock(ps, nil).Weights(want, v); r != s || !slices.Equal(theta, want) {
			t.Fatalf("rung %d: theta %v, those of p = %g %v", rung, theta, ps, want)
		}
		if !(r >= 3 && r <= last) {
			t.Errorf("rung %d: smoothed norm %v after %v, the maximum is 3", rung, r, last)
		}
		last = r
		if s := n.Scale(theta, nil); !toy.Near(s, theta[0]+theta[1]+theta[2]+theta[3]+theta[4], 1e-14) {
			t.Errorf("rung %d: scale %v of %v", rung, s, theta)
		}
		if d := n.Dual(v); d != 3 {
			t.Errorf("rung %d: Dual = %v, want the maximum, 3", rung, d)
		}
		if !n.Sharpen(false) {
			break
		}
	}
	if last > 3*(1+1e-6) || theta[1] < 0.999 {
		t.Errorf("the last rung has norm %v, theta %v", last, theta)
	}
	if s := NewBlock(1.01, nil).Scale(theta, nil); s != 1 {
		t.Errorf("p = 1.01 reports theta divided by %v", s)
	}
}

// smoothed returns the norms whose derivatives are checked: every p, with smoothing where there is
// any.
func smoothed(v []float64) map[string]*Block {
	all := make(map[string]*Block)
	for _, p := range toy.Norms {
		n := NewBlock(p, nil)
		all[fmt.Sprintf("p=%.5g", p)] = n
		if n := NewBlock(p, nil); p > 2 || p == 1 {
			n.Calibrate(v)
			all[fmt.Sprintf("p=%.5g smoothed", p)] = n
			n = NewBlock(p, nil)
			n.Calibrate(v)
			n.Sharpen(false)
			all[fmt.Sprintf("p=%.5g smoothed less", p)] = n
		}
	}
	return all
}

// TestWeightsAreDerivatives: theta_m is twice the derivative of 1/2 ||v||^2 by V_m.
func TestWeightsAreDerivatives(t *testing.T) {
	rng := toy.Random(t, 2)
	for _, v := range [][]float64{{2}, {1, 3}, {0.5, 2, 1, 0.7, 1.9}, {1e-3, 2, 5}} {
		for name, n := range smoothed(v) {
			theta, other := make([]float64, len(v)), make([]float64, len(v))
			n.Weights(theta, v)
			m := rng.IntN(len(v))
			half := func(step float64) float64 {
				moved := slices.Clone(v)
				moved[m] += step
				r := n.Weights(other, moved)
				return r * r / 2
			}
			h := 1e-4 * v[m]
			got := 2 * (8*(half(h)-half(-h)) - (half(2*h) - half(-2*h))) / (12 * h)
			if !(math.Abs(got-theta[m]) <= 1e-5*theta[m]+1e-14*half(0)/h) { // the latter is rounding
				t.Errorf("%s, V = %v: theta[%d] = %v, by differences %v", name, v, m, theta[m], got)
			}
		}
	}
}

// TestCurvature: sum theta K + sum rank g g' - back ghat ghat' is the second derivative of 1/2
// ||v||^2 along any direction.
func TestCurvature(t *testing.T) {
	rng := toy.Random(t, 3)
	for _, kernels := range []int{1, 2, 5} {
		const n, rank = 6, 2
		p := &toy.Problem{}
		for range kernels {
			x := make([][]float64, n)
			for i := range x {
				x[i] = []float64{rng.NormFloat64(), rng.NormFloat64()}
			}
			p.K = append(p.K, toy.Linear(x, 0, rank))
		}
		alpha, dir := make([]float64, n), make([]float64, n)
		for i := range alpha {
			alpha[i], dir[i] = rng.NormFloat64(), rng.NormFloat64()
		}
		v := p.Energies(alpha)
		for name, norm := range smoothed(v) {
			theta, rank := make([]float64, kernels), make([]float64, kernels)
			norm.Weights(theta, v)
			back, ok := norm.Curvature(rank, theta, v)
			if ok == (norm.p == 2) {
				t.Errorf("%s: ok = %v", name, ok)
			}
			if !ok {
				rank, back = make([]float64, kernels), 0
			}
			got, ghat := 0.0, 0.0
			for m, k := range p.K {
				gd, kd := 0.0, 0.0
				for i := range n {
					gd += dir[i] * toy.Dot(k[i*n:(i+1)*n], alpha)
					kd += dir[i] * toy.Dot(k[i*n:(i+1)*n], dir)
				}
				got += theta[m]*kd + rank[m]*gd*gd
				ghat += theta[m] * gd
			}
			got -= back * ghat * ghat
			// The slope along dir, by the weights; its difference quotient is what is wanted.
			slope := func(step float64) float64 {
				moved := slices.Clone(alpha)
				for i := range moved {
					moved[i] += step * dir[i]
				}
				norm.Weights(theta, p.Energies(moved))
				s := 0.0
				for m, k := range p.K {
					for i := range n {
						s += theta[m] * dir[i] * toy.Dot(k[i*n:(i+1)*n], moved)
					}
				}
				return s
			}
			const h = 1e-5
			want := (8*(slope(h)-slope(-h)) - (slope(2*h) - slope(-2*h))) / (12 * h)
			if !(math.Abs(got-want) <= 1e-6*max(math.Abs(want), 1)) {
				t.Errorf("%s, %d kernels: d'Hd = %v, by differences %v", name, kernels, got, want)
			}
			if got < -1e-9*math.Abs(want) {
				t.Errorf("%s: the Hessian of a convex function is negative: %v", name, got)
			}
		}
	}
}

func TestWeightsAtZero(t *testing.T) {
	for _, p := range toy.Norms {
		for _, kernels := range []int{1, 3, 50} {
			n := NewBlock(p, nil)
			theta, v := make([]float64, kernels), make([]float64, kernels)
			if r := n.Weights(theta, v); r != 0 {
				t.Errorf("p = %g: ||0|| = %v", p, r)
			}
			ps := p
			if p == 1 {
				ps = 1.02 // the first rung; reported weights are divided by their sum
			}
			want := math.Pow(1/float64(kernels), (2-ps)/ps)
			if math.IsInf(p, 1) {
				want = float64(kernels)
			}
			for _, x := range theta {
				if got := x / n.Scale(theta, nil); p == 1 && !toy.Near(got, 1/float64(kernels), 1e-12) || p != 1 && !toy.Near(x, want, 1e-12) {
					t.Errorf("p = %g, M = %d: start %v, want %v", p, kernels, x, want)
				}
			}
		}
	}
}

// TestWeightsOfVanishingKernels: V_m = 0 gives no weight below p = 2 and none without smoothing
// above; negative V_m count as zero; a kernel that may be indefinite loses its weight whatever the
// norm.
func TestWeightsOfVanishingKernels(t *testing.T) {
	for _, p := range toy.Norms {
		v := []float64{2, 0, -1e-9, 3, -5}
		flat := []float64{2, 0, 0, 3, 0}
		indefinite := []bool{false, false, false, false, true}
		theta, want := make([]float64, 5), make([]float64, 5)
		r, s := NewBlock(p, indefinite).Weights(theta, v), NewBlock(p, nil).Weights(want, flat)
		if !toy.Near(r, s, 1e-14) || theta[4] != 0 || !toy.Near(theta[0], want[0], 1e-14) || !toy.Near(theta[3], want[3], 1e-14) {
			t.Errorf("p = %g: theta %v of norm %v, want %v of %v, and 0 for the last", p, theta, r, want, s)
		}
		if p != 2 && (theta[1] != 0 || theta[2] != 0) {
			t.Errorf("p = %g: kernels without V have weights %v", p, theta)
		}
		smooth := NewBlock(p, indefinite)
		smooth.Calibrate(v)
		smooth.Weights(theta, v)
		if p > 2 && !(theta[1] > theta[0] && theta[1] == theta[2] && theta[4] == 0 && !math.IsInf(theta[1], 1)) {
			t.Errorf("p = %g, smoothed: theta %v", p, theta)
		}
		rank := make([]float64, 5)
		if _, ok := smooth.Curvature(rank, theta, v); ok && (rank[4] != 0 || math.IsNaN(rank[1])) {
			t.Errorf("p = %g: curvature %v", p, rank)
		}
	}
}

// TestExtremeScales: nothing overflows, and scaling V scales the norm alone.
func TestExtremeScales(t *testing.T) {
	for _, p := range toy.Norms {
		for _, scale := range []float64{1e-200, 1e-12, 1e12, 1e200} {
			v := []float64{scale, 2 * scale, 1e-3 * scale}
			theta, want := make([]float64, 3), make([]float64, 3)
			r := NewBlock(p, nil).Weights(theta, v)
			s := NewBlock(p, nil).Weights(want, []float64{1, 2, 1e-3})
			for m := range theta {
				if !toy.Near(theta[m], want[m], 1e-10) {
					t.Errorf("p = %g, V = %v: theta %v, want %v", p, v, theta, want)
				}
			}
			if !toy.Near(r, s*math.Sqrt(scale), 1e-10) {
				t.Errorf("p = %g, V = %v: norm %v, want %v", p, v, r, s*math.Sqrt(scale))
			}
		}
	}
}
