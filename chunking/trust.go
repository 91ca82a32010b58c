package chunking

import (
	"context"
	"math"
	"slices"
)

// Checker is a gradient that can compute what it holds of a few points afresh, in double precision.
type Checker interface {
	// Afresh gives sum_m theta_m g_m of the points of the sample.
	Afresh(ctx context.Context, sample []int, alpha, theta []float64) ([]float64, error)
	// Deviations gives e_m = sum_s d_s ((K_m alpha)_s - g_m,s) of every kernel, s over the points of the sample. d: one number a
	// point, e: one a kernel.
	Deviations(ctx context.Context, sample []int, d, alpha, e []float64) error
}

const (
	trustedShare = 0.1 // share of the gap that rounding may make up
	trustSample  = 128 // support vectors, and as many other points, on which rounding is measured
	trustLeast   = 64
	trustValues  = 1 << 31 // kernel values for each of the two, at which fewer points have to do
	claimValues  = 1 << 28 // the same where a run is ending
)

// trusted decides whether the gap in hand can be believed: rounding may make up a tenth of it. In single precision a delicate
// norm or a small gap never is. In double precision the gradients are computed afresh where what the iterations have left
// in them is too much, or the norm blows it up.
func (s *Solver) trusted(ctx context.Context, p Precision) (bool, error) {
	if s.coarse(p) {
		return false, nil
	}
	c, ok := s.grad.(Checker)
	if !ok || s.double && s.rebuilt == s.iterations {
		return true, nil
	}
	small := false
	if !s.delicate() {
		drift, err := s.drift(ctx, c, trustValues)
		if err != nil {
			return false, err
		}
		small = drift <= trustedShare*s.gap*max(s.cert.Primal, s.cert.Dual)
	}
	if small || !s.double {
		return small, nil
	}
	// The weights stay: rounding of the smallest V_m would move them by more than the gap allows.
	if err := s.grad.Rebuild(ctx, s.alpha, true); err != nil {
		return false, err
	}
	s.rebuilt, s.shift = s.iterations, 0
	err := s.recombine(ctx)
	return s.cert.RelativeGap <= s.gap, err
}

// claim makes the certificate of a run that ends before it has converged bear what its result is worth: where rounding makes up
// a share of the gap that nobody would believe, the gradients are computed afresh in double precision, once, and the certificate
// is theirs. before is called before that, as there is no way back.
func (s *Solver) claim(ctx context.Context, before func()) error {
	c, ok := s.grad.(Checker)
	if !ok || s.double && s.rebuilt == s.iterations {
		return nil
	}
	drift, err := s.drift(ctx, c, claimValues)
	if err != nil || drift <= trustedShare*s.cert.gap() {
		return err
	}
	before()
	if err := s.grad.Rebuild(ctx, s.alpha, true); err != nil {
		return err
	}
	s.shift = 0
	return s.recombine(ctx)
}

// coarse tells whether the solver is in single precision and what is asked for takes double.
func (s *Solver) coarse(p Precision) bool {
	return !s.double && p != Single && (s.delicate() || s.gap < WidenBelow)
}

// delicate: see BlockNorm.Delicate.
func (s *Solver) delicate() bool {
	d, ok := s.norm.(interface{ Delicate() bool })
	return ok && d.Delicate()
}

// drift estimates by how much rounding of the combined gradient has moved the primal and the dual value: the loss with
// the sampled values put right, and sum alpha_i f_i. What is common to all values is taken up by the bias, and the solution gets
// the one that is best for the values put right. values bounds the kernel values that either stratum may take, down to
// trustLeast points.
func (s *Solver) drift(ctx context.Context, c Checker, values int) (float64, error) {
	var strata [2][]int // support vectors, others
	for i, a := range s.alpha {
		k := 1
		if a != 0 {
			k = 0
		}
		strata[k] = append(strata[k], i)
	}
	var errors [2][]float64
	var samples [2][]int
	shift, count := 0.0, 0.0
	each := max(1, len(strata[0])*len(s.theta)) // values that a point takes
	size := max(trustLeast, min(trustSample, values/each))
	for k, points := range strata {
		samples[k] = every(points, min(size, len(points)))
		exact, err := c.Afresh(ctx, samples[k], s.alpha, s.theta)
		if err != nil {
			return 0, err
		}
		for j, i := range samples[k] {
			errors[k] = append(errors[k], exact[j]-s.combined[i])
			shift += errors[k][j]
			count++
		}
	}
	if count > 0 {
		shift /= count
	}
	bias, loss := s.loss.Primal(s.combined)
	whole, total := slices.Clone(s.combined), 0.0
	for i := range whole {
		whole[i] += shift
	}
	for k, sample := range samples {
		if len(sample) == 0 {
			continue
		}
		right, energy := slices.Clone(s.combined), 0.0
		for j, i := range sample {
			right[i] += errors[k][j] - shift
			whole[i] = s.combined[i] + errors[k][j]
			energy += s.alpha[i] * errors[k][j]
		}
		_, moved := s.loss.Primal(right)
		total += (math.Abs(moved-loss) + math.Abs(energy)) * float64(len(strata[k])) / float64(len(sample))
	}
	best, _ := s.loss.Primal(whole)
	s.shift = best - bias
	lengths, err := s.driftOfLengths(ctx, c, samples[0], float64(len(strata[0])))
	return total + lengths, err
}

// driftOfLengths estimates by how much rounding of V_m has moved 1/2 ||v||^2 beyond what weights in hand show: a kernel whose V_m
// has been lost in rounding has no weight, and is missing in the dual value all the same. sample: some of the support vectors, of
// which there are count.
func (s *Solver) driftOfLengths(ctx context.Context, c Checker, sample []int, count float64) (float64, error) {
	if len(sample) == 0 {
		return 0, nil
	}
	d, e, right := make([]float64, len(sample)), make([]float64, len(s.V)), slices.Clone(s.V)
	for k, i := range sample {
		d[k] = s.alpha[i] * count / float64(len(sample))
	}
	if err := c.Deviations(ctx, sample, d, s.alpha, e); err != nil {
		return 0, err
	}
	for m, x := range e {
		right[m] = max(right[m]+x, 0)
	}
	is, was := s.norm.Dual(right), s.norm.Dual(s.V)
	return math.Abs(is*is-was*was) / 2, nil
}
