package discriminant

import (
	"context"
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bigmkl/internal/barrier"
	"bigmkl/internal/fail"
)

// Solution has the weights that a program has found, and what they are worth.
type Solution struct {
	// Theta holds the weight of each kernel. With CostWeight, which is 0 unless lambda was found, they
	// sum to 1.
	Theta      []float64
	CostWeight float64
	// Value is the value of the program itself, 0 if rounding has left it none. For those that solve the problem of J it is J.
	Value float64
	// Criterion is the paper's at these weights, tr H'(I + sum_m theta_m K_m / (n lambda))^-1 H / (n
	// (k-1)), in (0, 1].
	Criterion float64
	// Primal, Dual and Gap are the certificate of these weights and Alpha.
	Primal, Dual, Gap float64
	// Alpha and Bias have a column and a number for each class: f_c = sum_m theta_m K_m alpha_c + b_c.
	// Bias is for the kernels as they were given.
	Alpha [][]float64
	Bias  []float64
	// Steps counts linear systems, which are Newton steps or cutting planes.
	Steps int
}

// Solve finds the weights by one of Solvers, and computes the certificate of the problem at them:
// columns alpha_c = A(theta)^-1 h_c with the primal and dual value. A problem that makes no sense
// is of class fail.Usage, and one that takes more than the memory of class fail.Budget, with the
// least that is enough. Where ctx ends, Solve returns its error. Weights by a program that solves
// another problem, or that rounding has ended, have a gap above the one asked for.
func Solve(ctx context.Context, solver string, p *Problem) (*Solution, error) {
	if err := p.check(solver); err != nil {
		return nil, err
	}
	r := p.reduce()
	if solver == CPMWrapper {
		return r.cutPlanes(ctx)
	}
	q := r.program(solver)
	x, err := q.Solve(ctx, r.start(solver), min(p.Gap/10, programGap))
	if x == nil && errors.Is(err, barrier.ErrStuck) {
		// Rounding has ended the program before its first minimum. Equal weights are weights as well, with the certificate
		// that they are worth.
		return r.certified(r.split(slices.Repeat([]float64{1 / float64(len(r.forms()))}, len(r.forms()))))
	}
	if errors.Is(err, barrier.ErrStart) {
		return nil, fail.New(fail.Input, "solver %s: the kernels leave no number for its program: %w", solver, err)
	}
	if err != nil && !errors.Is(err, barrier.ErrStuck) {
		return nil, err
	}
	s, err := r.certified(r.weights(solver, x))
	if err != nil {
		return nil, err
	}
	if s.Value, s.Steps = x.Value, x.Steps; solver == QCQP {
		s.Value = -s.Value // it minimises the negative dual value
	}
	return s, nil
}

// programGap is the relative gap of a program: the certificate magnifies what the weights are off
// by.
const programGap = 1e-9

// Bytes is the memory that a program takes, with the kernels as they are given and reduced.
func Bytes(solver string, rows, kernels, classes int, joint bool) int64 {
	n := int64(rows)
	given := 8 * int64(kernels) * n * n
	// The matrix of the linear system with its factor.
	total := 2*given + 2*8*n*n
	if solver == CPMWrapper || rows < 2 || classes < 2 {
		return total
	}
	r := &reduced{Problem: &Problem{Classes: make([]int32, rows), Count: classes, Joint: joint}}
	for range kernels {
		r.kernels = append(r.kernels, hollow(rows-1))
	}
	for range classes - 1 {
		r.columns = append(r.columns, make([]float64, rows-1))
	}
	r.classes = slices.Repeat(r.columns[:1], classes)
	if solver == SDPKim {
		// It has matrices of its own.
		program := kim{r}.program(func(int) mat.Symmetric { return hollow(rows + 1) })
		return total + given + program.Bytes()
	}
	return total + r.program(solver).Bytes()
}

// hollow is a matrix of zeros that takes no memory.
type hollow int

var _ mat.Symmetric = hollow(0)

// Dims implements mat.Matrix.
func (h hollow) Dims() (rows, columns int) { return int(h), int(h) }

// At implements mat.Matrix.
func (h hollow) At(int, int) float64 { return 0 }

// T implements mat.Matrix.
func (h hollow) T() mat.Matrix { return h }

// SymmetricDim implements mat.Symmetric.
func (h hollow) SymmetricDim() int { return int(h) }
