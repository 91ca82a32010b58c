package bigmkl

import (
	"context"
	"slices"
	"time"

	"bigmkl/chunking"
	"bigmkl/chunking/loss"
	"bigmkl/gradient"
	"bigmkl/model"
)

// Several machines: one for each class against the rest, each pair of classes or each label. They are two-class problems on the
// same points and kernels, solved one after the other, each as if it were alone: to the bit, machine k of one-against-rest is the
// model of --positive k. They share what does not depend on the classes: reading, packing, median distances, normalisation, the
// memory of the gradients and the cached base rows, which are those of points whatever their class. A machine for a pair of
// classes sees copies of their points alone.

// trainSeveral trains all machines and makes their model.
func (t *training) trainSeveral(ctx context.Context, c *contest) (*Model, error) {
	if err := t.pose(ctx); err != nil {
		return nil, err
	}
	if err := t.prepare(ctx); err != nil {
		return nil, err
	}
	t.result.Sides = c.sides(t.store)
	if t.o.OneTheta {
		return t.jointly(ctx, c)
	}
	t.rivals = &rivals{Machines: len(c.pairs), Status: chunking.Converged}
	if err := t.recall(c); err != nil {
		return nil, err
	}
	stats := gradient.Stats{}
	for k := len(t.rivals.done); k < len(c.pairs) && ctx.Err() == nil; k++ {
		a, err := t.compete(ctx, c, k)
		if err != nil && ctx.Err() != nil && t.hard.Err() == nil && isDone(err) {
			break // what comes before its first iteration
		}
		if err != nil {
			return nil, err
		}
		stats = stats.And(t.result.Gradient)
		t.rivals.add(a, t.outcome, t.result.Iterations)
	}
	if err := t.leave(ctx, c); err != nil {
		return nil, err
	}
	t.outcome, t.result.Iterations, t.result.Gradient = t.rivals.Status, t.rivals.Iterations, stats
	if err := t.release(nil); err != nil {
		return nil, err
	}
	t.doing("the model was put together")
	return t.modelOf(c, t.rivals.done)
}

// leave takes the machines that the run has not come to as they are before their first iteration,
// without posing their problems: alpha = 0 and the bias that is best then need no gradients.
func (t *training) leave(ctx context.Context, c *contest) error {
	first, machines := len(t.rivals.done), len(c.pairs)
	if first == machines {
		return nil
	}
	t.doing("machines that were never trained were put together")
	norm, err := t.regularizer()
	if err != nil {
		return err
	}
	for k := first; k < machines; k++ {
		if err := t.hard.Err(); err != nil {
			return err
		}
		loss, index := t.contested(c, k)
		s := chunking.New(len(index), t.kernels.Len(), loss, norm, nil, t.o.Gap, t.o.Tuning).Solution()
		t.rivals.add(t.machine(c, k, &s, index, t.o.startsDouble()), asked(ctx), 0)
		t.warnOf(c.name(k), neverTrained)
	}
	t.settleWarnings()
	if t.o.Folds != 0 {
		if t.folding == nil {
			t.folding = &folding{}
		}
		if !t.folding.stopped {
			t.giveUp("the run ended before its folds")
		}
	}
	return nil
}

// rivals is how far the training of several machines has come.
type rivals struct {
	Machines   int             `json:"machines"`
	Status     chunking.Status `json:"status"` // of the run, see gravity
	Iterations int             `json:"iterations"`
	Kinds      []string        `json:"kinds"` // certificates of those that are done
	done       []model.Machine // whose support vectors are rows of the data as yet
}

// add takes a machine as done.
func (r *rivals) add(a *model.Machine, ended chunking.Status, iterations int) {
	if gravity(ended) > gravity(r.Status) {
		r.Status = ended
	}
	r.Iterations += iterations
	r.Kinds, r.done = append(r.Kinds, a.Certificate.Kind), append(r.done, *a)
}

// gravity orders the ends of machines: a run ends as the gravest does. Those that come of the clock or the user are graver than
// those of a machine itself, as they leave other machines untrained.
func gravity(s chunking.Status) int {
	return slices.Index([]chunking.Status{chunking.Converged, chunking.Stalled, chunking.IterationLimit, chunking.TimeLimit, chunking.Interrupted}, s)
}

// finished counts the machines that are done; none of a run that has no several.
func (r *rivals) finished() int {
	if r == nil {
		return 0
	}
	return len(r.Kinds)
}

// limited tells whether a limit ended the training of some machine: where it did, a checkpoint goes on.
func (r *rivals) limited() bool {
	return r.Status != chunking.Converged && r.Status != chunking.Stalled
}

