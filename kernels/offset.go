package kernels

// Linear kernels are trained on centred features: f(x) = sum_m theta_m <v_m, x - shift>. A model is
// evaluated on the features as they are, or with another shift, so that its bias takes up the
// difference. The functions here compute that difference.

// CentredSum is v = sum_i alpha_i (x_i - shift), over the points of a set that rows lists, nil for
// all. Terms of features that a sparse point does not have are added once at the end.
func CentredSum(points *Set, rows []int32, alpha []float64, shift []float32) []float64 {
	// seen_j sums alpha_i over the points in which feature j was visited.
	v, seen := make([]float64, len(shift)), make([]float64, len(shift))
	total := 0.0
	for i, a := range alpha {
		if rows != nil {
			i = int(rows[i])
		}
		points.Each(i, func(j int, x float32) {
			v[j] += a * (float64(x) - float64(shift[j]))
			seen[j] += a
		})
		total += a
	}
	for j, a := range seen {
		v[j] -= (total - a) * float64(shift[j])
	}
	return v
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
