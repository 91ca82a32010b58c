package verify

import (
	"math"

	"bigmkl/internal/model"
)

// This file is the whole of what a model is conceded: by how much each of its claims may differ
// from the value that is found here before the difference is a fault.
//
// A sum of terms t_i that is computed with relative precision eps is off by some eps sum |t_i|,
// which is much of its value where the terms cancel. Every sum of this package is therefore
// accompanied by the sum of the absolute values of its terms, and a claim is conceded a multiple
// of the latter:
//
//	claim                     conceded                                              by
//	f(x_i), hence each loss   rounding.term of the terms of f                       totals, loss.addRow
//	||v_m||                   rounding.term of the terms of V_m                     certificate
//	||w_m||                   ofNorms times as much of V_m                          certificate
//	primal and dual value     what losses and ||v_m|| bring, within rounding.cap,   certificate
//	                          and roundings in double precision of the costs
//	P = D = 0                 rounding.vanished of the uncancelled ||v_m||          certificate
//	a primal value too high   estimates times the rounding                          checkCertificate
//	a gap that converged      tolerance, and one rounding in double of each term    checkCertificate
//	factor of a kernel        ofFactors roundings of the kernel's values            factorCheck
//	sum of alpha              balance of sum |alpha|, and roundings of the bounds   checkAlpha
//	norm of theta, own gap    exact: the model alone shows them                     regularizer.go, claims.go
//	every sum of n or M terms conceded of the largest of its kind, besides          claims.go
//	values of a sample        deviations standard errors, besides                   sample.go
//
// The bounds for rounding were measured: honest models were trained until the largest error that
// any of them needed was known, and the bound is a small multiple of it.

// The units of the two arithmetics and the terms that are rounded in them.
const (
	inSingle = 1.0 / (1 << 24) // unit roundoff of float32
	inDouble = 1.0 / (1 << 53) // unit roundoff of float64

	// The solver adds up changes of its sums over the iterations, so a term is rounded more than
	// once. The terms of the primal and of the dual value of 450 honest models needed up to 7
	// roundings.
	roundings = 16

	// In single precision the solver sums up to this many terms in a row. Terms of one class have
	// one sign, and equal ones are all rounded the same way, so their errors add up.
	inSingleRow = 64

	// Before a run in double precision has converged, its sums hold remainders of values that were
	// larger than those at the end, which multiply the roundings by up to this.
	beforeConvergence = 64

	// The norms of kernels that nearly vanish needed up to 64 roundings of the terms of V_m, for
	// which V_m, where it represents a norm alone, is conceded this many times the roundings of a
	// value.
	ofNorms = 16

	// The sums of alpha of 127 trained models were off by up to 65 roundings of sum |alpha|; those of
	// an interior point at 1e-12 are off by 1,000.
	roundedBalance = 512 * inDouble

	doubleTerm = roundings * inDouble            // conceded to a term in double precision
	earlyTerm  = beforeConvergence * doubleTerm  // and to one of a run that did not converge
	singleTerm = roundings * inSingle            // conceded to a term in single precision
	oneSigned  = float64(inSingleRow) * inSingle // and to one of terms of one sign
)

// The most that rounding may make of the primal and of the dual value, relative to them, without
// the solver having noticed: an error as large as the gap would have shown in the gap.
const (
	ofGap        = 0.25 // of the gap in single precision: no honest value was off by more than 0.13
	ofGapWide    = 1    // of the gap in double precision, where a solver can do no better
	leastGap     = 1e-4 // the gap is taken to be no less than this in double precision
	leastGapWide = 10   // and no less than this many times as much in single precision

	// The best function of one class may be a constant. Then P = D = 0: sum_i alpha_i phi(x_i)
	// cancels, and what is left of its length is below this share of what it is summed of in
	// double precision.
	cancelled = 1e-14
)

// What a claim may be off by besides rounding, relative to the largest of its kind.
const (
	conceded        = 1e-9  // of values that sum n or M terms
	exact           = 1e-9  // of what the model alone shows: the norm of theta, its gap as P - D
	balance         = 1e-10 // of the sum of alpha, relative to sum |alpha|
	boxSlack        = 1e-12 // of |alpha_i| above its bound, relative to the bound
	tolerance       = 1.1   // times the gap that was asked for is a gap that converged
	estimates       = 8     // times what rounding can do to the primal value, which training may add
	sharedNormSlack = 1e-6  // of the norm of weights that several classifiers share
	deviations      = 6     // standard errors of a sample
	rareRows        = 5     // rows with a large loss that a sample may have missed altogether
)

