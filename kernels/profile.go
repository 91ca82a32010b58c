package kernels

import (
	"context"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/simd"
)

// The profile of a kernel is its value as a function of its base (Comaniciu and Meer 2002). The
// exponential kernels of a group share their base, so what a decision function makes of them is
// one profile,
//
//	kappa(s) = sum_m w_m exp(-gamma_m s),    s >= 0,
//
// where w_m >= 0 is the weight of kernel m times its normaliser. It is as smooth as its parts, and
// costs the same for one kernel and for 10,000 once it is known in pieces that are polynomials.
//
// Pieces are equal parts of the octaves of z = s + a, where a is at most 1 / max gamma, so they
// are as wide as z is large. That suits every gamma alike: the derivatives of exp(-gamma s) are
// to be seen in proportion to 1 / z^n, and (gamma z)^n exp(-gamma z) is at most (n/e)^n whatever
// gamma is. File profilefit.go makes the pieces and bounds their error.

// Profile is the sum of weighted exponential kernels as a function of their base. It does not
// change once it has been made, and several goroutines may use it.
type Profile[T simd.Real] struct {
	// Constant is what has to be added to the values of Evaluate. It is the sum of the kernels at a
	// typical base, so the values keep the digits of kernels that hardly change over the points.
	// Where the dual variables sum to 0 it counts for nothing.
	Constant float64

	pieces simd.Pieces[T]
}

// Evaluate sets dst to kappa(s) - Constant for each base s. A value does not depend on its place.
func (p *Profile[T]) Evaluate(dst, base []T) { p.pieces.Evaluate(dst, base) }

// hasProfile reports whether the kernels of the group may have one profile. Kernels with factors of
// their points cannot, because the factors differ from kernel to kernel.
func hasProfile(g *Group) bool {
	return g.Members.UnitDiagonal() && !g.PointFactors() && len(g.Members) >= leastProfiled
}

// ProfileBytes bounds the memory of a profile of the kernels of the group, in bytes. It is 0 if
// they have none.
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
// points have, or 0 if none is known. The profile does not depend on the number of threads. An
// error is the context's.
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
	terms, bits := simd.PieceTerms[T](), simd.PieceBits[T]()
	p.pieces.Coef = make([]T, p.pieces.Len()*terms)
	exact := make([]bool, f.octaves)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, threads))
	for octave := range f.octaves {
		group.Go(func() error {
			whole, off := f.interpolate(octave)
			exact[octave] = true
			for i := range 1 << bits {
				piece, more := f.cutPiece(whole, i, 1<<bits, terms)
				exact[octave] = exact[octave] && off+more <= f.allow(piece[0])
				for k, c := range piece[:terms] {
					// The powers of package simd are the powers of parts of an octave.
					c = math.Ldexp(c, k*(bits+1))
					p.pieces.Coef[(octave<<bits+i)*terms+k] = T(c)
				}
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if slices.Contains(exact, false) {
		return nil, nil
	}
	// Beyond the last octave all kernels are 0.
	p.pieces.Coef[len(p.pieces.Coef)-terms] = T(f.end)
	return p, nil
}
