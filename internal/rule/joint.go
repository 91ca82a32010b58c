package rule

import (
	"context"
	"math"
	"slices"

	"bigmkl/chunking"
	"bigmkl/chunking/norm"
)

// Joint is several classifiers on the same kernels with one set of weights. With c counting
// classifiers:
//
//	max  D = sum_c lin_c(alpha_c) - 1/2 || v ||_{p*}^2,    ||v_m||^2 = sum_c alpha_c'K_m alpha_c
//	min  P = 1/2 ||w||_{2,p}^2 + sum_c loss_c,             ||w_m|| = theta_m ||v_m||
//
// For weights that stay the classifiers are independent: each is a support vector machine
// with the kernel sum_m theta_m K_m, and a Solver of its own brings it as near to its optimum as
// serves the whole. Then a Rule moves the weights of all, by what they are together.
type Joint struct {
	norm     *norm.Block
	rule     chunking.Rule
	gap      float64 // relative, to reach
	solvers  []*chunking.Solver
	theta    []float64 // what the classifiers have; of norm 1
	energies []float64 // ||v_m||^2
	cert     chunking.Certificate
	moves    int
	last     float64 // relative gap that the classifiers were driven to
}

// Drive brings classifier c within a relative gap of its own, at the weights in hand. It is called
// for one classifier after the other. trusting means that the gap need not be certain yet, because
// another call will follow.
type Drive func(ctx context.Context, c int, s *chunking.Solver, gap float64, trusting bool) (chunking.Status, error)

// NewJoint returns a problem of the block norm p in [1, 2] without classifiers as yet. held is that
// norm with the rule for its weights.
func NewJoint(held *Held, gap float64) *Joint {
	if r, ok := held.rule.(*wrapper); ok {
		r.share = firstShare
	}
	return &Joint{
		norm: held.Block, rule: held.rule, gap: gap,
		theta: held.theta, energies: make([]float64, len(held.theta)),
	}
}

// Norm gives the norm of one classifier: the plain sum of kernels whose importances are the weights
// of all classifiers. Each classifier needs one of its own, as a norm has a state.
func (j *Joint) Norm(indefinite []bool) chunking.Norm {
	return norm.NewWeighted(norm.NewBlock(2, indefinite), j.theta)
}

// Add takes in the next classifier, made with a norm of Norm.
func (j *Joint) Add(s *chunking.Solver) { j.solvers = append(j.solvers, s) }

// Certificate gives the certificate of all classifiers together. It has no bias.
func (j *Joint) Certificate() chunking.Certificate { return j.cert }

// Moves gives the number of times that the weights have moved.
func (j *Joint) Moves() int { return j.moves }

const (
	// firstShare is the share of the distance that the gaps of the classifiers may make up when the
	// weights move.
	firstShare = 0.6
	finerShare = 0.3   // by which that falls where the rule wants more of alpha
	finest     = 1e-13 // relative gap of a classifier that is asked for at least
	enough     = 0.98  // of the lowest P - D so far, or less, is lower
	// steady is the number of moves without a lower distance that end the run. By cutting planes
	// the distance rises and falls.
	steady = 400
)

// Run trains all classifiers. told is told after every round; its error ends the run.
func (j *Joint) Run(ctx context.Context, drive Drive, told func() error) (chunking.Status, error) {
	status, err := j.run(ctx, drive, told)
	if err != nil || status == chunking.Converged {
		return status, err
	}
	// The classifiers were driven without a look at rounding: what they may claim is found out now.
	// The gap belongs to all of them together, so no classifier has to reach a gap of its own.
	for _, s := range j.solvers {
		if err := s.Claim(ctx, chunking.Single, func() {}); err != nil {
			return "", err
		}
	}
	j.certify()
	return status, nil
}

// Widen brings all classifiers to double precision, and computes the certificate of that.
func (j *Joint) Widen(ctx context.Context) error {
	for _, s := range j.solvers {
		if s.Double() {
			continue
		}
		if err := s.Widen(ctx); err != nil {
			return err
		}
	}
	j.certify()
	return nil
}

