package norm

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"bigmkl/chunking"
	"bigmkl/internal/float"
)

// interaction is the non-isotropic norm of a matrix E of interactions of the kernels (Kloft 2011,
// section 2.3.6), symmetric, positive definite and with no entry below 0:
//
//	1/2 ||v||^2 = 1/2 v'Ev,   v the vector of ||v_m||        the dual norm
//	1/2 ||w||^2 = min over s >= (||w_m||)_m of 1/2 s'E^-1 s
//	theta_m     = (Ev)_m / ||v_m||
//
// The thesis has 1/2 w'E^-1 w, of which this is the largest convex function that is not above it:
// the two are equal where the minimum is at s = w, E^-1 w >= 0, and so they are at the optimum,
// where w = Ev, as far as no kernel vanishes. A kernel of v_m = 0 for all alpha has w_m = 0; 1/2
// w'E^-1 w would hold that against its neighbours, and the gap would not close. An entry of E below
// 0 would make v'Ev fall as some ||v_m|| rises: it is then neither a norm of v nor convex in alpha.
// By duality the minimum is
//
//	1/2 ||w||^2 = max over y >= 0 of y'w - 1/2 y'Ey.
//
// Where v_m tends to 0, theta_m is unbounded unless E is diagonal: u_m = (V_m + delta^2)^(1/2)
// takes the place of v_m. The Hessian of 1/2 u'Eu in alpha is, with z_m = g_m / u_m,
//
//	sum_m theta_m K_m - sum_m theta_m g_m g_m' / u_m^2 + sum_ml E_ml z_m z_l'.
type interaction struct {
	adapting
	e      []float64 // M x M, row-major
	factor blas64.Triangular
	set    []int // of the factor
	u      []float64
}

// NewInteraction returns the norm of E, M x M and row-major, which CheckInteraction has accepted.
// indefinite marks kernels that may be indefinite; nil means none. E is kept and must not change.
func NewInteraction(e []float64, indefinite []bool) chunking.Norm {
	kernels := order(e)
	n := &interaction{adapting: adapting{indefinite: indefinite}, e: e, u: make([]float64, kernels)}
	for i, x := range e {
		n.unbounded = n.unbounded || x != 0 && i/kernels != i%kernels
	}
	return n
}

// order is M of a matrix of M x M numbers.
func order(e []float64) int { return int(math.Round(math.Sqrt(float64(len(e))))) }

// CheckInteraction reports why E, M x M and row-major, gives no norm. It returns nil if it does.
func CheckInteraction(e []float64) error {
	n := order(e)
	for i := range n {
		for j := range i + 1 {
			x, y := e[i*n+j], e[j*n+i]
			switch {
			case !float.Finite(x) || !float.Finite(y):
				return fmt.Errorf("entry (%d, %d) is %g", i+1, j+1, x)
			case x != y:
				return fmt.Errorf("it is not symmetric: entry (%d, %d) is %g and (%d, %d) is %g", i+1, j+1, x, j+1, i+1, y)
			case x < 0:
				return fmt.Errorf("entry (%d, %d) is %g: below 0 the dual of the norm is another", i+1, j+1, x)
			}
		}
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	if _, ok := cholesky(e, all); !ok {
		return errors.New("it is not positive definite, or only by rounding")
	}
	return nil
}

// singular is the square of a pivot, relative to the diagonal, that counts as 0 for a matrix of one
// row.
const singular = 1e-15

// cholesky factors the part of E of some kernels. It returns false where that is not positive
// definite by more than rounding.
func cholesky(e []float64, set []int) (blas64.Triangular, bool) {
	n, k := order(e), len(set)
	part := make([]float64, k*k)
	for a, i := range set {
		for b, j := range set[a:] {
			part[a*k+a+b] = e[i*n+j]
		}
	}
	f, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: k, Stride: max(k, 1), Data: part})
	for a, i := range set {
		x := f.Data[a*k+a]
		ok = ok && x*x > singular*float64(k)*e[i*n+i]
	}
	return f, ok
}

// lengthsOf puts u_m = (V_m + delta^2)^(1/2) in n.u, and 0 for kernels that are out. It returns
// false at V = 0, where it puts u = 1.
func (n *interaction) lengthsOf(V []float64) bool {
	some := n.squares(n.u, V, n.smoothing)
	if !some {
		n.even(n.u)
	}
	for m, x := range n.u {
		n.u[m] = math.Sqrt(max(x, 0))
	}
	return some
}

