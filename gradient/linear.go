package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// Linear kernels know their v_m = sum_i alpha_i (x_i - shift), a part of one vector of d numbers. So they need no rows: a
// change of the dual variables changes v_m, and g_m by the products of that change with the points. And its squared length
// is V_m to full precision; alpha'K_m alpha loses half of the digits where ||v_m|| is small, and for p > 2 these kernels have
// the largest weights.

// vector is sum_i delta_i (x_i - shift) over a working set. Dense points are centred one by one: where the sum nearly vanishes,
// these are the digits that count.
func (gr *Gradient) vector(s *workingSet) []float64 {
	v, shift := make([]float64, gr.points.Dim()), gr.bank.Shift
	total := 0.0 // of sparse points
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

// origins gives shift'v over the features of each linear group, at the place of its first kernel.
func origins(bank *kernels.Bank, v []float64) []float64 {
	if v == nil {
		return nil
	}
	r := make([]float64, bank.Len())
	for i := range bank.Groups {
		if g := &bank.Groups[i]; g.Base == kernels.CentredProduct {
			r[g.First] = bank.Offset(g, v)
		}
	}
	return r
}

// project gives (x_j - shift)'v over the features of a group for the points of a panel.
func project(g *kernels.Group, u *update, panel *kernels.Panel, dst *[simd.Width]float64) {
	for i := range dst {
		dst[i] = -u.origin[g.First]
	}
	panel.AddProducts(dst, g, u.vector)
}

// linearProducts sets those of the linear kernels from two vectors of all of them: V_m, where both are that of alpha.
func (gr *Gradient) linearProducts(v, w, products []float64) {
	for i := range gr.bank.Groups {
		g := &gr.bank.Groups[i]
		if g.Base != kernels.CentredProduct {
			continue
		}
		sum := 0.0
		g.Each(func(j int) { sum += v[j] * w[j] })
		for _, m := range g.Members {
			products[m.ID] = sum * gr.bank.Factor(int(m.ID))
		}
	}
}

// linear tells whether some kernels of a bank keep their v_m, and whether all do.
func linear(b *kernels.Bank) (some, all bool) {
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
