package kernels

import (
	"bigmkl/internal/simd"
	"bigmkl/kernelspec"
)

// Factor is one factor of a product: the power of a kernel, which has a group and so a base to itself.
type Factor struct {
	Group    *Group
	Power    int
	definite bool
}

// makeFactors makes the groups of the factors of a product. Linear kernels are the plain products that they are called by: what
// centring adds to one would be multiplied by the others.
func (g *Group) makeFactors(b *kernelspec.Bank, k *kernelspec.Kernel, s *Shape, users map[string]UserKernel) error {
	g.Dim = 0
	for _, f := range b.Products[k.Index] {
		one, err := newGroup(b, &f.Kernel, baseOf(f.Kernel.Kind, true), s, nil, users)
		if err != nil {
			return err
		}
		one.Spherical = g.Spherical // whoever asks for norms, asks for those of the factors
		one.add(0, &f.Kernel, kernelspec.Unnormalized)
		one.settle(s)
		g.Factors = append(g.Factors, Factor{&one, f.Power, one.definite(&f.Kernel, s.Minimum)})
		g.Dim += one.Dim
	}
	return nil
}

// Parts visits the groups that look at points: the group itself, or its factors.
func (g *Group) Parts(visit func(part *Group)) {
	for i := range g.Factors {
		visit(g.Factors[i].Group)
	}
	if g.Factors == nil {
		visit(g)
	}
}

// productRows is the number of rows whose bases are made together: they and the values stay in the first-level cache.
const productRows = chunk

// packFactors packs the rows of a product.
func (e *Evaluator[T]) packFactors(r *Rows[T], g *Group, set *Set) {
	r.factors = resize(r.factors, len(g.Factors))
	for i := range g.Factors {
		e.PackRows(&r.factors[i], g.Factors[i].Group, set)
	}
	if !g.Spherical {
		return
	}
	for i := range g.Factors {
		to := e.first(r.self[:r.Len], i)
		if f := g.Factors[i].Group; f.UnitDiagonal() {
			fill(to, 1)
		} else {
			e.Transform(to, r.factors[i].self, &f.Members[0])
		}
		e.times(r.self[:r.Len], to, g.Factors[i].Power, i)
	}
}

// packFactorColumns packs a panel for a product.
func (e *Evaluator[T]) packFactorColumns(c *Columns[T], g *Group, p *Panel, n int) {
	c.factors = resize(c.factors, len(g.Factors))
	for i := range g.Factors {
		e.PackColumns(&c.factors[i], g.Factors[i].Group, p, n)
	}
	c.product = g
}

// productSelves finds what the points of a panel have with themselves.
func (e *Evaluator[T]) productSelves(c *Columns[T], g *Group) {
	for i := range g.Factors {
		to := e.first(c.self, i)
		e.SelfValues(to, &c.factors[i], &g.Factors[i].Group.Members[0])
		e.times(c.self, to, g.Factors[i].Power, i)
	}
}

// productBase multiplies the kernels.
func (e *Evaluator[T]) productBase(dst []T, g *Group, r *Rows[T], from, count int, c *Columns[T]) {
	for at := 0; at < count; at += productRows {
		n := min(productRows, count-at)
		part := dst[at*simd.Width : (at+n)*simd.Width]
		for i := range g.Factors {
			f := g.Factors[i].Group
			e.tile = grow(e.tile, f.TileSize(n))
			e.Base(e.tile, f, &r.factors[i], from+at, n, &c.factors[i], nil)
			to := e.first(part, i)
			e.Transform(to, e.tile[:f.Used(n)], &f.Members[0])
			e.times(part, to, g.Factors[i].Power, i)
		}
	}
	clear(dst[count*simd.Width:])
}

// first is where the values of factor i go: those of the first to dst itself.
func (e *Evaluator[T]) first(dst []T, i int) []T {
	if i == 0 {
		return dst
	}
	e.value = grow(e.value, len(dst))
	return e.value
}

// times multiplies dst by a power of the values of factor i.
func (e *Evaluator[T]) times(dst, value []T, power, i int) {
	if power > 1 {
		simd.Power(value, value, 1, 0, power)
	}
	if i > 0 {
		for k, v := range value[:len(dst)] {
			dst[k] *= v
		}
	}
}

// productBytes bounds what a product takes of q packed rows and of a packed panel, with the tiles of its factors.
func (g *Group) productBytes(q int, element int64) (rows, columns int64) {
	for _, f := range g.Factors {
		rows += RowsBytes(f.Group, q, element)
		columns += ColumnsBytes(f.Group, element)
	}
	return rows + int64(q)*element, columns + simd.Width*element + g.Scratch(element)
}

// Scratch is the bytes of the tiles of the factors of a product; 0 for other groups.
func (g *Group) Scratch(element int64) int64 {
	most := 0
	for _, f := range g.Factors {
		most = max(most, f.Group.TileSize(productRows)+BaseSize(productRows))
	}
	return int64(most) * element
}

func fill[T any](dst []T, x T) {
	for i := range dst {
		dst[i] = x
	}
}

// resize gives n elements, whose memory serves again.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		s = append(s[:cap(s)], make([]T, n-cap(s))...)
	}
	return s[:n]
}
