package bigmkl

import (
	"math"
	"slices"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"bigmkl/internal/fail"
)

// warmStart gives the dual variables of a model on the rows of this run. A support vector is looked for at the row where it
// was, then by its features, so that rows may have been added, dropped or shuffled since. What stood at its bound starts at
// the bound that it has now.
func (t *training) warmStart(m *Model) ([]float64, error) {
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
		clear(wanted)
		copy(wanted, m.Vector(k))
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
		t.store.Row(i, row)
		h := hashRow(row)
		if left := moved[h]; len(left) > 0 && alpha[i] == 0 && (m.Alpha[left[0]] > 0) == (t.y[i] > 0) {
			alpha[i], moved[h] = m.Alpha[left[0]], left[1:]
		}
	}
	return alpha, nil
}

// bind moves dual variables that stood at the bounds of a model beyond all bounds. Where the model's rows had weights, the
// bounds are not known.
func (t *training) bind(m *Model, alpha []float64) {
	if m.RowWeights {
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
	return xxhash.Sum64(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(row))), 4*len(row)))
}