// Weights implements chunking.Norm.
func (n *interaction) Weights(theta, V []float64) float64 {
	some := n.lengthsOf(V)
	kernels, square := len(V), 0.0
	for m, u := range n.u {
		theta[m] = 0
		if u != 0 { // NaN is to stay one
			s := dotted(n.e[m*kernels:(m+1)*kernels], n.u)
			theta[m] = s / u
			square += s * u
		}
	}
	if !some {
		return 0
	}
	return math.Sqrt(square)
}

// dotted is a'b.
func dotted(a, b []float64) float64 {
	s := 0.0
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// Curvature implements chunking.Norm.
func (n *interaction) Curvature(rank, theta, V []float64) (float64, bool) {
	if !n.unbounded || !n.lengthsOf(V) {
		return 0, false
	}
	for m, u := range n.u {
		rank[m] = 0
		if u > 0 {
			rank[m] = -theta[m] / (u * u)
		}
	}
	return 0, true
}

// Coupling implements chunking.Coupled: sum_ml E_ml z_m z_l', with a row for each kernel.
func (n *interaction) Coupling(_, V []float64) *chunking.Coupling {
	if !n.unbounded || !n.lengthsOf(V) {
		return nil
	}
	c := &chunking.Coupling{Rows: len(V), Row: make([]int32, len(V)), Factor: make([]float64, len(V)), Full: n.e}
	for m, u := range n.u {
		c.Row[m] = int32(m)
		if u > 0 {
			c.Factor[m] = 1 / u
		}
	}
	return c
}

// Dual implements chunking.Norm.
func (n *interaction) Dual(V []float64) float64 {
	v := n.lengths(V)
	square := 0.0
	for m, x := range v {
		if x != 0 {
			square += x * dotted(n.e[m*len(v):(m+1)*len(v)], v)
		}
	}
	return math.Sqrt(square)
}

// visibleShare is the share of the largest number by which a sign is more than rounding.
const visibleShare = 1e-13

// rounding is the number of exchanges for each kernel that cannot come of anything but rounding.
const rounding = 20

// Primal implements chunking.Norm: it solves max over y >= 0 of y'w - 1/2 y'Ey. It exchanges the
// indices that have the wrong sign between the set where y may be above 0 and the rest: all at once
// as long as they become fewer, otherwise the last of them alone, which comes to an end (Murty's
// rule).
func (n *interaction) Primal(w []float64) float64 {
	kernels := len(w)
	in := make([]bool, kernels)
	for m, x := range w {
		// A first guess: y is above 0 wherever w is.
		in[m] = x > 0
	}
	largest := slices.Max(w)
	if largest == 0 {
		return 0
	}
	y := make([]float64, kernels)
	fewest, chances := kernels+1, 3
	// Each round solves for the set in hand and looks for signs that contradict it.
	for round := 0; ; round++ {
		if round > rounding*kernels { // signs that rounding turns: s = w is a bound
			in = slices.Repeat([]bool{true}, kernels)
		}
		if !n.solve(y, w, in) {
			return math.NaN() // not reached: parts of E are better conditioned than E
		}
		top := slices.Max(y)
		var wrong []int
		for m, x := range y {
			if in[m] && x < -visibleShare*top {
				wrong = append(wrong, m)
			}
			if !in[m] && w[m]-dotted(n.e[m*kernels:(m+1)*kernels], y) > visibleShare*largest {
				wrong = append(wrong, m)
			}
		}
		if len(wrong) == 0 || round > rounding*kernels {
			return math.Sqrt(max(dotted(y, w), 0))
		}
		switch {
		// As long as fewer are wrong, all of them change sides. A few rounds may bring no fewer
		// before Murty's rule, which changes one and is slow, takes over.
		case len(wrong) < fewest:
			fewest, chances = len(wrong), 3
		case chances > 0:
			chances--
		default:
			wrong = wrong[len(wrong)-1:]
		}
		for _, m := range wrong {
			in[m] = !in[m]
		}
	}
}

// solve gives y with (Ey)_m = w_m within the set and y = 0 without. The factor of the last set is
// kept: from step to step the set seldom changes.
func (n *interaction) solve(y, w []float64, in []bool) bool {
	var set []int
	for m, x := range in {
		if x {
			set = append(set, m)
		}
	}
	if n.factor.Data == nil || !slices.Equal(set, n.set) {
		f, ok := cholesky(n.e, set)
		if !ok {
			return false
		}
		n.factor, n.set = f, set
	}
	x := make([]float64, len(set))
	for k, m := range set {
		x[k] = w[m]
	}
	v := blas64.Vector{N: len(x), Inc: 1, Data: x}
	blas64.Trsv(blas.Trans, n.factor, v)
	blas64.Trsv(blas.NoTrans, n.factor, v)
	clear(y)
	for k, m := range set {
		y[m] = x[k]
	}
	return true
}
