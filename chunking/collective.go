package chunking

import (
	"context"
	"math"
)

// newtonSteps are Newton's steps over all points for the dual of a Collective loss. They take the place of working sets, as the
// dual variables of a few points change what all others are to be. With the slopes u = lin'(alpha) and f = ghat the ascent is
// u - f, and the step of the true dual is
//
//	d = Wz,   (I + KW) z = u - f,   K = sum_m theta_m K_m + sum_m rank_m g_m g_m' - back ghat ghat' + coupling,
//
// where W is the second derivative of the loss at u, and the terms behind the first describe how the weights change with d.
// Conjugate gradients solve it in the form (W + WKW) z = W(u - f), with the inverse of W as preconditioner: they multiply by W,
// and never by an inverse. All eigenvalues of that system are 1 or more. Each of their steps takes a product with all kernels.
//
// The entropies in lin grow steeply towards the ends of the domain, where alpha + d may lie outside. So the step is taken in u:
// the direction leads to the dual variables of u - z, which are inside, and are alpha + Wz up to terms of second order.
type newtonSteps struct {
	loss Collective
	grad farMixer
	all  []int // every point, in the order of the pieces that a sum of gradients is made in

	rank, b, c, factor []float64 // of each kernel

	// The last direction: where it began, and what is left of z.
	alpha, ascent, u, z []float64
	retreats            int // that are left
}

// farMixer is a gradient that can look along directions and sum its values over kernels.
type farMixer interface {
	Far
	Mixer
}

const (
	// newtonShare is the share of the length of the residual at which the conjugate gradients end. What they leave is for the
	// next step, which begins at another u.
	newtonShare = 0.1
	// mostProducts bounds the products with the kernels in a step.
	mostProducts = 200
	// z is divided by retreat where the dual falls before the half of the way, mostRetreats times at most.
	retreat, mostRetreats = 4, 12
	// mixedPoints is the number of points whose gradients are gathered at a time.
	mixedPoints = 4096
)

// CollectiveBytes is the memory that each point takes.
const CollectiveBytes = 8 * 16

// NewCollective returns a solver that takes Newton steps over all points for a Collective loss. It has to Start at dual
// variables inside of the domain of the loss. The gradient is a Mixer.
func NewCollective(n, kernels int, loss Collective, norm Norm, grad Far, gap float64) *Solver {
	s := &newtonSteps{loss: loss, grad: grad.(farMixer), all: make([]int, n)}
	for i := range s.all {
		s.all[i] = i
	}
	s.rank, s.b, s.c, s.factor = make([]float64, kernels), make([]float64, kernels), make([]float64, kernels), make([]float64, kernels)
	return newOverall(n, kernels, loss, norm, grad, gap, s)
}

// Direction implements stepper.
func (s *newtonSteps) Direction(ctx context.Context, at *whole, d []float64) error {
	s.alpha, s.ascent, s.retreats = at.Alpha, at.Ascent, mostRetreats
	s.u = make([]float64, len(d))
	for i, x := range at.Ascent {
		s.u[i] = x + at.Combined[i]
	}
	var err error
	if s.z, err = s.solve(ctx, at, s.loss.Curvature(s.u)); err != nil {
		return err
	}
	s.aim(d)
	return nil
}

// aim puts the way to the dual variables of u - z in d. z becomes shorter until that ascends.
func (s *newtonSteps) aim(d []float64) {
	moved := make([]float64, len(d))
	for {
		for i, x := range s.u {
			moved[i] = x - s.z[i]
		}
		s.loss.Respond(moved, d)
		for i, a := range s.alpha {
			d[i] -= a
		}
		if innerProduct(d, s.ascent) > 0 || !s.shorten() {
			return
		}
	}
}

// shorten makes z shorter. It returns false if that was done often enough.
func (s *newtonSteps) shorten() bool {
	if s.retreats == 0 {
		return false
	}
	s.retreats--
	for i := range s.z {
		s.z[i] /= retreat
	}
	return true
}

// Retreat implements bent.
func (s *newtonSteps) Retreat(d []float64) bool {
	if !s.shorten() {
		return false
	}
	s.aim(d)
	return true
}

