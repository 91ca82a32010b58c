package train

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"bigmkl/chunking"
	"bigmkl/internal/fail"
)

// Some weights of kernels come from a rule and not from the training of a machine. With the kernel
// yy' of the labels, products <K, L> = sum_ij K_ij L_ij, and weights w >= 0 that sum to 1 in the
// end (Goenen 2010, sections 2.2.1.3 and 2.3):
//
//	align        w_m proportional to <K_m, yy'> / (<K_m, K_m> <yy', yy'>)^(1/2)         (2.7)
//	alignf       max over w of the alignment of sum_m w_m K_m with yy', all centred     (2.6)
//	kandola:L    max sum_m w_m <K_m, yy'> - sum_mh w_m w_h <K_m, K_h> - L sum_m w_m^2
//	frobenius    min of the distance of sum_m w_m K_m from yy' over weights of sum 1    (2.8)
//	fsm          min (s_+ + s_-) / |m_+ - m_-|, standard deviations and centres of the classes
//	accuracy:T   w_m proportional to what the accuracy of K_m alone is above T
//	correlation  w_m proportional to the correlation of what K_m alone predicts with the targets
//	mse          w_m = (sum_h e_h - e_m) / ((M - 1) sum_h e_h) for mean squared errors e_m
//
// alignf is centred as in Cortes, Mohri and Rostamizadeh 2012, the others are not. The last three
// look at rows that were held out. A weight that would be below 0 is 0.
//
// The squares s_+^2, s_-^2 and |m_+ - m_-|^2 are sums over the kernels, weighted by w. With u and v
// for the quotients of the first two by the third, the measure is u^(1/2) + v^(1/2), concave in (u, v),
// which lies in the convex hull of the points of the single kernels. So fsm is least for one
// kernel alone, and chooses that.

// WeightRule is a rule for weights of kernels.
type WeightRule struct {
	// Name is one of weightRules.
	Name string
	// Parameter is L of kandola and T of accuracy, and 0 for others.
	Parameter float64
}

// weightRules lists the names of rules; those of heldOutRules look at rows that were held out.
var (
	weightRules = []string{"align", "alignf", "kandola", "frobenius", "fsm", "accuracy",
		"correlation", "mse"}
	heldOutRules = weightRules[5:]
)

// ParseWeightRule parses NAME, or NAME:PARAMETER for the rules that have one. Faults are of class
// fail.Usage.
func ParseWeightRule(text string) (*WeightRule, error) {
	name, parameter, given := strings.Cut(text, ":")
	r := &WeightRule{Name: name}
	if !slices.Contains(weightRules, name) {
		return nil, fail.New(fail.Usage, "there is no rule %s for weights", fail.Quote(text)).
			WithHint("there are align, alignf, kandola:L, frobenius and fsm, accuracy:T, correlation and mse")
	}
	if needs := name == "kandola" || name == "accuracy"; needs != given {
		return nil, fail.New(fail.Usage, "the rule %s with the wrong number of parameters",
			fail.Quote(text)).WithHint("kandola:L and accuracy:T have one, the others none")
	}
	if !given {
		return r, nil
	}
	var err error
	r.Parameter, err = strconv.ParseFloat(parameter, 64)
	most := math.MaxFloat64
	if name == "accuracy" {
		most = 1
	}
	if err != nil || !(r.Parameter >= 0 && r.Parameter <= most) || strings.Trim(parameter, "0123456789.eE+-") != "" {
		return nil, fail.New(fail.Usage, "the parameter of the rule %s is no number from 0 on, "+
			"for accuracy up to 1", fail.Quote(text))
	}
	return r, nil
}

// String returns the text that ParseWeightRule takes.
func (r *WeightRule) String() string {
	if r.Name == "kandola" || r.Name == "accuracy" {
		return r.Name + ":" + strconv.FormatFloat(r.Parameter, 'g', -1, 64)
	}
	return r.Name
}

// HoldsOut reports whether the rule looks at rows that were held out of trainings.
func (r *WeightRule) HoldsOut() bool { return slices.Contains(heldOutRules, r.Name) }

// Centred reports whether the products that the rule takes are of centred matrices.
func (r *WeightRule) Centred() bool { return r.Name == "alignf" }

// Weigh returns the weights of so many kernels from the sums of the rule, whose length tells them
// apart:
//
//	align                       <K_m, yy'>, then <K_m, K_m>, then <yy', yy'>
//	alignf, kandola, frobenius  the products of all pairs of K_1 .. K_M and yy', row by row
//	fsm                         s_+^2, then s_-^2, then |m_+ - m_-|^2 of each kernel
//	others                      the figure of each kernel
//
// Weights that all vanish are of class fail.Input.
func (r *WeightRule) Weigh(kernels int, sums []float64) ([]float64, error) {
	w := make([]float64, kernels)
	switch r.Name {
	case "align":
		for m := range w {
			if a, k, y := sums[m], sums[kernels+m], sums[2*kernels]; k > 0 && y > 0 {
				w[m] = a / (math.Sqrt(k) * math.Sqrt(y))
			}
		}
	case "alignf":
		w = quadraticWeights(kernels, sums, 0)
	case "kandola":
		w = quadraticWeights(kernels, sums, r.Parameter)
	case "frobenius":
		w = simplexWeights(kernels, sums)
	case "fsm":
		least, best := math.Inf(1), -1
		for m := range w {
			f := (math.Sqrt(sums[m]) + math.Sqrt(sums[kernels+m])) / math.Sqrt(sums[2*kernels+m])
			if f < least {
				least, best = f, m
			}
		}
		if best >= 0 {
			w[best] = 1
		}
	case "accuracy":
		for m, a := range sums {
			w[m] = a - r.Parameter
		}
	case "correlation":
		copy(w, sums)
	case "mse":
		all := 0.0
		for _, e := range sums {
			all += e
		}
		for m, e := range sums {
			w[m] = all - e
		}
		if kernels == 1 {
			w[0] = 1
		}
	}
	total := 0.0
	for m, x := range w {
		if !(x > 0) { // This covers NaN too.
			w[m] = 0
		}
		total += w[m]
	}
	if !(total > 0) || math.IsInf(total, 0) {
		return nil, fail.New(fail.Input, "the rule %s gives no kernel a weight above 0", r)
	}
	for m := range w {
		w[m] /= total
	}
	return w, nil
}

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
	// g is that of weights of a sum of 1, and not up to a factor.
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
