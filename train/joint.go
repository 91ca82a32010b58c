package train

import (
	"bigmkl/chunking/rule"
	"context"
	"errors"
	"slices"

	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/internal/fail"
	"bigmkl/model"
	"bigmkl/predict"
)

// trainJointly trains all machines with one set of weights. Each keeps its gradients, since the weights of all move many times.
func (r *run) trainJointly(ctx context.Context, d *decomposition) (m *predict.Model, status chunking.Status, err error) {
	if r.Kernels.Expanded.Importance() != nil {
		return nil, "", fail.New(fail.Usage, "prior= and cost= of kernels with one set of weights for all machines")
	}
	n, gap := r.Store.Len(), r.Options.Solver.Gap
	j := rule.NewJoint(r.held(), gap)
	var grads []*gradients
	drop := func() (err error) {
		for _, g := range grads {
			err = errors.Join(err, g.Close())
		}
		grads = nil
		return err
	}
	defer func() { err = errors.Join(err, drop()) }()
	solvers := make([]*chunking.Solver, len(d.pairs))
	var every []int32
	r.doing("the machines were made ready")
	for k := range d.pairs {
		if err := ctx.Err(); err != nil {
			return nil, "", err
		}
		g, err := r.hold(r.Store, r.Kernels.Bank)
		if err != nil {
			return nil, "", err
		}
		grads = append(grads, g)
		var loss chunking.Loss
		loss, every = d.problem(r.Workspace, k)
		solvers[k] = r.newSolver(g, n, loss, j.Norm(r.indefinite()), gap)
		j.Add(solvers[k])
	}
	if r.Options.startsDouble() { // also of machines that an interrupt leaves as they are
		for _, s := range solvers {
			if err := s.Widen(ctx); err != nil {
				return nil, "", err
			}
		}
	}
	r.doing("what was in hand took longer than the time that was left")
	stop := r.stop(ctx, 1)
	drive := func(ctx context.Context, k int, s *chunking.Solver, gap float64, trusting bool) (chunking.Status, error) {
		s.Refine(gap)
		precision := r.Options.Solver.Precision
		if !trusting && precision == chunking.Auto && r.Options.Solver.Gap < chunking.WidenBelow {
			precision = chunking.Double // the gap of the whole asks for it, whatever that of this machine is
		}
		limits := chunking.Limits{Trusting: trusting, Iterations: r.Options.Limits.Iterations, Precision: precision, Stop: stop, Record: func(p chunking.Progress) error { return r.checkFinite(s, p) }}
		return chunking.NewDriver(s, limits).Run(ctx)
	}
	round := func() error {
		r.result.Iterations, r.result.Gradient = 0, gradient.Stats{}
		p := chunking.Progress{Certificate: j.Certificate()}
		for k, s := range solvers {
			q := s.Progress()
			p.Active, p.Double = max(p.Active, q.Active), p.Double || q.Double
			p.Iteration += q.Iteration
			r.result.Gradient = r.result.Gradient.And(grads[k].Stats())
		}
		r.result.Iterations = p.Iteration
		return r.tell(p, r.result.Gradient, place{}, r.Options.Solver.Gap)
	}
	status, err = j.Run(r.hard, drive, round)
	if err != nil {
		return nil, "", err
	}
	if err := round(); err != nil {
		return nil, "", err
	}
	r.result.Moves = j.Moves()
	machines := make([]model.Machine, len(solvers))
	for k, solver := range solvers {
		s := &solved{problem: problem{norm: j.Norm(r.indefinite()), rows: every}, solver: solver, solution: solver.Solution()}
		machines[k] = *r.machineOf(d, k, s, solver.Double())
		// Where all have converged together, a machine without a step has needed none.
		untrained := machines[k].Untrained(r.Options.Solver.Gap) && status != chunking.Converged
		r.warnMachine(s, s.solution.Theta, d.name(k), untrained)
	}
	if err := drop(); err != nil { // the model takes memory of its own
		return nil, "", err
	}
	r.LimitHeap(r.Options.Budget.Memory)
	m, err = r.modelOfSeveral(d, machines)
	if err == nil {
		m.OneTheta, m.Certificate = true, jointCertificate(j.Certificate(), machines)
	}
	return m, status, err
}

// jointCertificate is the certificate of all machines together.
func jointCertificate(c chunking.Certificate, machines []model.Machine) model.Certificate {
	joint := model.Certificate{Kind: ProvenGap, Primal: c.Primal, Dual: c.Dual, RelativeGap: c.RelativeGap}
	if slices.ContainsFunc(machines, func(a model.Machine) bool { return a.Certificate.Kind == Stationary }) {
		joint.Kind = Stationary
	}
	return joint
}
