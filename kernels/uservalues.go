package kernels

import (
	"bigmkl/internal/simd"
)

// userCalls calls the kernels of the user. It owns scratch memory of one goroutine: their values
// are float64 whatever T is.
type userCalls[T simd.Real] struct{ values []float64 }

// packRows takes the features of the points of a set.
func (u *userCalls[T]) packRows(r *Rows[T], g *Group, set *Set) {
	r.user.room(r.Len, g.Dim)
	for i, x := range r.user.at {
		switch {
		// The memory is zero already, so only non-zeros are written.
		case set.Sparse && g.Features == nil:
			for k, j := range set.Index[i] {
				x[j] = set.Value[i][k]
			}
		case set.Sparse:
			placeNonzeros(x, g.Features, set.Index[i], set.Value[i])
		default:
			row := set.Dense[i*set.Dim : (i+1)*set.Dim]
			for k := range x {
				x[k] = row[g.feature(k)]
			}
		}
	}
	if g.Spherical {
		u.selves(r.self, g, r.user.at)
	}
}

// placeNonzeros writes the non-zeros that are in a set of features to their places in the set.
func placeNonzeros(dst []float32, set, index []int32, value []float32) {
	k := 0
	for e, j := range index {
		for k < len(set) && set[k] < j {
			k++
		}
		if k < len(set) && set[k] == j {
			dst[k] = value[e]
		}
	}
}

// packPanel takes the features of the points of a panel.
func (u *userCalls[T]) packPanel(c *Columns[T], g *Group, p *Panel) {
	c.user.room(p.Len, g.Dim)
	for k := range g.Dim {
		// The panel has its points as columns.
		row := p.row(g.feature(k))
		for i, x := range c.user.at {
			x[k] = row[i]
		}
	}
	c.lazy = g
}

// selves writes k(x,x) of the points, and 0 behind the last.
func (u *userCalls[T]) selves(dst []T, g *Group, x [][]float32) {
	clear(dst)
	u.values = grow(u.values, 1)
	for i := range x {
		g.User.Values(u.values, x[i], x[i:i+1])
		dst[i] = T(u.values[0])
	}
}

// base has the kernel computed row by row.
func (u *userCalls[T]) base(dst []T, g *Group, r *Rows[T], from, count int, c *Columns[T]) {
	clear(dst)
	z := c.user.at
	for i := range count {
		u.values = grow(u.values, len(z))
		g.User.Values(u.values, r.user.at[from+i], z)
		for j, v := range u.values {
			dst[i*simd.Width+j] = T(v)
		}
	}
}
