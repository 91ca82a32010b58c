// Package discriminant has the programs of multi-class discriminant kernel learning (Ye, Ji and
// Chen 2008), for kernels that are given as matrices. All of them choose the weights of
//
//	min over theta of J(theta) = 1/2 sum_c h_c' A(theta)^-1 h_c,   A(theta) = I/C + sum_m theta_m K_m
//
// on the simplex, where K_m is centred and has the trace n, C = 1/(n lambda), and column h_c of a
// class is sqrt(n/n_c) on its rows less sqrt(n_c/n) on all. If lambda is found along with the
// weights, the identity is one more kernel, A = theta_0 I + sum_m theta_m K_m, and all weights sum
// to 1. J is the least primal value and the largest dual value at these weights; the dual value of
// any columns alpha is
//
//	D(alpha) = sum_c h_c'alpha_c - |alpha|^2/(2C) - 1/2 max_m V_m,   V_m = sum_c alpha_c'K_m alpha_c
//
// and the least J is the largest D. They are for comparison, at sizes of some hundred rows: package
// chunking has the same optimum without matrices.
//
// Every program is solved in coordinates of the columns that sum to 0, of which there are n - 1 to
// a column: there the centring has no effect, and nothing is singular. The columns h_c are turned
// into k - 1, as their sum with the weights sqrt(n_c) is 0 and all programs but one are invariant
// to a rotation of them.
package discriminant

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bigmkl/internal/bytesize"
	"bigmkl/internal/fail"
)

// These are the programs. Numbers in brackets are the equations of the paper.
const (
	// QCQP maximises the dual value with a quadratic constraint for each kernel (13, 34, 43, 46).
	QCQP = "qcqp"
	// SDP minimises J with a matrix inequality for each column (8, 29, 41).
	SDP = "sdp"
	// SDPApprox minimises with a single matrix inequality for all columns (32, 45). That is another
	// problem for more than two classes: its value lies above that of J.
	SDPApprox = "sdp-approx"
	// SDPKim is the program of Kim, Magnani and Boyd (2006) for two classes, with covariances within
	// the classes in the place of the covariance of all rows (4).
	SDPKim = "sdp-kim"
	// CPMWrapper finds the weights by cutting planes, one linear system each (16, 37, 44, 47).
	CPMWrapper = "cpm-wrapper"
)

// Solvers lists the programs.
var Solvers = []string{CPMWrapper, QCQP, SDP, SDPApprox, SDPKim}

// Problem is what all programs solve.
type Problem struct {
	// Kernels are the matrices of the rows, n x n and positive semi-definite, with a trace of n once
	// they are centred. They need not be centred.
	Kernels []mat.Symmetric
	// Classes holds the class of each row, from 0 to Count - 1. Each of at least two has a row.
	Classes []int32
	Count   int
	// Lambda is the ridge above 0, in units of kernels of trace n over n. It must be 0 with Joint,
	// which finds it along with the weights.
	Lambda float64
	Joint  bool
	// Gap is the relative duality gap to reach, in (0, 1).
	Gap float64
	// Memory is the number of bytes that a program may take, kernels included. 0 sets no limit.
	Memory int64
}

// reduced is a problem in the coordinates of columns that sum to 0.
type reduced struct {
	*Problem
	kernels []mat.Symmetric
	columns [][]float64 // k - 1 of length n - 1, the rotated ones
	classes [][]float64 // k of length n - 1, one for each class
	mirror  []float64   // v of the reflection I - 2vv' that turns the ones into the first unit vector
}

// ridge is I/C, and 0 if it is found.
func (p *Problem) ridge() float64 { return float64(len(p.Classes)) * p.Lambda }

// check returns an error of class fail.Usage for a problem that makes no sense, and one of class
// fail.Budget for a program that takes more than the memory.
func (p *Problem) check(solver string) error {
	n, count := len(p.Classes), make([]int, p.Count)
	for _, c := range p.Classes {
		if c < 0 || int(c) >= p.Count {
			return fail.New(fail.Usage, "class %d of %d", c, p.Count)
		}
		count[c]++
	}
	other := func(k mat.Symmetric) bool { return k.SymmetricDim() != n }
	switch {
	case !slices.Contains(Solvers, solver):
		return fail.New(fail.Usage, "unknown program %s (one of %v)", fail.Quote(solver), Solvers)
	case p.Count < 2 || slices.Contains(count, 0):
		return fail.New(fail.Usage, "discriminant analysis of %d classes with rows %v", p.Count, count)
	case len(p.Kernels) == 0 || slices.ContainsFunc(p.Kernels, other):
		return fail.New(fail.Usage, "%d kernels, or some that are not of %d rows", len(p.Kernels), n)
	case p.Joint && p.Lambda != 0 || !p.Joint && !(p.Lambda > 0 && p.Lambda <= math.MaxFloat64):
		return fail.New(fail.Usage, "lambda = %g is not a positive number", p.Lambda)
	case !(p.Gap > 0 && p.Gap < 1):
		return fail.New(fail.Usage, "gap %g is not between 0 and 1", p.Gap)
	case solver == SDPKim && (p.Joint || p.Count != 2):
		return fail.New(fail.Usage, "sdp-kim is for two classes and a given lambda")
	}
	return Fits(solver, n, len(p.Kernels), p.Count, p.Joint, p.Memory)
}

