package chunking

import (
	"context"
	"math"
	"slices"
)

// Solver holds the state of one problem. Between steps alpha, theta, the combined gradient and V belong together.
type Solver struct {
	loss Loss
	norm Norm
	grad Gradient
	gap  float64 // relative gap to reach

	tuning Tuning

	alpha      []float64
	kink       float64   // of the loss, see Kinked
	total      float64   // of alpha, see Summed
	unit       float64   // mean sum_m theta_m K_m[i,i] of the last working set
	ascent     []float64 // derivative of the dual by alpha_i: lin'(alpha) - ghat, without the kink; of active points
	room       []uint8   // which way alpha_i can go
	combined   []float64 // ghat = sum_m theta_m g_m
	theta      []float64
	V          []float64 // ||v_m||^2
	set        []int     // last working set
	delta      []float64 // what has changed on it while its pass has not come to its end; nil: no pass is under way
	active     []int     // points that passes go over, ascending; nil: all
	asleep     int       // times shrunk since all were awake
	awakeUntil int       // iteration before which shrinking rests
	iterations int
	rebuilt    int // iteration at which the gradients were computed afresh
	double     bool
	noisy      bool      // the last step's prediction of V was off
	shift      float64   // of the best bias by rounding of the combined gradient, as drift measured it last
	doubt      float64   // what rounding may add to the primal value of a result whose gap was not believed
	stuck      int       // steps in a row that moved nothing
	moves      int       // of weights that are held
	held       float64   // least gap at them
	bold       int       // steps that a norm as sharp as that of another problem is tried for, see Follow
	foot       NormState // where it goes back to
	cert       Certificate

	inner            subproblem
	hessian          []float64
	rank, b, c, line []float64
	mixed, formed    []float64 // of a coupling

	quasi *quasiNewton // nil: chunking
}

// New returns a solver at alpha = 0 for n points and the given number of kernels. The tuning has to be valid.
func New(n, kernels int, loss Loss, norm Norm, grad Gradient, gap float64, tuning Tuning) *Solver {
	s := &Solver{loss: loss, norm: norm, grad: grad, gap: gap, tuning: tuning, held: math.Inf(1)}
	s.tuning.setDefaults()
	if l, ok := loss.(Kinked); ok {
		s.kink = l.Kink()
	}
	if l, ok := loss.(Summed); ok {
		s.total = l.Sum()
	}
	s.alpha, s.combined, s.ascent, s.room = make([]float64, n), make([]float64, n), make([]float64, n), make([]uint8, n)
	for _, v := range []*[]float64{&s.theta, &s.V, &s.rank, &s.b, &s.c, &s.line} {
		*v = make([]float64, kernels)
	}
	norm.Weights(s.theta, s.V)
	s.certify()
	return s
}

// Start takes alpha as the starting point, moved into the box and onto its sum.
func (s *Solver) Start(ctx context.Context, alpha []float64) error {
	s.take(alpha)
	if err := s.rebuild(ctx); err != nil {
		return err
	}
	return s.climb(ctx)
}

// take moves alpha into the box and onto its sum.
func (s *Solver) take(alpha []float64) {
	sum := 0.0
	for i, a := range alpha {
		low, high := s.loss.Box(i)
		s.alpha[i] = min(max(a, low), high)
		sum += s.alpha[i]
	}
	s.even(sum - s.total)
}

// even takes what the sum of alpha is too large by from the variables of its sign: from the largest of those inside their box first,
// so that few move, and what is left from the others, one after the other, so that most of them stay at their bounds. If there is
// nothing left to take, others move the other way.
func (s *Solver) even(sum float64) {
	free := func(i int) bool {
		low, high := s.loss.Box(i)
		return low < s.alpha[i] && s.alpha[i] < high && s.alpha[i]*sum > 0
	}
	var inside []float64
	for i, a := range s.alpha {
		if free(i) {
			inside = append(inside, math.Abs(a))
		}
	}
	level := lowered(inside, math.Abs(sum))
	for i, a := range s.alpha {
		if free(i) && math.Abs(a) > level {
			s.alpha[i] = math.Copysign(level, a)
			sum -= a - s.alpha[i]
		}
	}
	for i, a := range s.alpha {
		if a*sum > 0 {
			take := a
			if math.Abs(a) > math.Abs(sum) {
				take = sum
			}
			s.alpha[i] -= take
			sum -= take
		}
	}
	if s.total == 0 {
		return // what is left is rounding
	}
	for i := range s.alpha {
		low, high := s.loss.Box(i)
		if move := min(max(-sum, low-s.alpha[i]), high-s.alpha[i]); sum != 0 && move*sum < 0 {
			s.alpha[i] += move
			sum += move
		}
	}
}

