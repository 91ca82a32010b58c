package discriminant

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"bigmkl/internal/barrier"
)

// The program of Kim, Magnani and Boyd is about the Fisher criterion with the sum W of the
// covariances within two classes,
//
//	max over theta of  a'Ka - a'KJ (lambda I + JKJ)^-1 JKa,   K = sum_m theta_m K_m,
//
// where a is 1/n_c on the rows of the first class and -1/n_c on the rows of the second, and J
// centres the rows of a class and divides them by sqrt(n_c). As a program it is
//
//	min over theta and t of  t - a'Ka  such that  [lambda I + JKJ, JKa; a'KJ, t]  is positive semi-definite.
//
// The covariances are means over rows, and kernels have a trace of n in the place of 1: so its
// lambda, of unit-trace kernels, is ours over n, and in units of these kernels it is ours.

// kim is that program of a problem.
type kim struct{ *reduced }

// program gives the program. blockOf gives [JK_mJ, JK_ma; a'K_mJ, 0] of a kernel.
func (r kim) program(blockOf func(m int) mat.Symmetric) *barrier.Program {
	n, kernels := len(r.Classes), len(r.kernels)
	p := &barrier.Program{Variables: kernels + 1}
	p.Objective.Linear = make([]float64, p.Variables)
	p.Equalities = []barrier.Equality{{Coefficients: make([]float64, p.Variables), Value: 1}}
	f := barrier.Matrix{Size: n + 1, Constant: &bordered{r.Lambda, [][]float64{make([]float64, n)}}}
	for m := range kernels {
		p.NonNegative = append(p.NonNegative, m)
		p.Equalities[0].Coefficients[m] = 1
		if r.Kernels != nil {
			p.Objective.Linear[m] = -r.between(m)
		}
		f.Coefficients = append(f.Coefficients, barrier.Coefficient{Variable: m, F: blockOf(m)})
	}
	p.Objective.Linear[kernels] = 1
	f.Coefficients = append(f.Coefficients, barrier.Coefficient{Variable: kernels, At: n, F: diagonal(1, 1)})
	p.Matrices = append(p.Matrices, f)
	return p
}

// start gives a t that lies inside of the matrix inequality: twice a'KJ (lambda I + JKJ)^-1
// JKa and a little more. That is at most a'Ka, as KJ (lambda I + JKJ)^-1 JK is at most K.
func (r kim) start(theta []float64) float64 {
	t := 0.0
	for m, x := range theta {
		t += 2 * x * r.between(m)
	}
	return t + math.SmallestNonzeroFloat64
}

// contrast is a.
func (r kim) contrast() *mat.VecDense {
	var count [2]float64
	for _, c := range r.Classes {
		count[c]++
	}
	a := mat.NewVecDense(len(r.Classes), nil)
	for i, c := range r.Classes {
		a.SetVec(i, (1-2*float64(c))/count[c])
	}
	return a
}

// between is a'K_m a, the squared distance of the means of the classes.
func (r kim) between(m int) float64 {
	a := r.contrast()
	return mat.Inner(a, r.Kernels[m], a)
}

// covariance gives [JK_mJ, JK_ma; a'K_mJ, 0].
func (r kim) covariance(m int) mat.Symmetric {
	n, k, a := len(r.Classes), r.Kernels[m], r.contrast()
	var count [2]float64
	for _, c := range r.Classes {
		count[c]++
	}
	// within centres the numbers of each class and divides them by sqrt(n_c).
	within := func(at func(i int) float64, put func(i int, x float64)) {
		var mean [2]float64
		for i, c := range r.Classes {
			mean[c] += at(i) / count[c]
		}
		for i, c := range r.Classes {
			put(i, (at(i)-mean[c])/math.Sqrt(count[c]))
		}
	}
	d := mat.DenseCopyOf(k)
	for i := range n {
		within(func(j int) float64 { return d.At(i, j) }, func(j int, x float64) { d.Set(i, j, x) })
	}
	for j := range n {
		within(func(i int) float64 { return d.At(i, j) }, func(i int, x float64) { d.Set(i, j, x) })
	}
	s, y := mat.NewSymDense(n+1, nil), mat.NewVecDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (d.At(i, j)+d.At(j, i))/2)
		}
	}
	y.MulVec(k, a)
	within(y.AtVec, func(i int, x float64) { s.SetSym(i, n, x) })
	return s
}
