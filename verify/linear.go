package verify

import (
	"math"

	"bigmkl/internal/fail"
	"bigmkl/internal/host"
	"bigmkl/kernelspec"
)

// Linear kernels need no support vectors: with v = sum_s alpha_s x_s, a vector of d numbers, g_m(x) = <v, x> and
// V_m = |v|^2 over the features of the kernel. That is not only quicker: alpha'K alpha loses half of the digits where v_m is
// small, and for p > 2 small v_m carry large weights. The x_s are centred, which changes nothing as sum alpha = 0.
type linearPart struct {
	vector []float64 // v
	sizes  []float64 // what v is summed of, in absolute values
	weight []float64 // sum_m theta_m (factor of m), by feature
}

// bytesOfFeature are those that a machine takes for a feature.
const bytesOfFeature = 5 * 8

// bypasses tells whether a kernel is taken care of here.
func (p *plan) bypasses(k int32) bool {
	return p.bank.Kernels[k].Kind == kernelspec.Linear && p.normalizer(k) != kernelspec.Spherical && p.m.HasVectors() && sumOf(p.m) == 0
}

// gatherLinear makes the linear parts of all machines.
func (p *plan) gatherLinear() error {
	d := len(p.mean)
	if d == 0 {
		p.linear = nil // V_m = 0 without vectors
	}
	if len(p.linear) == 0 {
		return nil
	}
	if most := host.Memory(); most > 0 && int64(d) > most/2/int64(len(p.machines))/bytesOfFeature {
		return fail.New(fail.Budget, "the linear kernels of %d machines over %d features take more than half of the memory", len(p.machines), d)
	}
	sums, next := make([][]neumaier, len(p.machines)), make([]int, len(p.machines))
	for k := range p.machines {
		l := &p.machines[k].linear
		sums[k], l.vector, l.sizes, l.weight = make([]neumaier, d), make([]float64, d), make([]float64, d), make([]float64, d)
	}
	for s := range p.m.Support {
		x := p.m.Vector(s)
		for k := range p.machines {
			c := &p.machines[k]
			if next[k] == len(c.at) || int(c.at[next[k]]) != s {
				continue
			}
			a := c.Alpha[next[k]]
			next[k]++
			for j, v := range x {
				term := a * (float64(v) - p.mean[j])
				sums[k][j].add(term)
				c.linear.sizes[j] += math.Abs(term)
			}
		}
	}
	for k := range p.machines {
		c := &p.machines[k]
		for j := range sums[k] {
			c.linear.vector[j] = sums[k][j].value()
		}
		for _, id := range p.linear {
			weight := c.Theta[id] * p.scale(id)
			p.eachFeature(id, func(j int) { c.linear.weight[j] += weight })
		}
	}
	return nil
}

// scale is the factor of kernel k under the multiplicative normalisation.
func (p *plan) scale(k int32) float64 {
	if p.normalizer(k) == kernelspec.Multiplicative {
		return p.m.Normalization.Scale[k]
	}
	return 1
}

// eachFeature visits the features of a linear kernel.
func (p *plan) eachFeature(id int32, visit func(j int)) { p.eachFeatureOf(&p.bank.Kernels[id], visit) }

// eachFeatureOf visits the features of any kernel.
func (p *plan) eachFeatureOf(k *kernelspec.Kernel, visit func(j int)) {
	if set := p.bank.Features(k.Set); set != nil {
		for _, j := range set {
			visit(int(j))
		}
		return
	}
	for j := range p.mean {
		visit(j)
	}
}

// add adds the linear kernels to f at x. It returns what they are summed of, in absolute values.
func (l *linearPart) add(f *neumaier, x []float32, mean []float64) (size float64) {
	for j, weight := range l.weight {
		if weight != 0 {
			f.add(weight * l.vector[j] * float64(x[j]))
			size += weight * l.sizes[j] * math.Abs(float64(x[j])-mean[j])
		}
	}
	return size
}

// lengths sets V_m of the linear kernels of a machine, and by how much rounding may move it. The sum of alpha is 0 up to rounding,
// which the solver's v has in it as often as the centre of its points is away from that of the support vectors.
func (p *plan) lengths(c *machine, v, rough []float64) {
	total := 0.0
	for _, a := range c.Alpha {
		total += math.Abs(a)
	}
	for _, id := range p.linear {
		var length neumaier
		off := 0.0
		p.eachFeature(id, func(j int) {
			x, e := c.linear.vector[j], c.unit*(c.linear.sizes[j]+total*math.Abs(p.centre[j]-p.mean[j]))
			length.add(x * x)
			off += (2*math.Abs(x) + e) * e
		})
		v[id], rough[id] = length.value()*p.scale(id), off*p.scale(id)
	}
}
