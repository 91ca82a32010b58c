package train

import (
	"context"

	"bigmkl/chunking"
	"bigmkl/internal/budget"
	"bigmkl/internal/loss"
	"bigmkl/predict"
)

// One classifier for all classes (Weston and Watkins 1999; Gönen 2010, equations 1.9 to 1.11) has a
// function and a bias for each class, one set of weights, and one loss in which the function of a
// row's own class is held against each other. Package loss has the loss, and package chunking the
// solver: a row of kernel values serves the columns of all classes.

// singleWing is the wing of one classifier for all classes.
type singleWing struct{ plainWing }

func (singleWing) traits(*Problem) wingTraits {
	return wingTraits{name: "one classifier for all classes",
		stream: "one classifier for all classes, whose dual variables depend on each other", classColumns: true}
}

func (singleWing) account(_ *Options, e *Extent, r *budget.Run) {
	r.Columns, r.Contrasts, r.Several = true, true, e.several
}

func (singleWing) train(ctx context.Context, t *classifierTrainer) (*predict.Model, chunking.Status, error) {
	return t.trainDecomposed(ctx, func(ctx context.Context, d *decomposition) (*predict.Model, chunking.Status, error) {
		return (&columnsTrainer{t, d}).trainSingle(ctx)
	})
}

// trainSingle trains the classifier and makes a model of it, in which every column is a classifier
// of its class against the rest. Each has the certificate of the whole: there is none of a column
// alone.
func (t *columnsTrainer) trainSingle(ctx context.Context) (
	*predict.Model, chunking.Status, error) {
	norm, err := t.norms().regularizer()
	if err != nil {
		return nil, "", err
	}
	g, err := t.makeGradients(t.Store, nil)
	if err != nil {
		return nil, "", err
	}
	defer g.Close()
	l := loss.NewMulticlass(t.Store.Labels(), len(t.d.classes), t.d.costs(t.Workspace), t.Store.Posteriors())
	s, err := t.trainOne(ctx, g, problem{loss: l, norm: norm, start: t.makeStart(g, problem{loss: l}, nil)}, nil)
	if err != nil {
		return nil, "", err
	}
	found := &columnsSolution{s.solution, s.solver.Decisions(), s.solver.Double()}
	bias, _ := l.Biases(found.decisions)
	classifiers := found.classifiers(t.d, t.Store.Len(), bias, g.ColumnEnergies())
	whole := t.assembler().certificate(&s.solution)
	for c := range classifiers {
		classifiers[c].Certificate = whole
	}
	if err := t.releaseGradients(g); err != nil {
		return nil, s.status, err
	}
	m, err := t.assembler().modelOfSeveral(t.d, classifiers, nil)
	if err != nil {
		return nil, s.status, err
	}
	m.OneTheta, m.Certificate = true, whole
	t.doubts().classifier(s, s.solution.Theta, "", len(m.Support) == 0 && s.status != chunking.Converged)
	return m, s.status, nil
}

// costs returns C_i of each row: C times the weights of the row and of its class.
func (d *decomposition) costs(w *Workspace) []float64 {
	p, weights := &w.Options.Problem, w.Store.Weights()
	costs := make([]float64, w.Store.Len())
	for i, class := range w.Store.Labels() {
		costs[i] = p.C * p.classWeight(d.classes[class])
		if weights != nil {
			costs[i] *= weights[i]
		}
	}
	return costs
}
