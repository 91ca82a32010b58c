package kernels

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/simd"
)

// The profile of a kernel is its value as a function of its base (Comaniciu and Meer 2002). The
// exponential kernels of a group share their base, so that what a decision function makes of them
// is one profile,
//
//	kappa(s) = sum_m w_m exp(-gamma_m s),    s >= 0,
//
// where w_m >= 0 is the weight of kernel m times its normaliser. It is as smooth as its parts, and
// costs the same for one kernel and for 10,000 once it is known in pieces that are polynomials.
//
// Pieces are equal parts of the octaves of z = s + a, where a is at most 1 / max gamma. On a piece of
// width d around z_c and s_c = z_c - a, with z = z_c + u d/2,
//
//	exp(-gamma s) = exp(-gamma s_c) sum_k (-x u)^k / k!,    x = gamma d/2,    -1 <= u <= 1.
//
// The sum ends at k = K, which leaves out x^(K+1) e^x / (K+1)! at most. The powers u^K .. u^(D+1) are
// then economised: Chebyshev's T_n(u) / 2^(n-1) is u^n and lower powers, and at most 2^(1-n) in
// magnitude, so that the error grows by 2^(1-n) times the coefficient of u^n. All of that is summed
// over the kernels, and is a bound of the error of the piece. It hardly depends on gamma: d is in
// proportion to z, and (gamma z)^n exp(-gamma z) is at most (n/e)^n.

// Profile is the sum of weighted exponential kernels as a function of their base. It does not change
// once it has been made, and several goroutines may use it.
type Profile[T simd.Real] struct {
	// Constant is what has to be added to the values of Evaluate. It is the sum of the kernels at a
	// typical base, so that the values keep the digits of kernels that hardly change over the
	// points. Where the dual variables sum to 0 it counts for nothing.
	Constant float64

	pieces simd.Pieces[T]
}

// Evaluate sets dst to kappa(s) - Constant for each base s. A value does not depend on its place.
func (p *Profile[T]) Evaluate(dst, base []T) { p.pieces.Evaluate(dst, base) }

const (
	// leastProfiled is the number of kernels from which on a profile takes less time than they do.
	leastProfiled = 8
	// mostOctaves bounds the octaves of a profile, and with them its memory.
	mostOctaves = 192
	// vanished is the gamma s from which on a kernel is 0: exp(-vanished) is below the rounding of 1.
	vanished = 40
	// besideTypical is the part of a typical base that a is at most, as a binary logarithm: the sum
	// s + a is rounded, which must not cost kernels that are much wider than all distances more
	// than the rounding of s does. widerThan bounds the number of octaves that this adds.
	besideTypical, widerThan = 4, 40
	// profileSingle and profileDouble are the errors that are allowed, relative to what the kernels
	// change by between a base of 0 and the base in hand or a typical one. They are below the
	// rounding of each type.
	profileSingle, profileDouble = 1e-8, 1e-14
)

// hasProfile reports whether the kernels of the group may have one profile. Kernels with factors of
// their points cannot, because the factors differ from kernel to kernel.
func hasProfile(g *Group) bool {
	return g.UnitDiagonal() && !g.PointFactors() && len(g.Members) >= leastProfiled
}

// ProfileBytes bounds the memory of a profile of the kernels of the group, in bytes. It is 0 if they
// have none.
func ProfileBytes[T simd.Real](g *Group) int64 {
	if !hasProfile(g) {
		return 0
	}
	low, high := math.Inf(1), 0.0
	for _, m := range g.Members {
		if m.Gamma > 0 {
			low, high = min(low, m.Gamma), max(high, m.Gamma)
		}
	}
	if high == 0 {
		return 0
	}
	octaves := math.Log2(high/low) + math.Log2(vanished+1) + widerThan + 3
	p := simd.Pieces[T]{Octaves: int(min(octaves, mostOctaves))}
	return int64(p.Len()*simd.PieceTerms[T]()) * int64(4<<precision[T]())
}

