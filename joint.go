package bigmkl

import (
	"context"
	"errors"
	"slices"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/chunking/rule"
	"bigmkl/gradient"
	"bigmkl/internal/fail"
	"bigmkl/model"
)

// jointly trains all machines with one set of weights. Each keeps its gradients, since the weights of all move many times.
func (t *training) jointly(ctx context.Context, c *contest) (m *Model, err error) {
	if t.kernels.Expanded.Importance() != nil {
		return nil, fail.New(fail.Usage, "prior= and cost= of kernels with one set of weights for all machines")
	}
	n, kernels := t.store.Len(), t.kernels.Len()
	j := rule.NewJoint(t.held(), t.o.Gap)
	var grads []*gradient.Gradient
	drop := func() (err error) {
		for _, g := range grads {
			err = errors.Join(err, g.Close())
		}
		grads = nil
		return err
	}
	defer func() { err = errors.Join(err, drop()) }()
	solvers := make([]*chunking.Solver, len(c.pairs))
	var every []int32
	widened := func() { t.limitHeap(t.plan.Heap(budget.Double)) }
	part := t.planned()
	t.limitHeap(t.plan.Heap(budget.Single))
	t.doing("the machines were made ready")
	for k := range c.pairs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g, err := gradient.New(t.store, t.kernels.Bank, part)
		if err != nil {
			return nil, err
		}
		grads = append(grads, g)
		var loss chunking.Loss
		loss, every = t.contested(c, k)
		solvers[k] = chunking.New(n, kernels, loss, j.Norm(t.indefinite()), &timed{g, &t.result.Times, widened}, t.o.Gap, t.o.Tuning)
		j.Add(solvers[k])
	}
	if t.o.startsDouble() { // also of machines that an interrupt leaves as they are
		for _, s := range solvers {
			if err := s.Widen(ctx); err != nil {
				return nil, err
			}
		}
	}
	t.doing("what was in hand took longer than the time that was left")
	stop := t.stop(ctx)
	drive := func(ctx context.Context, k int, s *chunking.Solver, gap float64, trusting bool) (chunking.Status, error) {
		s.Refine(gap)
		t.solver = s
		precision := chunking.Precision(t.o.Precision)
		if !trusting && precision == chunking.Auto && t.o.Gap < chunking.WidenBelow {
			precision = chunking.Double // the gap of the whole asks for it, whatever that of this machine is
		}
		limits := chunking.Limits{Trusting: trusting, Iterations: t.o.MaxIterations, Precision: precision, Stop: stop, Record: t.sound}
		return chunking.NewDriver(s, limits).Run(ctx)
	}
	round := func() error {
		t.result.Iterations, t.result.Gradient = 0, gradient.Stats{}
		p := chunking.Progress{Certificate: j.Certificate()}
		for k, s := range solvers {
			q := s.Progress()
			p.Active, p.Double = max(p.Active, q.Active), p.Double || q.Double
			p.Iteration += q.Iteration
			t.result.Gradient = t.result.Gradient.And(grads[k].Stats())
		}
		t.result.Iterations = p.Iteration
		return t.tell(p, t.result.Gradient)
	}
	status, err := j.Run(t.hard, drive, round)
	if err != nil {
		return nil, err
	}
	if err := round(); err != nil {
		return nil, err
	}
	t.outcome, t.result.Moves = status, j.Moves()
	machines := make([]model.Machine, len(solvers))
	for k, s := range solvers {
		t.solver, t.norm = s, j.Norm(t.indefinite())
		solution := s.Solution()
		machines[k] = *t.competitor(c, k, &solution, every)
	}
	if err := drop(); err != nil { // the model takes memory of its own
		return nil, err
	}
	if err := t.release(nil); err != nil {
		return nil, err
	}
	t.doing("the model was put together")
	m, err = t.modelOf(c, machines)
	if err == nil {
		m.OneTheta, m.Certificate = true, t.proof(j.Certificate(), machines)
	}
	return m, err
}

// proof is the certificate of all machines together.
func (t *training) proof(c chunking.Certificate, machines []model.Machine) model.Certificate {
	r := model.Certificate{Kind: provenGap, Primal: c.Primal, Dual: c.Dual, RelativeGap: c.RelativeGap}
	if slices.ContainsFunc(machines, func(a model.Machine) bool { return a.Certificate.Kind == stationary }) {
		r.Kind = stationary
	}
	return r
}

// checkOneTheta finds what one set of weights for all machines does not go with.
func (o *Options) checkOneTheta(check func(ok bool, format string, args ...any)) {
	if !o.OneTheta {
		return
	}
	check(o.Multiclass == OneVsRest || o.Multiclass == MultiLabel, "one set of weights is for the machines of ovr or labels")
	check(o.Norm <= 2, "p = %g with one set of weights: above 2 they are to make the value largest, and those that stay between steps find where it is least", o.Norm)
	check(o.Regularizer.alternatives() == 0, "one set of weights is for the block norm alone")
	check(o.Folds == 0, "probabilities from folds that were held out of all machines together, as one set of weights has them")
	check(o.Checkpoint == "", "checkpoints hold the state of one machine after the other, and none of all together")
}
