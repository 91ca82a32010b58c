package chunking

import "context"

// A norm that becomes sharper gives other weights to the same V. On the ladder to p = 1 they are
//
//	theta_m ~ V_m^e,   e = p*/2 - 1,
//
// and a rung that makes e four times as large takes every ratio of two weights to its fourth power. The
// optimum hardly moves: its weights are nearly those before the rung, and its V are nearer to each other.
// Newton's method on V undoes the jump of the weights by about a factor of 2.7 in each iteration. Newton's
// method on (alpha, theta) needs one iteration, because V_m ~ theta_m^(1/e) is nearly constant in theta:
//
//	lin'(alpha) = sum_m theta_m g_m,   V_m(alpha) = V_m(theta)
//
// are expanded at the weights before the rung. With theta eliminated that is the quadratic model of these
// weights, with the ascent of the weights theta + dtheta/dV (V - V(theta)).

// expansion is the point of expansion of a step's quadratic model, where that differs from the state in hand.
type expansion struct {
	theta, V []float64 // weights, and the V that they belong to under the norm in hand
	change   []float64 // weights of the ascent less the weights of the combined gradient
	scale    float64   // theta divided by the weights of the combined gradient
}

// expandAt returns the expansion at weights from before the norm became sharper, to which the combined
// gradient still belongs. V has the values in hand. The expansion is nil where weights do not determine V.
func expandAt(norm Norm, V, before []float64) *expansion {
	n, ok := norm.(Invertible)
	if !ok {
		return nil
	}
	x := &expansion{theta: make([]float64, len(before)), V: make([]float64, len(before)), change: make([]float64, len(before))}
	if !n.Energies(x.V, before) {
		return nil
	}
	// Weights determine V up to a factor. The factor that keeps sum_m theta_m V_m keeps the length of v.
	is, should := 0.0, 0.0
	for m, t := range before {
		is += t * x.V[m]
		should += t * max(V[m], 0)
	}
	if !(is > 0) || !(should > 0) {
		return nil
	}
	for m := range x.V {
		x.V[m] *= should / is
	}
	norm.Weights(x.theta, x.V)
	rank := make([]float64, len(before))
	back, ok := norm.Curvature(rank, x.theta, x.V)
	if !ok {
		return nil
	}
	is, should = 0, 0
	off := 0.0 // sum_m theta_m (V_m - V_m(theta))
	for m, t := range x.theta {
		is, should = is+before[m], should+t
		off += t * (V[m] - x.V[m])
	}
	x.scale = should / is
	// The Hessian is sum_m g_m (dtheta_m/dalpha)' with dV_m/dalpha = 2 g_m: its terms are twice dtheta/dV.
	for m, t := range x.theta {
		x.change[m] = t + (rank[m]*(V[m]-x.V[m])-back*t*off)/2 - before[m]
	}
	return x
}

// correct turns the ascent on a working set at the weights of the combined gradient into that of the
// expansion.
func (x *expansion) correct(ctx context.Context, grad Mixer, set []int, ascent []float64) error {
	mixed := make([]float64, len(set))
	if err := grad.Mix(ctx, set, make([]int32, len(x.change)), x.change, mixed); err != nil {
		return err
	}
	for k, g := range mixed {
		ascent[k] -= g
	}
	return nil
}
