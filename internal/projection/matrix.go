package projection

import (
	"math"
	"math/rand/v2"
)

// A descent moves an unbounded matrix A, of which W is made: the factor Q of A = QR with a positive
// diagonal of R, or A at mean square 1. The optimum of the classifier is a function of WW', that is
// of the span of A, or of the direction of the diagonal. So steps along A are steps along the
// Stiefel manifold with the factorisation as retraction (Absil, Mahony and Sepulchre 2008, section
// 4.1), and L-BFGS needs no transport of its pairs.

// Matrix is W with what leads from its slope to that of A.
type Matrix struct {
	// W is features x columns, row-major, or the diagonal.
	W []float64
	// Columns is R, or 0 where W is a diagonal.
	Columns int

	upper []float64 // R of A = QR, columns x columns, row-major
	size  float64   // what the diagonal was divided by
}

// Start returns A of the start with the given number: random directions, or equal scales with a
// random part of a tenth.
func (f *Form) Start(d int, seed uint64, number int) []float64 {
	rng := rand.New(rand.NewPCG(seed, uint64(number)))
	if f.Columns > 0 {
		a := make([]float64, d*f.Columns)
		for k := range a {
			a[k] = rng.NormFloat64()
		}
		return a
	}
	a := make([]float64, d)
	for k := range a {
		a[k] = 1 + rng.NormFloat64()/10
	}
	return a
}

// Make returns W of A. It is false if the columns of A are not independent.
func (f *Form) Make(a []float64) (*Matrix, bool) {
	m := &Matrix{W: append([]float64(nil), a...), Columns: f.Columns}
	if f.Columns == 0 {
		m.size = math.Sqrt(dot(a, a) / float64(len(a)))
		for k := range m.W {
			m.W[k] /= m.size
		}
		return m, m.size > 0 && m.size <= math.MaxFloat64
	}
	c := f.Columns
	m.upper = make([]float64, c*c)
	for l := range c {
		first := m.norm(l)
		// Twice is enough for orthogonality to the last digits (Giraud et al. 2005).
		for range 2 {
			for h := range l {
				x := m.product(h, l)
				m.upper[h*c+l] += x
				for k := l; k < len(m.W); k += c {
					m.W[k] -= x * m.W[k-l+h]
				}
			}
		}
		size := m.norm(l)
		if !(size > 1e-10*first) || size > math.MaxFloat64 {
			return nil, false
		}
		m.upper[l*c+l] = size
		for k := l; k < len(m.W); k += c {
			m.W[k] /= size
		}
	}
	return m, true
}

// product returns the product of two columns of W.
func (m *Matrix) product(h, l int) float64 {
	sum := 0.0
	for k := 0; k < len(m.W); k += m.Columns {
		sum += float64(m.W[k+h] * m.W[k+l])
	}
	return sum
}

// norm returns the length of a column of W.
func (m *Matrix) norm(l int) float64 { return math.Sqrt(m.product(l, l)) }

// Tangent takes from the slope by W, in place, what would leave the matrices of its form: of
// orthonormal columns (1 - WW')G, of a diagonal what is along it. What is left is the slope of a
// function of WW' along the manifold, and its length measures how far W is from a stationary point.
func (m *Matrix) Tangent(g []float64) {
	c := m.Columns
	if c == 0 {
		x := dot(m.W, g) / float64(len(g))
		for k := range g {
			g[k] -= float64(x * m.W[k])
		}
		return
	}
	along := make([]float64, c*c) // W'G
	for k := 0; k < len(g); k += c {
		for h := range c {
			for l := range c {
				along[h*c+l] += float64(m.W[k+h] * g[k+l])
			}
		}
	}
	for k := 0; k < len(g); k += c {
		for l := range c {
			for h := range c {
				g[k+l] -= float64(m.W[k+h] * along[h*c+l])
			}
		}
	}
}

// Back makes the slope by A, in place, of one along the manifold: times the inverse of R', or divided
// by the size of A.
func (m *Matrix) Back(g []float64) {
	c := m.Columns
	if c == 0 {
		for k := range g {
			g[k] /= m.size
		}
		return
	}
	// Each row x of the result solves x R' = g, from the last column on.
	for k := 0; k < len(g); k += c {
		for l := c - 1; l >= 0; l-- {
			for h := l + 1; h < c; h++ {
				g[k+l] -= float64(m.upper[l*c+h] * g[k+h])
			}
			g[k+l] /= m.upper[l*c+l]
		}
	}
}

// dot returns a'b.
func dot(a, b []float64) float64 {
	sum := 0.0
	for k, x := range a {
		sum += float64(x * b[k])
	}
	return sum
}
