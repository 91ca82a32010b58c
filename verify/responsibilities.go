package verify

import (
	"math"

	"bigmkl/internal/model"
)

// ofWeights is what w may be off by from l q, and the sum of the others from l, relative to l.
const ofWeights = 1e-9

// checkRow checks q of a row and, of a support vector s, that w is made of q and the total.
func (w mixtureWing) checkRow(m *model.Model, row, s int, p role, f *faults) {
	x, y, cost := w.mixture, p.y, p.cost
	from, to := x.Own(y > 0)
	all := x.Responsibilities[row*x.Width() : (row+1)*x.Width()]
	q, total := all[:to-from], 0.0
	for j, share := range all {
		if !(share >= 0) || j >= len(q) && share != 0 {
			f.add("responsibility", "row %d: responsibility %d is %v", row+1, j+1, share)
		}
		total += share
	}
	if !(math.Abs(total-1) <= ofWeights) {
		f.add("responsibility", "row %d: responsibilities sum to %.12g", row+1, total)
	}
	if x.Observed != nil && x.Observed[row] != 0 {
		if o := int(x.Observed[row]) - 1; o >= len(q) || q[o] != 1 {
			f.add("observed", "row %d: component %d was observed, and is not its only one", row+1, o+1)
		}
	}
	if s < 0 {
		if w.likelihood {
			f.add("unused", "row %d has no weight, and every row has one in task mixture", row+1)
		}
		return
	}
	support, l := len(m.Support), math.Abs(m.Alpha[s])
	if m.Alpha[s]*y < 0 || l > cost*(1+boxSlack) {
		f.add("box", "row %d: alpha is %.17g for label %+g and the bound %.17g", row+1, m.Alpha[s], y, cost)
	} else if w.likelihood && l < cost*(1-boxSlack) {
		f.add("box", "row %d: alpha is %.17g for label %+g, and the row counts %.17g times", row+1, m.Alpha[s], y, cost)
	}
	if w.likelihood {
		return // checkMeans has what w is of them.
	}
	others := 0.0
	for c := range x.Len() {
		v := x.Weights[c*support+s]
		if c >= from && c < to {
			if !(math.Abs(v-l*q[c-from]) <= ofWeights*l) {
				f.add("weights", "row %d: w of component %d is %.12g, its total and responsibility give %.12g", row+1,
					c+1, v, l*q[c-from])
			}
			continue
		}
		if v > 0 {
			f.add("sign", "row %d: w of component %d of the other class is %v", row+1, c+1, v)
		}
		others -= v
	}
	if !(math.Abs(others-l) <= ofWeights*l) {
		f.add("weights", "row %d: w of the other class sums to %.12g, and the total is %.12g", row+1, others, l)
	}
}
