package train

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/discriminant"
	"bigmkl/internal/loss"
)

// The programs of the paper, for comparison: package discriminant finds the weights of task rkda from
// matrices of all kernels. The certificate of these weights is computed from the gradients of the
// columns, as in any training.

// byProgram reports whether a program of package discriminant finds the weights of task rkda.
func (o *Options) byProgram() bool { return slices.Contains(discriminant.Solvers, o.Solver.Method) }

// solveProgram finds the weights and columns by the program of the run. The status is Stalled where the
// certificate is not that of the gap: weights of another problem, or the end of what rounding allows.
func (t *columnsTrainer) solveProgram(ctx context.Context, g *gradients, l *loss.Discriminant) (
	*columnsSolution, chunking.Status, error) {
	o, n, kernels := &t.Options, t.Store.Len(), t.Kernels.Len()
	p := &discriminant.Problem{
		Classes: t.Store.Labels(), Count: l.Columns(), Lambda: o.Problem.Lambda,
		Joint: o.Problem.JointCost, Gap: o.Solver.Gap, Memory: o.Budget.Memory,
	}
	// Matrices are made of what fits alone.
	if err := discriminant.Fits(o.Solver.Method, n, kernels, p.Count, p.Joint, p.Memory); err != nil {
		return nil, "", err
	}
	alpha := make([]float64, n*p.Count)
	if err := g.Rebuild(ctx, alpha, true); err != nil {
		return nil, "", err
	}
	all, one := make([]int, n), make([]float64, kernels)
	for i := range all {
		all[i] = i
	}
	for m := range kernels {
		k := mat.NewSymDense(n, nil)
		one[m] = 1
		if err := g.Hessian(ctx, all, one, nil, k.RawSymmetric().Data); err != nil {
			return nil, "", err
		}
		one[m] = 0
		p.Kernels = append(p.Kernels, k)
	}
	t.setOperation("the program was solved")
	found, err := discriminant.Solve(ctx, o.Solver.Method, p)
	if err != nil {
		return nil, "", err
	}
	for c, column := range found.Alpha {
		copy(alpha[c*n:], column)
	}
	s := &columnsSolution{decisions: make([]float64, len(alpha)), double: true}
	if err := g.Rebuild(ctx, alpha, true); err != nil {
		return nil, "", err
	}
	v := make([]float64, kernels)
	if err := g.Pass(ctx, nil, nil, alpha, found.Theta, s.decisions, v); err != nil {
		return nil, "", err
	}
	r := &s.solution
	r.Alpha, r.Theta, r.CostWeight, r.Iterations = alpha, found.Theta, found.CostWeight, found.Steps
	t.result.Iterations, t.result.Gradient = found.Steps, g.Stats()
	for m, x := range v {
		r.WNorms = append(r.WNorms, found.Theta[m]*math.Sqrt(max(x, 0)))
	}
	r.Certificate = programCertificate(l, s, v, p.Joint)
	if r.Certificate.RelativeGap <= o.Solver.Gap {
		return s, chunking.Converged, nil
	}
	if o.Solver.Method == discriminant.SDPApprox || o.Solver.Method == discriminant.SDPKim {
		t.warn("solver %s has the weights of another problem than that of the other solvers", o.Solver.Method)
	}
	return s, chunking.Stalled, nil
}

// programCertificate returns the certificate of a solution whose columns have the energies v. If lambda
// is found, the identity is one more kernel: its energy is |alpha|^2, and the length of its part of w
// that of the errors.
func programCertificate(l *loss.Discriminant, s *columnsSolution, v []float64, joint bool) chunking.Certificate {
	w, linear := slices.Clone(s.solution.WNorms), l.Linear(s.solution.Alpha)
	_, losses := l.Primal(s.decisions)
	if joint {
		square := 0.0
		for _, x := range l.ColumnSquares(s.solution.Alpha) {
			square += x
		}
		w, v = append(w, math.Sqrt(2*losses)), append(slices.Clone(v), square)
		losses, linear = 0, linear+square/2
	}
	block := norm.NewBlock(1, nil)
	length, dual := block.Primal(w), block.Dual(v)
	return chunking.NewCertificate(length*length/2+losses, linear-dual*dual/2)
}
