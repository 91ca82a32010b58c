package command

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/formats"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/train"
)

// openBehindVectors opens the data that a model was trained on, for verify. The first rows of a
// model of train --continue are the support vectors of another model, whose file is then the
// first one of the data. verify needs the raw values, so the scaling of the vectors is undone.
func (p *opener) openBehindVectors(ctx context.Context, m *model.Model, paths []string,
	o formats.Options) (source, error) {
	if m.Stream == nil || m.Stream.Vectors == 0 {
		return p.openData(ctx, paths, o)
	}
	// A data file in this place is not a model. The hint then names the cause.
	old, err := model.Open(paths[0])
	var fault *fail.Error
	if errors.As(err, &fault) {
		return nil, fault.WithHint("the model that train --continue named comes before the data")
	}
	if err != nil {
		return nil, err
	}
	v := &vectorSource{model: old, left: m.Stream.Vectors, row: make([]float32, old.Features)}
	// Vectors of a regression lack their targets, and weighted rows their costs. Such models are rejected.
	err = train.CheckVectors(old)
	switch {
	case err != nil:
		err = atFile(err, paths[0])
	// A model with fewer vectors cannot be the model that was continued.
	case len(old.Support) < v.left:
		err = fail.New(fail.Input, "the model has %d support vectors, %d were rows of the other model",
			len(old.Support), v.left).At(paths[0], 0, 0)
	case len(paths) == 1:
		err = fail.New(fail.Usage, "no data file is named behind the model")
	default:
		v.source, err = p.openData(ctx, paths[1:], o)
	}
	if err != nil {
		old.Close()
		return nil, err
	}
	return v, nil
}

// vectorSource yields the last support vectors of a model as rows, before the rows of another
// source.
type vectorSource struct {
	// The embedded source has the rows that follow the vectors. Its columns and views apply to all rows.
	source
	model *model.Model
	// left counts the vectors that are still to come.
	left  int
	row   []float32
	index []int32
	value []float64
}

// Next returns the next row.
func (v *vectorSource) Next() (dataset.Row, error) {
	if v.left == 0 {
		return v.source.Next()
	}
	// The last vectors are used: a model that was continued itself has older ones in front.
	s := len(v.model.Support) - v.left
	v.left--
	// Guard turns a fault of the mapped file into an error.
	err := v.model.Guard(func() error { v.model.Row(s, v.row); return nil })
	if err != nil {
		return dataset.Row{}, err
	}
	v.index, v.value = v.index[:0], v.value[:0]
	for j, x := range v.row {
		// The scaling is not invertible for every float32. Raw finds a value that is scaled to
		// exactly x, so verify sees the same row as the training.
		raw, ok := v.model.Scaling.Raw(j, x)
		if !ok {
			return dataset.Row{}, fail.New(fail.Corrupt,
				"feature %d of support vector %d is no value of the scaling", j+1, s+1)
		}
		if raw != 0 {
			v.index, v.value = append(v.index, int32(j)), append(v.value, raw)
		}
	}
	// Target is not a number, because only models of two classes can be continued so.
	return dataset.Row{Label: v.label(s), Target: math.NaN(), Weight: 1, Index: v.index,
		Value: v.value}, nil
}

// label returns the label of a support vector, which is the sign of its dual variable. The model has no
// other record of the labels of its vectors.
func (v *vectorSource) label(s int) string {
	m := v.model
	switch {
	// alpha_i y_i is positive for rows of the positive class.
	case m.PositiveLabels == nil && m.Alpha[s] > 0:
		return m.Positive
	case m.PositiveLabels == nil:
		return m.Negative
	case m.Alpha[s] > 0:
		return m.PositiveLabels[0]
	}
	// Any label that is not among the positive ones is negative.
	other := "-1"
	for slices.Contains(m.PositiveLabels, other) {
		other += "1"
	}
	return other
}

// Points implements dataset.PointSource. The rows are not packed.
func (v *vectorSource) Points(context.Context) (*dataset.Points, error) { return nil, nil }

// Width implements dataset.PointSource.
func (v *vectorSource) Width(int) int { return v.model.Features }

// Close closes the model and the other source.
func (v *vectorSource) Close() error {
	err := v.source.Close()
	if e := v.model.Close(); err == nil {
		err = e
	}
	return err
}

var _ io.Closer = (*vectorSource)(nil)
