package verify

import (
	"math"
	"slices"

	"bigmkl/internal/spec"
	"bigmkl/model"
)

// The multiplicative normalisation divides each kernel by its variance in feature space,
//
//	v_m = 1/n sum_i k_m(x_i,x_i) - 1/n^2 sum_ij k_m(x_i,x_j).
//
// It is checked because a wrong factor makes another problem, and need not show in the values: that of a kernel without weight
// does not. Linear kernels have the variance of their features; of others the pairs of some rows are taken, spread evenly,
// which is exact where that is all rows.
const (
	variancePairs = 256
	varianceSlack = 2e-3 // relative rounding of single precision, and
	varianceSpan  = 1e-6 // relative to the mean of k(x,x)
	inWide        = 1e-3 // of both, where the factors were computed in double precision

	// A share f of the rows that are unlike the others is missed by q of them with a probability of (1-f)^q < exp(-f q), and
	// makes a variance of 2 f (1-f) k(x,x) at most: what is below 2 unseen / q says nothing.
	unseen = 20
)

// variances gathers on the way through the data what the check takes; nil where there is nothing to check.
type variances struct {
	rows           []row
	mean, deviance []float64 // of each feature, and its sum of squared deviations
	seen           int
}

func newVariances(m *model.Model) *variances {
	d := 0
	if laidOut(m) {
		d = m.Features
	}
	if m.Normalization.Scale == nil || d == 0 && slices.ContainsFunc(m.Kernels, model.NeedsFeatures) {
		return nil
	}
	return &variances{mean: make([]float64, d), deviance: make([]float64, d)}
}

// add takes the next of n rows.
func (v *variances) add(x []float32, n int) {
	if v == nil {
		return
	}
	q := min(n, variancePairs)
	if k := len(v.rows); k < q && v.seen == k*n/q {
		v.rows = append(v.rows, row{id: v.seen, x: append([]float32(nil), x...)})
	}
	v.seen++
	for j, value := range x {
		delta := float64(value) - v.mean[j]
		v.mean[j] += delta / float64(v.seen)
		v.deviance[j] += delta * (float64(value) - v.mean[j])
	}
}

// check compares the factors.
func (v *variances) check(p *plan, f *faults) error {
	if v == nil || v.seen < 2 {
		return nil
	}
	for k, scale := range p.m.Normalization.Scale {
		if p.normalizer(int32(k)) != spec.Multiplicative && scale != 1 {
			f.add("factor", "kernel %d is not divided by its variance and has the factor %g", k+1, scale)
		}
	}
	for _, k := range p.linear {
		if p.normalizer(k) != spec.Multiplicative {
			continue
		}
		sum := 0.0
		p.eachFeature(k, func(j int) { sum += v.deviance[j] / float64(v.seen) })
		checkFactor(p.m, f, k, sum, sum, 0)
	}
	// The rows take the place of the support vectors.
	m := *p.m
	m.Support, m.Vectors, m.Rows = nil, nil, nil
	for _, r := range v.rows {
		m.Support = append(m.Support, int32(r.id))
		m.Vectors = append(m.Vectors, r.x...)
	}
	other := *p
	other.m = &m
	w, q := &worker{plan: &other}, len(v.rows)
	for i := range p.groups {
		g := &p.groups[i]
		if err := w.fill(g, v.rows, 0, q); err != nil {
			return err
		}
		for _, id := range g.kernels {
			if p.normalizer(id) != spec.Multiplicative {
				continue
			}
			k := &p.bank.Kernels[id]
			diagonal, sum, squares := 0.0, 0.0, 0.0
			for r := range q {
				own, others := value(k, w.selfX[r]), 0.0
				for s, b := range w.base[r*q : (r+1)*q] {
					if s != r {
						others += value(k, b) / float64(q-1)
					}
				}
				diagonal += own / float64(q)
				sum += others / float64(q)
				squares += (own - 2*others) * (own - 2*others) / float64(q)
			}
			influence := diagonal - 2*sum // of a row on the variance: a U-statistic
			off := 0.0
			if q < v.seen {
				off = deviations * math.Sqrt(max(squares-influence*influence, 0)/float64(q))
				if rare := 2 * unseen / float64(q) * diagonal; diagonal-sum < rare {
					off = max(off, rare)
				}
			}
			checkFactor(p.m, f, id, (diagonal-sum)*(1-1/float64(v.seen)), diagonal, off)
		}
	}
	return nil
}

// checkFactor holds the factor of a kernel to its variance, which is known within off.
func checkFactor(m *model.Model, f *faults, k int32, variance, diagonal, off float64) {
	scale, slack, span := m.Normalization.Scale[k], varianceSlack, varianceSpan
	if m.Precision == "64" || m.Precision == "auto" && (m.Gap < 1e-4 || m.Norm > 2) {
		slack, span = slack*inWide, span*inWide
	}
	claimed := 0.0 // a kernel without variance has factor 0
	if scale > 0 {
		claimed = 1 / scale
	}
	if m.Normalization.StandardError != nil {
		off += deviations * m.Normalization.StandardError[k] * claimed
	}
	if d := math.Abs(claimed - variance); d > off+slack*claimed+span*math.Abs(diagonal) {
		f.add("factor", "the factor of kernel %d stands for a variance of %.6g, these data give %.6g", k+1, claimed, variance)
	}
}
