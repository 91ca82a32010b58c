package train

import (
	"context"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/kernels"
	"bigmkl/mmap"
	"bigmkl/predict"
)

// A model has no rows but its support vectors. Its solution depends on these: without any other
// row it would be the same one. A trainer that begins with them has the solution of the model, and
// forgets only rows that the model did not need.

// ContinueTrainer returns a trainer whose first rows are the support vectors of a model, with its
// dual variables, scaling, widths and normalisation. Options have to have the task and the kernels
// of the model. Models that CheckVectors rejects are of class fail.Usage.
func ContinueTrainer(ctx context.Context, m *predict.Model, o Options) (*Trainer, error) {
	t, err := NewTrainer(o)
	if err != nil {
		return nil, err
	}
	if err := CheckVectors(&m.Model); err != nil {
		return nil, err
	}
	specs, err := kernels.Specs(o.Kernels.Specs, o.Data.viewsOfKernels(), o.Data.Sequences)
	if err != nil {
		return nil, err
	}
	if m.Task != o.Problem.Task || !slices.Equal(m.Kernels, specs) ||
		m.Normalization.Kind != o.Kernels.Normalize {
		return nil, fail.New(fail.Usage,
			"a model of other kernels or another task than those of the trainer")
	}
	store, err := vectorStore(ctx, m, t.options.Budget.Scratch)
	if err != nil {
		return nil, err
	}
	t.form = store
	t.workspace = newStreamWorkspace(t.options, store)
	t.given = &kernels.Given{Medians: m.Medians, Normalization: &kernels.Normalization{
		Scale: m.Normalization.Scale, SampleSize: m.Normalization.SampleSize,
		StandardError: m.Normalization.StandardError,
	}}
	// The gradients are computed from alpha by the first fit: a model has none.
	t.each = []*learner{{alpha: slices.Clone(m.Alpha), fits: 1}}
	t.vectors = store.Len()
	t.seen, t.prepared = m.Points, m.Points
	if m.Stream != nil {
		t.seen, t.prepared = m.Stream.Seen, m.Stream.Prepared
	}
	return t, nil
}

// CheckVectors returns an error unless the support vectors of a model can replace its rows. In
// task class the sign of a dual variable is the label of its row, and rows without one are not
// missed. A regression does not know the targets of its support vectors, one class counts its
// rows, and models with row weights do not know the costs.
func CheckVectors(m *model.Model) error {
	switch {
	case m.Several():
		return fail.New(fail.Usage, "the support vectors of several classifiers are no rows of one")
	case !m.HasClasses():
		return fail.New(fail.Usage, "the support vectors of a model of task %s cannot stand for its rows",
			m.Task).WithHint("train on all rows; --init starts from the model")
	case m.Objects != nil:
		return fail.New(fail.Usage, "the rows of the model name objects, which are known before the first row").
			WithHint("train on all rows")
	case m.RowWeights:
		return fail.New(fail.Usage, "a model does not know the weights of its rows").
			WithHint("train on all rows; --init starts from the model")
	case m.Family.Projection() != nil:
		return fail.New(fail.Usage, "the support vectors of a model with a projection have lost the "+
			"features of its rows").WithHint("train on all rows")
	case m.Occurring != nil:
		return fail.New(fail.Usage, "the model numbers the features that occur among %d, and rows to come "+
			"may have others", m.Occurring.Width).WithHint("train on all rows")
	case !m.HasVectors() || len(m.Support) == 0:
		return fail.New(fail.Usage, "the model has no support vectors")
	}
	return nil
}

// vectorStore makes a store of the support vectors of a model, which are scaled already.
func vectorStore(ctx context.Context, m *predict.Model, scratch string) (store *dataset.Store,
	err error) {
	n, d := len(m.Support), m.Features
	image := &dataset.Image{Rows: n, Features: d, Given: d, Sparse: m.Store == dataset.LayoutSparse,
		Classes: []string{m.Negative, m.Positive}, Labels: make([]int32, n),
		Scaling: m.Scaling, Mean: make([]float32, d)}
	// The mean is what centring subtracts. Any vector near the points would do. The mean of the
	// support vectors therefore replaces the mean of the rows, which the model does not record.
	sum := make([]float64, d)
	offset, index, value := []int64{0}, []int32{}, []float32{}
	err = m.Guard(func() error {
		for s := range n {
			if m.Alpha[s] > 0 {
				image.Labels[s] = 1
			}
			m.Each(s, func(j int, x float32) {
				sum[j] += float64(x)
				if image.Sparse && x != 0 {
					index, value = append(index, int32(j)), append(value, x)
				}
			})
			offset = append(offset, int64(len(index)))
		}
		image.Nonzeros = int64(len(index))
		for j := range sum {
			image.Mean[j] = float32(sum[j] / float64(n))
		}
		row := make([]float32, d)
		store, err = dataset.Restore(ctx, scratch, image, func(part int, to []byte) error {
			if image.Sparse {
				copy(to, [][]byte{mmap.Bytes(offset), mmap.Bytes(index), mmap.Bytes(value)}[part])
				return nil
			}
			// A panel holds 32 points, feature by feature.
			panels := mmap.Slice[float32](to)
			for s := range n {
				m.Row(s, row)
				panel := panels[s/dataset.PanelWidth*d*dataset.PanelWidth:]
				for j, x := range row {
					panel[j*dataset.PanelWidth+s%dataset.PanelWidth] = x
				}
			}
			return nil
		})
		return err
	})
	return store, err
}
