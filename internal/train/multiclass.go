package train

import (
	"context"

	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// Several classifiers: one for each class against the rest, each pair of classes or each label.
// They are two-class problems on the same points and kernels. They are solved one after the other,
// and each as if it were alone: classifier k of one-vs-rest is, bit for bit, the model of
// --positive k.
//
// The classifiers share what does not depend on the classes: reading, packing, median distances,
// normalisation, the memory of the gradients, and cached base rows. A classifier for a pair of
// classes works on copies of the points of these two. Its gradients are therefore as short as its
// problem.

// turns trains classifiers one after the other.
type turns struct {
	*classifierTrainer
	d    *decomposition
	done *finished
	// whole holds the gradients of all points, which classifiers share. The first classifier that
	// is over all points fills it; classifiers of pairs never do.
	whole gradients
}

// train trains the classifiers one after the other. Classifiers that a checkpoint holds as finished
// are not trained again. If the run is asked to end, the classifier in progress ends as it then is,
// and those after it stay untrained; the model contains all of them.
func (t *turns) train(ctx context.Context) (_ *predict.Model, _ chunking.Status, err error) {
	if t.done, err = t.checkpoints.restoreClassifiers(t.run, t.d); err != nil {
		return nil, "", err
	}
	d, done := t.d, t.done
	shared, total := t.gates, gradient.Stats{}
	defer func() { t.whole.Close() }()
	for k := len(done.done); k < len(d.pairs) && ctx.Err() == nil; k++ {
		m, s, err := t.classifier(ctx, k)
		own := t.gates
		t.gates = shared
		if err != nil && ctx.Err() != nil && t.hard.Err() == nil && isDone(err) {
			break // It was asked to end before its first iteration, and stays untrained.
		}
		if err != nil {
			return nil, "", err
		}
		total = total.And(s.used)
		done.addClassifier(m, s.status, s.solution.Iterations)
		done.takeClassifier(own)
	}
	if err := t.addUntrained(ctx); err != nil {
		return nil, "", err
	}
	t.result.Iterations, t.result.Gradient = done.Iterations, total
	if len(done.Each) == len(done.done) {
		t.result.Each = done.Each
	}
	if err := t.releaseGradients(&t.whole); err != nil {
		return nil, done.Status, err
	}
	t.gates.setClassifiers(done.gates)
	m, err := t.assembler().modelOfSeveral(d, done.done, t.calibration)
	return m, done.Status, err
}

// classifier trains classifier k and returns it as a part of the model and as a solved problem.
func (t *turns) classifier(ctx context.Context, k int) (*model.Classifier, *solved, error) {
	norm, err := t.norms().regularizer()
	if err != nil {
		return nil, nil, err
	}
	loss, rows := t.d.problem(t.Workspace, k)
	p := problem{loss: loss, norm: norm, rows: rows}
	t.gates = t.gates.ofClassifier(rows)
	s, err := t.problem(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	m := t.assembler().classifierOf(t.d, k, s, s.solver.Double())
	t.doubts().classifier(s, s.solution.Theta, t.d.classifierName(k), m.Untrained(t.Options.Solver.Gap))
	return m, s, nil
}

// problem trains one problem of several: on the gradients of all points if it is over all of
// them, and otherwise on gradients of copies of its own points.
func (t *turns) problem(ctx context.Context, p problem) (_ *solved, err error) {
	if len(p.rows) == t.Store.Len() {
		if t.whole.Gradient == nil {
			g, err := t.makeGradients(t.Store, nil)
			if err != nil {
				return nil, err
			}
			t.whole = *g
		}
		p.start = t.makeStart(&t.whole, p, t.done)
		return t.trainOne(ctx, &t.whole, p, t.done)
	}
	points, err := t.Store.Select(ctx, t.Options.Budget.Scratch, p.rows)
	if err != nil {
		return nil, err
	}
	defer points.Close()
	g, err := t.makeGradients(points, p.rows)
	if err != nil {
		return nil, err
	}
	defer func() { // The gradients are over the points, and have to be closed before them.
		if e := g.Close(); err == nil {
			err = e
		}
	}()
	p.start = t.makeStart(g, p, t.done)
	return t.trainOne(ctx, g, p, t.done)
}

// addUntrained adds the classifiers that the run did not come to, as they are before their first
// iteration. At alpha = 0 the best bias needs no gradients. Thousands of classifiers therefore
// take neither time nor memory.
func (t *turns) addUntrained(ctx context.Context) error {
	d, done := t.d, t.done
	first, classifiers := len(done.done), len(d.pairs)
	if first == classifiers {
		return nil
	}
	t.setOperation("classifiers that were never trained were put together")
	norm, err := t.norms().regularizer()
	if err != nil {
		return err
	}
	for k := first; k < classifiers; k++ {
		if err := t.hard.Err(); err != nil {
			return err
		}
		loss, rows := d.problem(t.Workspace, k)
		s := &solved{problem: problem{loss: loss, rows: rows}}
		s.solution = chunking.New(len(rows), t.Kernels.Len(), loss, norm, nil,
			t.Options.Solver.Gap, t.Options.Solver.Tuning).Solution()
		done.addClassifier(t.assembler().classifierOf(d, k, s, t.Options.startsDouble()), askedStatus(ctx), 0)
		done.takeClassifier(t.gates.ofClassifier(rows))
		t.doubts().add(d.classifierName(k), neverTrained)
	}
	t.word()
	if t.calibration != nil && !t.calibration.stopped {
		t.calibration.giveUp(t.run, "the run ended before its folds")
	}
	return nil
}
