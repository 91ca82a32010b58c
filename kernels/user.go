package kernels

import (
	"math"

	"bigmkl/internal/fail"
	"bigmkl/internal/simd"
	"bigmkl/kernelspec"
)

// UserKernel is a kernel in code of the library's user. It is called from several goroutines at a time.
type UserKernel = interface {
	// Values writes k(x, z) for every z to dst, which is as long. x and z are the features that the specification names, in their
	// order, of scaled points; they are lent for the call. Values are finite and symmetric, and depend on the two points alone: not on
	// what else is in z, nor on anything that changes while a model is in use.
	Values(dst []float64, x []float32, z [][]float32)
	// Definite tells whether all matrices of the kernel are positive semi-definite: only then does a duality gap prove anything.
	Definite() bool
}

// dotted is points as a user's kernel takes them.
type dotted struct {
	at   [][]float32
	flat []float32
}

// room makes room for n points, whose features are zeros.
func (u *dotted) room(n, dim int) {
	u.flat = grow(u.flat, n*dim)
	clear(u.flat)
	u.at = resize(u.at, n)
	for i := range u.at {
		u.at[i] = u.flat[i*dim : (i+1)*dim : (i+1)*dim]
	}
}

// packUser takes the features of some points.
func (e *Evaluator[T]) packUser(r *Rows[T], g *Group, set *Set) {
	r.dotted.room(r.Len, g.Dim)
	for i, x := range r.dotted.at {
		switch {
		case set.Sparse && g.Features == nil:
			for k, j := range set.Index[i] {
				x[j] = set.Value[i][k]
			}
		case set.Sparse:
			place(x, g.Features, set.Index[i], set.Value[i])
		default:
			row := set.Dense[i*set.Dim : (i+1)*set.Dim]
			for k := range x {
				x[k] = row[g.feature(k)]
			}
		}
	}
	if g.Spherical {
		e.userSelves(r.self, g, r.dotted.at)
	}
}

// place writes the non-zeros that are in a set of features to their places in it.
func place(dst []float32, set, index []int32, value []float32) {
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

// packUserColumns takes those of a panel.
func (e *Evaluator[T]) packUserColumns(c *Columns[T], g *Group, p *Panel) {
	c.dotted.room(p.Len, g.Dim)
	for k := range g.Dim {
		row := p.row(g.feature(k))
		for i, x := range c.dotted.at {
			x[k] = row[i]
		}
	}
	c.user = g
}

// userSelves gives k(x,x), 0 behind the last point.
func (e *Evaluator[T]) userSelves(dst []T, g *Group, x [][]float32) {
	clear(dst)
	e.wide = grow(e.wide, 1)
	for i := range x {
		g.User.Values(e.wide, x[i], x[i:i+1])
		dst[i] = T(e.wide[0])
	}
}

// userBase has the kernel computed row by row.
func (e *Evaluator[T]) userBase(dst []T, g *Group, r *Rows[T], from, count int, c *Columns[T]) {
	clear(dst)
	z := c.dotted.at
	for i := range count {
		e.wide = grow(e.wide, len(z))
		g.User.Values(e.wide, r.dotted.at[from+i], z)
		for j, v := range e.wide {
			dst[i*simd.Width+j] = T(v)
		}
	}
}

// userBytes bounds what q rows take.
func (g *Group) userBytes(q int, element int64) int64 {
	return int64(q) * (4*int64(g.Dim) + 24 + element)
}

// userOf finds the code of a kernel.
func userOf(b *kernelspec.Bank, k *kernelspec.Kernel, users map[string]UserKernel) (UserKernel, error) {
	name := b.Users[k.Index]
	if u := users[name]; u != nil {
		return u, nil
	}
	return nil, fail.New(fail.Usage, "there is no code of the kernel user:%s here", fail.Cut(name)).
		WithHint("such kernels are Go code: a program that uses the library gives it as UserKernels, in training, prediction and verification alike")
}

const (
	checkedPoints = 96   // whose values with each other are looked at
	asymmetry     = 1e-6 // of a user's kernel, relative to the largest value on the diagonal
)

// CheckUsers looks at the values of the user's kernels on points that are spread evenly: they must be finite, symmetric, and, where the
// kernel says so, a positive semi-definite matrix.
func (b *Bank) CheckUsers(points Points) error {
	for i := range b.Groups {
		var err error
		b.Groups[i].Parts(func(g *Group) {
			if g.User != nil && err == nil {
				err = b.checkUser(g, points)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *Bank) checkUser(g *Group, points Points) error {
	n := points.Len()
	q := min(n, checkedPoints)
	ids := make([]int32, q)
	for i := range ids {
		ids[i] = int32(i * n / q)
	}
	var set Set
	set.Gather(points, ids)
	e := NewEvaluator[float64](b)
	var rows Rows[float64]
	var cols Columns[float64]
	e.PackRows(&rows, g, &set)
	tile, k := make([]float64, BaseSize(q)), make([]float64, q*q)
	for from := 0; from < q; from += simd.Width {
		panel := set.Panel(from, &PanelBuffer{})
		e.PackColumns(&cols, g, &panel, n)
		e.Base(tile, g, &rows, 0, q, &cols, nil)
		for i := range q {
			copy(k[i*q+from:(i+1)*q], tile[i*simd.Width:(i+1)*simd.Width])
		}
	}
	largest := 0.0
	for i := range q {
		largest = max(largest, math.Abs(k[i*q+i]))
	}
	for i := range q {
		for j := range q {
			v, w := k[i*q+j], k[j*q+i]
			if v-v != 0 {
				return fail.New(fail.Input, "the kernel user:%s is %g of rows %d and %d", fail.Cut(g.name), v, ids[i]+1, ids[j]+1)
			}
			if math.Abs(v-w) > asymmetry*max(largest, math.Abs(v)) {
				return fail.New(fail.Input, "the kernel user:%s is not symmetric: %g of rows %d and %d, %g of these the other way round", fail.Cut(g.name), v, ids[i]+1, ids[j]+1, w)
			}
		}
	}
	if g.User.Definite() && !semidefinite(k, q, asymmetry*largest) {
		return fail.New(fail.Input, "the kernel user:%s says that it is positive semi-definite, and is not on these data", fail.Cut(g.name)).
			WithHint("Definite is to be false for kernels that need not be: their gap proves no optimum")
	}
	return nil
}

// semidefinite tells whether a symmetric n x n matrix has no eigenvalue below 0 by more than rounding, by Cholesky's method with the
// largest pivot first. It overwrites a.
func semidefinite(a []float64, n int, slack float64) bool {
	left := make([]int, n)
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		at, most := 0, math.Inf(-1)
		for k, i := range left {
			if d := a[i*n+i]; d > most {
				at, most = k, d
			}
		}
		if most <= slack { // what is left has to vanish
			for _, i := range left {
				for _, j := range left {
					if math.Abs(a[i*n+j]) > float64(n)*slack {
						return false
					}
				}
			}
			return true
		}
		p := left[at]
		left = append(left[:at], left[at+1:]...)
		for _, i := range left {
			f := a[i*n+p] / most
			for _, j := range left {
				a[i*n+j] -= f * a[p*n+j]
			}
			if a[i*n+i] < -float64(n)*slack {
				return false
			}
		}
	}
	return true
}
