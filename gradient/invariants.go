package gradient

import (
	"context"
	"math"

	"bigmkl/internal/float"
	"bigmkl/internal/invariant"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// With the build tag invariants every eighth pass is followed by a look at the gradients of a few
// points, which are computed again in float64.

const (
	assertEvery  = 8 // passes from one look at the gradients to the next
	assertPoints = 4 // points that are looked at

	// Gradients that are computed again may differ by these shares of sum_i |alpha_i| (k(x_i,x_i)
	// k(x,x))^(1/2), because squared distances from norms and products may lose as much. In 842
	// looks at real and random problems they differed by at most 2e-7 and 1e-14.
	singleSlack = 1e-4
	doubleSlack = 1e-9
)

// checked is gradients beside the dual variables and the weights that they belong to.
type checked struct {
	*engine
	alpha, theta []float64
}

// pass checks the gradients after a pass at some points: the combined gradient, and the gradient
// of one kernel, which the passes take alternately; the vector of the linear kernels; and that
// lanes without a point hold numbers.
func (gr *checked) pass(ctx context.Context, combined []float64) error {
	gr.padding()
	gr.noteTerms()
	if !invariant.Turn(gr.stats.Passes-1, assertEvery) {
		return nil
	}
	turn := int(gr.stats.Passes-1) / assertEvery
	var sample []int
	for k := range min(assertPoints, gr.now.n) {
		at := (turn + k*gr.now.n/assertPoints) % gr.now.n
		if gr.now.index != nil {
			at = int(gr.now.index[at])
		}
		sample = append(sample, at)
	}
	kept := func(i int) float64 { return combined[i] }
	if err := gr.afresh(ctx, sample, gr.theta, kept); err != nil {
		return err
	}
	// One kernel alone, with the weight 1, takes its turn.
	m := turn % gr.bank.Len()
	one := make([]float64, gr.bank.Len())
	one[m] = 1
	lane := int(gr.bank.Places()[m]) * simd.Width
	kept = func(i int) float64 { return gr.now.g[gr.now.place(i, gr.bank.Len())+lane] }
	if err := gr.afresh(ctx, sample, one, kept); err != nil {
		return err
	}
	gr.vector()
	return nil
}

// again compares sum_m theta_m g_m at some points with its value by kept. Values that overflow
// are not compared: the data are to blame for them.
func (gr *checked) afresh(ctx context.Context, sample []int, theta []float64, kept func(i int) float64) error {
	fresh, err := exact{&gr.fields}.decide(ctx, gr.bank, sample, gr.alpha, theta)
	if err != nil {
		return err
	}
	size, under := gr.termSizes(sample, theta), gr.underflow(theta)
	for k, i := range sample {
		if d := math.Abs(kept(i) - fresh[k]); float.Finite(d) && float.Finite(size[k]) {
			invariant.Check(d <= gr.slack()*size[k]+under,
				"the gradient at point %d is %.15g, afresh %.15g, of terms of %.3g in all",
				i, kept(i), fresh[k], size[k])
		}
	}
	return nil
}

// underflow is by how much a gradient may be off because kernel values below the normal numbers of their
// type are rounded to a multiple of its smallest number, and not to a share of themselves.
func (gr *checked) underflow(theta []float64) float64 {
	smallest := float64(math.SmallestNonzeroFloat32)
	if gr.double {
		smallest = math.SmallestNonzeroFloat64
	}
	sum := func(list []float64) (s float64) {
		for _, x := range list {
			s += math.Abs(x)
		}
		return s
	}
	return smallest * sum(gr.alpha) * sum(theta)
}

// slack is the share of its terms by which a gradient may be off.
func (gr *checked) slack() float64 {
	if gr.double {
		return doubleSlack
	}
	return singleSlack
}

// termSizes bounds the terms that the combined gradient is summed of at some points, and has been summed of since
// the gradients were made: sum_m theta_m a_m k_m(x,x)^(1/2), where a_m is the largest value so far of
// sum_i |alpha_i| k_m(x_i,x_i)^(1/2). Gradients that are continued keep the rounding errors of earlier terms.
func (gr *checked) termSizes(sample []int, theta []float64) []float64 {
	sum := make([]float64, len(sample))
	gr.eachKernel(sample, func(m *kernels.Member, roots []float64) {
		weight := theta[m.ID] * gr.bank.Factor(int(m.ID)) * gr.magnified(m)
		for j := range sum {
			if weight != 0 {
				sum[j] += weight * gr.largest[m.ID] * roots[j]
			}
		}
	})
	return sum
}

// magnified is by how many times rounding of a value of a kernel exceeds rounding of a number of its size: centring may leave
// few digits of it.
func (gr *checked) magnified(m *kernels.Member) float64 {
	if gr.bank.Magnified == nil {
		return 1
	}
	return max(1, gr.bank.Magnified[m.ID])
}

// noteTerms notes a_m of termSizes after a pass.
func (gr *checked) noteTerms() {
	if gr.largest == nil {
		gr.largest = make([]float64, gr.bank.Len())
	}
	list := support(gr.alpha)
	gr.eachKernel(list, func(m *kernels.Member, roots []float64) {
		norm := 0.0
		for j, i := range list {
			norm += math.Abs(gr.alpha[i]) * roots[j]
		}
		gr.largest[m.ID] = max(gr.largest[m.ID], norm)
	})
}

// eachKernel calls use with each kernel and its k(x,x)^(1/2) at some points.
func (gr *checked) eachKernel(points []int, use func(m *kernels.Member, roots []float64)) {
	set := collect(gr.points, points).points
	e := kernels.NewEvaluator[float64](gr.bank)
	self, roots := make([]float64, simd.Width), make([]float64, len(points))
	for k := range gr.bank.Groups {
		g := &gr.bank.Groups[k]
		var cols kernels.Columns[float64]
		for i := range g.Members {
			m := &g.Members[i]
			for at := 0; at < len(points); at += simd.Width {
				panel := set.Panel(at, &kernels.PanelBuffer{})
				e.PackColumns(&cols, g, &panel, len(points))
				e.SelfValues(self, &cols, m)
				factors := e.ColumnFactors(nil, &cols, m)
				for j := range min(simd.Width, len(points)-at) {
					// Kernels under the spherical normalisation are 1 on the diagonal, and gates are
					// factors.
					roots[at+j] = math.Sqrt(math.Abs(self[j]))
					if factors != nil {
						roots[at+j] *= math.Abs(factors[j])
					}
				}
			}
			use(m, roots)
		}
	}
}

// vector compares the vector of the linear kernels with the sum over the support vectors.
func (gr *checked) vector() {
	if gr.sum == nil {
		return
	}
	list := support(gr.alpha)
	s := collect(gr.points, list)
	size := make([]float64, len(gr.sum))
	for i, at := range list {
		s.delta = append(s.delta, gr.alpha[at])
		for j, shift := range gr.bank.Shift {
			size[j] += math.Abs(gr.alpha[at] * float64(shift))
		}
		s.points.Each(i, func(j int, x float32) { size[j] += math.Abs(gr.alpha[at] * float64(x)) })
	}
	for j, x := range centredSum(gr.bank, gr.points.Dim(), s) {
		invariant.Check(!(math.Abs(x-gr.sum[j]) > doubleSlack*size[j]),
			"feature %d of the linear kernels sums to %.15g, afresh %.15g", j+1, gr.sum[j], x)
	}
}

// padding checks that the lanes behind the last point hold numbers wherever the points do.
// They are multiplied by zero, and infinity times zero would spread.
func (gr *checked) padding() {
	f := gr.now
	last := f.panels - 1
	for at := last * gr.bank.Len() * simd.Width; at < len(f.g); at += simd.Width {
		for _, x := range f.g[at+f.count(last) : at+simd.Width] {
			invariant.Check(float.Finite(x) || !float.Finite(f.g[at]), "a lane without a point holds %v", x)
		}
	}
}
