package verify

import (
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
}

// bypasses tells whether a kernel is taken care of here.
func bypasses(m *model.Model, k spec.Kernel) bool {
	return k.Kind == spec.Linear && m.Normalization.Kind != "spherical" && m.Vectors != nil
}

func newLinearPart(m *model.Model, b *spec.Bank, kernels []int32, mean []float64) *linearPart {
	l := &linearPart{kernels: kernels, vector: make([]float64, m.Features), direction: make([]float64, m.Features)}
	sum := make([]neumaier, m.Features)
	for s, a := range m.Alpha {
		for j, x := range m.Vector(s) {
			sum[j].add(a * (float64(x) - mean[j]))
		}
	}
	for j := range sum {
		l.vector[j] = sum[j].value()
	}
	for _, k := range kernels {
		weight := m.Theta[k] * factor(m, k)
		l.each(b, k, func(j int) { l.direction[j] += weight * l.vector[j] })
	}
	return l
}

func factor(m *model.Model, k int32) float64 {
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

// add adds the linear kernels to f at x.
func (l *linearPart) add(f *neumaier, x []float32) {
	for j, u := range l.direction {
		if u != 0 {
			f.add(u * float64(x[j]))
		}
	}
}

// lengths sets V_m of the linear kernels.
func (l *linearPart) lengths(m *model.Model, b *spec.Bank, v []float64) {
	for _, k := range l.kernels {
		var length neumaier
		l.each(b, k, func(j int) { length.add(l.vector[j] * l.vector[j]) })
		v[k] = length.value() * factor(m, k)
	}
}
