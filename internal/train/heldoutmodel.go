package train

import (
	"context"

	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// Rows that were held out of everything are not rows of the workspace. The preparation of the training
// has never seen them: scaling, widths, normalisation, gates and centres. Their decision values are
// then predictions of a model.

// TrainModel trains on all rows at one point and returns the model beside what is held, which lists no
// rows. start is as in Train.
func (h *HeldOut) TrainModel(ctx context.Context, point Point, start [][]float64) (*predict.Model, *Held, error) {
	t, err := h.trainingAt(ctx, nil, point, start)
	if err != nil {
		return nil, nil, h.workspace.Check(err)
	}
	var only *solved
	var classifiers []model.Classifier
	for k := range h.Classifiers() {
		s, err := t.train(ctx, k)
		if err != nil {
			return nil, nil, h.workspace.Check(err)
		}
		if only = s; h.decomposition != nil {
			classifiers = append(classifiers, t.classifierOfAll(k, s))
		}
	}
	if h.decomposition == nil && only == nil {
		return nil, nil, fail.New(fail.Input, "the rows of the training are of one class")
	}
	var m *predict.Model
	if h.decomposition != nil {
		m, err = t.assembler().modelOfSeveral(h.decomposition, classifiers, nil)
	} else {
		m, err = t.assembler().modelOfOne(only, nil)
	}
	return m, t.held, h.workspace.Check(err)
}
