package kernels

import (
	"math"

	"bigmkl/internal/float"
	"bigmkl/internal/invariant"
	"bigmkl/internal/simd"
)

// With the build tag invariants the program checks what must hold for any data. Without it these
// functions do nothing.

// AssertProducts checks kernels between a few of the points: k(x,z) = k(z,x) up to rounding, and
// where a kernel is positive semi-definite k(x,x) >= 0 and k(x,z)^2 <= k(x,x) k(z,z). Matrices
// from files are the user's and not checked. Without the build tag it does nothing.
func (m Matrices) AssertProducts() {
	if invariant.Enabled {
		assertProducts[float32](m, 1e-3)
		assertProducts[float64](m, 1e-8)
	}
}

const (
	assertedPoints = 5  // points whose values with each other are looked at
	assertedGroups = 16 // groups that are looked at, spread evenly
)

// assertProducts checks the kernels in one precision. slack is the rounding that it allows,
// relative to the values: squared distances from norms and products lose as much before
// differences are taken.
func assertProducts[T simd.Real](of Matrices, slack float64) {
	b, points := of.Bank, of.Points
	n, ids := points.Len(), evenlySpread(points.Len(), assertedPoints)
	q := len(ids)
	var set Set
	set.Gather(points, ids)
	panel := set.Panel(0, &PanelBuffer{})
	e := NewEvaluator[T](b)
	k, self := make([]T, q*simd.Width), make([]T, simd.Width)
	// Large banks are looked at in part: the check runs in every training of a test.
	step := max(1, len(b.Groups)/assertedGroups)
	for at := 0; at < len(b.Groups); at += step {
		g := &b.Groups[at]
		// Files are checked when they are read, if at all.
		if g.Base == MatrixRow {
			continue
		}
		var rows Rows[T]
		var cols Columns[T]
		e.PackRows(&rows, g, &set)
		e.PackColumns(&cols, g, &panel, n)
		base := make([]T, g.TileSize(q))
		e.Base(base, g, &rows, 0, q, &cols, nil)
		least := 0.0
		if g.centre != nil { // Centred values are differences of values about their mean.
			least = math.Abs(g.centre.mean)
		}
		for i := range g.Members {
			m := &g.Members[i]
			e.Transform(k, base, m)
			e.SelfValues(self, &cols, m)
			assertMember(b, m, k, self, q, slack, least)
		}
	}
}

// assertMember checks the values k of one kernel: rows of 32, of which the first q count. least is the least size
// that their rounding is relative to.
func assertMember[T simd.Real](b *Bank, m *Member, k, self []T, q int, slack, least float64) {
	for _, x := range self[:q] {
		invariant.Check(!b.definite[m.ID] || !float.Finite(x) || float64(x) >= -slack*least,
			"kernel %d: k(x,x) = %v", m.ID, x)
	}
	for i := range q {
		own := float64(self[i])
		for j := range q {
			a, c := k[i*simd.Width+j], k[j*simd.Width+i]
			// Values that overflow are rejected elsewhere.
			if !float.Finite(a) || !float.Finite(c) || !float.Finite(self[i]) || !float.Finite(self[j]) {
				continue
			}
			product := own * float64(self[j])
			size := max(math.Abs(float64(a)), math.Abs(own), math.Abs(float64(self[j])), least)
			invariant.Check(math.Abs(float64(a)-float64(c)) <= slack*size,
				"kernel %d: k(x,z) = %v, k(z,x) = %v", m.ID, a, c)
			bound := math.Sqrt(max(product, 0))
			invariant.Check(!b.definite[m.ID] || math.Abs(float64(a)) <= bound+slack*size,
				"kernel %d: k(x,z) = %v, k(x,x) k(z,z) = %v", m.ID, a, product)
		}
	}
}
