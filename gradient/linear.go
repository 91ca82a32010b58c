package gradient

import "bigmkl/kernels"

// Linear kernels know their v_m = sum_i alpha_i (x_i - shift), a part of one vector of d numbers. Its squared length is V_m
// to full precision; alpha'K_m alpha loses half of the digits where ||v_m|| is small, and for p > 2 these kernels have the
// largest weights.

// moved adds the change of the dual variables to the vector.
func (gr *Gradient) moved(s *workingSet) {
	if gr.sum == nil {
		return
	}
	d := len(gr.sum)
	for i, a := range s.delta {
		gr.accumulate(a, s.points[i*d:(i+1)*d])
	}
}

func (gr *Gradient) accumulate(a float64, x []float32) {
	for j, v := range x {
		gr.sum[j] += a * (float64(v) - float64(gr.bank.Shift[j]))
	}
}

// renewed computes the vector afresh.
func (gr *Gradient) renewed(support []int, alpha []float64) {
	if gr.sum == nil {
		return
	}
	clear(gr.sum)
	row := make([]float32, len(gr.sum))
	for _, i := range support {
		gr.points.Row(i, row)
		gr.accumulate(alpha[i], row)
	}
}

// lengths sets v_m of the linear kernels.
func (gr *Gradient) lengths(v []float64) {
	if gr.sum == nil {
		return
	}
	for i := range gr.bank.Groups {
		g := &gr.bank.Groups[i]
		if g.Base != kernels.CentredProduct {
			continue
		}
		length := 0.0
		g.Each(func(j int) { length += gr.sum[j] * gr.sum[j] })
		for _, m := range g.Members {
			v[m.ID] = length * gr.bank.Factor(int(m.ID))
		}
	}
}

// linear tells whether a bank has kernels that keep their v_m.
func linear(b *kernels.Bank) bool {
	for i := range b.Groups {
		if b.Groups[i].Base == kernels.CentredProduct {
			return true
		}
	}
	return false
}
