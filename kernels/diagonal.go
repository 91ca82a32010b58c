package kernels

import (
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// diagonal computes k(x,x) of points. It owns scratch memory of one goroutine.
type diagonal[T simd.Real] struct {
	transformer[T]
	multiplier[T]
	sequences sequences[T]
	user      userCalls[T]
}

// SelfValues writes k(x,x) of the points of a panel to dst, which has 32 elements.
func (e *diagonal[T]) SelfValues(dst []T, c *Columns[T], m *Member) {
	if unitDiagonal(m.Kind) {
		for i := range dst {
			dst[i] = 1
		}
		return
	}
	e.findSelf(c)
	e.Transform(dst, c.self, m)
}

// selfSums writes k(x,x) as sums take it: less the constant of a wide kernel, as evaluate does.
func (e *diagonal[T]) selfSums(dst []T, c *Columns[T], m *Member) {
	switch {
	case !m.Wide:
		e.SelfValues(dst, c, m)
	case unitDiagonal(m.Kind):
		clear(dst)
	default:
		e.evaluate(dst, c.self, m)
	}
}

// findSelf computes the diagonal of a panel where PackColumns has left that out.
func (e *diagonal[T]) findSelf(c *Columns[T]) {
	g := c.lazy
	if g == nil {
		return
	}
	c.lazy = nil
	switch g.Base {
	case Factored:
		e.productSelves(c, g)
	case Looked:
		lookedSelves(c, g)
	case userValue:
		e.user.selves(c.self, g, c.user.at)
	default:
		e.sequences.selves(c, g)
	}
}

// productSelves multiplies the diagonals of the factors.
func (e *diagonal[T]) productSelves(c *Columns[T], g *Group) {
	// The values are made as the values of Base are, so a product of a point with itself has the
	// same bits.
	for i := range g.Factors {
		to, f := e.first(c.self, i), &g.Factors[i].Group.Members[0]
		if g.centre != nil {
			e.selfLess(to, &c.factors[i], f)
		} else {
			e.SelfValues(to, &c.factors[i], f)
		}
		e.times(c.self, to, g.Factors[i].Power, i)
	}
	if g.centre != nil {
		centreSelves(g.centre, c.self, c.means[:])
	}
	if g.missing != kernelspec.MissingUnsaid {
		fillSelves(&g.lacking, c.self, c.flags[:])
	}
}

// selfLess is SelfValues for the factor of a centred kernel, whose constant is left out.
func (e *diagonal[T]) selfLess(dst []T, c *Columns[T], m *Member) {
	switch {
	case !m.losesConstant():
		e.SelfValues(dst, c, m)
	case unitDiagonal(m.Kind):
		clear(dst)
	default:
		e.findSelf(c)
		e.evaluateLess(dst, c.self, m)
	}
}
