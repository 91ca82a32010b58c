package train

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bigmkl/chunking"
)

// Some rules for weights are quadratic programs over the kernels (weightrule.go): alignf and kandola
// over all weights from 0 on, up to a factor of all of them, and frobenius over those that sum to 1.

// settledQuadratic is how far a pair of weights may be from optimal before the last step, which is
// exact, in units in which every kernel has a product of 1 with itself.
const settledQuadratic = 1e-11

// quadraticWeights maximises 2 a'w - w'(A + ridge I)w over w >= 0, where products holds A over the
// kernels and a in its last row. For kandola the factor 2 changes the sum of w alone.
//
// The solver of working sets keeps a sum. A further coordinate takes up the rest of a sum that is
// large enough, at no gain and no curvature.
func quadraticWeights(kernels int, products []float64, ridge float64) []float64 {
	q := newQuadratic(kernels, products, ridge)
	n := len(q.in)
	if n == 0 {
		return make([]float64, kernels)
	}
	h := make([]float64, (n+1)*(n+1))
	for i := range n {
		copy(h[i*(n+1):], q.h[i*n:(i+1)*n])
	}
	for room := float64(n + 1); ; room *= 2 {
		low, high := make([]float64, n+1), make([]float64, n+1)
		for i := range n {
			high[i] = room
		}
		low[n] = -room
		u := chunking.Quadratic(append(slices.Clone(q.g), 0), h, low, high, settledQuadratic)
		const most = 1e9 // An indefinite matrix has no maximum.
		if u[n] > -room*(1-1e-9) || room > most {
			return q.weights(kernels, q.polish(u[:n]))
		}
	}
}

// simplexWeights minimises w'Aw - 2 a'w over w >= 0 with a sum of 1.
func simplexWeights(kernels int, products []float64) []float64 {
	q, w := newQuadratic(kernels, products, 0), make([]float64, kernels)
	for i, u := range q.simplex() {
		w[q.in[i]] = u / q.size[i]
	}
	return w
}

// quadratic is the program max g'u - 1/2 u'hu over u >= 0, in units in which h has 2 on its
// diagonal and the largest element of g is 2.
type quadratic struct {
	in   []int     // the kernels that do not vanish
	size []float64 // the root of what the diagonal was
	unit float64   // what g was divided by
	g, h []float64
}

// newQuadratic scales the program of 2 a'w - w'(A + ridge I)w.
func newQuadratic(kernels int, products []float64, ridge float64) *quadratic {
	q, side := &quadratic{}, kernels+1
	for m := range kernels {
		if d := products[m*side+m]; d > 0 {
			q.in, q.size = append(q.in, m), append(q.size, math.Sqrt(d+ridge))
		}
	}
	n := len(q.in)
	q.g, q.h = make([]float64, n), make([]float64, n*n)
	for i, m := range q.in {
		q.g[i] = 2 * products[m*side+kernels] / q.size[i]
		q.unit = max(q.unit, math.Abs(q.g[i])/2)
		for j, k := range q.in {
			q.h[i*n+j] = 2 * products[m*side+k] / (q.size[i] * q.size[j])
		}
		q.h[i*n+i] = 2
	}
	if q.unit == 0 {
		q.unit = 1 // All alignments vanish, and all weights will.
	}
	for i := range q.g {
		q.g[i] /= q.unit
	}
	return q
}

// weights returns w of the scaled u, up to a factor of all.
func (q *quadratic) weights(kernels int, u []float64) []float64 {
	w := make([]float64, kernels)
	for i, m := range q.in {
		w[m] = u[i] / q.size[i]
	}
	return w
}

// polish solves the program exactly on the coordinates that are clearly above 0. It returns u itself if
// that leads out of the bounds or to a point where another coordinate wants to grow.
func (q *quadratic) polish(u []float64) []float64 {
	const clearly, grows = 1e-9, 1e-9
	var free []int
	for i, x := range u {
		if x > clearly*slices.Max(u) {
			free = append(free, i)
		}
	}
	if len(free) == 0 {
		return u
	}
	out, _, ok := q.solve(free, nil)
	if !ok || slices.Min(out) < 0 {
		return u
	}
	for i := range u {
		if q.gain(i, out) > grows {
			return u
		}
	}
	return out
}

