package chunking

import "context"

// Mover is a norm whose weights stay where they are while alpha is optimised, and move only when
// the norm itself moves them. Between two moves the solver trains a support vector machine with the
// sum of kernels sum_m theta_m K_m, warm-started; with
//
//	J(theta) = max over alpha of lin(alpha) - 1/2 sum_m theta_m V_m
//
// a Mover is a method in theta alone. The certificate is the norm's all the same, for the alpha and
// theta in hand. Weights and V of a Mover belong to the kernels as it sees them, which Held
// describes.
type Mover interface {
	// Held gives the weights that are held, the V that they go with, and what each kernel was
	// multiplied by to get there; a nil factor means ones. V is the solver's.
	Held(V []float64) (theta, energies, factor []float64)
	// Ready reports whether the weights may move. If not, alpha is optimised further.
	Ready(at *Point) bool
	// Move moves the weights that are held. It returns false if they stay.
	Move(ctx context.Context, at *Point) (bool, error)
}

// Rule gives the next weights of a Mover. Package rule makes a norm of one.
type Rule interface {
	// Ready reports whether the weights may move. If not, alpha is optimised further.
	Ready(at *Point) bool
	// Move puts the next weights in theta, which have norm 1. It returns false if they stay.
	Move(ctx context.Context, at *Point, theta []float64) (bool, error)
}

// Point is where a run with held weights is. The slices are the solver's own and must not be
// changed.
type Point struct {
	Theta, V []float64
	Linear   float64 // lin(alpha)
	Value    float64 // lin(alpha) - 1/2 sum_m theta_m V_m, a lower bound of J(theta)
	Gap      float64 // J(theta) is at most Value + Gap
	Distance float64 // P - D of the problem itself
	Goal     float64 // the P - D that ends the run
	Stuck    bool    // the last step moved nothing: alpha is as good as rounding lets it be
	// Solvers in double precision; two Values with different numbers do not compare.
	Doubles int

	second func(ctx context.Context) ([]float64, error)
}

// Curvature gives the second derivatives of J by the weights, which hold where alpha is optimal.
// The matrix is M x M for M kernels and row-major. It needs a gradient that is a Mixer. Curvature
// returns nil if rounding has made the matrix of the free points indefinite.
func (p *Point) Curvature(ctx context.Context) ([]float64, error) { return p.second(ctx) }
