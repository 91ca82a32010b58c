package verify

import (
	"math"

	"bigmkl/internal/spec"
	"bigmkl/model"
)

// Linear kernels need no support vectors: with v = sum_s alpha_s x_s, a vector of d numbers, g_m(x) = <v, x> and
// V_m = |v|^2 over the features of the kernel. That is not only quicker: alpha'K alpha loses half of the digits where v_m is
// small, and for p > 2 small v_m carry large weights. The x_s are centred, which changes nothing as sum alpha = 0.
type linearPart struct {
	kernels   []int32
	vector    []float64 // v
	direction []float64 // sum_m theta_m (factor of m) v, on the features of each kernel
	mean      []float64 // of the support vectors
	sizes     []float64 // what v is summed of, in absolute values
	weight    []float64 // sum_m theta_m (factor of m), by feature
}

// bypasses tells whether a kernel is taken care of here.
func bypasses(m *model.Model, k spec.Kernel) bool {
	return k.Kind == spec.Linear && m.Normalization.Kind != "spherical" && m.HasVectors() && sumOf(m) == 0
}

func newLinearPart(m *model.Model, b *spec.Bank, kernels []int32, mean []float64) *linearPart {
	d := len(mean)
	l := &linearPart{kernels: kernels, mean: mean}
	if d == 0 {
		l.kernels = nil // V_m = 0 without vectors
	}
	for _, v := range []*[]float64{&l.vector, &l.direction, &l.sizes, &l.weight} {
		*v = make([]float64, d)
	}
	sum := make([]neumaier, d)
	for s, a := range m.Alpha {
		for j, x := range m.Vector(s) {
			sum[j].add(a * (float64(x) - mean[j]))
			l.sizes[j] += math.Abs(a * (float64(x) - mean[j]))
		}
	}
	for j := range sum {
		l.vector[j] = sum[j].value()
	}
	for _, k := range l.kernels {
		weight := m.Theta[k] * scaleOf(m, k)
		l.each(b, k, func(j int) { l.weight[j] += weight })
	}
	for j, weight := range l.weight {
		l.direction[j] = weight * l.vector[j]
	}
	return l
}

// scale is scaleOf of the plan's model.
func (p *plan) scale(k int32) float64 { return scaleOf(p.m, k) }

// scaleOf is the factor of kernel k under the multiplicative normalisation.
func scaleOf(m *model.Model, k int32) float64 {
	if m.Normalization.Kind == "multiplicative" {
		return m.Normalization.Scale[k]
	}
	return 1
}

// each visits the features of kernel k.
func (l *linearPart) each(b *spec.Bank, k int32, visit func(j int)) {
	if set := b.Features(b.Kernels[k].Set); set != nil {
		for _, j := range set {
			visit(int(j))
		}
		return
	}
	for j := range l.vector {
		visit(j)
	}
}

// add adds the linear kernels to f at x. It returns what they are summed of, in absolute values.
func (l *linearPart) add(f *neumaier, x []float32) (size float64) {
	for j, weight := range l.weight {
		if weight != 0 {
			f.add(l.direction[j] * float64(x[j]))
			size += weight * l.sizes[j] * math.Abs(float64(x[j])-l.mean[j])
		}
	}
	return size
}

// lengths sets V_m of the linear kernels, and by how much rounding of so many units may move it.
func (l *linearPart) lengths(m *model.Model, b *spec.Bank, v, rough []float64, unit float64) {
	for _, k := range l.kernels {
		var length neumaier
		off := 0.0
		l.each(b, k, func(j int) {
			x, e := l.vector[j], unit*l.sizes[j]
			length.add(x * x)
			off += (2*math.Abs(x) + e) * e
		})
		v[k], rough[k] = length.value()*scaleOf(m, k), off*scaleOf(m, k)
	}
}
