package train

import (
	"context"
	"errors"
	"slices"

	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/rule"
	"bigmkl/predict"
)

// One set of kernel weights for several classifiers. The classifiers share theta and nothing else:
//
//	min over theta of  sum over classifiers k of  P_k(theta),   ||theta||_{p/(2-p)} <= 1,
//
// where P_k(theta) is the optimum of classifier k with the kernel sum_m theta_m K_m. Package rule
// moves theta between optimisations of the classifiers. The duality gap is the gap of the sum; the
// gap of a single classifier measures how well it is solved at the theta in hand.

// trainJointly trains all classifiers with one set of weights. Every classifier has gradients of
// its own that stay until the end, because each is optimised again after every move of the weights.
// Memory for gradients therefore grows with the number of classifiers.
func (t *classifierTrainer) trainJointly(ctx context.Context, d *decomposition) (
	m *predict.Model, status chunking.Status, err error) {
	if t.Kernels.Expanded.Importance(t.Options.Norm.costPower()) != nil {
		return nil, "", fail.New(fail.Usage,
			"prior= and cost= of kernels with one set of weights for all classifiers")
	}
	n, gap := t.Store.Len(), t.Options.Solver.Gap
	j := rule.NewJoint(t.norms().heldNorm(), gap)
	// The gradients are closed on every way out, and once only: before the model on success.
	var grads []*gradients
	drop := func() (err error) {
		for _, g := range grads {
			err = errors.Join(err, g.Close())
		}
		grads = nil
		return err
	}
	defer func() { err = errors.Join(err, drop()) }()
	solvers, norms := make([]*chunking.Solver, len(d.pairs)), make([]chunking.Norm, len(d.pairs))
	var every []int32
	t.setOperation("the classifiers were made ready")
	for k := range d.pairs {
		if err := ctx.Err(); err != nil {
			return nil, "", err
		}
		g, err := t.makeGradients(t.Store, nil)
		if err != nil {
			return nil, "", err
		}
		grads = append(grads, g)
		var loss chunking.Loss
		loss, every = d.problem(t.Workspace, k)
		norms[k] = j.Norm(t.norms().mayBeIndefinite())
		solvers[k] = t.Options.Solver.newSolver(
			g.withClock(&t.result.Times, t.widen), n, t.Kernels.Len(), loss, norms[k], gap)
		t.models.solvers.Lend(solvers[k])
		j.Add(solvers[k])
	}
	// Classifiers that an interrupt leaves untouched have to record the same precision as the
	// others.
	if t.Options.startsDouble() {
		for _, s := range solvers {
			if err := s.Widen(ctx); err != nil {
				return nil, "", err
			}
		}
	}
	t.setOperation(InProgress)
	stop := t.stopFunc(ctx, 1)
	// The gap of the whole may need double precision, whatever the gaps of the classifiers are.
	widens := t.Options.Solver.Precision == chunking.Auto && t.Options.Solver.Gap < chunking.WidenBelow
	// drive brings one classifier to a gap of its own at the weights in hand. A driver lives for
	// one call; the solver keeps its state between calls.
	drive := func(ctx context.Context, k int, s *chunking.Solver, gap float64, trusting bool) (
		chunking.Status, error) {
		s.Refine(gap)
		precision := t.Options.Kernels.precision(t.Options.Solver.Precision)
		if !trusting && widens {
			precision = chunking.Double
		}
		limits := chunking.Limits{
			Trusting: trusting, Iterations: t.Options.Limits.Iterations, Precision: precision,
			Stop:   stop,
			Record: func(p chunking.Progress) error { return checkFinite(s, p, t.Kernels, t.Store) },
		}
		return chunking.NewDriver(s, limits).Run(ctx)
	}
	// round passes the common state of all classifiers to the recorder, after each round of them.
	round := func() error {
		t.result.Iterations, t.result.Gradient = 0, gradient.Stats{}
		p := chunking.Progress{Certificate: j.Certificate()}
		for k, s := range solvers {
			q := s.Progress()
			p.Active, p.Double = max(p.Active, q.Active), p.Double || q.Double
			p.Theta = q.Theta // It is the same in all of them.
			p.Iteration += q.Iteration
			t.result.Gradient = t.result.Gradient.And(grads[k].Stats())
		}
		t.result.Iterations = p.Iteration
		return t.tellRecorder(p, t.result.Gradient, place{}, t.Options.Solver.Gap)
	}
	status, err = j.Run(t.hard, drive, round)
	if err != nil {
		return nil, "", err
	}
	if widens && status != chunking.Converged && j.Certificate().RelativeGap <= t.Options.Solver.Gap {
		// A limit has ended the run between the gap that was asked for and the look at it in double
		// precision, in which it is claimed.
		if err := j.Widen(t.hard); err != nil {
			return nil, "", err
		}
	}
	// The last round has changed the certificate after the recorder was told.
	if err := round(); err != nil {
		return nil, "", err
	}
	t.result.Moves = j.Moves()
	classifiers := make([]model.Classifier, len(solvers))
	for k, solver := range solvers {
		// The norm is the one that the solver had: it alone knows which kernels turned out
		// indefinite.
		s := &solved{
			problem: problem{norm: norms[k], rows: every}, solver: solver,
			solution: solver.Solution(),
		}
		classifiers[k] = *t.assembler().classifierOf(d, k, s, solver.Double())
		// If all have converged together, a classifier without a step did not need one.
		untrained := classifiers[k].Untrained(t.Options.Solver.Gap) && status != chunking.Converged
		t.doubts().classifier(s, s.solution.Theta, d.classifierName(k), untrained)
	}
	// The model takes memory of its own, which the budget has only after the gradients are gone.
	if err := drop(); err != nil {
		return nil, "", err
	}
	t.LimitHeap(t.Options.Budget.Memory)
	m, err = t.assembler().modelOfSeveral(d, classifiers, nil)
	if err == nil {
		m.OneTheta, m.Certificate = true, jointCertificate(j.Certificate(), classifiers)
	}
	return m, status, err
}

// jointCertificate returns the certificate of all classifiers together. It proves no optimum if one
// of them used a kernel that may be indefinite.
func jointCertificate(c chunking.Certificate, classifiers []model.Classifier) model.Certificate {
	joint := model.Certificate{
		Kind: ProvenGap, Primal: c.Primal, Dual: c.Dual, RelativeGap: c.RelativeGap,
	}
	stationary := func(a model.Classifier) bool { return a.Certificate.Kind == Stationary }
	if slices.ContainsFunc(classifiers, stationary) {
		joint.Kind = Stationary
	}
	return joint
}
