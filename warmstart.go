package bigmkl

import (
	"context"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"

	"bigmkl/internal/fail"
	"bigmkl/mmap"
)

// warmStart gives the dual variables of a model on the rows of this run. A support vector is looked for at the row where it
// was, then by its features, so that rows may have been added, dropped or shuffled since. What stood at its bound starts at
// the bound that it has now.
func (t *training) warmStart(ctx context.Context, m *Model) (alpha []float64, err error) {
	err = m.Guard(func() error {
		alpha, err = t.startFrom(ctx, m)
		return err
	})
	return alpha, err
}

func (t *training) startFrom(ctx context.Context, m *Model) ([]float64, error) {
	if m.Task != t.o.Task {
		return nil, fail.New(fail.Usage, "the model to start from is of task %s, the run of %s", m.Task, t.o.Task)
	}
	alpha := make([]float64, t.store.Len())
	defer t.bind(m, alpha)
	if !m.HasVectors() {
		for k, i := range m.Support {
			if int(i) < len(alpha) {
				alpha[i] = m.Alpha[k]
			}
		}
		return alpha, nil
	}
	if m.Features > t.store.Dim() {
		return nil, fail.New(fail.Input, "the model to start from has %d features, the data have %d", m.Features, t.store.Dim())
	}
	row, wanted := make([]float32, t.store.Dim()), make([]float32, t.store.Dim())
	var moved map[uint64][]int // support vectors that are not where they were, by their features
	for k, i := range m.Support {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		clear(wanted)
		m.Row(k, wanted[:m.Features])
		if int(i) < len(alpha) {
			t.store.Row(int(i), row)
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
		t.store.Row(i, row)
		h := hashRow(row)
		if left := moved[h]; len(left) > 0 && alpha[i] == 0 && t.mayBe(i, m.Alpha[left[0]]) {
			alpha[i], moved[h] = m.Alpha[left[0]], left[1:]
		}
	}
	return alpha, nil
}

// mayBe tells whether a dual variable may be that of point i: that of a class has the sign of the label.
func (t *training) mayBe(i int, alpha float64) bool {
	return t.o.Task != TaskClass || (alpha > 0) == (t.store.Labels()[i] == 1)
}

// bind moves dual variables that stood at the bounds of a model beyond all bounds. Where the model's rows had weights, the
// bounds are not known.
func (t *training) bind(m *Model, alpha []float64) {
	if m.RowWeights {
		return
	}
	if m.Task == TaskOneClass || m.Task == TaskSquare {
		return // bounds that depend on the number of points, or none
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
