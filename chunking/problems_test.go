package chunking

import (
	"math"
	"math/rand/v2"
)

// cloud draws n points of two overlapping classes with costs 1.
func cloud(name string, rng *rand.Rand, n, d int) (*problem, [][]float64) {
	p := &problem{name: name}
	x := make([][]float64, n)
	for i := range x {
		y := float64(1 - 2*(i%2))
		x[i] = make([]float64, d)
		for j := range x[i] {
			x[i][j] = rng.NormFloat64() + 0.6*y/float64(j+1)
		}
		p.y, p.cost = append(p.y, y), append(p.cost, 1)
	}
	return p, x
}

// matrix evaluates k on all pairs.
func matrix(x [][]float64, k func(a, b []float64) float64) []float64 {
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

func gauss(x [][]float64, gamma float64) []float64 {
	return matrix(x, func(a, b []float64) float64 {
		s := 0.0
		for i := range a {
			s += float64((a[i] - b[i]) * (a[i] - b[i]))
		}
		return math.Exp(-gamma * s)
	})
}

// linear is the linear kernel on features from..to-1.
func linear(x [][]float64, from, to int) []float64 {
	return matrix(x, func(a, b []float64) float64 { return dot(a[from:to], b[from:to]) })
}

func poly(x [][]float64, degree float64) []float64 {
	return matrix(x, func(a, b []float64) float64 { return math.Pow(dot(a, b)+1, degree) })
}

func sigmoid(x [][]float64) []float64 {
	return matrix(x, func(a, b []float64) float64 { return math.Tanh(dot(a, b) - 0.5) })
}

func times(k []float64, factor float64) []float64 {
	r := make([]float64, len(k))
	for i, v := range k {
		r[i] = factor * v
	}
	return r
}

// problems are small problems with one difficulty each; all kernels are positive semi-definite.
func problems(rng *rand.Rand) []*problem {
	var all []*problem
	add := func(name string, n, d int, kernels func(p *problem, x [][]float64)) {
		p, x := cloud(name, rng, n, d)
		kernels(p, x)
		all = append(all, p)
	}
	plain := func(x [][]float64) [][]float64 {
		return [][]float64{gauss(x, 0.1), gauss(x, 1), linear(x, 0, len(x[0])), poly(x, 2)}
	}
	add("plain", 40, 3, func(p *problem, x [][]float64) { p.k = plain(x) })
	add("one kernel", 33, 2, func(p *problem, x [][]float64) { p.k = [][]float64{gauss(x, 0.5)} })
	add("costs", 40, 3, func(p *problem, x [][]float64) {
		for i, y := range p.y {
			p.cost[i] = (0.1 + 10*max(y, 0)) * (0.5 + rng.Float64())
		}
		p.k = plain(x)
	})
	add("duplicate kernels", 30, 3, func(p *problem, x [][]float64) {
		p.k = append(plain(x), gauss(x, 1), gauss(x, 1))
	})
	add("duplicate points", 40, 2, func(p *problem, x [][]float64) {
		for i := 20; i < 40; i++ {
			copy(x[i], x[i-20+i%3%2]) // some twins share their label, others do not
		}
		p.k = plain(x)
	})
	add("scales", 40, 3, func(p *problem, x [][]float64) {
		p.k = [][]float64{times(gauss(x, 0.3), 1e6), gauss(x, 1), times(linear(x, 0, 3), 1e-6)}
	})
	add("small kernels", 40, 3, func(p *problem, x [][]float64) {
		p.k = [][]float64{times(gauss(x, 0.3), 1e-6), times(gauss(x, 1), 1e-6), times(linear(x, 0, 3), 1e-6)}
	})
	add("zero kernel", 30, 3, func(p *problem, x [][]float64) {
		p.k = append(plain(x), make([]float64, len(x)*len(x)))
	})
	add("one kernel a feature", 60, 6, func(p *problem, x [][]float64) {
		for j := range 6 {
			p.k = append(p.k, linear(x, j, j+1))
		}
	})
	add("few positives", 50, 2, func(p *problem, x [][]float64) {
		for i := range p.y {
			p.y[i] = -1
			if i%17 == 0 {
				p.y[i] = 1
			}
		}
		p.k = plain(x)
	})
	add("two points", 2, 2, func(p *problem, x [][]float64) { p.k = plain(x) })
	return all
}
