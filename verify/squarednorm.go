package verify

import "math"

var (
	_ penalty    = squaredNorm{}
	_ lengthened = squaredNorm{}
)

// squaredNorm is the block norm p with lambda/2 times the square of the norm s of theta in the objective.
type squaredNorm struct{ p, lambda float64 }

// primal returns the penalty with the best s: the derivative -n^2/(2s^2) + lambda s vanishes at s = (n^2 / (2 lambda))^(1/3).
func (n squaredNorm) primal(w []float64) float64 {
	length := norm(w, n.p)
	s := math.Cbrt(length * length / (2 * n.lambda))
	if s == 0 {
		return 0
	}
	return length*length/(2*s) + n.lambda*s*s/2
}

func (n squaredNorm) conjugate(v []float64) float64 {
	length := norm(v, conjugate(n.p))
	return length * length * length * length / (8 * n.lambda)
}

// checkTheta has nothing to check: the length of theta depends on the data.
func (n squaredNorm) checkTheta([]float64, *faults) {}

// thetaNorm returns what the norm of theta has to be: ||v||_p*^2 / (2 lambda).
func (n squaredNorm) thetaNorm(v []float64) float64 {
	length := norm(v, conjugate(n.p))
	return length * length / (2 * n.lambda)
}