// run is Run up to what the classifiers may claim of a run that has not converged.
func (j *Joint) run(ctx context.Context, drive Drive, told func() error) (chunking.Status, error) {
	j.certify()
	best, since, share := math.Inf(1), 0, firstShare
	for {
		status, err := j.round(ctx, drive, share)
		if err != nil || status != "" {
			return status, err
		}
		if j.cert.RelativeGap <= j.gap {
			if status, err := j.all(ctx, drive, j.last, false); err != nil || status != "" {
				return status, err
			}
			if j.cert.RelativeGap <= j.gap {
				return chunking.Converged, nil
			}
		}
		if err := told(); err != nil {
			return "", err
		}
		if d := j.cert.Gap(); d < enough*best {
			best, since = d, 0
		} else if since++; since > steady {
			return chunking.Stalled, nil
		}
		moved := false
		if j.rule.Ready(j.where()) {
			if moved, err = j.move(ctx); err != nil {
				return "", err
			}
		}
		// Weights that stay give no evidence of the end while the classifiers are optimised to a
		// share of the distance only: more of alpha may move them, or may be all that is missing.
		switch {
		case moved:
			share = firstShare
		case j.last <= finest:
			return chunking.Stalled, nil
		default:
			share *= finerShare
		}
	}
}

// round optimises all classifiers at the weights in hand, first to a share of the distance, until
// the rule lets the weights move or the goal is reached, or the classifiers are as near to their
// optima as they can be.
func (j *Joint) round(ctx context.Context, drive Drive, share float64) (chunking.Status, error) {
	for ; ; share *= finerShare {
		// The classifiers are driven to gaps of their own, relative to their primal values, which
		// together make up the share of the distance.
		fixed := 0.0 // primal value at the weights in hand
		for _, s := range j.solvers {
			fixed += math.Abs(s.Certificate().Primal)
		}
		gap := 1.0
		if fixed > 0 {
			gap = share * max(j.cert.Gap(), j.gap*j.cert.Primal) / fixed
		}
		gap = min(max(gap, finest), 0.1)
		if status, err := j.all(ctx, drive, gap, true); err != nil || status != "" {
			return status, err
		}
		if j.cert.RelativeGap <= j.gap || gap == finest || j.rule.Ready(j.where()) {
			return "", nil
		}
	}
}

// all drives every classifier, and ends early with the status of one that a limit has stopped.
func (j *Joint) all(ctx context.Context, drive Drive, gap float64, trusting bool) (chunking.Status, error) {
	defer j.certify()
	j.last = gap
	for c, s := range j.solvers {
		status, err := drive(ctx, c, s, gap, trusting)
		if err != nil || status != chunking.Converged && status != chunking.Stalled {
			return status, err
		}
	}
	return "", nil
}

// move lets the rule give all classifiers new weights. It returns false if they stay.
func (j *Joint) move(ctx context.Context) (bool, error) {
	next := slices.Clone(j.theta)
	moved, err := j.rule.Move(ctx, j.where(), next)
	if err != nil || !moved {
		return false, err
	}
	copy(j.theta, next) // which the norms of the classifiers share
	j.moves++
	for _, s := range j.solvers {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		// A last look may have left points asleep, of which nothing is known at other weights.
		if err := s.Wake(ctx); err != nil {
			return false, err
		}
		if err := s.Reweigh(ctx); err != nil {
			return false, err
		}
	}
	j.certify()
	return true, nil
}

// where describes the classifiers together to the rule: values and gaps add up.
func (j *Joint) where() *chunking.Point {
	at := &chunking.Point{
		Theta: j.theta, V: j.energies, Distance: j.cert.Gap(),
		Goal: j.gap * max(math.Abs(j.cert.Primal), math.Abs(j.cert.Dual)),
	}
	for _, s := range j.solvers {
		c := s.Certificate()
		at.Linear += s.Linear()
		at.Gap += c.Gap()
		if s.Double() {
			at.Doubles++
		}
	}
	at.Value = at.Linear
	for m, t := range j.theta {
		at.Value -= t * max(j.energies[m], 0) / 2
	}
	return at
}

// certify computes the certificate of all classifiers: their losses are computed with the weights
// in hand, which have norm 1.
func (j *Joint) certify() {
	clear(j.energies)
	lin, loss := 0.0, 0.0
	for _, s := range j.solvers {
		energy := 0.0 // sum_m theta_m V_m
		for m, v := range s.Energies() {
			if s.Excludes(m) {
				continue // an indefinite kernel that this classifier has left out
			}
			j.energies[m] += v
			energy += j.theta[m] * max(v, 0)
		}
		c := s.Certificate()
		lin += c.Dual + energy/2
		loss += c.Primal - energy/2
	}
	w := make([]float64, len(j.theta))
	for m, t := range j.theta {
		w[m] = t * math.Sqrt(max(j.energies[m], 0))
	}
	r, v := j.norm.Primal(w), j.norm.Dual(j.energies)
	j.cert = chunking.NewCertificate(r*r/2+loss, lin-v*v/2)
}
