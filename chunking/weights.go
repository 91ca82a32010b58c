package chunking

import "math"

// weights are the kernel weights with the norm that they come from and the V that they belong to.
type weights struct {
	norm  Norm
	theta []float64
	V     []float64 // V_m = ||v_m||^2 = alpha'K_m alpha

	pinned bool // theta stays whatever V is; see pinning

	kernels int // without the identity of a Joint loss, which is behind them
}

// Energies gives V_m = alpha'K_m alpha of every kernel. A negative value means an indefinite kernel
// or rounding. The slice is the solver's own.
func (w *weights) Energies() []float64 { return w.V[:w.kernels] }

// Excludes reports whether the norm gives kernel m no part at the V in hand.
func (w *weights) Excludes(m int) bool { return excludes(w.norm, m, w.V[m]) }

// renew computes the weights from V, unless they are pinned.
func (w *weights) renew() { w.weigh(w.theta, w.V) }

// delicate reports whether small V_m matter to the norm.
func (w *weights) delicate() bool { return delicate(w.norm) }

// scale is what theta is divided by when it is reported. For p = 1 reported weights sum to 1.
func (w *weights) scale() float64 { return scaleOf(w.norm, w.theta, w.V) }

// lengths gives ||w_m|| = theta_m ||v_m|| with theta divided by scale.
func (w *weights) lengths(scale float64) []float64 {
	l := make([]float64, len(w.V))
	for m, x := range w.V {
		l[m] = w.theta[m] / scale * math.Sqrt(max(x, 0))
	}
	return l
}

// negligible is the share of the largest ||w_m|| below which a kernel does not count as active.
const negligible = 1e-6

// activeKernels counts the kernels among the first ones whose ||w_m|| is not negligible.
func (w *weights) activeKernels(kernels int) int {
	l := w.lengths(1)[:kernels]
	top := 0.0
	for _, x := range l {
		top = max(top, x)
	}
	n := 0
	for _, x := range l {
		if x > negligible*top {
			n++
		}
	}
	return n
}

// noisyShare is the share of sum_m theta_m |V_m| by which a predicted V may differ from the summed
// one.
const noisyShare = 1e-2

// disagree reports whether the pass found another V than the line search predicted from the working
// set alone. In exact arithmetic both are the same, so a difference is rounding.
func (w *weights) disagree(predicted []float64) bool {
	off, energy := 0.0, 0.0
	for m, t := range w.theta {
		off += t * math.Abs(predicted[m]-w.V[m])
		energy += t * math.Abs(w.V[m])
	}
	return off > noisyShare*energy
}

// unreported reports whether a kernel has a weight that no solution reports. Weights are computed
// from the V that the line search predicts. Where that is rounding, the pass may find V_m negative,
// for a kernel that may be indefinite, or 0. Where V_m was lost to rounding, the gradient of the
// kernel is rounding, and not 0, so the function has to do without it. vanishes means that the best
// function is a constant, which has no weights at all.
func (w *weights) unreported(vanishes bool) bool {
	n, excludes := w.norm.(Excluder)
	for m, t := range w.theta {
		if t > 0 && (excludes && n.Excludes(m, w.V[m]) || w.V[m] == 0 && !vanishes) {
			return true
		}
	}
	return false
}

// report makes the weights those that a solution reports: the weights of V itself, because the norm
// of those that are left has to allow for those that are not, and none where V_m = 0 or the norm excludes the
// kernel. The next step makes new ones. Pinned weights stay, except for these.
func (w *weights) report(vanishes bool) {
	w.renew()
	for m := range w.theta {
		if w.V[m] == 0 && !vanishes || w.pinned && w.Excludes(m) {
			w.theta[m] = 0
		}
	}
}
