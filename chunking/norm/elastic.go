package norm

import (
	"math"

	"bigmkl/chunking"
)

// elasticNet mixes the block norm of p = 1 with the plain sum, for mix = lambda in (0, 1), as
// SHOGUN's elastic net does (the sum of norms is squared, unlike Tomioka and Suzuki 2010, so C
// keeps its meaning from end to end):
//
//	||w||^2 = (1 - lambda) (sum_m ||w_m||)^2 + lambda sum_m ||w_m||^2
//
// lambda = 0 is p = 1 and lambda = 1 is p = 2: the ends are other norms here. With s_m = ||w_m||
// the maximum of s'v - 1/2 ||s||^2 over s >= 0 is at s_m = (||v_m|| - tau)_+ / lambda, tau = (1 -
// lambda) sum_m s_m. Over the set A of the k kernels above tau
//
//	tau     = (1 - lambda) / (lambda + k (1 - lambda)) sum_A ||v_m||
//	theta_m = (1 - tau / ||v_m||)_+ / lambda
//	||v||^2 = sum_A ||v_m|| (||v_m|| - tau) / lambda        the dual norm
//
// so that kernels below tau are left out, as for p = 1, and the others share the weight. No
// smoothing is needed: theta is continuous. With c = (1 - lambda) / (lambda (lambda + k (1 -
// lambda))) the Hessian of 1/2 ||v||^2 in alpha is
//
//	sum_m theta_m K_m + sum_A (1/lambda - theta_m) g_m g_m' / V_m - c z z',   z = sum_A g_m / ||v_m||.
type elasticNet struct {
	adapting
	mix float64
}

// NewElasticNet returns the norm for mix in (0, 1). indefinite marks kernels that may be
// indefinite; nil means none.
func NewElasticNet(mix float64, indefinite []bool) chunking.Norm {
	return &elasticNet{adapting{indefinite: indefinite}, mix}
}

// netted is the maximum s of the head comment for some v, in terms of the mean of the k lengths of
// A: so nothing cancels that would in tau.
type netted struct{ mix, mean, k float64 }

// at is s_m for ||v_m||. The kernel is of A if it is above 0.
func (s *netted) at(v float64) float64 {
	return (v-s.mean)/s.mix + s.mean/(s.mix+s.k*(1-s.mix))
}

// maximum finds A by starting from all kernels: those leave that have s_m <= 0, until none has. It
// also gives ||v||^2.
func (n *elasticNet) maximum(v []float64) (s netted, square float64) {
	// With mix = 1, s = v: all kernels with ||v_m|| > 0 are of A at first.
	all := netted{mix: 1}
	for {
		s = netted{mix: n.mix}
		for _, x := range v {
			if !(all.at(x) <= 0) { // NaN is to stay one
				s.mean += x
				s.k++
			}
		}
		if s.k == 0 {
			return s, 0
		}
		s.mean /= s.k
		if s.k == all.k {
			break
		}
		all = s
	}
	for _, x := range v {
		if !(s.at(x) <= 0) {
			square += (x - s.mean) * (x - s.mean)
		}
	}
	return s, square/n.mix + s.k*s.mean*s.mean/(n.mix+s.k*(1-n.mix))
}

// Weights implements chunking.Norm.
func (n *elasticNet) Weights(theta, V []float64) float64 {
	some := n.squares(theta, V, n.smoothing)
	if !some {
		n.even(theta)
	}
	for m, u := range theta {
		theta[m] = math.Sqrt(max(u, 0))
	}
	s, square := n.maximum(theta)
	for m, v := range theta {
		theta[m] = 0
		if x := s.at(v); !(x <= 0) && v != 0 {
			theta[m] = x / v
		}
	}
	if !some {
		return 0
	}
	return math.Sqrt(square)
}

// Curvature implements chunking.Norm.
func (n *elasticNet) Curvature(rank, theta, V []float64) (float64, bool) {
	some := false
	for m, x := range V {
		rank[m] = 0
		if x > 0 && theta[m] > 0 {
			rank[m] = (1/n.mix - theta[m]) / x
			some = true
		}
	}
	return 0, some
}

// Coupling implements chunking.Coupled: -c z z', with one row for all kernels of A.
func (n *elasticNet) Coupling(theta, V []float64) *chunking.Coupling {
	c := &chunking.Coupling{Rows: 1, Row: make([]int32, len(V)), Factor: make([]float64, len(V))}
	k := 0.0
	for m, x := range V {
		c.Row[m] = -1
		if x > 0 && theta[m] > 0 {
			c.Row[m], c.Factor[m] = 0, 1/math.Sqrt(x)
			k++
		}
	}
	if k == 0 {
		return nil
	}
	c.Diagonal = []float64{-(1 - n.mix) / (n.mix * (n.mix + k*(1-n.mix)))}
	return c
}

// Primal implements chunking.Norm.
func (n *elasticNet) Primal(w []float64) float64 {
	one, two := VectorNorm(w, 1), VectorNorm(w, 2)
	return math.Sqrt((1-n.mix)*one*one + n.mix*two*two)
}

// Dual implements chunking.Norm.
func (n *elasticNet) Dual(V []float64) float64 {
	_, square := n.maximum(n.lengths(V))
	return math.Sqrt(square)
}