// What the values of kernels are rounded by.
const (
	// The sum over this many features is rounded twice as much as that over a few: in a long sum of
	// equal terms each is rounded the same way, so errors add up and do not cancel. Inner products
	// over 6,376 features, each of which one row of 48 alone had, needed 11 times the roundings of
	// a short sum.
	longSum = 256

	// The factors of 480 honest models, most of them with heavy tails, needed up to 7 roundings.
	ofFactors = 64

	// Training computes a squared distance as |x|^2 + |z|^2 - 2<x,z> only while rounding of the
	// norms, times gamma, stays below 1e-4 in single and 1e-9 in double precision. These are the
	// multiples of the unit roundoff for this.
	normsInSingle = 1e-4 / inSingle
	normsInDouble = 1e-9 / inDouble

	// Training takes a variance of at most this share of the mean of k(x,x) for 0, and so the
	// factor.
	vanishing = 1e-12

	// Below this share of the mean of k(x,x) training computes a variance in double precision
	// always.
	recomputed = 1e-3
)

// rounding is what is conceded to the arithmetic that computed the numbers of a classifier.
type rounding struct {
	// term is the relative error that is conceded to each term of a sum.
	term float64

	// vanished is the share of the uncancelled ||v_m|| up to which primal and dual value count as
	// 0.
	vanished float64

	// capped reports whether the error of the primal and of the dual value has a cap. A run in
	// double precision that did not converge has none: its solver does not measure the rounding,
	// and there is no wider arithmetic to go on in.
	capped bool

	// ofValues is the cap relative to the larger of the two values.
	ofValues float64

	// early is the share of the error of the terms below which the cap never falls. A run in single
	// precision that ended early computes its claim from sums in double precision, which lose that.
	early float64
}

// roundingOf returns what is conceded to the arithmetic that the model claims to have ended in.
func roundingOf(m *model.Model) rounding {
	gap := m.Certificate.RelativeGap
	ended := gap > m.Gap // before the gap that was asked for was reached
	if m.Double {
		r := rounding{term: doubleTerm, vanished: cancelled, capped: !ended}
		r.ofValues = ofGapWide * max(gap, m.Gap, leastGap)
		if ended {
			r.term = earlyTerm
		}
		return r
	}
	r := rounding{term: singleTerm, capped: true}
	if alphaSum(m) != 0 {
		r.term = oneSigned
	}
	r.vanished = r.term
	r.ofValues = ofGap * max(gap, m.Gap, leastGapWide*leastGap)
	if ended {
		r.early = earlyTerm / r.term
	}
	return r
}

// cap returns the span of a value, cut to what rounding can have made of the value without the
// solver having noticed. scale is the larger of |primal| and |dual|; least is an error that is
// conceded in any case.
func (r *rounding) cap(s span, value, scale, least float64) span {
	if !r.capped {
		return s
	}
	most := max(r.ofValues*scale, least)
	return s.within(value, max(most, r.early*s.reach(value)))
}

// span is the range in which an honest claim of a number lies: the value that is found here, give
// or take rounding and sampling.
type span struct{ low, high float64 }

// holds reports whether x lies in the span or at most slack outside of it. A NaN lies in no span.
func (s span) holds(x, slack float64) bool { return x >= s.low-slack && x <= s.high+slack }

// reach returns the distance from x to the farther end of the span.
func (s span) reach(x float64) float64 { return max(s.high-x, x-s.low) }

// within returns the part of the span that is at most distance away from x.
func (s span) within(x, distance float64) span {
	return span{max(s.low, x-distance), min(s.high, x+distance)}
}

// relativeGap returns (primal - dual) / max(|primal|, |dual|), and 0 if both values are 0. A NaN in
// either value stays a NaN.
func relativeGap(primal, dual float64) float64 {
	if scale := max(math.Abs(primal), math.Abs(dual)); scale != 0 {
		return (primal - dual) / scale
	}
	return 0
}
