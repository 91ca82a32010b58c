package discriminant

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bigmkl/internal/fail"
)

// columns are the columns alpha_c of the reduced problem that are optimal for some weights, with
// what the certificate is made of.
type columns struct {
	alpha  [][]float64
	linear float64   // sum_c h_c'alpha_c
	square float64   // |alpha|^2
	v      []float64 // V_m of each kernel
}

// solveColumns solves A(theta) alpha_c = h_c for the given columns h_c.
func (r *reduced) solveColumns(theta []float64, costWeight float64, h [][]float64) (
	*columns, error) {
	n := len(h[0])
	a := mat.NewSymDense(n, nil)
	data := a.RawSymmetric().Data
	for m, k := range r.kernels {
		if theta[m] == 0 {
			continue
		}
		// The lower half is not looked at.
		for i, x := range k.(*mat.SymDense).RawSymmetric().Data {
			data[i] += theta[m] * x
		}
	}
	ridge := r.ridge()
	if r.Joint {
		ridge = costWeight
	}
	for i := range n {
		data[i*(n+1)] += ridge
	}
	var root mat.Cholesky
	if !root.Factorize(a) {
		return nil, fail.New(fail.Input, "the kernels with the weights %.3g are a singular matrix", theta)
	}
	s := &columns{v: make([]float64, len(r.kernels))}
	for _, column := range h {
		x := mat.NewVecDense(n, nil)
		// A bad condition is found by the certificate, which has the values of these very columns.
		_ = root.SolveVecTo(x, mat.NewVecDense(n, column))
		s.alpha = append(s.alpha, x.RawVector().Data)
		s.linear += mat.Dot(x, mat.NewVecDense(n, column))
		s.square += mat.Dot(x, x)
		for m, k := range r.kernels {
			s.v[m] += mat.Inner(x, k, x)
		}
	}
	return s, nil
}

// values gives the primal and the dual value of the columns at the weights that they are optimal
// for. Their errors h_c - f_c - b_c are alpha_c/C, or theta_0 alpha_c.
func (r *reduced) values(s *columns, theta []float64, costWeight float64) (primal, dual float64) {
	length, most := 0.0, slices.Max(s.v)
	for m, v := range s.v {
		length += theta[m] * math.Sqrt(max(v, 0))
	}
	if r.Joint {
		length += costWeight * math.Sqrt(s.square)
		return length * length / 2, s.linear - max(s.square, most)/2
	}
	errors := r.ridge() * s.square / 2
	return length*length/2 + errors, s.linear - errors - most/2
}

// certified gives the solution of the weights.
func (r *reduced) certified(theta []float64, costWeight float64) (*Solution, error) {
	s, err := r.solveColumns(theta, costWeight, r.classes)
	if err != nil {
		return nil, err
	}
	p := &Solution{Theta: theta, CostWeight: costWeight}
	p.Primal, p.Dual = r.values(s, theta, costWeight)
	p.Gap = math.Abs(p.Primal-p.Dual) / max(math.Abs(p.Primal), math.Abs(p.Dual))
	p.Value = s.linear / 2
	k, n := float64(r.Count), float64(len(r.Classes))
	if p.Criterion = s.linear / (n * (k - 1)); !r.Joint {
		p.Criterion *= r.ridge()
	}
	for c := range s.alpha {
		alpha := r.whole(s.alpha[c])
		p.Alpha = append(p.Alpha, alpha)
		p.Bias = append(p.Bias, r.bias(theta, alpha))
	}
	return p, nil
}

// bias is the mean of h_c - f_c over the rows, of which h_c has the mean 0.
func (r *reduced) bias(theta, alpha []float64) (b float64) {
	n := len(alpha)
	x, y := mat.NewVecDense(n, alpha), mat.NewVecDense(n, nil)
	for m, k := range r.Kernels {
		if theta[m] == 0 {
			continue
		}
		y.MulVec(k, x)
		b -= theta[m] * mat.Sum(y) / float64(n)
	}
	return b
}
