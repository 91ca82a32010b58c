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

// multiplied is how many times a kernel multiplies what has been rounded: its value is off by as many roundings of its base. Training
// takes squared distances from norms and products, and so rounds the norms, as long as that is no more than it allows.
func (p *problem) basesRoundings(k *kernelspec.Kernel) float64 {
	switch k.Kind {
	case kernelspec.Gauss:
		if !p.m.Double { // what single precision was measured to need is more than that
			return 1
		}
		width := 0.0
		p.eachFeatureOf(k, func(j int) { width += 2 * k.Gamma * p.squaredNorms[j] })
		return 1 + min(width, normsInDouble)/roundings // once, not as often as a sum is rounded
	case kernelspec.Poly:
		return float64(k.Degree)
	case kernelspec.Product:
		times := 0.0
		for _, f := range p.bank.Products[k.Index] {
			times += float64(f.Power) * p.basesRoundings(&f.Kernel)
		}
		return times
	}
	return 1
}

// minima is what sums of minima are summed of, in absolute values: where features are negative they cancel on the diagonal.
func (p *problem) minima(k *kernelspec.Kernel, v *featureMoments) float64 {
	if k.Kind != kernelspec.Intersection {
		return 0
	}
	sum := 0.0
	p.eachFeatureOf(k, func(j int) { sum += 2 * v.size[j] / float64(max(1, v.seen)) })
	return sum
}

// widths is gamma times the mean of the squared norms that distances are taken from, for a Gaussian, or the sum of it for a product of
// some: rounding of the norms shows in the values so many times as much as rounding of the values.
func (p *problem) widths(k *kernelspec.Kernel, v *featureMoments) float64 {
	sum := 0.0
	switch k.Kind {
	case kernelspec.Product:
		for i := range p.bank.Products[k.Index] {
			f := &p.bank.Products[k.Index][i]
			sum += float64(f.Power) * p.widths(&f.Kernel, v)
		}
	case kernelspec.Gauss:
		p.eachFeatureOf(k, func(j int) {
			off := v.mean[j] - p.mean[j]
			sum += k.Gamma * (v.deviance[j]/float64(v.seen) + off*off)
			if p.m.Store == dataset.LayoutSparse { // whose norms are not those of centred points
				sum += k.Gamma * v.mean[j] * v.mean[j]
			}
		})
	}
	return sum
}

// featureMoments are.
type featureMoments struct {
	seen           int
	mean, deviance []float64
	size           []float64
}

// addPoint is.
func (v *featureMoments) addPoint(x []float32) {
	v.seen++
	for j, value := range x {
		delta := float64(value) - v.mean[j]
		v.mean[j] += delta / float64(v.seen)
		v.deviance[j] += delta * (float64(value) - v.mean[j])
		v.size[j] += math.Abs(float64(value))
	}
}
