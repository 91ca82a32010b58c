package norm

import "bigmkl/chunking"

var _ chunking.Normalised = (*Sum)(nil)

// Sum is the block norm of p = 1 with weights that sum to 1 on every rung of the ladder. The weights of a rung,
// of norm 1 in the exponent p_s/(2-p_s), sum to
//
//	c = sum_m theta_m = 1 + O(p_s - 1) > 1,
//
// and reported weights sum to 1. Where alpha is at the optimum of the rung, decision values of the reported weights
// are therefore off by a share of 1 - 1/c, at every support vector. This is most of the gap of the rung: that of
// each point costs up to C (1 - 1/c). With weights divided by c, the equations lin'(alpha) = sum_m theta_m g_m of
// the rung are about the function that is reported. What is left is the difference of the V_m,
//
//	P - D = 1/2 (sum_m theta_m ||v_m||)^2 + 1/2 max_m V_m - sum_m theta_m V_m      where alpha solves the equations.
//
// The derivative of the divided weights by V_m / 2, with e = p*/2 - 1 and the sum of theta of 1, is
//
//	dtheta_m / dV_k = e theta_m (delta_mk - theta_k) / V_k,
//
// of which the V of kernels with a weight differ by a share of about 1/e. Curvature takes them as equal, and so has
// the form of Block.
type Sum struct{ *Block }

// NewSum returns the norm. indefinite marks kernels that may be indefinite; nil means none.
func NewSum(indefinite []bool) *Sum { return &Sum{NewBlock(1, indefinite)} }

// Weights implements chunking.Norm.
func (n *Sum) Weights(theta, V []float64) float64 {
	length := n.Block.Weights(theta, V)
	if c := n.Block.Scale(theta, V); c > 0 {
		for m := range theta {
			theta[m] /= c
		}
	}
	return length
}

// Normalised implements chunking.Normalised.
func (n *Sum) Normalised() {}
