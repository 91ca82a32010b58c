package verify

import (
	"math"

	"bigmkl/model"
)

// totals are sums over the rows.
type totals struct {
	rows   int    // that some loss is of
	losses []loss // of each machine

	// Machines x kernels.
	v        []neumaier // V_m
	sizes    []float64  // what V_m is summed of, in absolute values
	energies []float64  // of a sample: the squares of g_m(x_s), weighted by |alpha_s|
}

func newTotals(machines, kernels int) *totals {
	n := machines * kernels
	return &totals{losses: make([]loss, machines), v: make([]neumaier, n), sizes: make([]float64, n), energies: make([]float64, n)}
}

// of gives the part of machine k.
func (t *totals) ofMachine(k int) *totals {
	n := len(t.v) / len(t.losses)
	from, to := k*n, (k+1)*n
	return &totals{t.rows, t.losses[k : k+1], t.v[from:to], t.sizes[from:to], t.energies[from:to]}
}

// loss is a sum of losses.
type loss struct {
	sum     neumaier
	slack   neumaier // width of what rounding makes of it
	squares float64  // of the terms
	costs   float64  // of a loss of 1, or of the target if that is more: a loss is a difference of these, whatever it comes to
	rows    int
}

// add takes the loss of a row at f, which may be off by rough.
func (l *loss) addRow(m *model.Model, p role, f, rough float64) {
	x := lossOf(m, p.y, f, p.cost)
	l.sum.add(x)
	l.squares += x * x
	l.costs += p.cost * max(1, math.Abs(p.y))
	for _, off := range [2]float64{rough, -rough} {
		l.slack.add(math.Abs(lossOf(m, p.y, f+off, p.cost) - x))
	}
	l.rows++
}

func (l *loss) addSum(o *loss) {
	l.sum.addSum(o.sum)
	l.slack.addSum(o.slack)
	l.squares += o.squares
	l.costs += o.costs
	l.rows += o.rows
}