// lowered is the level to which the largest of some numbers above 0 have to go for their sum to fall by so much, at least 0.
func lowered(x []float64, by float64) float64 {
	slices.Sort(x)
	level := math.Inf(1)
	for k := len(x) - 1; k >= 0 && by > 0; k-- {
		next, count := 0.0, float64(len(x)-k)
		if k > 0 {
			next = x[k-1]
		}
		level = max(next, x[k]-by/count)
		by -= count * (x[k] - next)
	}
	return level
}

// climb takes a starting point up the ladder of a smoothed norm as far as that lowers the gap, and back down unless it is near its
// goal then: sharp problems are much harder than the way through the smooth ones is long. For the same reason it is nothing for
// a delicate norm.
func (s *Solver) climb(ctx context.Context) error {
	l, ok := s.norm.(Ladder)
	if !ok || s.atStart() || s.delicate() {
		return nil
	}
	a, adaptive := s.norm.(Adaptive)
	var foot NormState
	if adaptive {
		foot = a.State()
	}
	for {
		was := s.cert.RelativeGap
		if was <= s.gap || !l.Sharpen(was < finish*s.gap) {
			break
		}
		s.norm.Weights(s.theta, s.V)
		if err := s.recombine(ctx); err != nil {
			return err
		}
		if s.cert.RelativeGap > was {
			break
		}
	}
	if !adaptive || s.cert.RelativeGap <= finish*s.gap || !a.Resume(foot) {
		return nil
	}
	s.norm.Weights(s.theta, s.V)
	return s.recombine(ctx)
}

// Widen goes on in double precision.
func (s *Solver) Widen(ctx context.Context) error {
	was := s.double
	s.double = true
	err := s.rebuild(ctx)
	if err != nil { // to be called again
		s.double = was
	}
	return err
}

// Double tells whether the solver works in double precision.
func (s *Solver) Double() bool { return s.double }

func (s *Solver) rebuild(ctx context.Context) error {
	if err := s.grad.Rebuild(ctx, s.alpha, s.double); err != nil {
		return err
	}
	s.shift, s.doubt = 0, 0
	s.stuck, s.active, s.asleep, s.rebuilt = 0, nil, 0, s.iterations
	if err := s.recombine(ctx); err != nil { // for V alone
		return err
	}
	s.norm.Weights(s.theta, s.V)
	return s.recombine(ctx)
}

// recombine renews the combined gradient and V under the present weights. It is a look at the
// gradients, which no context cuts.
func (s *Solver) recombine(ctx context.Context) error {
	if err := s.grad.Pass(context.WithoutCancel(ctx), nil, nil, s.alpha, s.theta, s.combined, s.V); err != nil {
		return err
	}
	s.certify()
	return nil
}

