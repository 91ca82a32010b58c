package verify

import (
	"math"

	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// Gates that were learned are to be near a stationary point of the optimum J by their parameters.
// The slope is the slope of Gönen (2010), L1289 to L1299, whose double sums over pairs i, j count
// each pair from both of its ends: with
//
//	q_h(i) = theta_h alpha_i eta_h(x_i) sum_j alpha_j k_h(x_i, x_j) eta_h(x_j)
//
// the half of the end i is, for a parameter of gate m by which the exponent a_m of a point changes
// as d a_m(x_i), -1/2 sum_i sum_h q_h(i) (delta_mh - eta_m(x_i)) d a_m(x_i), and the other half is
// the same sum. Sigmoids have delta_mh (1 - eta_m(x_i)) in place of the bracket.

// takeLearned takes the gates of the support vectors from their features, of which there are d.
func (g *gates) takeLearned(m *model.Model, bank *kernelspec.Bank, d int) error {
	if g.Number < 1 || len(bank.Gates) != m.Len() || len(g.Parameters) != g.Number*(d+1) ||
		len(g.Mean) != d || len(g.Deviation) != d {
		return fail.New(fail.Corrupt, "the gates of the model do not fit each other")
	}
	g.of = bank.Gates
	for _, k := range g.of {
		if int(k) >= g.Number {
			return fail.New(fail.Corrupt, "the gates of the model do not fit each other")
		}
	}
	for s := range m.Support {
		g.support = append(g.support, g.ofLearned(g.landmarks.seeSupport(m, s)))
	}
	return nil
}

// standardised returns the gating features of a point as gates see them.
func (g *gates) standardised(x []float32) []float64 {
	z := g.featuresOf(x)
	for j := range z {
		z[j] = (z[j] - g.Mean[j]) / g.Deviation[j]
	}
	return z
}

// openGates returns all gates of a point before any is closed, as they are printed (eq. 3.2 to 3.4).
// The largest exponent is subtracted from the exponents of a quotient, which does not change it.
func (g *gates) openGates(z []float64) []float64 {
	d, eta := len(z), make([]float64, g.Number)
	for m := range eta {
		own := g.Parameters[m*(d+1) : (m+1)*(d+1)]
		var a neumaier
		for j, v := range own[:d] {
			if g.Kind == model.GatesGauss {
				a.add(-(z[j] - v) * (z[j] - v))
			} else {
				a.add(v * z[j])
			}
		}
		if g.Kind == model.GatesGauss {
			eta[m] = a.value() / math.Pow(math.Exp(own[d]), 2)
			continue
		}
		a.add(own[d])
		eta[m] = a.value()
	}
	if g.Kind == model.GatesSigmoid {
		for m, a := range eta {
			eta[m] = 1 / (1 + math.Exp(-a))
		}
		return eta
	}
	largest := math.Inf(-1)
	for _, a := range eta {
		largest = math.Max(largest, a)
	}
	var sum neumaier
	for m, a := range eta {
		eta[m] = math.Exp(a - largest)
		sum.add(eta[m])
	}
	for m := range eta {
		eta[m] /= sum.value()
	}
	return eta
}

// ofLearned returns the gates of a point, one for each kernel, with those below the floor closed.
func (g *gates) ofLearned(x []float32) []float64 {
	open, eta := g.openGates(g.standardised(x)), make([]float64, g.kernels)
	for k, m := range g.of {
		if !(open[m] < g.Floor) {
			eta[k] = open[m]
		}
	}
	return eta
}

// slopeRow is a support vector with what the kernels add to the slope by its gates.
type slopeRow struct {
	z, eta []float64  // its gating features and all of its gates before any is closed
	terms  []neumaier // q of each gate
	sizes  []float64  // sum of the sizes of what the terms are sums of
}

// newSlopeRow returns nil where no gates were learned.
func (g *gates) newSlopeRow(x []float32) *slopeRow {
	if !g.Learned() {
		return nil
	}
	z := g.standardised(x)
	return &slopeRow{z, g.openGates(z), make([]neumaier, g.Number), make([]float64, g.Number)}
}

// addTerm adds q of a kernel at a row, by the gates of a set.
func (s gateSets) addTerm(r *slopeRow, set int, kernel int32, q float64) {
	if r != nil {
		r.terms[s[set].of[kernel]].add(q)
	}
}

// addSize adds the size of terms of q of a kernel at a row, by the gates of a set.
func (s gateSets) addSize(r *slopeRow, set int, kernel int32, size float64) {
	if r != nil {
		r.sizes[s[set].of[kernel]] += size
	}
}

// slopeTotals are the slope by each parameter, the sum of the sizes of its terms, and what that would
// be if every bracket delta_mh - eta_m were 1. All are empty where no gates were learned.
type slopeTotals struct {
	sums        []neumaier
	sizes, full []float64
}

// gateRounding is the error of a gate in double precision, whose exponent may be some hundreds. Next
// to 1 it is all that is left of 1 - eta.
const gateRounding = 1e-13

// newSlopeTotals returns sums that are 0.
func (g *gates) newSlopeTotals() slopeTotals {
	if g == nil || !g.Learned() {
		return slopeTotals{}
	}
	n := len(g.Parameters)
	return slopeTotals{make([]neumaier, n), make([]float64, n), make([]float64, n)}
}

// addTotals adds the sums of another batch of rows.
func (t *slopeTotals) addTotals(o *slopeTotals) {
	for k := range o.sums {
		t.sums[k].addSum(o.sums[k])
		t.sizes[k] += o.sizes[k]
		t.full[k] += o.full[k]
	}
}

// newSlopeRows returns the parts of a row in each set, nil where no gates were learned.
func (s gateSets) newSlopeRows(x []float32) []*slopeRow {
	if g := s.shared(); g == nil || !g.Learned() {
		return nil
	}
	var list []*slopeRow
	for _, g := range s {
		list = append(list, g.newSlopeRow(x))
	}
	return list
}

// newSlopeTotals returns sums for each set that are 0.
func (s gateSets) newSlopeTotals() []slopeTotals {
	var list []slopeTotals
	for _, g := range s {
		list = append(list, g.newSlopeTotals())
	}
	return list
}

// addSlope adds both halves of a row to the sums of each set.
func (s gateSets) addSlope(r *row, t []slopeTotals) {
	for k, g := range s {
		g.addSlope(r.slopeOf(k), &t[k])
	}
}

// addSlope adds both halves of a row, which may be nil.
func (g *gates) addSlope(r *slopeRow, t *slopeTotals) {
	if r == nil {
		return
	}
	d := len(r.z)
	for m := range g.Number {
		var sum neumaier
		size, full := 0.0, 0.0
		for h := range r.terms {
			share := -r.eta[m]
			switch {
			case g.Kind == model.GatesSigmoid && h != m:
				continue
			case h == m:
				share = 1 - r.eta[m]
			}
			sum.add(r.terms[h].value() * share)
			size += r.sizes[h] * math.Abs(share)
			full += r.sizes[h]
		}
		own := g.Parameters[m*(d+1) : (m+1)*(d+1)]
		add := func(at int, change float64) {
			t.sums[m*(d+1)+at].add(-sum.value() * change)
			t.sizes[m*(d+1)+at] += size * math.Abs(change)
			t.full[m*(d+1)+at] += full * math.Abs(change)
		}
		if g.Kind != model.GatesGauss {
			for j, z := range r.z {
				add(j, z)
			}
			add(d, 1)
			continue
		}
		// By the logarithm of a spread the slope is that by the spread times the spread.
		square, distance := math.Pow(math.Exp(own[d]), 2), 0.0
		for j, z := range r.z {
			add(j, 2*(z-own[j])/square)
			distance += (z - own[j]) * (z - own[j])
		}
		add(d, 2*distance/square)
	}
}