// solve returns z.
func (s *newtonSteps) solve(ctx context.Context, at *whole, curvature func(z, wz []float64)) ([]float64, error) {
	n := len(at.Alpha)
	all := make([]float64, 6*n)
	z, rest, weighted, p, wp, kp := all[:n], all[n:2*n], all[2*n:3*n], all[3*n:4*n], all[4*n:5*n], all[5*n:]
	copy(rest, at.Ascent)
	curvature(rest, weighted)
	copy(p, rest)
	copy(wp, weighted)
	size := innerProduct(rest, weighted)
	enough := newtonShare * newtonShare * size
	back, curved := at.Norm.Curvature(s.rank, at.Theta, at.V)
	if !curved {
		clear(s.rank)
	}
	for range mostProducts {
		if !(size > 0) {
			break
		}
		if err := s.product(ctx, at, wp, back, kp); err != nil {
			return nil, err
		}
		length := size / (innerProduct(p, wp) + innerProduct(wp, kp))
		// A kernel that is indefinite may leave no maximum.
		if !(length > 0) || math.IsInf(length, 0) {
			break
		}
		for i := range z {
			z[i] += length * p[i]
			rest[i] -= length * (p[i] + kp[i])
		}
		curvature(rest, weighted)
		was := size
		if size = innerProduct(rest, weighted); size <= enough {
			break
		}
		for i := range p {
			p[i] = rest[i] + size/was*p[i]
			wp[i] = weighted[i] + size/was*wp[i]
		}
	}
	return z, nil
}

// product puts K d in image.
func (s *newtonSteps) product(ctx context.Context, at *whole, d []float64, back float64, image []float64) error {
	if err := s.grad.Along(ctx, d, at.Theta, s.b, s.c, image); err != nil {
		return err
	}
	// The terms of g_m are one sum over kernels: g_m has the factor rank_m g_m'd, and what the coupling adds.
	some := false
	for m, r := range s.rank {
		s.factor[m] = r * s.b[m]
		some = some || s.factor[m] != 0
	}
	if n, ok := at.Norm.(Coupled); ok {
		some = addCoupling(n.Coupling(at.Theta, at.V), s.b, s.factor) || some
	}
	if some {
		if err := s.mix(ctx, image); err != nil {
			return err
		}
	}
	along := back * innerProduct(d, at.Combined)
	for i, g := range at.Combined {
		image[i] -= along * g
	}
	return nil
}

// mix adds sum_m factor_m g_m to image.
func (s *newtonSteps) mix(ctx context.Context, image []float64) error {
	row, mixed := make([]int32, len(s.factor)), make([]float64, min(mixedPoints, len(image)))
	for from := 0; from < len(image); from += mixedPoints {
		set := s.all[from:min(from+mixedPoints, len(image))]
		if err := s.grad.Mix(ctx, set, row, s.factor, mixed[:len(set)]); err != nil {
			return err
		}
		for k, i := range set {
			image[i] += mixed[k]
		}
	}
	return nil
}

// addCoupling adds what a coupling makes of b_m = g_m'd to the factors of g_m. It returns false where that is nothing.
func addCoupling(c *Coupling, b, factor []float64) bool {
	if c == nil {
		return false
	}
	z, formed := make([]float64, c.Rows), make([]float64, c.Rows)
	for m, r := range c.Row {
		if r >= 0 {
			z[r] += c.Factor[m] * b[m]
		}
	}
	for r := range formed {
		if c.Full == nil {
			formed[r] = c.Diagonal[r] * z[r]
			continue
		}
		formed[r] = innerProduct(c.Full[r*c.Rows:(r+1)*c.Rows], z)
	}
	for m, r := range c.Row {
		if r >= 0 {
			factor[m] += c.Factor[m] * formed[r]
		}
	}
	return true
}

// Learn implements stepper. Newton steps remember nothing.
func (s *newtonSteps) Learn(_, _ []float64) {}

// Snapshot implements stepper.
func (s *newtonSteps) Snapshot() [][]float64 { return nil }

// Resume implements stepper.
func (s *newtonSteps) Resume(state [][]float64) bool { return len(state) == 0 }