// Step does one iteration: working set, its quadratic problem, line search on the true dual, weights, pass, certificate.
//
// What can take long of it is the pass. Where ctx ends that in its midst, the state is one in the
// midst of an iteration, and Step goes on with it when it is called again. All before the pass is
// work on the working set, which no context cuts.
func (s *Solver) Step(ctx context.Context) error {
	if s.delta == nil {
		if err := s.bolder(ctx); err != nil {
			return err
		}
		if err := s.sharpen(ctx); err != nil {
			return err
		}
		if s.quasi != nil {
			return s.ascend(ctx)
		}
		if err := s.step(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	predicted := append(s.line[:0], s.V...)
	if err := s.grad.Pass(ctx, s.set, s.delta, s.alpha, s.theta, s.combined, s.V); err != nil {
		return err
	}
	s.delta = nil
	return s.settle(ctx, predicted)
}

// step finds the working set and moves it, and the weights with it. The gradients are left behind
// by delta.
func (s *Solver) step(ctx context.Context) error {
	if err := s.shrink(ctx); err != nil {
		return err
	}
	var outside float64
	s.set, outside = s.choose()
	q := len(s.set)
	if err := s.model(ctx); err != nil {
		return err
	}
	coarse, fine := s.tolerances(outside)
	s.inner.solve(s.gradient(), s.hessian[:q*q], coarse, fine)
	s.iterations++
	s.shift, s.doubt = 0, 0
	delta, err := s.move(ctx)
	if err != nil {
		return err
	}
	s.delta = delta
	s.norm.Weights(s.theta, s.V)
	return nil
}

// settle closes an iteration: the pass has found V, where the line search predicted another.
func (s *Solver) settle(ctx context.Context, predicted []float64) error {
	s.noisy = s.disagree(predicted)
	if l, ok := s.norm.(Ladder); ok && l.Calibrate(s.V) {
		s.norm.Weights(s.theta, s.V)
		return s.recombine(ctx)
	}
	s.certify()
	return nil
}

// noise is the share of sum theta_m V_m by which prediction and sum may differ.
const noise = 1e-2

// disagree tells whether the pass found other V than the line search predicted from the working set alone. In exact
// arithmetic they are the same.
func (s *Solver) disagree(predicted []float64) bool {
	off, energy := 0.0, 0.0
	for m, t := range s.theta {
		off += t * math.Abs(predicted[m]-s.V[m])
		energy += t * math.Abs(s.V[m])
	}
	return off > noise*energy
}

const (
	sharpenAt = 0.3 // share of the gap at which the smoothed problem counts as solved
	finish    = 3   // times the gap asked for: from here on in small steps
)

// sharpen takes steps on the ladder of a smoothed norm while the smoothed problem is ahead of the true one.
func (s *Solver) sharpen(ctx context.Context) error {
	l, ok := s.norm.(Ladder)
	if !ok || s.iterations == 0 {
		return nil
	}
	if moved, err := s.turn(ctx); !moved {
		return err
	}
	changed := false
	for s.cert.smooth < sharpenAt*max(s.cert.RelativeGap, s.gap) && s.cert.RelativeGap > s.gap && l.Sharpen(s.cert.RelativeGap < finish*s.gap) {
		changed = true
		s.norm.Weights(s.theta, s.V)
		if err := s.recombine(ctx); err != nil {
			return err
		}
	}
	if changed {
		s.stuck = 0
	}
	return nil
}

// model sets the quadratic model of the dual on the working set and the room that the box leaves.
func (s *Solver) model(ctx context.Context) error {
	q := len(s.set)
	if cap(s.hessian) < q*q {
		s.hessian = make([]float64, q*q)
	}
	h := s.hessian[:q*q]
	back, curved := s.norm.Curvature(s.rank, s.theta, s.V)
	rank := s.rank
	if !curved {
		rank = nil
	}
	if err := s.grad.Hessian(ctx, s.set, s.theta, rank, h); err != nil {
		return err
	}
	s.unit = 0
	for k := range q {
		s.unit += h[k*q+k] / float64(q)
	}
	if c, ok := s.norm.(Coupled); ok {
		if err := s.couple(ctx, c.Coupling(s.theta, s.V), h); err != nil {
			return err
		}
	}
	if back != 0 {
		ghat := make([]float64, q)
		for k, i := range s.set {
			ghat[k] = s.combined[i]
		}
		for k, x := range ghat {
			x *= back
			row := h[k*q : (k+1)*q]
			for j, y := range ghat {
				row[j] -= x * y
			}
		}
	}
	if l, ok := s.loss.(Curved); ok {
		for k, i := range s.set {
			h[k*q+k] += l.Curvature(i)
		}
	}
	s.inner.kink, s.inner.origin = s.kink, s.inner.origin[:0]
	s.inner.low, s.inner.high = s.inner.low[:0], s.inner.high[:0]
	for _, i := range s.set {
		low, high := s.loss.Box(i)
		s.inner.origin = append(s.inner.origin, s.alpha[i])
		s.inner.low = append(s.inner.low, low-s.alpha[i])
		s.inner.high = append(s.inner.high, high-s.alpha[i])
	}
	return nil
}

// gradient is the ascent on the working set, without the kink.
func (s *Solver) gradient() []float64 {
	r := make([]float64, len(s.set))
	for k, i := range s.set {
		r[k] = s.ascent[i]
	}
	return r
}

const innerFloor = 1e-12 // least tolerance of the inner solver

// tolerances of the inner solver. A point that has moved costs a row of the pass, whatever the distance: it is worth that
// only while it violates more than the points that wait outside.
func (s *Solver) tolerances(outside float64) (coarse, fine float64) {
	fine = max(innerFloor, s.tuning.Inner*s.cert.violation)
	return max(fine, min(outside, s.tuning.Coarse*s.cert.violation)), fine
}
