package kernels

import "slices"

// Linear kernels are trained on centred features: f(x) = sum_m theta_m <v_m, x - shift>. A model is
// evaluated on the features as they are, or with another shift, so its bias takes up the
// difference. The functions here compute that difference.

// CentredSum is v = sum_i alpha_i (x_i - shift), over the points of a set that rows lists, nil for
// all, to nearly all digits of v: see VectorSum.
func CentredSum(points *Set, rows []int32, alpha []float64, shift []float32) []float64 {
	s := NewVectorSum(shift)
	s.Add(points, rows, alpha)
	return s.Values()
}

// VectorSum sums alpha_i (x_i - shift) with compensation. Where the shift of a feature is large and
// the dual variables of most points that lack the feature cancel, the sum is far below its terms, and
// a large weight makes up for that: rounding of the terms would then move all decision values.
type VectorSum struct {
	shift []float32
	sum   []compensated // of alpha_i (x_ij - shift_j) over the points in which feature j was visited
	seen  []compensated // of alpha_i over these
	total compensated   // of all alpha_i
}

// NewVectorSum returns the sum over no points.
func NewVectorSum(shift []float32) *VectorSum {
	return &VectorSum{shift: shift, sum: make([]compensated, len(shift)), seen: make([]compensated, len(shift))}
}

// Add adds the points of a set that rows lists, nil for all, in the order of alpha.
func (s *VectorSum) Add(points *Set, rows []int32, alpha []float64) {
	for i, a := range alpha {
		if rows != nil {
			i = int(rows[i])
		}
		points.Each(i, func(j int, x float32) {
			s.sum[j].addProduct(a, float64(x))
			s.sum[j].addProduct(-a, float64(s.shift[j]))
			s.seen[j].add(a)
		})
		s.total.add(a)
	}
}

// Values returns the sums. Terms of features that a sparse point does not have are added here.
func (s *VectorSum) Values() []float64 {
	v := make([]float64, len(s.shift))
	for j, x := range s.sum {
		rest := s.total
		rest.add(-s.seen[j].high)
		rest.add(-s.seen[j].low)
		x.addProduct(-rest.high, float64(s.shift[j]))
		x.addProduct(-rest.low, float64(s.shift[j]))
		v[j] = x.value()
	}
	return v
}

// Centres reports whether kernels of the bank are linear and trained on centred features.
func (gs Groups) Centres() bool {
	return slices.ContainsFunc(gs, func(g Group) bool { return g.Base == CentredProduct })
}

// CentringOffset is by how much the centring of linear kernels moves decision values. v is
// sum_i alpha_i x_i, itself centred (see CentredSum): that keeps its digits, and changes nothing
// because the dual variables sum to 0.
func (b *Bank) CentringOffset(theta, v []float64) float64 {
	s := 0.0
	for i := range b.Groups {
		g := &b.Groups[i]
		if g.Base != CentredProduct {
			continue
		}
		weight := 0.0
		for _, k := range g.Members {
			weight += theta[k.ID] * b.Factor(int(k.ID))
		}
		s += weight * b.Offset(g, v)
	}
	return s
}
