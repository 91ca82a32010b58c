package train

import (
	"context"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"

	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/mmap"
	"bigmkl/predict"
)

// A start changes where a training begins and not where it ends. Any dual variables serve: those of
// points that are unknown to the model are 0, and the solver brings the sum to what the constraint
// asks for. A variable that was at its bound is set to infinity, and the solver lowers it to the
// bound that its point has in this run. Bounds may differ, since C and the weights may.

// startOf returns the model whose dual variables classifier k starts from, or nil.
func (o *Options) startOf(k int) *predict.Model {
	if k < len(o.starts) {
		return o.starts[k]
	}
	return o.Init
}

// pick returns the dual variables of some rows; nil names all.
func pick(alpha []float64, rows []int32) []float64 {
	if rows == nil {
		return alpha
	}
	own := make([]float64, len(rows))
	for k, i := range rows {
		own[k] = alpha[i]
	}
	return own
}

// startFrom returns the dual variables of a model on the rows of this run. It looks for a support
// vector at the row where it was, and then among all rows by its features. Rows may therefore have
// been added, dropped or shuffled since. The model file must not change meanwhile.
func (r labelledRows) startFrom(ctx context.Context, m *predict.Model) (alpha []float64, err error) {
	err = m.Guard(func() error {
		alpha, err = r.matchVectors(ctx, m)
		return err
	})
	return alpha, err
}

// matchVectors does the work of startFrom. Its caller guards the file of the model, from which
// support vectors are read.
func (r labelledRows) matchVectors(ctx context.Context, m *predict.Model) ([]float64, error) {
	if m.Task != r.problem.Task {
		return nil, fail.New(fail.Usage, "the model to start from is of task %s, the run of %s",
			m.Task, r.problem.Task)
	}
	alpha := make([]float64, r.store.Len())
	defer liftBounds(m, alpha)
	// A model of precomputed kernels has no features to compare: the numbers of its rows must do.
	if !m.HasVectors() {
		for k, i := range m.Support {
			if int(i) < len(alpha) {
				alpha[i] = m.Alpha[k]
			}
		}
		return alpha, nil
	}
	if !m.Occurring.Equal(r.store.Occurring()) {
		return nil, fail.New(fail.Input, "other features occur in the rows than in those of the model to "+
			"start from").WithHint("train without a start")
	}
	if m.Features > r.store.Dim() {
		return nil, fail.New(fail.Input,
			"the model to start from has %d features, the data have %d",
			m.Features, r.store.Dim())
	}
	row, wanted := make([]float32, r.store.Dim()), make([]float32, r.store.Dim())
	// moved holds the support vectors that are at other rows, by the hash of their features.
	var moved map[uint64][]int
	for k, i := range m.Support {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		clear(wanted) // Features that the model does not know are 0 in its vectors.
		m.Row(k, wanted[:m.Features])
		if int(i) < len(alpha) {
			r.store.Row(int(i), row)
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
	// One pass over the rows finds the rest. A hash is enough here: a false match would only be a
	// worse start. Vectors with equal features are assigned in the order of the rows.
	for i := 0; moved != nil && i < len(alpha); i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.store.Row(i, row)
		h := hashRow(row)
		if left := moved[h]; len(left) > 0 && alpha[i] == 0 && r.matchesLabel(i, m.Alpha[left[0]]) {
			alpha[i], moved[h] = m.Alpha[left[0]], left[1:]
		}
	}
	return alpha, nil
}

// matchesLabel reports whether a dual variable can belong to point i. In tasks of two classes it has the
// sign of the label or of the soft label; elsewhere both signs are possible.
func (r labelledRows) matchesLabel(i int, alpha float64) bool {
	return !model.ByMargin(r.problem.Task) || (alpha > 0) == r.isPositive(i)
}

// liftBounds sets dual variables that were at a bound of the model to infinity. If the rows of the
// model had weights or posteriors, its bounds are unknown, and the variables stay as they are. So do
// those of tasks that have no bounds, or bounds that depend on the number of points.
func liftBounds(m *predict.Model, alpha []float64) {
	if m.RowWeights || m.Posteriors != nil || !model.Bounded(m.Task, m.Loss) {
		return
	}
	above, below := m.PositiveWeight, m.NegativeWeight
	if m.Tau != 0 {
		above, below = model.Sides(m.Task, m.Tau)
	}
	for i, a := range alpha {
		if a >= m.C*above {
			alpha[i] = math.Inf(1)
		}
		if -a >= m.C*below {
			alpha[i] = math.Inf(-1)
		}
	}
}

// hashRow returns a hash of the bits of the features. The features 0 and -0 differ in it.
func hashRow(row []float32) uint64 {
	return xxhash.Sum64(mmap.Bytes(row))
}