// gain is the derivative of the program by coordinate i at u.
func (q *quadratic) gain(i int, u []float64) float64 {
	n := len(u)
	gain := q.g[i]
	for j, x := range u {
		gain -= q.h[i*n+j] * x
	}
	return gain
}

// solve returns the point where the program is stationary with coordinates other than the free ones at
// 0, and the price of the sum c'u that is kept at 1; nil keeps none. ok is false where there is no such
// point.
func (q *quadratic) solve(free []int, c []float64) (u []float64, price float64, ok bool) {
	n, f := len(q.g), len(free)
	side := f
	if c != nil {
		side++
	}
	a, b := mat.NewDense(side, side, nil), mat.NewVecDense(side, nil)
	for x, i := range free {
		for y, j := range free {
			a.Set(x, y, q.h[i*n+j])
		}
		b.SetVec(x, q.g[i])
		if c != nil {
			a.Set(x, f, c[i])
			a.Set(f, x, c[i])
		}
	}
	if c != nil {
		b.SetVec(f, 1)
	}
	var x mat.VecDense
	var rough mat.Condition
	if err := x.SolveVec(a, b); err != nil && !errors.As(err, &rough) || math.IsInf(float64(rough), 1) {
		return nil, 0, false
	}
	u = make([]float64, n)
	for k, i := range free {
		u[i] = x.AtVec(k)
	}
	if c != nil {
		price = x.AtVec(f)
	}
	return u, price, true
}

// simplex solves the program with the weights u_i / size_i summing to 1, by an active set: coordinates
// that want to grow become free one after the other, and those that would fall below 0 leave. Sizes may
// differ by many powers of ten, which units of one kernel would not show.
func (q *quadratic) simplex() []float64 {
	n := len(q.in)
	c, best := make([]float64, n), 0
	for i, s := range q.size {
		c[i] = 1 / s
		// Each kernel alone has the value 2 a - d of its weight 1.
		if value := func(i int) float64 { return q.size[i] * (q.g[i]*q.unit - q.size[i]) }; value(i) > value(best) {
			best = i
		}
	}
	if n == 0 {
		return nil
	}
	// g belongs to weights of a sum of 1, and not up to a factor.
	for i := range q.g {
		q.g[i] *= q.unit
	}
	q.unit = 1
	u, free := make([]float64, n), []int{best}
	u[best] = q.size[best]
	const grows = 1e-12
	for range 20 * n {
		next, price, ok := q.solve(free, c)
		if !ok {
			return u
		}
		if t, out := q.room(u, next, free); out >= 0 {
			for _, i := range free {
				u[i] += t * (next[i] - u[i])
			}
			u[out] = 0
			free = slices.DeleteFunc(free, func(i int) bool { return i == out })
			continue
		}
		u = next
		enters, most, size := -1, 0.0, 0.0
		for i := range n {
			size = max(size, math.Abs(q.g[i]), math.Abs(price*c[i]))
			if gain := q.gain(i, u) - price*c[i]; gain > most && !slices.Contains(free, i) {
				enters, most = i, gain
			}
		}
		if enters < 0 || most <= grows*size {
			return u
		}
		free = append(free, enters)
	}
	return u
}

// room returns how far the free coordinates can go from u to next before one of them is below 0, and
// which that is; -1 if none is.
func (q *quadratic) room(u, next []float64, free []int) (t float64, out int) {
	t, out = 1, -1
	for _, i := range free {
		if next[i] < 0 || next[i] == 0 && u[i] > 0 {
			if part := u[i] / (u[i] - next[i]); part < t || out < 0 {
				t, out = min(part, t), i
			}
		}
	}
	return t, out
}
