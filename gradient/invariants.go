package gradient

import (
	"context"
	"math"

	"bigmkl/internal/invariant"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// What must hold whatever the data, checked behind the build tag invariants on a few points at a time.
const (
	assertEvery  = 8  // passes between two looks at the gradients
	assertPoints = 4  // at so many points
	assertHits   = 32 // panels between two looks at a cached row

	// Gradients computed afresh may differ by these shares of sum_i |alpha_i| (k(x_i,x_i) k(x,x))^(1/2): what squared distances
	// may lose before they are taken from differences. In 842 looks at real and random problems it was at most 2e-7 and 1e-14.
	singleSlack = 1e-4
	doubleSlack = 1e-9
)

func (gr *Gradient) slack() float64 {
	if gr.double {
		return doubleSlack
	}
	return singleSlack
}

// assertPass checks the gradients after a pass at some points: the combined gradient, and that of one kernel after the other,
// computed afresh in float64; the vector of the linear kernels; and that lanes without a point do no harm.
func (gr *Gradient) assertPass(ctx context.Context, alpha, theta, combined []float64) error {
	gr.assertPadding()
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
	if err := gr.assertAfresh(ctx, sample, alpha, theta, func(i int) float64 { return combined[i] }); err != nil {
		return err
	}
	m := turn % gr.bank.Len()
	one := make([]float64, gr.bank.Len())
	one[m] = 1
	lane := int(gr.bank.Places()[m]) * simd.Width
	if err := gr.assertAfresh(ctx, sample, alpha, one, func(i int) float64 { return gr.now.g[gr.now.place(i, gr.bank.Len())+lane] }); err != nil {
		return err
	}
	gr.assertVector(alpha)
	return nil
}

// assertAfresh compares sum_m theta_m g_m at some points with what kept says it is.
func (gr *Gradient) assertAfresh(ctx context.Context, sample []int, alpha, theta []float64, kept func(i int) float64) error {
	fresh, err := gr.Afresh(ctx, sample, alpha, theta)
	if err != nil {
		return err
	}
	size := gr.sizes(sample, alpha, theta)
	for k, i := range sample {
		if d := math.Abs(kept(i) - fresh[k]); d-d == 0 { // overflow is the data's
			invariant.Check(d <= gr.slack()*size[k], "the gradient at point %d is %.15g, afresh %.15g, of terms of %.3g in all", i, kept(i), fresh[k], size[k])
		}
	}
	return nil
}

// sizes bounds what the combined gradient at some points is summed of: sum_m theta_m sum_i |alpha_i| (k_m(x_i,x_i) k_m(x,x))^(1/2).
func (gr *Gradient) sizes(sample []int, alpha, theta []float64) []float64 {
	list := support(alpha)
	all := append(append([]int{}, sample...), list...)
	set := gr.collect(all).points
	e := kernels.NewEvaluator[float64](gr.bank)
	sum := make([]float64, len(sample))
	self, roots := make([]float64, simd.Width), make([]float64, len(all))
	for k := range gr.bank.Groups {
		g := &gr.bank.Groups[k]
		var cols kernels.Columns[float64]
		for i := range g.Members {
			m := &g.Members[i]
			weight := theta[m.ID] * gr.bank.Factor(int(m.ID))
			if weight == 0 {
				continue
			}
			for at := 0; at < len(all); at += simd.Width {
				panel := set.Panel(at, &kernels.PanelBuffer{})
				e.PackColumns(&cols, g, &panel, gr.points.Len())
				e.SelfValues(self, &cols, m)
				for j := range min(simd.Width, len(all)-at) {
					if roots[at+j] = math.Sqrt(math.Abs(self[j])); g.Spherical {
						roots[at+j] = 1
					}
				}
			}
			norm := 0.0
			for j, i := range list {
				norm += math.Abs(alpha[i]) * roots[len(sample)+j]
			}
			for j := range sum {
				sum[j] += weight * norm * roots[j]
			}
		}
	}
	return sum
}

// assertVector compares the vector of the linear kernels with the sum over the support vectors.
func (gr *Gradient) assertVector(alpha []float64) {
	if gr.sum == nil {
		return
	}
	list := support(alpha)
	s := gr.collect(list)
	size := make([]float64, len(gr.sum))
	for i, at := range list {
		s.delta = append(s.delta, alpha[at])
		for j, shift := range gr.bank.Shift {
			size[j] += math.Abs(alpha[at] * float64(shift))
		}
		s.points.Each(i, func(j int, x float32) { size[j] += math.Abs(alpha[at] * float64(x)) })
	}
	for j, x := range gr.vector(s) {
		invariant.Check(!(math.Abs(x-gr.sum[j]) > doubleSlack*size[j]), "feature %d of the linear kernels sums to %.15g, afresh %.15g", j+1, gr.sum[j], x)
	}
}

// assertPadding checks that the lanes behind the last point hold numbers wherever the points do: they are multiplied by zero.
func (gr *Gradient) assertPadding() {
	f, finite := gr.now, func(x float64) bool { return x-x == 0 }
	last := f.panels - 1
	for at := last * gr.bank.Len() * simd.Width; at < len(f.g); at += simd.Width {
		for _, x := range f.g[at+f.count(last) : at+simd.Width] {
			invariant.Check(finite(x) || !finite(f.g[at]), "a lane without a point holds %v", x)
		}
	}
}

// assertHit compares a row that came from the cache with the same computed afresh, bit for bit, on one panel: the promise that
// a cache changes nothing. Panels take turns.
func (w *worker[T]) assertHit(m *machine[T], f *field, g *kernels.Group, u *update, p *plan[T], at, nth int) {
	passes := m.gr.stats.Passes
	if p.rows == nil || !invariant.Turn(passes+int64(at), assertHits) {
		return
	}
	var hits []int
	for i, hit := range p.hit {
		if hit {
			hits = append(hits, i)
		}
	}
	if len(hits) == 0 {
		return
	}
	i := hits[int(passes/assertHits)%len(hits)]
	var point kernels.Set
	point.Select(u.set.points, []int{i})
	var rows kernels.Rows[T]
	var cols kernels.Columns[T]
	e, panel := kernels.NewEvaluator[T](m.bank), &w.panels[nth]
	e.PackRows(&rows, g, &point)
	e.PackColumns(&cols, g, panel, f.n)
	fresh := make([]T, g.TileSize(1))
	e.Base(fresh, g, &rows, 0, 1, &cols, nil)
	for j := range g.Layers * simd.Width {
		layer, lane := j/simd.Width, j%simd.Width
		if lane >= panel.Len {
			continue
		}
		kept := w.base[(layer*len(u.set.index)+i)*simd.Width+lane]
		invariant.Check(kept == fresh[j] || kept != kept && fresh[j] != fresh[j],
			"row %d of group %d at point %d of panel %d is %v in the cache, afresh %v", u.set.index[i], g.First, lane, at, kept, fresh[j])
	}
}