// Fits returns an error of class fail.Budget, with the least memory that is enough, if a program takes
// more than so many bytes. 0 sets no limit.
func Fits(solver string, rows, kernels, classes int, joint bool, memory int64) error {
	least := Bytes(solver, rows, kernels, classes, joint)
	if memory == 0 || least <= memory {
		return nil
	}
	return fail.New(fail.Budget, "solver %s takes %s for %d rows and %d classes, the memory is %s",
		solver, bytesize.Text(least), rows, classes, bytesize.Text(memory)).
		WithHint("--memory %s, or --solver chunking, which needs no matrices", bytesize.Flag(least))
}

// reduce gives the problem in the coordinates of columns that sum to 0: a reflection turns the
// direction of the ones into the first axis, which is left out.
func (p *Problem) reduce() *reduced {
	n := len(p.Classes)
	r := &reduced{Problem: p, mirror: mirror(constant(n, 1/math.Sqrt(float64(n))))}
	for _, k := range p.Kernels {
		r.kernels = append(r.kernels, r.reflected(k))
	}
	count := make([]float64, p.Count)
	for _, c := range p.Classes {
		count[c]++
	}
	share := make([]float64, p.Count) // sqrt(n_c/n), of length 1
	for c := range share {
		share[c] = math.Sqrt(count[c] / float64(n))
		h := make([]float64, n)
		for i, of := range p.Classes {
			if h[i] = -share[c]; int(of) == c {
				h[i] += 1 / share[c]
			}
		}
		r.classes = append(r.classes, reflect(r.mirror, h)[1:])
	}
	// sum_c share_c h_c = 0: the reflection of the columns that turns the shares into the first axis
	// makes the first column 0.
	v := mirror(share)
	for c := 1; c < p.Count; c++ {
		turn := make([]float64, p.Count)
		turn[c] = 1
		turn = reflect(v, turn)
		h := make([]float64, n-1)
		for d, of := range r.classes {
			for i, x := range of {
				h[i] += turn[d] * x
			}
		}
		r.columns = append(r.columns, h)
	}
	return r
}

// whole gives a column of the reduced problem as one of all rows.
func (r *reduced) whole(column []float64) []float64 {
	return reflect(r.mirror, append([]float64{0}, column...))
}

// reflected is (I - 2vv') K (I - 2vv') without its first row and column.
func (r *reduced) reflected(k mat.Symmetric) mat.Symmetric {
	n, v := k.SymmetricDim(), mat.NewVecDense(len(r.mirror), r.mirror)
	w := mat.NewVecDense(n, nil)
	w.MulVec(k, v)
	half := mat.Dot(v, w)
	s := mat.NewSymDense(n-1, nil)
	for i := 1; i < n; i++ {
		for j := i; j < n; j++ {
			x := k.At(i, j) - 2*(v.AtVec(i)*w.AtVec(j)+w.AtVec(i)*v.AtVec(j)) + 4*half*v.AtVec(i)*v.AtVec(j)
			s.SetSym(i-1, j-1, x)
		}
	}
	return s
}

// mirror gives v of length 1 such that I - 2vv' turns u, which has length 1, into a multiple of the
// first axis.
func mirror(u []float64) []float64 {
	v := slices.Clone(u)
	v[0] += math.Copysign(1, u[0])
	length := 0.0
	for _, x := range v {
		length += x * x
	}
	for i := range v {
		v[i] /= math.Sqrt(length)
	}
	return v
}

// reflect is (I - 2vv') x.
func reflect(v, x []float64) []float64 {
	along, y := 0.0, slices.Clone(x)
	for i, a := range v {
		along += a * x[i]
	}
	for i, a := range v {
		y[i] -= 2 * along * a
	}
	return y
}

// constant is a vector of n equal numbers.
func constant(n int, x float64) []float64 { return slices.Repeat([]float64{x}, n) }
