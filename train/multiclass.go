package train

import (
	"context"

	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/model"
	"bigmkl/predict"
)

// Several machines: one for each class against the rest, each pair of classes or each label. They are
// two-class problems on the same points and kernels, solved one after the other, each as if it were
// alone: to the bit, machine k of one-vs-rest is the model of --positive k. They share what does not
// depend on the classes: reading, packing, median distances, normalisation, the memory of the
// gradients and the cached base rows, which are those of points whatever their class. A machine for a
// pair of classes sees copies of their points alone.

// trainSeveral trains all machines and makes their model.
func (r *run) trainSeveral(ctx context.Context, d *decomposition) (*predict.Model, chunking.Status, error) {
	if err := r.prepareKernels(ctx); err != nil {
		return nil, "", err
	}
	if _, err := r.regularizer(); err != nil { // before the kernels are normalised
		return nil, "", err
	}
	if err := r.prepare(ctx); err != nil {
		return nil, "", err
	}
	r.result.Sides = d.sides(r.Store)
	if r.Options.Problem.OneTheta {
		return r.trainJointly(ctx, d)
	}
	return r.trainInTurn(ctx, d)
}

// trainInTurn trains the machines one after the other.
func (r *run) trainInTurn(ctx context.Context, d *decomposition) (*predict.Model, chunking.Status, error) {
	done, err := r.recall(d)
	if err != nil {
		return nil, "", err
	}
	whole := &gradients{} // of all points, which the machines share; made when the first one asks for them
	defer func() { whole.Close() }()
	total := gradient.Stats{}
	for k := len(done.done); k < len(d.pairs) && ctx.Err() == nil; k++ {
		m, s, err := r.trainMachine(ctx, d, k, whole, done)
		if err != nil && ctx.Err() != nil && r.hard.Err() == nil && isDone(err) {
			break // what comes before its first iteration
		}
		if err != nil {
			return nil, "", err
		}
		total = total.And(s.used)
		done.add(m, s.status, s.solution.Iterations)
	}
	if err := r.addUntrained(ctx, d, done); err != nil {
		return nil, "", err
	}
	r.result.Iterations, r.result.Gradient = done.Iterations, total
	if err := r.release(whole); err != nil {
		return nil, done.Status, err
	}
	m, err := r.modelOfSeveral(d, done.done)
	return m, done.Status, err
}

// trainMachine trains machine k: on the gradients of all points, or on copies of its own points if it
// is over a part of them.
func (r *run) trainMachine(ctx context.Context, d *decomposition, k int, whole *gradients, done *finished) (*model.Machine, *solved, error) {
	norm, err := r.regularizer() // which has a state
	if err != nil {
		return nil, nil, err
	}
	loss, rows := d.problem(r.Workspace, k)
	p := problem{loss: loss, norm: norm, rows: rows}
	s, err := r.trainOn(ctx, whole, p, done)
	if err != nil {
		return nil, nil, err
	}
	m := r.machineOf(d, k, s, s.solver.Double())
	r.warnMachine(s, s.solution.Theta, d.name(k), m.Untrained(r.Options.Solver.Gap))
	return m, s, nil
}

// trainOn trains on gradients of all points, or of copies of the problem's own points.
func (r *run) trainOn(ctx context.Context, whole *gradients, p problem, done *finished) (_ *solved, err error) {
	if len(p.rows) == r.Store.Len() {
		if whole.Gradient == nil {
			g, err := r.hold(r.Store, r.Kernels.Bank)
			if err != nil {
				return nil, err
			}
			*whole = *g
		}
		p.start = r.begin(whole, p.loss, done)
		return r.trainOne(ctx, whole, p, done)
	}
	points, err := r.Store.Select(ctx, r.Options.Budget.Scratch, p.rows)
	if err != nil {
		return nil, err
	}
	defer points.Close()
	g, err := r.hold(points, r.Kernels.Of(p.rows))
	if err != nil {
		return nil, err
	}
	defer func() { // before the points are closed
		if e := g.Close(); err == nil {
			err = e
		}
	}()
	p.start = r.begin(g, p.loss, done)
	return r.trainOne(ctx, g, p, done)
}

// addUntrained adds the machines that the run has not come to as they are before their first iteration,
// without posing their problems: alpha = 0 and the bias that is best then need no gradients.
func (r *run) addUntrained(ctx context.Context, d *decomposition, done *finished) error {
	first, machines := len(done.done), len(d.pairs)
	if first == machines {
		return nil
	}
	r.doing("machines that were never trained were put together")
	norm, err := r.regularizer()
	if err != nil {
		return err
	}
	for k := first; k < machines; k++ {
		if err := r.hard.Err(); err != nil {
			return err
		}
		loss, rows := d.problem(r.Workspace, k)
		s := &solved{problem: problem{loss: loss, rows: rows}}
		s.solution = chunking.New(len(rows), r.Kernels.Len(), loss, norm, nil, r.Options.Solver.Gap, r.Options.Solver.Tuning).Solution()
		done.add(r.machineOf(d, k, s, r.Options.startsDouble()), asked(ctx), 0)
		r.warnOf(d.name(k), neverTrained)
	}
	r.settleWarnings()
	if r.calibration != nil && !r.calibration.stopped {
		r.giveUpCalibration("the run ended before its folds")
	}
	return nil
}

// machineOf is machine k as it was trained. Its support vectors are rows of the data as yet.
func (r *run) machineOf(d *decomposition, k int, s *solved, double bool) *model.Machine {
	m := &model.Machine{
		Positive: d.pairs[k][0], Negative: d.pairs[k][1], Double: double, Theta: s.solution.Theta, WNorms: s.solution.WNorms,
		Bias: s.solution.Certificate.Bias, Certificate: r.certificate(&s.solution),
	}
	for j, x := range s.solution.Alpha {
		if x != 0 {
			m.Support, m.Alpha = append(m.Support, s.rows[j]), append(m.Alpha, x)
		}
	}
	return m
}

// modelOfSeveral makes the model of several machines, which share the support vectors of all.
func (r *run) modelOfSeveral(d *decomposition, machines []model.Machine) (*predict.Model, error) {
	r.doing("the model was put together")
	m := r.frame()
	m.Multiclass, m.Classes, m.Machines = d.kind, d.classes, machines
	if p := &r.Options.Problem; p.ClassWeight != nil {
		for _, name := range d.classes {
			m.ClassWeights = append(m.ClassWeights, p.classWeight(name))
		}
	}
	place := make([]int32, r.Store.Len())
	for k := range machines {
		for _, i := range machines[k].Support {
			place[i] = 1
		}
	}
	for i, used := range place {
		if used != 0 {
			place[i] = int32(len(m.Support))
			m.Support = append(m.Support, int32(i))
		}
	}
	points, err := r.supports(m)
	if err != nil {
		return nil, err
	}
	for k := range machines {
		a := &machines[k]
		for j, i := range a.Support {
			a.Support[j] = place[i]
		}
		m.Double = m.Double || a.Double
		if len(a.Support) == 0 {
			continue // nothing is centred
		}
		a.Bias -= r.moved(points, a.Support, a.Alpha, a.Theta)
	}
	return m, nil
}
