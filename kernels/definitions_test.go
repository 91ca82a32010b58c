package kernels

import (
	"math"
	"testing"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/kernelstest"
	"bigmkl/internal/simd"
)

func TestDefinitions(t *testing.T) {
	t.Parallel()
	t.Run("float32", testDefinitions[float32])
	t.Run("float64", testDefinitions[float64])
}

func testDefinitions[T simd.Real](t *testing.T) {
	rng := random(t, 1)
	for _, shape := range [][3]int{{1, 1, 1}, {5, 3, 2}, {33, 9, 4}, {31, 8, 7}, {64, 17, 33}, {40, 7, 130}} {
		n, q, d := shape[0], shape[1], shape[2]
		p := points(rng, n, d)
		s := p.survey(t)
		rows := upTo(n)
		rng.Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		rows = rows[:min(q, n)]
		for name, set := range subsets(d) {
			list := allKinds(set)
			b := newBank(t, list, s, false)
			for id, k := range list.Kernels {
				g, _ := b.find(id)
				got := evaluate[T](b, id, p, rows)
				for i, at := range rows {
					for j, z := range p.x {
						want, size := kernelstest.Value(k, set, p.x[at], z, s.Shift)
						norms := 0.0
						g.Each(func(f int) {
							a, b := float64(p.x[at][f]-s.Shift[f]), float64(z[f]-s.Shift[f])
							norms += a*a + b*b
						})
						if e := math.Abs(float64(got[i][j]) - want); !(e <= bound[T](g, k, want, size, norms, float64(g.Dim))) {
							t.Fatalf("n=%d q=%d d=%d %s: kernel %d (%s) of points %d, %d: %v, want %v: off by %.2g, allowed %.2g",
								n, q, d, name, id, k.Kind, at, j, got[i][j], want, e, bound[T](g, k, want, size, norms, float64(g.Dim)))
						}
					}
				}
			}
		}
	}
}

// bound is how far a value may be from its definition: the base is a sum of dim terms in T, squared distances come from
// norms and products unless they are direct, and the transform has its slope and a few roundings of its own.
func bound[T simd.Real](g *Group, k kernelspec.Kernel, v, size, norms, dim float64) float64 {
	eps := math.Pow(2, -24)
	if precision[T]() == 1 {
		eps = math.Pow(2, -53)
	}
	base := (dim + 3) * eps * size
	if g.Base == SquaredDistance && !g.Direct[precision[T]()] {
		base = (dim + 3) * eps * 2 * norms
	}
	switch k.Kind {
	case kernelspec.Gauss, kernelspec.Laplace, kernelspec.ChiSquare:
		b := k.Gamma * base * 1.1
		return v*(b+8*eps) + 0x1p-116 // results below may be 0
	case kernelspec.Poly:
		b := k.Gamma*size + math.Abs(k.Coef)
		return float64(k.Degree) * math.Pow(b, float64(k.Degree)-1) * (k.Gamma*base + 4*eps*b) * 1.1
	case kernelspec.Sigmoid:
		return k.Gamma*base + 8*eps*(1+k.Gamma*size+math.Abs(k.Coef))
	}
	return base
}

// TestSpherical: k(x,z) / sqrt(k(x,x) k(z,z)), and 0 where k(x,x) is not positive.
func TestSpherical(t *testing.T) {
	t.Parallel()
	rng := random(t, 6)
	p := points(rng, 37, 4)
	p.x[3] = make([]float32, 4) // the zero point
	set := []int32{0, 2}
	list := allKinds(nil, set)
	b := newBank(t, list, p.survey(t), true)
	for id, k := range list.Kernels {
		features := list.Features(k.Set)
		got := evaluate[float64](b, id, p, upTo(37))
		single := evaluate[float32](b, id, p, upTo(37))
		for i, x := range p.x {
			for j, z := range p.x {
				xx, _ := kernelstest.Value(k, features, x, x, nil)
				zz, _ := kernelstest.Value(k, features, z, z, nil)
				want, _ := kernelstest.Value(k, features, x, z, nil)
				if want /= math.Sqrt(xx * zz); xx <= 0 || zz <= 0 {
					want = 0
				}
				if !(math.Abs(got[i][j]-want) <= 1e-12*max(1, math.Abs(want))) {
					t.Fatalf("kernel %d (%s) of %d, %d: %v, want %v", id, k.Kind, i, j, got[i][j], want)
				}
				if math.Abs(float64(single[i][j])-want) > 2e-4*max(1, math.Abs(want)) {
					t.Fatalf("kernel %d (%s) of %d, %d: %v in float32, want %v", id, k.Kind, i, j, single[i][j], want)
				}
			}
		}
	}
}

// TestSelfValues: k(x,x) of the points of a panel, with the tail of the last panel.
func TestSelfValues(t *testing.T) {
	t.Parallel()
	p := points(random(t, 7), 37, 5)
	s := p.survey(t)
	list := allKinds(nil, []int32{1, 3})
	b := newBank(t, list, s, false)
	e := NewEvaluator[float64](b)
	for id, k := range list.Kernels {
		g, m := b.find(id)
		for panel := range 2 {
			var cols Columns[float64]
			columns := PanelOf(p, panel, nil)
			e.PackColumns(&cols, g, &columns, 37)
			self := make([]float64, simd.Width)
			e.SelfValues(self, &cols, m)
			for j := range min(simd.Width, 37-panel*simd.Width) {
				x := p.x[panel*simd.Width+j]
				if want, _ := kernelstest.Value(k, list.Features(k.Set), x, x, s.Shift); !(math.Abs(self[j]-want) <= 1e-12*max(1, math.Abs(want))) {
					t.Errorf("kernel %d (%s) of point %d with itself: %v, want %v", id, k.Kind, panel*simd.Width+j, self[j], want)
				}
			}
		}
	}
}
