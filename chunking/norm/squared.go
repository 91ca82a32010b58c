package norm

import (
	"math"

	"bigmkl/chunking"
)

// squared is the penalty of SMO-MKL (Vishwanathan, Sun, Ampornpunt and Varma 2010), which has the
// squared norm of the weights in the objective and not a norm of 1 as a constraint. With the norm r
// = p/(2-p) on the weights,
//
//	min over theta >= 0 of  1/2 sum_m ||w_m||^2 / theta_m + lambda/2 ||theta||_r^2
//	   = 3/2 lambda^(1/3) (1/2 ||w||_{2,p}^2)^(2/3),      ||theta||_r = s = (||w||_{2,p}^2 / (2 lambda))^(1/3)
//
//	max over alpha of lin(alpha) - 1/(8 lambda) ||v||_{p*}^4,   s = ||v||_{p*}^2 / (2 lambda) in terms of v
//	theta_m = s theta'_m                               theta' the weights of the block norm p
//
// It is a function of the block norm: its optimum is the optimum of the block norm p with C s in
// the place of C, but s is known no sooner than the optimum is. Primal and Dual give the lengths of
// which half the square is the penalty and its conjugate. At V = 0, where theta = 0, the weights
// are theta', for a model with curvature. With psi = 1/2 ||v||^2 the Hessian of psi^2 / (2 lambda)
// is
//
//	psi/lambda Hessian(psi) + lambda/psi^2 ghat ghat',   ghat = sum_m theta_m g_m.
type squared struct {
	*Block
	lambda float64
}

// NewSquared returns the penalty for lambda > 0 and the block norm p that goes with the norm
// p/(2-p) on the weights: p in [1, 2), or above 2 for what the formulas then state. indefinite
// marks kernels that may be indefinite; nil means none.
func NewSquared(p, lambda float64, indefinite []bool) chunking.Norm {
	return &squared{NewBlock(p, indefinite), lambda}
}

// Weights implements chunking.Norm.
func (n *squared) Weights(theta, V []float64) float64 {
	length := n.Block.Weights(theta, V)
	if length == 0 {
		return 0
	}
	s := length * length / (2 * n.lambda)
	for m := range theta {
		theta[m] *= s
	}
	return length * length / (2 * math.Sqrt(n.lambda))
}

// Curvature implements chunking.Norm: that of psi for theta', times s = psi/lambda, and
// lambda/psi^2 ghat ghat' = ghat ghat' / (s psi).
func (n *squared) Curvature(rank, theta, V []float64) (float64, bool) {
	energy := 0.0 // sum_m theta_m u_m^2 = s ||v||^2 = 2 lambda s^2
	for m, x := range V {
		energy += theta[m] * (max(x, 0) + n.smoothing)
	}
	if energy == 0 {
		return 0, false
	}
	back, ok := n.Block.Curvature(rank, theta, V)
	if !ok {
		clear(rank)
	}
	// The block norm's terms are linear in theta, those of ghat aside, where theta' is theta/s:
	// (p*-2) ghat ghat' / energy.
	return back - 2/energy, true
}

// Primal implements chunking.Norm: its square is twice the penalty.
func (n *squared) Primal(w []float64) float64 {
	r := n.Block.Primal(w)
	return math.Sqrt(3 * math.Cbrt(n.lambda*r*r/2*(r*r/2)))
}

// Dual implements chunking.Norm: its square is twice the conjugate of the penalty.
func (n *squared) Dual(V []float64) float64 {
	r := n.Block.Dual(V)
	return r * r / (2 * math.Sqrt(n.lambda))
}

// Scale implements chunking.Scaled: it brings the weights to the norm s that V itself gives. They
// belong to a smoothed norm, or to the V that the line search predicted, from which rounding may
// have moved it.
func (n *squared) Scale(theta, V []float64) float64 {
	r := n.Block.Dual(V)
	length := WeightNorm(theta, n.p)
	if r == 0 || length == 0 {
		return 1
	}
	return length * 2 * n.lambda / (r * r)
}
