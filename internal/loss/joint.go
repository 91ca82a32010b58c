package loss

import "bigmkl/chunking"

// Squared is a loss that can have its cost found: its lin is sum_i y_i alpha_i - sum_i alpha_i^2 /
// (2 C_i), so y_i is the slope at 0 and 1/C_i the curvature.
type Squared interface {
	chunking.Separable
	chunking.Curved
}

var (
	_ chunking.Joint   = (*JointCost)(nil)
	_ chunking.Curved  = (*JointCost)(nil)
	_ chunking.Divided = (*JointCost)(nil)
	_ chunking.Joint   = (*JointDiscriminant)(nil)
	_ chunking.Columns = (*JointDiscriminant)(nil)
)

// JointCost is a squared loss whose cost C is found along with the kernel weights. Of the loss with
// C = 1 it keeps the errors and the box, and leaves the quadratic term of lin to a kernel of the
// solver (see chunking.Joint):
//
//	lin(alpha) = sum_i y_i alpha_i,   1/2 |xi|^2 = sum_i r_i xi_i^2 / 2 = the loss with C = 1
type JointCost struct{ loss Squared }

// JointDiscriminant is the loss of discriminant analysis with a ridge that is found along with the
// kernel weights, one for all columns: theta_0 = 1/C is n lambda (Ye, Ji and Chen 2008, section 4).
type JointDiscriminant struct {
	*JointCost
	columns int
}

// NewJointDiscriminant returns it for the loss with a cost of 1.
func NewJointDiscriminant(loss *Discriminant) *JointDiscriminant {
	return &JointDiscriminant{NewJointCost(loss), loss.Columns()}
}

// Columns implements chunking.Columns.
func (l *JointDiscriminant) Columns() int { return l.columns }

// NewJointCost returns the loss with a cost that is found, for SquaredHinge or LeastSquares with a
// cost of 1. Points that were left out of that loss are not allowed: their curvature is infinite.
func NewJointCost(loss Squared) *JointCost { return &JointCost{loss} }

// Identity implements chunking.Joint.
func (l *JointCost) Identity(i int) float64 { return l.loss.Curvature(i) }

// Box implements chunking.Loss.
func (l *JointCost) Box(i int) (lower, upper float64) { return l.loss.Box(i) }

// Linear implements chunking.Loss.
func (l *JointCost) Linear(alpha []float64) (sum float64) {
	for i, a := range alpha {
		if a != 0 {
			sum += l.loss.Slope(i, 0) * a
		}
	}
	return sum
}

// Slope implements chunking.Loss.
func (l *JointCost) Slope(i int, _ float64) float64 { return l.loss.Slope(i, 0) }

// Curvature implements chunking.Curved. The kernel of the solver has it all; that the loss has one
// means that points violate the optimality conditions by different amounts at alpha = 0, too.
func (l *JointCost) Curvature(int) float64 { return 0 }

// Primal implements chunking.Loss. The bias that makes the errors shortest does not depend on C.
func (l *JointCost) Primal(f []float64) (bias, sum float64) { return l.loss.Primal(f) }

// At implements chunking.Loss.
func (l *JointCost) At(f []float64, bias float64) float64 { return l.loss.At(f, bias) }

// Divide implements chunking.Divided.
func (l *JointCost) Divide(b chunking.Blocks) {
	if d, ok := l.loss.(chunking.Divided); ok {
		d.Divide(b)
	}
}