// NewProfile returns the profile of a group whose kernels have the given weights, or nil if they
// have none: if they are few, or the bound of the error is not small enough. typical is a base that
// points have, or 0. The profile does not depend on the number of threads. An error is that of the
// context.
func NewProfile[T simd.Real](ctx context.Context, g *Group, weight []float64, typical float64,
	threads int) (*Profile[T], error) {
	if !hasProfile(g) {
		return nil, nil
	}
	f := newFit(g, weight, typical, precision[T]() == 1)
	if f == nil {
		return nil, nil
	}
	p := &Profile[T]{Constant: f.constant}
	p.pieces = simd.Pieces[T]{Shift: T(f.shift), Octaves: f.octaves}
	terms, per := simd.PieceTerms[T](), 1<<simd.PieceBits[T]()
	p.pieces.Coef = make([]T, p.pieces.Len()*terms)
	exact := make([]bool, f.octaves)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, threads))
	for octave := range f.octaves {
		group.Go(func() error {
			exact[octave] = true
			for i := range per {
				coef, ok := f.fitPiece(octave, i, per, terms-1)
				exact[octave] = exact[octave] && ok
				for k, c := range coef[:terms] {
					// The polynomials of the assembly are in units of the octave.
					c = math.Ldexp(c, k*(simd.PieceBits[T]()+1))
					p.pieces.Coef[(octave*per+i)*terms+k] = T(c)
				}
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, ok := range exact {
		if !ok {
			return nil, nil
		}
	}
	// Beyond the last octave all kernels are 0.
	p.pieces.Coef[len(p.pieces.Coef)-terms] = T(f.end)
	return p, nil
}

// fit is what the pieces of a profile are made from.
type fit struct {
	gamma, weight []float64
	// there is the value of each kernel at the typical base.
	there   []float64
	typical float64
	// shift is a, and the pieces cover octaves from there on.
	shift   float64
	octaves int
	// constant is kappa at the typical base, change what it loses until there, and end its value
	// where all kernels are 0, less the constant.
	constant, change, end float64
	allowed               float64
}

// newFit returns nil if the kernels have no profile.
func newFit(g *Group, weight []float64, typical float64, double bool) *fit {
	f := &fit{typical: typical, allowed: profileSingle}
	// These limits keep all powers of 2 well within the range of the type.
	limit := 100
	if double {
		f.allowed, limit = profileDouble, 900
	}
	low, high := math.Inf(1), 0.0
	for i, m := range g.Members {
		w := weight[i]
		switch {
		case !(w >= 0 && m.Gamma >= 0) || math.IsInf(w, 1) || math.IsInf(m.Gamma, 1):
			return nil
		case w == 0:
			continue
		case m.Gamma == 0:
			f.constant += w
			continue
		}
		there := math.Exp(-m.Gamma * typical)
		f.gamma, f.weight = append(f.gamma, m.Gamma), append(f.weight, w)
		f.there = append(f.there, there)
		f.constant += w * there
		f.end -= w * there
		f.change -= w * math.Expm1(-m.Gamma*typical)
		low, high = min(low, m.Gamma), max(high, m.Gamma)
	}
	if len(f.gamma) < leastProfiled || low < 1e-290 || high > 1e290 {
		return nil
	}
	least := math.Ilogb(1 / high)
	most := math.Ilogb((vanished+1)/low) + 1
	if typical > 0 {
		least = max(min(least, math.Ilogb(typical)-besideTypical), least-widerThan)
	}
	f.octaves = most - least
	f.shift = math.Ldexp(1, least)
	if f.octaves > mostOctaves || least < -limit || most > limit ||
		typical > 0 && f.shift > typical {
		return nil
	}
	return f
}

// taylor is K, the highest power that is made before the powers above the degree are economised. The
// terms beyond it are below the error that is allowed in float64.
const taylor = 12

// fitPiece returns the coefficients of a piece by powers of u, of which those up to degree count, and
// whether the bound of their error is as small as it has to be.
func (f *fit) fitPiece(octave, piece, per, degree int) (a [taylor + 1]float64, ok bool) {
	start := math.Ldexp(f.shift, octave)
	half := start / float64(2*per)
	at := start*(1+(float64(piece)+0.5)/float64(per)) - f.shift
	value, lost, left := 0.0, 0.0, 0.0
	for m, gamma := range f.gamma {
		y, x := gamma*at, gamma*half
		e := math.Exp(-y)
		d := e - f.there[m]
		// Differences of kernels that are nearly the same would lose their digits.
		switch far := gamma * (at - f.typical); {
		case far > 0 && far < 0.5:
			d = f.there[m] * math.Expm1(-far)
		case far <= 0 && far > -0.5:
			d = -e * math.Expm1(far)
		}
		// The sum over thousands of kernels is compensated for what each addition rounds away.
		term := float64(f.weight[m]*d) - lost
		sum := value + term
		lost = (sum - value) - term
		value = sum
		if e == 0 {
			continue
		}
		p := f.weight[m] * e
		for k := 1; k <= taylor; k++ {
			p *= x
			a[k] += p
		}
		left += p * x * math.Exp(x)
	}
	a[0] = value
	factorial := 1.0
	for k := 1; k <= taylor; k++ {
		factorial *= -float64(k)
		a[k] /= factorial
	}
	off := left / math.Abs(factorial*(taylor+1))
	for n := taylor; n > degree; n-- {
		c := math.Ldexp(a[n], 1-n)
		off += math.Abs(c)
		for k := n; k >= 0; k -= 2 {
			a[k] -= float64(c * chebyshev[n][k])
		}
	}
	// What the kernels change by between 0 and here is change - value.
	return a, off <= f.allowed*(f.change+(f.change-value))
}

// chebyshev holds the coefficients of Chebyshev's polynomials T_0 .. T_taylor.
var chebyshev = func() (t [taylor + 1][taylor + 1]float64) {
	t[0][0], t[1][1] = 1, 1
	for n := 2; n <= taylor; n++ {
		for k := range n {
			t[n][k+1] += 2 * t[n-1][k]
			t[n][k] -= t[n-2][k]
		}
	}
	return t
}()
