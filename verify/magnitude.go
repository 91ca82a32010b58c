package verify

import (
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/kernelspec"
)

// This file bounds the rounding of kernel values, on the way from their features to a sum.

// magnitude returns by how much rounding may change k(x,x), in units of the arithmetic, where
// self is the base of x with itself. k(x,z) is changed by no more than the mean of what k(x,x)
// and k(z,z) are. The rounding of norms and of sums of minima is not in it: widths and minima
// return that.
func magnitude(k *kernelspec.Kernel, self float64) float64 {
	if isBase(k) {
		// The base is k(x,x) itself.
		return 1 + float64(max(1, k.Degree))*math.Abs(self)
	}
	if k.Kind.HasWidth() {
		return 1
	}
	switch k.Kind {
	case kernelspec.Poly:
		return float64(k.Degree) * power(math.Abs(k.Gamma*self)+math.Abs(k.Coef), k.Degree)
	case kernelspec.Sigmoid:
		return 1 + math.Abs(k.Gamma*self)
	}
	return math.Abs(self)
}

// cancels reports whether k(x,x) may be a small difference of numbers, so rounding shows in it many times.
func cancels(k *kernelspec.Kernel) bool {
	return !isBase(k) && (k.Kind == kernelspec.Sigmoid || k.Kind == kernelspec.Poly) && k.Coef < 0
}

// ofRoot returns by how much rounding may change the factor 1/sqrt(k(x,x)) of a kernel that cancels, relative to it, in
// units of the arithmetic and beside the roundings of a value. It is 0 where the point is taken for the origin.
func ofRoot(k *kernelspec.Kernel, self float64) float64 {
	if d := value(k, self); d > 0 {
		return max(0, magnitude(k, self)/d/float64(max(1, k.Degree))-1) / 2
	}
	return 0
}

// ofRoots returns what rounding of the factors of row r and of the support vectors listed in at adds to the size of a sum,
// before the factor of the row. The arguments are as for addWeighted.
func (w *worker) ofRoots(k *kernelspec.Kernel, r int, values []float64, lo int, at []int32, alpha, roots []float64) (size float64) {
	if !cancels(k) {
		return 0
	}
	own := ofRoot(k, w.selfX[r])
	for i, s := range at {
		z := int(s) - lo
		size += math.Abs(alpha[i]*roots[z]*values[z]) * (own + ofRoot(k, w.selfZ[z]))
	}
	return size
}

// basesRoundings returns how many roundings of its base a value of the kernel k is off by: the
// degree of a polynomial; the sum over the factors of a product; and for a function of the squared distance 1 + 2 slope
// times the squared norms of the support vectors, as long as training takes distances from norms,
// and no more than it allows for that.
func (p *definitions) basesRoundings(k *kernelspec.Kernel) float64 {
	if k.Kind.Base() == kernelspec.SquaredDistance {
		width, most := 0.0, normsInSingle
		if p.m.Double {
			most = normsInDouble
		}
		p.eachFeatureOf(k, func(j int) { width += 2 * slope(k) * p.squaredNorms[j] })
		// The norms are rounded once, and a sum is conceded so many roundings of each term.
		return 1 + min(width, most)/roundings
	}
	switch k.Kind {
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

// minima returns the mean over the rows of the sum of 2 |x_j|, for an intersection kernel; 0 for
// others. Where features are negative the minima cancel on the diagonal, and k(x,x) does not show
// what it was summed of.
func (p *definitions) minima(k *kernelspec.Kernel, v *featureMoments) float64 {
	if k.Kind != kernelspec.Intersection {
		return 0
	}
	sum := 0.0
	p.eachFeatureOf(k, func(j int) { sum += 2 * v.size[j] / float64(max(1, v.seen)) })
	return sum
}

// widths returns the slope times the mean squared norm of the points around the centre that training
// takes, for a function of the squared distance; the sum of that over the factors, for a product; 0 for others.
// Rounding of the norms shows that many times as much as rounding of the values. Points that are
// stored sparsely are not centred.
func (p *definitions) widths(k *kernelspec.Kernel, v *featureMoments) float64 {
	sum := 0.0
	switch {
	case k.Kind == kernelspec.Product:
		for i := range p.bank.Products[k.Index] {
			f := &p.bank.Products[k.Index][i]
			sum += float64(f.Power) * p.widths(&f.Kernel, v)
		}
	case k.Kind.Base() == kernelspec.SquaredDistance:
		p.eachFeatureOf(k, func(j int) {
			off := v.mean[j] - p.mean[j]
			sum += slope(k) * (v.deviance[j]/float64(v.seen) + off*off)
			if p.m.Store == dataset.LayoutSparse { // these norms are those around 0
				sum += slope(k) * v.mean[j] * v.mean[j]
			}
		})
	}
	return sum
}

// featureMoments are the moments of each feature over the rows so far, by Welford's recurrence:
// sums of squares would lose the digits of features with a large mean.
type featureMoments struct {
	seen           int       // number of rows
	mean, deviance []float64 // the mean, and the sum of squared deviations from it
	size           []float64 // the sum of absolute values
}

// addPoint adds the point x, which has all features.
func (v *featureMoments) addPoint(x []float32) {
	v.seen++
	for j, value := range x {
		delta := float64(value) - v.mean[j]
		v.mean[j] += delta / float64(v.seen)
		v.deviance[j] += delta * (float64(value) - v.mean[j])
		v.size[j] += math.Abs(float64(value))
	}
}
