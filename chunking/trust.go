package chunking

import (
	"context"
	"math"
	"slices"
)

// Checker is a gradient that can compute the combined gradient of a few points afresh, in double precision.
type Checker interface {
	Afresh(ctx context.Context, sample []int, alpha, theta []float64) ([]float64, error)
}

const (
	trustedShare = 0.1 // share of the gap that rounding may make up
	trustSample  = 128 // support vectors, and as many other points, on which rounding is measured
	trustLeast   = 64
	trustValues  = 1 << 31 // kernel values for each of the two, at which fewer points have to do
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
		drift, err := s.drift(ctx, c)
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
	s.rebuilt = s.iterations
	err := s.recombine(ctx)
	return s.cert.RelativeGap <= s.gap, err
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
// the sampled values put right, and sum alpha_i f_i. A common shift is taken up by the bias.
func (s *Solver) drift(ctx context.Context, c Checker) (float64, error) {
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
	size := max(trustLeast, min(trustSample, trustValues/each))
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
	_, loss := s.loss.Primal(s.combined)
	total := 0.0
	for k, sample := range samples {
		if len(sample) == 0 {
			continue
		}
		right, energy := slices.Clone(s.combined), 0.0
		for j, i := range sample {
			right[i] += errors[k][j] - shift/count
			energy += s.alpha[i] * errors[k][j]
		}
		_, moved := s.loss.Primal(right)
		total += (math.Abs(moved-loss) + math.Abs(energy)) * float64(len(strata[k])) / float64(len(sample))
	}
	return total, nil
}
