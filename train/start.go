package train

import (
	"context"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"

	"bigmkl/internal/fail"
	"bigmkl/mmap"
	"bigmkl/model"
	"bigmkl/predict"
)

// A start changes where a training begins, not where it ends: any feasible dual variables do, those of
// points that are unknown to the model are 0, and the solver brings their sum to what the constraint
// asks. A variable that stood at its bound is put beyond all bounds, at infinity, which the solver cuts
// down to the bound that the point has in this run.

// startFrom gives the dual variables of a model on the rows of this run. A support vector is looked for at the row where it
// was, then by its features, so that rows may have been added, dropped or shuffled since. What stood at its bound starts at
// the bound that it has now.
func (w *Workspace) startFrom(ctx context.Context, m *predict.Model) (alpha []float64, err error) {
	err = m.Guard(func() error {
		alpha, err = w.matchVectors(ctx, m)
		return err
	})
	return alpha, err
}

// matchVectors is startFrom while the model file is watched over.
func (w *Workspace) matchVectors(ctx context.Context, m *predict.Model) ([]float64, error) {
	if m.Task != w.Options.Problem.Task {
		return nil, fail.New(fail.Usage, "the model to start from is of task %s, the run of %s", m.Task, w.Options.Problem.Task)
	}
	alpha := make([]float64, w.Store.Len())
	defer liftBounds(m, alpha)
	if !m.HasVectors() {
		for k, i := range m.Support {
			if int(i) < len(alpha) {
				alpha[i] = m.Alpha[k]
			}
		}
		return alpha, nil
	}
	if m.Features > w.Store.Dim() {
		return nil, fail.New(fail.Input, "the model to start from has %d features, the data have %d", m.Features, w.Store.Dim())
	}
	row, wanted := make([]float32, w.Store.Dim()), make([]float32, w.Store.Dim())
	var moved map[uint64][]int // support vectors that are not where they were, by their features
	for k, i := range m.Support {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		clear(wanted)
		m.Row(k, wanted[:m.Features])
		if int(i) < len(alpha) {
			w.Store.Row(int(i), row)
			if slices.Equal(row, wanted) {
				alpha[i] = m.Alpha[k]
				continue
			}
		}
		if moved == nil {
			moved = make(map[uint64][]int)
		}
		h := hashRow(wanted)
		moved[h] = append(moved[h], k)
	}
	for i := 0; moved != nil && i < len(alpha); i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.Store.Row(i, row)
		h := hashRow(row)
		if left := moved[h]; len(left) > 0 && alpha[i] == 0 && w.matchesLabel(i, m.Alpha[left[0]]) {
			alpha[i], moved[h] = m.Alpha[left[0]], left[1:]
		}
	}
	return alpha, nil
}

// mayBe tells whether a dual variable may be that of point i: that of a class has the sign of the label.
func (w *Workspace) matchesLabel(i int, alpha float64) bool {
	return w.Options.Problem.Task != model.TaskClass || (alpha > 0) == (w.Store.Labels()[i] == 1)
}

// liftBounds moves dual variables that stood at the bounds of a model beyond all bounds. Where the model's rows had weights, the
// bounds are not known; other tasks have none, or bounds that depend on the number of points.
func liftBounds(m *predict.Model, alpha []float64) {
	if m.RowWeights || !slices.Contains(model.BoundedTasks, m.Task) {
		return
	}
	for i, a := range alpha {
		if bound := m.C * m.PositiveWeight; a >= bound {
			alpha[i] = math.Inf(1)
		}
		if bound := m.C * m.NegativeWeight; -a >= bound {
			alpha[i] = math.Inf(-1)
		}
	}
}

func hashRow(row []float32) uint64 {
	return xxhash.Sum64(mmap.Bytes(row))
}
