package train

import (
	"context"
	"math"
	"time"

	"bigmkl/chunking"
	"bigmkl/internal/fail"
	"bigmkl/model"
	"bigmkl/predict"
)

// Rows that were held out of everything are not among those of the workspace: what is prepared for the
// training, scaling, widths, normalisation, gates and centres, has never seen them. Their decision
// values are then predictions of a model.

// TrainModel trains on all rows at one point and returns the model beside what is held, which lists no
// rows. start is as in Train.
func (h *HeldOut) TrainModel(ctx context.Context, point Point, start [][]float64) (*predict.Model, *Held, error) {
	r := newRun(h.workspace.withPoint(point), ctx, time.Now())
	r.hard, r.start = ctx, time.Now()
	if err := h.path.ensureGradients(ctx, r); err != nil {
		return nil, nil, h.workspace.Check(err)
	}
	h.path.last = nil
	held := &Held{Point: point, Status: chunking.Converged}
	var only *solved
	var classifiers []model.Classifier
	for k := range h.Classifiers() {
		var from []float64
		if start != nil {
			from = start[k]
		}
		s, err := h.trainClassifier(ctx, r, held, k, from)
		if err != nil {
			return nil, nil, h.workspace.Check(err)
		}
		if only = s; h.decomposition != nil {
			classifiers = append(classifiers, h.classifierOfAll(r, k, s))
		}
	}
	if h.decomposition == nil && only == nil {
		return nil, nil, fail.New(fail.Input, "the rows of the training are of one class")
	}
	var m *predict.Model
	var err error
	if h.decomposition != nil {
		m, err = r.assembler().modelOfSeveral(h.decomposition, classifiers, nil)
	} else {
		m, err = r.assembler().modelOfOne(only, nil)
	}
	return m, held, h.workspace.Check(err)
}

// classifierOfAll returns classifier k, which was trained on all rows with a cost of 0 for those that
// have no part in it. One that was not trained has no part in decisions.
func (h *HeldOut) classifierOfAll(r *run, k int, s *solved) model.Classifier {
	d := h.decomposition
	if s == nil {
		none := make([]float64, r.Kernels.Len())
		return model.Classifier{Positive: d.pairs[k][0], Negative: d.pairs[k][1], Theta: none, WNorms: none,
			Certificate: model.Certificate{Kind: ProvenGap, RelativeGap: math.Inf(1)}}
	}
	s.rows = make([]int32, h.Store().Len())
	for i := range s.rows {
		s.rows[i] = int32(i)
	}
	return *r.assembler().classifierOf(d, k, s, s.solver.Double())
}
