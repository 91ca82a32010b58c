package verify

import (
	"math"

	"bigmkl/internal/model"
)

// totals are the sums over all rows, for each classifier, and for each classifier and kernel.
type totals struct {
	rows   int    // rows with a part in some loss
	losses []loss // of each classifier

	// These are classifiers x kernels.
	v        []neumaier // V_m
	sizes    []float64  // the sum of the absolute values of the terms of V_m
	energies []float64  // of a sample: sum |alpha_s| g_m(x_s)^2, for the standard error of V_m

	slope []slopeTotals // of each set of gates
	wing  wingSums      // that the wing has; nil if it has none
}

// newTotals returns sums that are 0.
func newTotals(classifiers, kernels int) *totals {
	n := classifiers * kernels
	return &totals{losses: make([]loss, classifiers), v: make([]neumaier, n), sizes: make([]float64, n),
		energies: make([]float64, n)}
}

// addTotals adds the sums of another batch, which has no V_m or no energies where it has no support
// vectors. Batches have to be added in the order of their rows, or the last bits of the sums change.
func (t *totals) addTotals(o *totals) {
	t.rows += o.rows
	for k := range o.losses {
		t.losses[k].addSum(&o.losses[k])
	}
	for i := range o.v {
		t.v[i].addSum(o.v[i])
		t.sizes[i] += o.sizes[i]
	}
	for i, x := range o.energies {
		t.energies[i] += x
	}
	for k := range o.slope {
		t.slope[k].addTotals(&o.slope[k])
	}
	if o.wing != nil {
		t.wing.addSums(o.wing)
	}
}

// ofClassifier returns the totals of classifier k. They share their memory with t.
func (t *totals) ofClassifier(k int) *totals {
	n := len(t.v) / len(t.losses)
	from, to := k*n, (k+1)*n
	return &totals{t.rows, t.losses[k : k+1], t.v[from:to], t.sizes[from:to], t.energies[from:to],
		t.slope, nil}
}

// loss is the sum of the losses of a classifier.
type loss struct {
	sum     neumaier
	slack   neumaier // by how much the errors conceded to the decision values move the sum
	squares float64  // the sum of the squared losses, for the standard error of a sample
	rows    int

	// costs is the sum of c max(1, |y|), where an upper bound counts as y. A loss is c times a difference of y f and 1, or of y and
	// f: however small it comes out, it is rounded in proportion to this.
	costs float64
}

// addRow adds the loss of a row at the decision value f, which may be off by rough in both
// directions. Both ends are evaluated, because a loss that vanishes at f need not do so at f +
// rough.
func (l *loss) addRow(m *model.Model, p role, f, rough float64) {
	x := lossOf(m, &p, f)
	l.sum.add(x)
	l.squares += x * x
	l.costs += p.cost * max(1, math.Abs(p.y), p.upper)
	for _, off := range [2]float64{rough, -rough} {
		l.slack.add(math.Abs(lossOf(m, &p, f+off) - x))
	}
	l.rows++
}

// addSum adds the sums of another batch of rows.
func (l *loss) addSum(o *loss) {
	l.sum.addSum(o.sum)
	l.slack.addSum(o.slack)
	l.squares += o.squares
	l.costs += o.costs
	l.rows += o.rows
}
