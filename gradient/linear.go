package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// The vector v_m = sum_i alpha_i (x_i - shift) of a linear kernel is known: that of each kernel is
// a part of one vector of d numbers. So these kernels need no rows: a change of the dual variables
// changes v_m, and g_m changes by the products of that change with the points. The squared length
// of v_m is V_m to full precision, while alpha'K_m alpha loses half of the digits where ||v_m|| is
// small; for p > 2 the kernels with the smallest V_m have the largest weights.

// linearKernels reports whether some kernels of a bank keep their v_m, and whether all do.
func linearKernels(b *kernels.Bank) (some, all bool) {
	all = true
	for i := range b.Groups {
		if b.Groups[i].Base == kernels.CentredProduct {
			some = true
		} else {
			all = false
		}
	}
	return some, all
}

// centredSum returns sum_i delta_i (x_i - shift) over a working set of points of d features. Dense
// points are centred one by one: where the sum nearly vanishes, these are the digits that count.
// The shift of sparse points is subtracted once, at the end.
func centredSum(bank *kernels.Bank, d int, s *workingSet) []float64 {
	v, shift := make([]float64, d), bank.Shift
	total := 0.0 // sum of the delta of sparse points
	// The sum runs over the points in the order of the set, so it does not depend on threads.
	for i, a := range s.delta {
		if s.points.Sparse {
			total += a
			s.points.Each(i, func(j int, x float32) { v[j] += a * float64(x) })
			continue
		}
		s.points.Each(i, func(j int, x float32) { v[j] += a * (float64(x) - float64(shift[j])) })
	}
	if total != 0 {
		for j, m := range shift {
			v[j] -= total * float64(m)
		}
	}
	return v
}

// origins returns shift'v over the features of each linear group, at the place of its first
// kernel, for the vector v of each column.
//
// They are the same for every panel, and are therefore computed once for each pass.
func origins(bank *kernels.Bank, v []float64, columns int) []float64 {
	if v == nil {
		return nil
	}
	r, d := make([]float64, bank.Len()*columns), len(v)/columns
	for c := range columns {
		for i := range bank.Groups {
			if g := &bank.Groups[i]; g.Base == kernels.CentredProduct {
				r[c*bank.Len()+g.First] = bank.Offset(g, v[c*d:(c+1)*d])
			}
		}
	}
	return r
}

// project sets dst to (x_j - shift)'v over the features of a group, for the points of a panel.
// origin is shift'v.
func project(g *kernels.Group, v []float64, origin float64, panel *kernels.Panel,
	dst *[simd.Width]float64) {
	for i := range dst {
		dst[i] = -origin
	}
	panel.AddProducts(dst, g, v)
}

// linearProducts sets the products of the linear kernels from two vectors over all features. If
// both are sum_i alpha_i (x_i - shift), the products are V_m.
func linearProducts(bank *kernels.Bank, v, w, products []float64) {
	for i := range bank.Groups {
		g := &bank.Groups[i]
		if g.Base != kernels.CentredProduct {
			continue
		}
		sum := 0.0
		g.Each(func(j int) { sum += v[j] * w[j] })
		for _, m := range g.Members {
			products[m.ID] = sum * bank.Factor(int(m.ID))
		}
	}
}
