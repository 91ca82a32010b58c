package train

import (
	"context"
	"math"
	"slices"
	"time"

	"bigmkl/chunking"
	"bigmkl/internal/loss"
	"bigmkl/internal/model"
)

// heldTraining is a training without some rows at one point, classifier by classifier.
type heldTraining struct {
	*run          // at the point
	data          *Workspace
	decomposition *decomposition
	grad          *gradients
	start         [][]float64 // dual variables of each classifier; nil for zeros
	settings      settings
	held          *Held // what the classifiers so far have come to
}

// trainingAt begins a training at a point.
func (h *HeldOut) trainingAt(ctx context.Context, out []int32, point Point, start [][]float64) (*heldTraining, error) {
	r := newRun(h.workspace.withPoint(point), ctx, time.Now())
	if err := h.path.ensureGradients(ctx, r); err != nil {
		return nil, err
	}
	h.path.last = nil
	return &heldTraining{run: r, data: h.workspace, decomposition: h.decomposition, grad: h.path.grad, start: start, settings: settings{h.tuning},
		held: &Held{Point: point, Rows: out, Status: chunking.Converged}}, nil
}

// train trains classifier k and adds it to what is held. It returns nil where there was nothing to
// train.
func (t *heldTraining) train(ctx context.Context, k int) (*solved, error) {
	held, n := t.held, t.Store.Len()
	rest, value, err := t.lossWithout(ctx, k)
	if err != nil {
		return nil, err
	}
	decisions := make([]float64, len(held.Rows))
	held.Decisions = append(held.Decisions, decisions)
	if rest == nil {
		for j := range decisions {
			decisions[j] = value
		}
		held.Untrained = append(held.Untrained, k)
		held.Alpha = append(held.Alpha, make([]float64, n))
		held.Norms = append(held.Norms, make([]float64, t.Kernels.Len()))
		held.Certificates, held.Each = append(held.Certificates, chunking.Certificate{}), append(held.Each, 0)
		return nil, nil
	}
	norm, err := t.norms().regularizer()
	if err != nil {
		return nil, err
	}
	p := problem{loss: rest, norm: norm, gap: t.Options.Solver.Gap, at: place{classifier: k}}
	if t.decomposition != nil {
		p.at.classifiers = len(t.decomposition.pairs)
	}
	var start []float64
	if t.start != nil {
		start = t.start[k]
	}
	p.set = t.settings.setFor(t.Options.Solver.Tuning, start)
	if _, ok := rest.(chunking.Differences); ok {
		start = nil
	}
	p.start = func(ctx context.Context, s *chunking.Solver, _ *chunking.Driver) error {
		return t.startAfresh(ctx, s, start)
	}
	// ctx also cuts iterations: nobody waits for the model of a training without some rows.
	s, err := t.solve(ctx, ctx, t.grad, p)
	t.grad.used = true
	if err != nil {
		return nil, err
	}
	found := s.solver.Decisions()
	for j, i := range held.Rows {
		decisions[j] = found[i]
	}
	alpha := liftedAlpha(s)
	if alpha == nil {
		alpha = make([]float64, n)
	}
	held.Alpha = append(held.Alpha, alpha)
	held.Norms = append(held.Norms, s.solution.WNorms)
	held.Certificates, held.Each = append(held.Certificates, s.solution.Certificate), append(held.Each, s.solution.Iterations)
	held.Iterations += s.solution.Iterations
	held.Gap = max(held.Gap, s.solution.Certificate.RelativeGap)
	held.Status = moreSevere(held.Status, s.status)
	return s, nil
}

// lossWithout returns the loss of classifier k without some rows. If the other rows are of one
// class alone, it is nil, and value is the decision value that this class gives every row.
func (t *heldTraining) lossWithout(ctx context.Context, k int) (rest chunking.Loss, value float64, err error) {
	out := make([]int, len(t.held.Rows))
	for j, i := range t.held.Rows {
		out[j] = int(i)
	}
	var whole chunking.Loss
	if d := t.decomposition; d != nil {
		whole = d.wholeLoss(t.Workspace, k)
	} else if whole, err = t.labelled().loss(); err != nil {
		return nil, 0, err
	}
	if l, ok := whole.(loss.Regression); ok {
		return l.Without(out), 0, nil
	}
	hinge, positive, negative, err := t.data.certainty().lossWithout(ctx, whole.(loss.TwoClass), out)
	if err != nil {
		return nil, 0, err
	}
	if positive && negative {
		return hinge, 0, nil
	}
	return nil, valueOfOneClass(positive, negative), nil
}

// classifierOfAll returns classifier k, which was trained on all rows with a cost of 0 for the rows
// that it does not use. A classifier that was not trained does not enter decisions.
func (t *heldTraining) classifierOfAll(k int, s *solved) model.Classifier {
	d := t.decomposition
	if s == nil {
		none := make([]float64, t.Kernels.Len())
		return model.Classifier{Positive: d.pairs[k][0], Negative: d.pairs[k][1], Theta: none, WNorms: none,
			Certificate: model.Certificate{Kind: ProvenGap, RelativeGap: math.Inf(1)}}
	}
	s.rows = allRows(t.Store)
	return *t.assembler().classifierOf(d, k, s, s.solver.Double())
}

// wholeLoss returns the loss of classifier k over all rows of the data. Rows that it does not use
// have a cost of 0.
func (d *decomposition) wholeLoss(w *Workspace, k int) chunking.Loss {
	if d.taus != nil {
		return d.lossOfTau(w, k)
	}
	index, y := d.classifierPoints(k, w.Store.Labels())
	weights := d.pointWeights(w, k, index)
	p := &w.Options.Problem
	cost := [2]float64{p.C, p.C}
	n := w.Store.Len()
	if len(index) == n {
		return loss.OfClasses(p.Task, p.Loss, y, cost, weights)
	}
	all, labels := make([]float64, n), slices.Repeat([]int8{1}, n)
	for j, i := range index {
		labels[i], all[i] = y[j], 1
		if weights != nil {
			all[i] = weights[j]
		}
	}
	return loss.OfClasses(p.Task, p.Loss, labels, cost, all)
}

// liftedAlpha returns the dual variables of a training, infinite where they are at a bound: a
// training with another cost then starts with them at the bound that they have there. Those of pairs of points, which are others without
// other points, start at 0: it is nil.
func liftedAlpha(s *solved) []float64 {
	if s.solution.Pairs != nil {
		return nil
	}
	alpha := slices.Clone(s.solution.Alpha)
	for i, x := range alpha {
		switch low, high := s.loss.Box(i); {
		case x > 0 && x >= high:
			alpha[i] = math.Inf(1)
		case x < 0 && x <= low:
			alpha[i] = math.Inf(-1)
		}
	}
	return alpha
}
