package toy

import (
	"math"
	"math/rand/v2"
)

// Cloud draws n points of two overlapping classes with costs 1.
func Cloud(name string, rng *rand.Rand, n, d int) (*Problem, [][]float64) {
	p := &Problem{Name: name}
	x := make([][]float64, n)
	for i := range x {
		y := float64(1 - 2*(i%2))
		x[i] = make([]float64, d)
		for j := range x[i] {
			x[i][j] = rng.NormFloat64() + 0.6*y/float64(j+1)
		}
		p.Y, p.Cost = append(p.Y, y), append(p.Cost, 1)
	}
	return p, x
}

// Matrix evaluates k on all pairs.
func Matrix(x [][]float64, k func(a, b []float64) float64) []float64 {
	n := len(x)
	m := make([]float64, n*n)
	for i := range x {
		for j := range i + 1 {
			m[i*n+j] = k(x[i], x[j])
			m[j*n+i] = m[i*n+j]
		}
	}
	return m
}

func Gauss(x [][]float64, gamma float64) []float64 {
	return Matrix(x, func(a, b []float64) float64 {
		s := 0.0
		for i := range a {
			s += float64((a[i] - b[i]) * (a[i] - b[i]))
		}
		return math.Exp(-gamma * s)
	})
}

// Linear is the linear kernel on features from..to-1.
func Linear(x [][]float64, from, to int) []float64 {
	return Matrix(x, func(a, b []float64) float64 { return Dot(a[from:to], b[from:to]) })
}

func Poly(x [][]float64, degree float64) []float64 {
	return Matrix(x, func(a, b []float64) float64 { return math.Pow(Dot(a, b)+1, degree) })
}

func Sigmoid(x [][]float64) []float64 {
	return Matrix(x, func(a, b []float64) float64 { return math.Tanh(Dot(a, b) - 0.5) })
}

func Times(k []float64, factor float64) []float64 {
	r := make([]float64, len(k))
	for i, v := range k {
		r[i] = factor * v
	}
	return r
}

// Problems are small problems with one difficulty each; all kernels are positive semi-definite.
func Problems(rng *rand.Rand) []*Problem {
	var all []*Problem
	add := func(name string, n, d int, kernels func(p *Problem, x [][]float64)) {
		p, x := Cloud(name, rng, n, d)
		kernels(p, x)
		all = append(all, p)
	}
	plain := func(x [][]float64) [][]float64 {
		return [][]float64{Gauss(x, 0.1), Gauss(x, 1), Linear(x, 0, len(x[0])), Poly(x, 2)}
	}
	add("plain", 40, 3, func(p *Problem, x [][]float64) { p.K = plain(x) })
	add("one kernel", 33, 2, func(p *Problem, x [][]float64) { p.K = [][]float64{Gauss(x, 0.5)} })
	add("costs", 40, 3, func(p *Problem, x [][]float64) {
		for i, y := range p.Y {
			p.Cost[i] = (0.1 + 10*max(y, 0)) * (0.5 + rng.Float64())
		}
		p.K = plain(x)
	})
	add("duplicate kernels", 30, 3, func(p *Problem, x [][]float64) {
		p.K = append(plain(x), Gauss(x, 1), Gauss(x, 1))
	})
	add("duplicate points", 40, 2, func(p *Problem, x [][]float64) {
		for i := 20; i < 40; i++ {
			copy(x[i], x[i-20+i%3%2]) // some twins share their label, others do not
		}
		p.K = plain(x)
	})
	add("scales", 40, 3, func(p *Problem, x [][]float64) {
		p.K = [][]float64{Times(Gauss(x, 0.3), 1e6), Gauss(x, 1), Times(Linear(x, 0, 3), 1e-6)}
	})
	add("small kernels", 40, 3, func(p *Problem, x [][]float64) {
		p.K = [][]float64{Times(Gauss(x, 0.3), 1e-6), Times(Gauss(x, 1), 1e-6), Times(Linear(x, 0, 3), 1e-6)}
	})
	add("zero kernel", 30, 3, func(p *Problem, x [][]float64) {
		p.K = append(plain(x), make([]float64, len(x)*len(x)))
	})
	add("one kernel a feature", 60, 6, func(p *Problem, x [][]float64) {
		for j := range 6 {
			p.K = append(p.K, Linear(x, j, j+1))
		}
	})
	add("few positives", 50, 2, func(p *Problem, x [][]float64) {
		for i := range p.Y {
			p.Y[i] = -1
			if i%17 == 0 {
				p.Y[i] = 1
			}
		}
		p.K = plain(x)
	})
	add("two points", 2, 2, func(p *Problem, x [][]float64) { p.K = plain(x) })
	return all
}
