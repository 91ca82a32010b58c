package kernels

import (
	"math"

	"bigmkl/internal/fail"
	"bigmkl/internal/float"
	"bigmkl/internal/simd"
)

const (
	checkedPoints = 96   // points whose values with each other are looked at
	asymmetry     = 1e-6 // tolerance for a user's kernel, relative to its largest diagonal value
)

// userCheck looks at the values of the user's kernels on some points.
type userCheck struct{ Matrices }

// all looks at the values of the user's kernels on up to 96 points, spread evenly: they
// must be finite, symmetric and, if the kernel reports this, a positive semi-definite matrix. An
// error is of class input. Values that differ on other points are the user's affair.
func (c userCheck) all() error {
	b := c.Bank
	for i := range b.Groups {
		var err error
		b.Groups[i].Parts(func(g *Group) {
			// The code of pairs is known. Values that overflow show as the values of other
			// kernels do.
			_, pair := g.User.(pairKernel)
			if g.User != nil && !pair && err == nil {
				err = c.group(g)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// group checks the kernel of one group.
func (c userCheck) group(g *Group) error {
	ids := evenlySpread(c.Points.Len(), checkedPoints)
	q := len(ids)
	k := c.matrix(g, ids)
	// Rounding of a value is measured by the largest value on the diagonal.
	largest := 0.0
	for i := range q {
		largest = max(largest, math.Abs(k[i*q+i]))
	}
	for i := range q {
		for j := range q {
			v, w := k[i*q+j], k[j*q+i]
			if !float.Finite(v) {
				return fail.New(fail.Input, "the kernel user:%s is %g of rows %d and %d",
					fail.Cut(g.name), v, ids[i]+1, ids[j]+1)
			}
			if math.Abs(v-w) > asymmetry*max(largest, math.Abs(v)) {
				return fail.New(fail.Input,
					"the kernel user:%s is not symmetric: %g of rows %d and %d, "+
						"%g of these the other way round",
					fail.Cut(g.name), v, ids[i]+1, ids[j]+1, w)
			}
		}
	}
	if g.User.Definite() && !semidefinite(k, q, asymmetry*largest) {
		return fail.New(fail.Input,
			"the kernel user:%s says that it is positive semi-definite, and is not on these data",
			fail.Cut(g.name)).
			WithHint("Definite is to be false for kernels that need not be: " +
				"their gap proves no optimum")
	}
	return nil
}

// matrix returns the q x q matrix of a user's kernel on the points ids, by the same calls as in
// a training.
//
// All values pass through the tiles, so a kernel whose values depend on what else is in z is
// found by its asymmetry.
func (c userCheck) matrix(g *Group, ids []int32) []float64 {
	n, q := c.Points.Len(), len(ids)
	var set Set
	set.Gather(c.Points, ids)
	e := NewEvaluator[float64](c.Bank)
	var rows Rows[float64]
	var cols Columns[float64]
	e.PackRows(&rows, g, &set)
	base, k := make([]float64, BaseSize(q)), make([]float64, q*q)
	for from := 0; from < q; from += simd.Width {
		panel := set.Panel(from, &PanelBuffer{})
		e.PackColumns(&cols, g, &panel, n)
		e.Base(base, g, &rows, 0, q, &cols, nil)
		for i := range q {
			copy(k[i*q+from:(i+1)*q], base[i*simd.Width:(i+1)*simd.Width])
		}
	}
	return k
}

// semidefinite reports whether a symmetric n x n matrix has no eigenvalue below 0 by more than
// rounding. It eliminates by Cholesky's method with the largest pivot first, and overwrites a.
// Once the largest pivot is rounding, the rest of a semi-definite matrix has to vanish.
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
		// A semi-definite matrix with a zero on its diagonal is zero in that row and column, so
		// all that is left has to vanish.
		if most <= slack {
			for _, i := range left {
				for _, j := range left {
					if math.Abs(a[i*n+j]) > float64(n)*slack {
						return false
					}
				}
			}
			return true
		}
		// The pivot's row is eliminated from the rest.
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
