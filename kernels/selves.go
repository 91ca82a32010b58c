package kernels

import "bigmkl/kernelspec"

// SelfValues writes k(x,x) of the points of a panel to dst, which has 32 elements.
func (e *Evaluator[T]) SelfValues(dst []T, c *Columns[T], m *Member) {
	if unitDiagonal(m.Kind) {
		for i := range dst {
			dst[i] = 1
		}
		return
	}
	e.findSelf(c)
	e.Transform(dst, c.self, m)
}

// selfSums writes what sums have of k(x,x), as evaluate has it of other values.
func (e *Evaluator[T]) selfSums(dst []T, c *Columns[T], m *Member) {
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
func (e *Evaluator[T]) findSelf(c *Columns[T]) {
	g := c.lazy
	if g == nil {
		return
	}
	c.lazy = nil
	switch g.Base {
	case Factored:
		e.productSelves(c, g)
	case UserValue:
		e.user.selves(c.self, g, c.user.at)
	default:
		e.sequences.selves(c, g)
	}
}

// productSelves multiplies the diagonals of the factors.
func (e *Evaluator[T]) productSelves(c *Columns[T], g *Group) {
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
		centreSelves(g, c.self, c.means[:])
	}
	if g.missing != kernelspec.MissingUnsaid {
		fillSelves(g, c.self, c.flags[:])
	}
}
