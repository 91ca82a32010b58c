package verify

import (
	"math"

	"bigmkl/dataset"
	"bigmkl/kernelspec"
)

// magnitude bounds how much rounding may change a value of a kernel, in units of the arithmetic and for a point with itself: k(x,z) is
// changed by no more than the mean of x and z. What minima and distances add is in minima and widths.
func magnitude(k *kernelspec.Kernel, self float64) float64 {
	switch k.Kind {
	case kernelspec.Gauss, kernelspec.Laplace, kernelspec.ChiSquare:
		return 1
	case kernelspec.Poly:
		return float64(k.Degree) * power(math.Abs(k.Gamma*self)+math.Abs(k.Coef), k.Degree)
	case kernelspec.Sigmoid:
		return 1 + math.Abs(k.Gamma*self)
	}
	return math.Abs(self)
}

// longSum is the number of features whose sum is rounded twice as much as that of a few: in a long sum of equal terms each is
// rounded the same way, so that errors add up and do not cancel.
const longSum = 1024

// length is how many times as much as a short sum the base of the group is rounded.
func (g *group) length() float64 { return 1 + float64(g.dim)/longSum }

// multiplied is how many times a kernel multiplies what has been rounded: its value is off by as many roundings of its base. Training
// takes squared distances from norms and products, and so rounds the norms, as long as that is no more than it allows.
func (p *plan) multiplied(k *kernelspec.Kernel) float64 {
	switch k.Kind {
	case kernelspec.Gauss:
		if !p.m.Double { // what single precision was measured to need is more than that
			return 1
		}
		width := 0.0
		p.eachFeatureOf(k, func(j int) { width += 2 * k.Gamma * p.norms[j] })
		return 1 + min(width, normsInDouble)/roundings // once, not as often as a sum is rounded
	case kernelspec.Poly:
		return float64(k.Degree)
	case kernelspec.Product:
		times := 0.0
		for _, f := range p.bank.Products[k.Index] {
			times += float64(f.Power) * p.multiplied(&f.Kernel)
		}
		return times
	}
	return 1
}

// productMagnitudes adds those of products of kernels: each factor is rounded as often as it occurs.
func (v *variances) productMagnitudes(g *normalized, rows []row) error {
	all, count := make([]float64, len(rows)), 0
	for i := range all {
		all[i] = 1
	}
	for i := range g.factors {
		f := &g.factors[i]
		if err := v.w.fill(&f.group, rows, 0, 0); err != nil {
			return err
		}
		count += f.power
		for r := range all {
			all[r] *= power(magnitude(f.group.one, v.w.selfX[r])+v.minima(f.group.one), f.power)
		}
	}
	for _, id := range g.kernels {
		for _, x := range all {
			v.rough[id].add(float64(count) * x)
		}
	}
	return nil
}

// minima is what sums of minima are summed of, in absolute values: where features are negative they cancel on the diagonal.
func (v *variances) minima(k *kernelspec.Kernel) float64 {
	if k.Kind != kernelspec.Intersection {
		return 0
	}
	sum := 0.0
	v.each(k, func(j int) { sum += 2 * v.size[j] / float64(max(1, v.seen)) })
	return sum
}

// widths is gamma times the mean of the squared norms that distances are taken from, for a Gaussian, or the sum of it for a product of
// some: rounding of the norms shows in the values so many times as much as rounding of the values.
func (v *variances) widths(k *kernelspec.Kernel) float64 {
	sum := 0.0
	switch k.Kind {
	case kernelspec.Product:
		for i := range v.plan.bank.Products[k.Index] {
			f := &v.plan.bank.Products[k.Index][i]
			sum += float64(f.Power) * v.widths(&f.Kernel)
		}
	case kernelspec.Gauss:
		v.each(k, func(j int) {
			off := v.mean[j] - v.plan.mean[j]
			sum += k.Gamma * (v.deviance[j]/float64(v.seen) + off*off)
			if v.plan.m.Store == dataset.LayoutSparse { // whose norms are not those of centred points
				sum += k.Gamma * v.mean[j] * v.mean[j]
			}
		})
	}
	return sum
}

// each visits the features of a kernel.
func (v *variances) each(k *kernelspec.Kernel, visit func(j int)) {
	if set := v.plan.bank.Features(k.Set); set != nil {
		for _, j := range set {
			visit(int(j))
		}
		return
	}
	for j := range v.mean {
		visit(j)
	}
}
