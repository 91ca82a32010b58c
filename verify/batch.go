package verify

import (
	"slices"

	"bigmkl/model"
)

// row is a training row to be computed.
type row struct {
	id    int
	x     []float32 // scaled; nil for a model of precomputed kernels
	roles []role    // in the machines for which it is computed
	first int       // place of the first of them in the batch
}

// inNorm tells whether it counts for any V_m.
func (r *row) inNorm() bool {
	return slices.ContainsFunc(r.roles, func(p role) bool { return p.norm != 0 })
}

// batch is a few rows; those that count for V_m come first.
type batch struct {
	rows   []row
	inNorm int
	roles  int // of all rows
}

// batchSize is the number of rows of a batch, of so many that are computed.
func batchSize(m *model.Model, rows int) int {
	return min(max(rows/16, 16), 256, max(1, 1<<24/max(1, m.Features)), max(1, 1<<20/machinesOfRow(m)))
}

// computed bounds the number of rows that are computed.
func computed(m *model.Model, machines, sample int) int {
	if sample == 0 || sample >= m.Points {
		return m.Points
	}
	return min(m.Points, sample+min(sample*machines, len(m.Support)))
}
