package discriminant

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bigmkl/internal/barrier"
)

// program gives one of the programs of the barrier method. In all of them a weight of lambda, if it
// is found, is the last one, behind the weights of the kernels.
func (r *reduced) program(solver string) *barrier.Program {
	switch solver {
	case QCQP:
		return r.quadratic()
	case SDP:
		return r.semidefinite(false)
	case SDPApprox:
		return r.semidefinite(true)
	}
	return kim{r}.program(kim{r}.covariance)
}

// start gives an inner point of a program.
func (r *reduced) start(solver string) []float64 {
	weights := r.forms()
	x := constant(len(weights), 1/float64(len(weights)))
	if solver == SDPKim {
		return append(x, kim{r}.start(x))
	}
	theta, costWeight := r.split(x)
	h := r.columns
	if solver == SDPApprox {
		h = r.classes
	}
	s, err := r.solveColumns(theta, costWeight, h)
	switch {
	case err != nil && solver == QCQP:
		return append(make([]float64, len(r.columns)*(len(r.Classes)-1)), 1)
	case err != nil: // no inner point, as Solve will find
		return append(x, constant(len(h), 1)...)
	}
	if solver == QCQP {
		// The columns for equal weights, from which the way is short.
		most := max(slices.Max(s.v), s.square)
		return append(slices.Concat(s.alpha...), 2*most)
	}
	// Of a matrix with a border of so many columns, twice their number times the least of each is
	// enough.
	for c := range h {
		least := 0.0
		for i, a := range s.alpha[c] {
			least += a * h[c][i]
		}
		x = append(x, 2*float64(len(h))*least+math.SmallestNonzeroFloat64)
	}
	return x
}

// weights gives theta and the weight of lambda of a solution.
func (r *reduced) weights(solver string, s *barrier.Solution) (theta []float64, costWeight float64) {
	x := s.Quadratics
	if solver != QCQP {
		x = s.X[:len(r.forms())]
	}
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	scaled := make([]float64, len(x))
	for m, v := range x {
		scaled[m] = v / sum
	}
	return r.split(scaled)
}

// split divides weights of the kernels from that of lambda.
func (r *reduced) split(x []float64) (theta []float64, costWeight float64) {
	if !r.Joint {
		return x, 0
	}
	last := len(x) - 1
	return x[:last:last], x[last]
}

// forms lists the matrices that have weights.
func (r *reduced) forms() []mat.Symmetric {
	if !r.Joint {
		return r.kernels
	}
	return append(r.kernels[:len(r.kernels):len(r.kernels)], diagonal(len(r.Classes)-1, 1))
}

// quadratic is the program
//
//	min over alpha and s of  -sum_c h_c'alpha_c + |alpha|^2/(2C) + s/2  with  V_m <= s for all m,
//
// the negative dual value. Multipliers of the constraints V_m/2 - s/2 <= 0 are the weights: they
// sum to 1, as the derivative by s shows.
func (r *reduced) quadratic() *barrier.Program {
	n := len(r.Classes) - 1
	p := &barrier.Program{Variables: len(r.columns)*n + 1}
	p.Objective.Linear = make([]float64, p.Variables)
	p.Objective.Linear[p.Variables-1] = 0.5
	for c, h := range r.columns {
		for i, x := range h {
			p.Objective.Linear[c*n+i] = -x
		}
		if !r.Joint {
			p.Objective.Terms = append(p.Objective.Terms, barrier.Term{At: c * n, Q: diagonal(n, r.ridge())})
		}
	}
	for _, k := range r.forms() {
		q := barrier.Quadratic{Linear: make([]float64, p.Variables)}
		q.Linear[p.Variables-1] = -0.5
		for c := range r.columns {
			q.Terms = append(q.Terms, barrier.Term{At: c * n, Q: k})
		}
		p.Quadratics = append(p.Quadratics, q)
	}
	return p
}

// semidefinite is the program
//
//	min over theta and t of  1/2 sum_c t_c  such that  [A(theta), h_c; h_c', t_c]  is positive semi-definite
//
// for each column, so t_c is at least h_c'A^-1 h_c. Where one matrix has all columns for its
// border and the t_c on its diagonal, diag(t) lies above the whole matrix of h_c'A^-1 h_d.
func (r *reduced) semidefinite(one bool) *barrier.Program {
	forms, n := r.forms(), len(r.Classes)-1
	h, together := r.columns, 1
	if one {
		h, together = r.classes, r.Count
	}
	p := &barrier.Program{Variables: len(forms) + len(h)}
	p.Objective.Linear = make([]float64, p.Variables)
	p.Equalities = []barrier.Equality{{Coefficients: make([]float64, p.Variables), Value: 1}}
	for m := range forms {
		p.NonNegative = append(p.NonNegative, m)
		p.Equalities[0].Coefficients[m] = 1
	}
	for from := 0; from < len(h); from += together {
		f := barrier.Matrix{Size: n + together, Constant: &bordered{r.ridge(), h[from : from+together]}}
		for m, k := range forms {
			f.Coefficients = append(f.Coefficients, barrier.Coefficient{Variable: m, F: k})
		}
		for c := range together {
			t := len(forms) + from + c
			p.Objective.Linear[t] = 0.5
			f.Coefficients = append(f.Coefficients, barrier.Coefficient{Variable: t, At: n + c, F: diagonal(1, 1)})
		}
		p.Matrices = append(p.Matrices, f)
	}
	return p
}

// bordered is the matrix [ridge I, H; H', 0] with the columns H.
type bordered struct {
	ridge  float64
	border [][]float64
}

var _ mat.Symmetric = (*bordered)(nil)

// Dims implements mat.Matrix.
func (b *bordered) Dims() (rows, columns int) { return b.SymmetricDim(), b.SymmetricDim() }

// SymmetricDim implements mat.Symmetric.
func (b *bordered) SymmetricDim() int { return len(b.border[0]) + len(b.border) }

// T implements mat.Matrix.
func (b *bordered) T() mat.Matrix { return b }

// At implements mat.Matrix.
func (b *bordered) At(i, j int) float64 {
	n := len(b.border[0])
	switch i, j = min(i, j), max(i, j); {
	case j < n && i == j:
		return b.ridge
	case i < n && j >= n:
		return b.border[j-n][i]
	}
	return 0
}

// diagonal is x times the identity.
func diagonal(n int, x float64) *mat.DiagDense { return mat.NewDiagDense(n, constant(n, x)) }