// compete trains machine k.
func (t *training) compete(ctx context.Context, c *contest, k int) (*model.Machine, error) {
	var err error
	if t.norm, err = t.regularizer(); err != nil { // which has a state
		return nil, err
	}
	var index []int32
	t.loss, index = t.contested(c, k)
	s, err := t.on(ctx, index)
	if err != nil {
		return nil, err
	}
	return t.competitor(c, k, s, index), nil
}

// contested gives the loss of machine k and the points that it is over.
func (t *training) contested(c *contest, k int) (chunking.Loss, []int32) {
	index, y := c.points(k, t.store.Labels())
	return loss.NewHinge(y, [2]float64{t.o.C, t.o.C}, t.weigh(c, k, index)), index
}

// competitor is machine k as trained on some points.
func (t *training) competitor(c *contest, k int, s *chunking.Solution, index []int32) *model.Machine {
	a := t.machine(c, k, s, index, t.solver.Double())
	together := t.o.OneTheta && t.outcome == chunking.Converged
	t.warnMachine(s.Theta, c.name(k), a.Untrained(t.o.Gap) && !together)
	return a
}

// machine is machine k with a solution over some points.
func (t *training) machine(c *contest, k int, s *chunking.Solution, index []int32, double bool) *model.Machine {
	a := &model.Machine{
		Positive: c.pairs[k][0], Negative: c.pairs[k][1], Double: double, Theta: s.Theta, WNorms: s.WNorms,
		Bias: s.Certificate.Bias, Certificate: t.certificate(s),
	}
	for j, x := range s.Alpha {
		if x != 0 {
			a.Support, a.Alpha = append(a.Support, index[j]), append(a.Alpha, x)
		}
	}
	return a
}

// on trains on some points: all, with the gradients of the machine before if there was one, or copies of a part.
func (t *training) on(ctx context.Context, index []int32) (*chunking.Solution, error) {
	if len(index) < t.store.Len() {
		return t.apart(ctx, index)
	}
	if t.grad == nil {
		if err := t.hold(t.store, t.kernels.Bank); err != nil {
			return nil, err
		}
	}
	t.before = t.grad.Stats()
	return t.optimise(ctx, index)
}

// weigh gives the weights of some points in machine k: those of their rows times those of their classes; nil for 1.
func (t *training) weigh(c *contest, k int, index []int32) []float64 {
	rows := t.store.Weights()
	if rows == nil && t.o.ClassWeight == nil {
		return nil
	}
	r := make([]float64, len(index))
	for j, i := range index {
		r[j] = 1
		if rows != nil {
			r[j] = rows[i]
		}
		if class := t.store.Labels()[i]; c.kind != MultiLabel {
			r[j] *= t.o.classWeight(c.classes[class])
		} else if c.sign(k, class) > 0 {
			r[j] *= t.o.classWeight(c.classes[c.pairs[k][0]])
		}
	}
	return r
}

// apart trains on copies of some points.
func (t *training) apart(ctx context.Context, index []int32) (*chunking.Solution, error) {
	points, err := t.store.Select(ctx, t.budgets.Scratch, index)
	if err != nil {
		return nil, err
	}
	defer points.Close()
	if err := t.hold(points, t.kernels.Of(index)); err != nil {
		return nil, err
	}
	t.before = gradient.Stats{}
	s, err := t.optimise(ctx, index)
	if e := t.grad.Close(); err == nil { // before the points are
		err = e
	}
	t.grad = nil
	return s, err
}

// modelOf makes the model of several machines, which share the support vectors of all.
func (t *training) modelOf(c *contest, machines []model.Machine) (*Model, error) {
	m := t.frame()
	m.Multiclass, m.Classes, m.Machines = c.kind, c.classes, machines
	if t.o.ClassWeight != nil {
		for _, name := range c.classes {
			m.ClassWeights = append(m.ClassWeights, t.o.classWeight(name))
		}
	}
	place := make([]int32, t.store.Len())
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
	points, err := t.supports(m)
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
		a.Bias -= t.moved(points, a.Support, a.Alpha, a.Theta)
	}
	return m, nil
}

// deadline is when the training in hand has had its share of the time that is left to all machines.
func (t *training) deadline(now time.Time) time.Time {
	left := t.o.MaxTime - now.Sub(t.began)
	return now.Add(left / time.Duration(t.left()))
}

// left is the number of machines that are not done.
func (t *training) left() int {
	if t.rivals == nil {
		return 1
	}
	return t.rivals.Machines - len(t.rivals.done)
}
