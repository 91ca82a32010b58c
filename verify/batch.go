package verify

import (
	"slices"

	"bigmkl/internal/model"
)

// row is a training row that is evaluated.
type row struct {
	id      int         // its number in the data, from 0
	x       []float32   // its features, scaled; nil for a model of precomputed kernels
	gates   [][]float64 // its gates in each set, one for each kernel; nil if there are none
	slope   []*slopeRow // its part of the slope by the gates of each set; nil if it has none
	roles   []role      // those for which it is evaluated
	support int         // its place among the support vectors; -1 for other rows
	first   int         // place of its first role among the roles of the batch
}

// inNorm reports whether the row is a support vector that counts for V_m of some classifier.
func (r *row) inNorm() bool {
	return slices.ContainsFunc(r.roles, func(p role) bool { return p.norm != 0 })
}

// batch is the rows that are evaluated among some consecutive rows of the data. Those that count
// for V_m come first: a kernel without weight is evaluated for them alone.
type batch struct {
	rows   []row
	inNorm int // how many rows count for V_m
	roles  int // roles of all rows
}

// maxBatch is the largest number of rows of a batch.
const maxBatch = 256

// batchSize returns the number of rows of a batch when so many rows are evaluated in all. It
// depends on the problem alone and not on memory or threads, because the last bits of the sums
// depend on it.
func batchSize(m *model.Model, rows int) int {
	return min(max(rows/16, 16), maxBatch,
		max(1, 1<<24/max(1, m.Features)),  // 64 MiB of features
		max(1, 1<<20/classifiersOfRow(m))) // about a million roles
}

// computed returns an upper bound of the number of rows that are evaluated with a sample of that
// size for each classifier: the rows of the losses and the support vectors of the norms.
func computed(m *model.Model, classifiers, size int) int {
	if size == 0 || size >= m.Points {
		return m.Points
	}
	return min(m.Points, size+min(size*classifiers, len(m.Support)))
}

// role is what a row is to one classifier.
type role struct {
	classifier int32
	y          float64 // the target: -1 or 1 for two classes
	upper      float64 // the upper bound of a time, 0 if there is none; see times.go
	cost       float64 // bound of the dual variable and factor of the loss; 0 if the row has no loss
	norm       float64 // factor of g_m(x) in V_m; 0 if the row is not one of its terms
	margin     float64 // of the row's own class against that of the function, in a classifier for all classes
}

// needs reports whether a kernel of weight theta has to be evaluated for the role. A kernel
// without weight counts for the dual value only, where the row is a support vector.
func (p *role) needs(theta float64) bool { return theta != 0 || p.norm != 0 }

// classifiersOfRow returns in how many classifiers each row has a part.
func classifiersOfRow(m *model.Model) int { return wingOf(m).traits(m).ofRow }
