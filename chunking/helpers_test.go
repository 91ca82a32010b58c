package chunking_test

import (
	"testing"

	. "bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/loss"
	"bigmkl/internal/toy"
)

// solverOf poses a problem with the block norm p.
func solverOf(p *toy.Problem, exponent, gap float64) (*Solver, *norm.Block, *gradienttest.Dense) {
	d := gradienttest.NewDense(len(p.Y), p.K)
	b := norm.NewBlock(exponent, p.Indefinite)
	return New(len(p.Y), len(p.K), hinge(p), b, d, gap, Tuning{}), b, d
}

// hinge is the loss of a problem.
func hinge(p *toy.Problem) *loss.Hinge {
	return loss.NewHinge(p.Signs(), [2]float64{1, 1}, p.Cost)
}

// result is a solution as toy takes it.
func result(r Solution) toy.Result {
	c := r.Certificate
	return toy.Result{
		Alpha: r.Alpha, Theta: r.Theta, WNorms: r.WNorms,
		Bias: c.Bias, Primal: c.Primal, Dual: c.Dual, RelativeGap: c.RelativeGap,
	}
}

// run drives a solver to its end.
func run(t *testing.T, s *Solver) (Solution, Status) {
	t.Helper()
	status, err := NewDriver(s, Limits{Iterations: 5000}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s.Solution(), status
}
